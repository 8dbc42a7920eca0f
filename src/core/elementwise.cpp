#include "elementwise.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "fisherman/core/error.hpp"

namespace fisherman {
namespace {

/// e^−a for a ≥ 0 to an ulp or two: 2ⁿ by the exponent's bits, the rest by Taylor's series. 0 below e^−700; not a
/// number stays so.
[[gnu::always_inline]] inline double exp_minus(double a) {
  constexpr double to_integer = 0x1.8p52;  // added, it leaves the nearest integer in the last bits
  constexpr double ln2_high = 0x1.62e42fefap-1, ln2_low = 0x1.cf79abc9e3b398p-40;
  const double x = -(a > 700.0 ? 700.0 : a);
  const double shifted = x * 0x1.71547652b82fep0 + to_integer;
  const double n = shifted - to_integer;
  const double r = (x - n * ln2_high) - n * ln2_low;
  double sum = 1.0 / 6227020800.0;
  sum = sum * r + 1.0 / 479001600.0;
  sum = sum * r + 1.0 / 39916800.0;
  sum = sum * r + 1.0 / 3628800.0;
  sum = sum * r + 1.0 / 362880.0;
  sum = sum * r + 1.0 / 40320.0;
  sum = sum * r + 1.0 / 5040.0;
  sum = sum * r + 1.0 / 720.0;
  sum = sum * r + 1.0 / 120.0;
  sum = sum * r + 1.0 / 24.0;
  sum = sum * r + 1.0 / 6.0;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  const auto exponent = std::bit_cast<std::uint64_t>(shifted) + 1023;
  return a > 700.0 ? 0.0 : sum * std::bit_cast<double>(exponent << 52);
}

/// log(1 + e) for 0 ≤ e ≤ 1: twice the series of artanh, of a number below 0.172.
[[gnu::always_inline]] inline double log_one_plus(double e) {
  const bool large = e > 0.41421356237309503;  // log(1 + e) = log 2 + log((1 + e)/2) then
  const double t = (large ? e - 1.0 : e) / (large ? e + 3.0 : e + 2.0), square = t * t;
  double sum = 1.0 / 21.0;
  sum = sum * square + 1.0 / 19.0;
  sum = sum * square + 1.0 / 17.0;
  sum = sum * square + 1.0 / 15.0;
  sum = sum * square + 1.0 / 13.0;
  sum = sum * square + 1.0 / 11.0;
  sum = sum * square + 1.0 / 9.0;
  sum = sum * square + 1.0 / 7.0;
  sum = sum * square + 1.0 / 5.0;
  sum = sum * square + 1.0 / 3.0;
  sum = sum * square + 1.0;
  return (large ? 0x1.62e42fefa39efp-1 : 0.0) + 2.0 * t * sum;
}

// One logarithm for a chunk: its factors multiply to 2^512 at most.
constexpr Index chains = 8, chunk = 512;

/// What `count` outcomes contribute to the sum, at most `chunk` of them.
[[gnu::always_inline]] inline double part(const double* y, double* eta, Index count) {
  alignas(64) double terms[chunk] = {}, factors[chunk];
  std::fill_n(factors, chunk, 1.0);
  for (Index i = 0; i < count; ++i) {
    const double e = exp_minus(std::abs(eta[i]));
    terms[i] = y[i] * eta[i] - (eta[i] > 0.0 ? eta[i] : 0.0);
    factors[i] = 1.0 + e;
    eta[i] = y[i] - (eta[i] >= 0.0 ? 1.0 : e) / (1.0 + e);
  }
  for (Index i = chains; i < chunk; i += chains)
    for (Index chain = 0; chain < chains; ++chain) {
      terms[chain] += terms[i + chain];
      factors[chain] *= factors[i + chain];
    }
  double sum = 0.0, product = 1.0;
  for (Index chain = 0; chain < chains; ++chain) {
    sum += terms[chain];
    product *= factors[chain];
  }
  return sum - std::log(product);
}

[[gnu::always_inline]] inline void add_variances(const double* logits, double* sum, Index count) {
  for (Index i = 0; i < count; ++i) {
    const double e = exp_minus(std::abs(logits[i]));
    sum[i] += e / ((1.0 + e) * (1.0 + e));
  }
}

[[gnu::always_inline]] inline void tanh_of(double* x, Index count) {
  for (Index i = 0; i < count; ++i) {
    const double e = exp_minus(2.0 * std::abs(x[i])), size = (1.0 - e) / (1.0 + e);
    x[i] = x[i] < 0.0 ? -size : size;
  }
}

[[gnu::always_inline]] inline void sigmoid_of(double* x, Index count) {
  for (Index i = 0; i < count; ++i) {
    const double e = exp_minus(std::abs(x[i]));
    x[i] = (x[i] >= 0.0 ? 1.0 : e) / (1.0 + e);
  }
}

[[gnu::always_inline]] inline void exp_minus_of(double* x, Index count) {
  for (Index i = 0; i < count; ++i) x[i] = exp_minus(x[i]);
}

/// Where the functions are taken: weight times their values at mean + z·deviation is added.
struct Point {
  const double *mean, *deviation;
  double z, weight;
};

[[gnu::always_inline]] inline void add_functions(const Point& at, double* __restrict softplus,
                                                 double* __restrict sigmoid,
                                                 double* __restrict slope, Index count) {
  for (Index i = 0; i < count; ++i) {
    const double eta = at.mean[i] + at.z * at.deviation[i];
    const double e = exp_minus(std::abs(eta)), s = 1.0 / (1.0 + e);
    softplus[i] += at.weight * ((eta > 0.0 ? eta : 0.0) + log_one_plus(e));
    sigmoid[i] += at.weight * ((eta >= 0.0 ? 1.0 : e) * s);
    slope[i] += at.weight * (e * s * s);
  }
}

/// The same code for three kinds of registers; the machine's is chosen once.
struct Kernels {
  double (*part)(const double*, double*, Index);
  void (*add_variances)(const double*, double*, Index);
  void (*tanh_of)(double*, Index);
  void (*sigmoid_of)(double*, Index);
  void (*exp_minus_of)(double*, Index);
  void (*add_functions)(const Point&, double*, double*, double*, Index);
};

#define FISHERMAN_KERNELS(name, registers)                                                   \
  const Kernels name = {                                                                     \
      [](const double* y, double* eta, Index n) registers { return part(y, eta, n); },       \
      [](const double* eta, double* sum, Index n) registers { add_variances(eta, sum, n); }, \
      [](double* x, Index n) registers { tanh_of(x, n); },                                   \
      [](double* x, Index n) registers { sigmoid_of(x, n); },                                \
      [](double* x, Index n) registers { exp_minus_of(x, n); },                              \
      [](const Point& at, double* softplus, double* sigmoid, double* slope, Index n)         \
          registers { add_functions(at, softplus, sigmoid, slope, n); }}

FISHERMAN_KERNELS(plain, );
#if defined(__x86_64__)
FISHERMAN_KERNELS(avx2, __attribute__((target("avx2,fma"))));
FISHERMAN_KERNELS(avx512, __attribute__((target("avx512f,avx512vl,avx512dq,fma"))));
#endif
#undef FISHERMAN_KERNELS

const Kernels& kernels() {
#if defined(__x86_64__)
  static const bool has_avx512 = __builtin_cpu_supports("avx512f") &&
                                 __builtin_cpu_supports("avx512vl") &&
                                 __builtin_cpu_supports("avx512dq");
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx512) return avx512;
  if (has_avx2) return avx2;
#endif
  return plain;
}

}  // namespace

