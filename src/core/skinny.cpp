#include "skinny.hpp"

#include <algorithm>
#include <cstring>

namespace fisherman {
namespace {

constexpr Index float_lanes = 8, rows_at_once = 4, rows_added_at_once = 8;
using FloatLanes = float __attribute__((vector_size(float_lanes * sizeof(float))));

[[gnu::always_inline]] inline void load(FloatLanes& to, const float* from) {
  std::memcpy(&to, from, sizeof to);
}
[[gnu::always_inline]] inline void store(float* to, const FloatLanes& from) {
  std::memcpy(to, &from, sizeof from);
}
[[gnu::always_inline]] inline float total(const FloatLanes& v) {
  return ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
}

/// Rows × Columns dot products of length p.
template <int Rows, int Columns>
[[gnu::always_inline]] inline void dots(const float* x, Index stride, const float* left, Index p,
                                        float* z, Index r) {
  FloatLanes sum[Rows][Columns] = {};
  Index j = 0;
  for (; j + float_lanes <= p; j += float_lanes) {
    FloatLanes l[Columns];
    for (int a = 0; a < Columns; ++a) load(l[a], left + a * p + j);
    for (int i = 0; i < Rows; ++i) {
      FloatLanes row;
      load(row, x + i * stride + j);
      for (int a = 0; a < Columns; ++a) sum[i][a] += row * l[a];
    }
  }
  for (int i = 0; i < Rows; ++i)
    for (int a = 0; a < Columns; ++a) {
      float rest = total(sum[i][a]);
      for (Index k = j; k < p; ++k) rest += x[i * stride + k] * left[a * p + k];
      z[i * r + a] = rest;
    }
}

template <int Rows>
[[gnu::always_inline]] inline void project_rows(const float* x, Index stride, const float* left,
                                                Index p, Index r, float* z) {
  Index a = 0;
  for (; a + 2 <= r; a += 2) dots<Rows, 2>(x, stride, left + a * p, p, z + a, r);
  if (a < r) dots<Rows, 1>(x, stride, left + a * p, p, z + a, r);
}

[[gnu::always_inline]] inline void project_all(const float* x, Index stride, Index p, Index n,
                                               const float* left, Index r, float* z) {
  Index i = 0;
  for (; i + rows_at_once <= n; i += rows_at_once)
    project_rows<rows_at_once>(x + i * stride, stride, left, p, r, z + i * r);
  for (; i < n; ++i) project_rows<1>(x + i * stride, stride, left, p, r, z + i * r);
}

/// out += the outer products of a few rows.
template <int Rows>
[[gnu::always_inline]] inline void gather_rows(const float* x, Index stride, Index p,
                                               const float* w, Index r, float* out) {
  Index j = 0;
  for (; j + float_lanes <= p; j += float_lanes) {
    FloatLanes row[Rows];
    for (int i = 0; i < Rows; ++i) load(row[i], x + i * stride + j);
    for (Index a = 0; a < r; ++a) {
      FloatLanes sum;
      load(sum, out + a * p + j);
      for (int i = 0; i < Rows; ++i) sum += row[i] * w[i * r + a];
      store(out + a * p + j, sum);
    }
  }
  for (; j < p; ++j)
    for (Index a = 0; a < r; ++a)
      for (int i = 0; i < Rows; ++i) out[a * p + j] += x[i * stride + j] * w[i * r + a];
}

[[gnu::always_inline]] inline void gather_all(const float* x, Index stride, Index p, Index n,
                                              const float* w, Index r, float* out) {
  Index i = 0;
  for (; i + rows_added_at_once <= n; i += rows_added_at_once)
    gather_rows<rows_added_at_once>(x + i * stride, stride, p, w + i * r, r, out);
  for (; i < n; ++i) gather_rows<1>(x + i * stride, stride, p, w + i * r, r, out);
}

/// The same code for two kinds of registers; the machine's is chosen once.
using Kernel = void (*)(const float* x, Index stride, Index p, Index n, const float* few, Index r,
                        float* out);
struct SkinnyKernels {
  Kernel project, gather;
};

#define FISHERMAN_SKINNY(name, registers)                                                       \
  const SkinnyKernels name = {                                                                  \
      [](const float* x, Index stride, Index p, Index n, const float* few, Index r, float* out) \
          registers { project_all(x, stride, p, n, few, r, out); },                             \
      [](const float* x, Index stride, Index p, Index n, const float* few, Index r, float* out) \
          registers { gather_all(x, stride, p, n, few, r, out); }}

FISHERMAN_SKINNY(plain_skinny, );
#if defined(__x86_64__)
FISHERMAN_SKINNY(avx2_skinny, __attribute__((target("avx2,fma"))));
#endif
#undef FISHERMAN_SKINNY

const SkinnyKernels& skinny_kernels() {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2) return avx2_skinny;
#endif
  return plain_skinny;
}

}  // namespace

Eigen::MatrixXf skinny_project(const Eigen::MatrixXf& left, const ConstSingleRef& x) {
  Eigen::MatrixXf z(left.cols(), x.cols());
  skinny_kernels().project(x.data(), x.outerStride(), x.rows(), x.cols(), left.data(), left.cols(),
                           z.data());
  return z;
}

Eigen::MatrixXf skinny_gather(const Eigen::MatrixXf& w, const ConstSingleRef& x) {
  Eigen::MatrixXf out = Eigen::MatrixXf::Zero(x.rows(), w.rows());
  skinny_kernels().gather(x.data(), x.outerStride(), x.rows(), x.cols(), w.data(), w.rows(),
                          out.data());
  return out;
}

}  // namespace fisherman
