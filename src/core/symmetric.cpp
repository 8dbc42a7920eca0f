#include "symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "fisherman/core/parallel.hpp"

// The narrow product is bound by memory if its inner loop uses wide registers, and by arithmetic if
// it does not, so the compiler makes a version for each kind of machine and the loader picks one.
// (Sanitizers cannot run the loader's choice.)
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(FISHERMAN_SANITIZED)
#define FISHERMAN_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=haswell", "default")))
#else
#define FISHERMAN_CLONES
#endif

namespace fisherman {
namespace {

constexpr Index tile = 256;
constexpr Index narrow = 4;        // widest X for which one read of the triangle is the bound
constexpr std::size_t chunks = 8;  // partial sums of the narrow product, whatever the threads

/// Columns j … j+3 of the lower triangle, rows from `first` on, times `Width` vectors, both ways:
/// y[i] += Σ a[i,c] x[j+c] and dot[c] += Σ a[i,c] x[i]. The four columns share the loads of x and
/// y.
template <class T, int Width>
inline __attribute__((always_inline)) void four_columns(const T* a, Index stride, Index first,
                                                        Index n, const T* x, T* y, Index vectors,
                                                        Index j) {
  const T* __restrict a0 = a + j * stride;
  const T* __restrict a1 = a0 + stride;
  const T* __restrict a2 = a1 + stride;
  const T* __restrict a3 = a2 + stride;
  if constexpr (Width == 1) {
    const T* __restrict x0 = x;
    T* __restrict y0 = y;
    const T b0 = x0[j], b1 = x0[j + 1], b2 = x0[j + 2], b3 = x0[j + 3];
    T d0 = 0, d1 = 0, d2 = 0, d3 = 0;
#pragma omp simd reduction(+ : d0, d1, d2, d3)
    for (Index i = first; i < n; ++i) {
      const T u = x0[i];
      y0[i] += a0[i] * b0 + a1[i] * b1 + a2[i] * b2 + a3[i] * b3;
      d0 += a0[i] * u, d1 += a1[i] * u, d2 += a2[i] * u, d3 += a3[i] * u;
    }
    y0[j] += d0, y0[j + 1] += d1, y0[j + 2] += d2, y0[j + 3] += d3;
  } else {
    const T* __restrict x0 = x;
    const T* __restrict x1 = x + vectors;
    T* __restrict y0 = y;
    T* __restrict y1 = y + vectors;
    const T b0 = x0[j], b1 = x0[j + 1], b2 = x0[j + 2], b3 = x0[j + 3];
    const T c0 = x1[j], c1 = x1[j + 1], c2 = x1[j + 2], c3 = x1[j + 3];
    T d0 = 0, d1 = 0, d2 = 0, d3 = 0, e0 = 0, e1 = 0, e2 = 0, e3 = 0;
#pragma omp simd reduction(+ : d0, d1, d2, d3, e0, e1, e2, e3)
    for (Index i = first; i < n; ++i) {
      const T u = x0[i], w = x1[i];
      y0[i] += a0[i] * b0 + a1[i] * b1 + a2[i] * b2 + a3[i] * b3;
      y1[i] += a0[i] * c0 + a1[i] * c1 + a2[i] * c2 + a3[i] * c3;
      d0 += a0[i] * u, d1 += a1[i] * u, d2 += a2[i] * u, d3 += a3[i] * u;
      e0 += a0[i] * w, e1 += a1[i] * w, e2 += a2[i] * w, e3 += a3[i] * w;
    }
    y0[j] += d0, y0[j + 1] += d1, y0[j + 2] += d2, y0[j + 3] += d3;
    y1[j] += e0, y1[j + 1] += e1, y1[j + 2] += e2, y1[j + 3] += e3;
  }
}

/// y += the part of A·x that columns [begin, end) of the lower triangle contribute, for `Width`
/// vectors, one after the other in x and y with distance n.
template <class T, int Width>
inline __attribute__((always_inline)) void columns(const T* a, Index stride, Index n, Index begin,
                                                   Index end, const T* x, T* y) {
  Index j = begin;
  for (; j + 4 <= end; j += 4) {
    // The 4×4 corner on the diagonal by hand, the rectangle below it in the long loop.
    for (Index c = 0; c < 4; ++c)
      for (int v = 0; v < Width; ++v) {
        const T* xv = x + v * n;
        T* yv = y + v * n;
        const T* col = a + (j + c) * stride;
        yv[j + c] += col[j + c] * xv[j + c];
        for (Index i = j + c + 1; i < j + 4; ++i) {
          yv[i] += col[i] * xv[j + c];
          yv[j + c] += col[i] * xv[i];
        }
      }
    four_columns<T, Width>(a, stride, j + 4, n, x, y, n, j);
  }
  for (; j < end; ++j)
    for (int v = 0; v < Width; ++v) {
      const T* xv = x + v * n;
      T* yv = y + v * n;
      const T* col = a + j * stride;
      T dot = col[j] * xv[j];
      for (Index i = j + 1; i < n; ++i) {
        yv[i] += col[i] * xv[j];
        dot += col[i] * xv[i];
      }
      yv[j] += dot;
    }
}

FISHERMAN_CLONES void columns_double_1(const double* a, Index s, Index n, Index b, Index e,
                                       const double* x, double* y) {
  columns<double, 1>(a, s, n, b, e, x, y);
}
FISHERMAN_CLONES void columns_double_2(const double* a, Index s, Index n, Index b, Index e,
                                       const double* x, double* y) {
  columns<double, 2>(a, s, n, b, e, x, y);
}
FISHERMAN_CLONES void columns_float_1(const float* a, Index s, Index n, Index b, Index e,
                                      const float* x, float* y) {
  columns<float, 1>(a, s, n, b, e, x, y);
}
FISHERMAN_CLONES void columns_float_2(const float* a, Index s, Index n, Index b, Index e,
                                      const float* x, float* y) {
  columns<float, 2>(a, s, n, b, e, x, y);
}

void columns_1(const double* a, Index s, Index n, Index b, Index e, const double* x, double* y) {
  columns_double_1(a, s, n, b, e, x, y);
}
void columns_1(const float* a, Index s, Index n, Index b, Index e, const float* x, float* y) {
  columns_float_1(a, s, n, b, e, x, y);
}
void columns_2(const double* a, Index s, Index n, Index b, Index e, const double* x, double* y) {
  columns_double_2(a, s, n, b, e, x, y);
}
void columns_2(const float* a, Index s, Index n, Index b, Index e, const float* x, float* y) {
  columns_float_2(a, s, n, b, e, x, y);
}

/// The first column of chunk k, such that all chunks hold about the same area of the triangle.
Index chunk_begin(Index n, std::size_t k) {
  const double left = 1.0 - double(k) / double(chunks);
  return k == chunks ? n : n - Index(std::lround(double(n) * std::sqrt(left)));
}

template <class T>
void narrow_times(blas::View<const T> A, blas::View<const T> X, blas::View<T> Y,
                  SymmetricWorkspace<T>& room) {
  const Index n = A.rows, width = X.cols, block = n * width;
  if (room.partial.size() < block * Index(chunks + 1))
    room.partial.resize(block * Index(chunks + 1));
  T* const x = room.partial.data() + block * Index(chunks);  // X without gaps between its columns
  for (Index v = 0; v < width; ++v) std::copy_n(X.data + v * X.stride, n, x + v * n);
  parallel_for(chunks, [&](std::size_t k) {
    T* const y = room.partial.data() + Index(k) * block;
    std::fill_n(y, block, T(0));
    const Index begin = chunk_begin(n, k), end = chunk_begin(n, k + 1);
    // Pairs of vectors share the read of the triangle; of up to four, the second pair finds a
    // slab of 32 columns still in cache.
    constexpr Index slab = 32;
    for (Index c = begin; c < end; c += slab) {
      const Index stop = std::min(end, c + slab);
      Index v = 0;
      for (; v + 2 <= width; v += 2) columns_2(A.data, A.stride, n, c, stop, x + v * n, y + v * n);
      if (v < width) columns_1(A.data, A.stride, n, c, stop, x + v * n, y + v * n);
    }
  });
  for (Index v = 0; v < width; ++v) {
    T* const out = Y.data + v * Y.stride;
    std::copy_n(room.partial.data() + v * n, n, out);
    for (std::size_t k = 1; k < chunks; ++k) {
      const T* const y = room.partial.data() + Index(k) * block + v * n;
      for (Index i = chunk_begin(n, k); i < n; ++i) out[i] += y[i];
    }
  }
}

template <class T>
blas::View<const T> block(blas::View<const T> m, Index i, Index j, Index rows, Index cols) {
  return {m.data + i + j * m.stride, rows, cols, m.stride};
}
template <class T>
blas::View<T> mutable_block(blas::View<T> m, Index i, Index j, Index rows, Index cols) {
  return {m.data + i + j * m.stride, rows, cols, m.stride};
}

template <class T>
void wide_times(blas::View<const T> A, blas::View<const T> X, blas::View<T> Y) {
  const Index n = A.rows, b = X.cols;
  const Index tiles = (n + tile - 1) / tile;
  parallel_for(std::size_t(tiles), [&](std::size_t task) {
    const Index i = Index(task) * tile, rows = std::min(tile, n - i);
    const auto y = mutable_block(Y, i, 0, rows, b);
    blas::symm(block(A, i, i, rows, rows), block(X, i, 0, rows, b), T(0), y);
    if (i > 0)
      blas::gemm(T(1), blas::Op::plain, block(A, i, 0, rows, i), blas::Op::plain,
                 block(X, 0, 0, i, b), T(1), y);
    const Index below = n - i - rows;
    if (below > 0)
      blas::gemm(T(1), blas::Op::transposed, block(A, i + rows, i, below, rows), blas::Op::plain,
                 block(X, i + rows, 0, below, b), T(1), y);
  });
}

}  // namespace

template <class T>
void symmetric_times(blas::View<const T> A, blas::View<const T> X, blas::View<T> Y,
                     SymmetricWorkspace<T>& room) {
  if (X.cols <= narrow)
    narrow_times(A, X, Y, room);
  else
    wide_times(A, X, Y);
}

template <class T>
void symmetric_subtract(blas::View<T> A, blas::View<const T> P) {
  const Index n = A.rows, b = P.cols;
  const Index tiles = (n + tile - 1) / tile;
  parallel_for(std::size_t(tiles), [&](std::size_t task) {  // a block column of the lower triangle
    const Index j = Index(task) * tile, cols = std::min(tile, n - j);
    const auto right = block(P, j, 0, cols, b);
    blas::syrk(T(-1), right, mutable_block(A, j, j, cols, cols));
    const Index below = n - j - cols;
    if (below > 0)
      blas::gemm(T(-1), blas::Op::plain, block(P, j + cols, 0, below, b), blas::Op::transposed,
                 right, T(1), mutable_block(A, j + cols, j, below, cols));
  });
}

template void symmetric_times(blas::View<const double>, blas::View<const double>,
                              blas::View<double>, SymmetricWorkspace<double>&);
template void symmetric_times(blas::View<const float>, blas::View<const float>, blas::View<float>,
                              SymmetricWorkspace<float>&);
template void symmetric_subtract(blas::View<double>, blas::View<const double>);
template void symmetric_subtract(blas::View<float>, blas::View<const float>);

}  // namespace fisherman