double bernoulli(const ConstVectorRef& y, Eigen::Ref<Vector> logits) {
  require(y.size() == logits.size(), "outcomes and logits differ in number");
  double sum = 0.0;
  for (Index first = 0; first < y.size(); first += chunk)
    sum +=
        kernels().part(y.data() + first, logits.data() + first, std::min(chunk, y.size() - first));
  return sum;
}

void add_bernoulli_variances(const ConstVectorRef& logits, Eigen::Ref<Vector> sum) {
  require(sum.size() == logits.size(), "logits and sums differ in number");
  kernels().add_variances(logits.data(), sum.data(), logits.size());
}

void apply_tanh(Eigen::Ref<Vector> x) { kernels().tanh_of(x.data(), x.size()); }
void apply_sigmoid(Eigen::Ref<Vector> x) { kernels().sigmoid_of(x.data(), x.size()); }
void apply_exp_minus(Eigen::Ref<Vector> x) { kernels().exp_minus_of(x.data(), x.size()); }

void add_logistic(const ConstVectorRef& mean, const ConstVectorRef& deviation, double z,
                  double weight, Eigen::Ref<Matrix> sums) {
  require(deviation.size() == mean.size() && sums.rows() == mean.size() && sums.cols() == 3,
          "means, deviations and sums differ in number");
  kernels().add_functions({mean.data(), deviation.data(), z, weight}, sums.col(0).data(),
                          sums.col(1).data(), sums.col(2).data(), mean.size());
}

}  // namespace fisherman
