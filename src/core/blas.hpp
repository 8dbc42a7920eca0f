// BLAS and LAPACK with one name for both precisions. Private: nothing of it shows in our headers.
#pragma once

#include <cblas.h>
#include <lapacke.h>

#include "fisherman/core/types.hpp"

namespace fisherman::blas {

enum class Op { plain, transposed };
inline CBLAS_TRANSPOSE flag(Op op) { return op == Op::plain ? CblasNoTrans : CblasTrans; }

/// A column-major matrix that somebody else owns.
template <class T>
struct View {
  T* data;
  Index rows, cols, stride;
};

template <class M>
auto view(M& m) {
  return View<std::remove_pointer_t<decltype(m.data())>>{m.data(), m.rows(), m.cols(),
                                                         m.outerStride()};
}

/// C ← alpha·op(A)·op(B) + beta·C
inline void gemm(double alpha, Op ta, View<const double> a, Op tb, View<const double> b,
                 double beta, View<double> c) {
  const Index inner = ta == Op::plain ? a.cols : a.rows;
  cblas_dgemm(CblasColMajor, flag(ta), flag(tb), int(c.rows), int(c.cols), int(inner), alpha,
              a.data, int(a.stride), b.data, int(b.stride), beta, c.data, int(c.stride));
}
inline void gemm(float alpha, Op ta, View<const float> a, Op tb, View<const float> b, float beta,
                 View<float> c) {
  const Index inner = ta == Op::plain ? a.cols : a.rows;
  cblas_sgemm(CblasColMajor, flag(ta), flag(tb), int(c.rows), int(c.cols), int(inner), alpha,
              a.data, int(a.stride), b.data, int(b.stride), beta, c.data, int(c.stride));
}

/// Lower triangle of C ← alpha·A·Aᵀ + C
inline void syrk(double alpha, View<const double> a, View<double> c) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, int(c.rows), int(a.cols), alpha, a.data,
              int(a.stride), 1.0, c.data, int(c.stride));
}
inline void syrk(float alpha, View<const float> a, View<float> c) {
  cblas_ssyrk(CblasColMajor, CblasLower, CblasNoTrans, int(c.rows), int(a.cols), alpha, a.data,
              int(a.stride), 1.0F, c.data, int(c.stride));
}

/// C ← A·B + beta·C with the symmetric A in its lower triangle
inline void symm(View<const double> a, View<const double> b, double beta, View<double> c) {
  cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, int(c.rows), int(c.cols), 1.0, a.data,
              int(a.stride), b.data, int(b.stride), beta, c.data, int(c.stride));
}
inline void symm(View<const float> a, View<const float> b, float beta, View<float> c) {
  cblas_ssymm(CblasColMajor, CblasLeft, CblasLower, int(c.rows), int(c.cols), 1.0F, a.data,
              int(a.stride), b.data, int(b.stride), beta, c.data, int(c.stride));
}

/// Cholesky factor into the lower triangle; false when the matrix is not positive definite.
inline bool cholesky(View<double> a) {
  return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', int(a.rows), a.data, int(a.stride)) == 0;
}

/// x ← (LLᵀ)⁻¹·x with the lower triangle of L.
inline void solve_cholesky(View<const double> l, double* x) {
  for (const Op op : {Op::plain, Op::transposed})
    cblas_dtrsv(CblasColMajor, CblasLower, flag(op), CblasNonUnit, int(l.rows), l.data,
                int(l.stride), x, 1);
}
/// B ← B·L⁻ᵀ with the lower triangle of L.
inline void solve_lower_right(View<const double> l, View<double> b) {
  cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, int(b.rows),
              int(b.cols), 1.0, l.data, int(l.stride), b.data, int(b.stride));
}

inline void solve_lower_right(View<const float> l, View<float> b) {
  cblas_strsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, int(b.rows),
              int(b.cols), 1.0F, l.data, int(l.stride), b.data, int(b.stride));
}

}  // namespace fisherman::blas
