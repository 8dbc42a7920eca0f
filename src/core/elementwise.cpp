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

/// The same code for three kinds of registers; the machine's is chosen once.
struct Kernels {
  double (*part)(const double*, double*, Index);
  void (*add_variances)(const double*, double*, Index);
  void (*tanh_of)(double*, Index);
  void (*sigmoid_of)(double*, Index);
};

#define FISHERMAN_KERNELS(name, registers)                                                   \
  const Kernels name = {                                                                     \
      [](const double* y, double* eta, Index n) registers { return part(y, eta, n); },       \
      [](const double* eta, double* sum, Index n) registers { add_variances(eta, sum, n); }, \
      [](double* x, Index n) registers { tanh_of(x, n); },                                   \
      [](double* x, Index n) registers { sigmoid_of(x, n); }}

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

}  // namespace fisherman
