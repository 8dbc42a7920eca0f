#include "symmetric.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>

#include "fisherman/core/parallel.hpp"

namespace fisherman {
namespace {

/// Small enough to give every thread its share, large enough for BLAS.
constexpr Index tile_of(Index n) { return n < 2048 ? 128 : 256; }
constexpr Index narrow = 4;        // widest X for which one read of the triangle is the bound
constexpr std::size_t chunks = 8;  // partial sums of the narrow product, whatever the threads

// The narrow product is bound by memory if many columns share the loads of x and y, and by arithmetic
// otherwise. Sums are kept in vectors of 32 bytes, which every compiler for every machine can split up.

/// `Group` columns of the lower triangle from j on, rows from `first` on, times `Width` vectors, both
/// ways: y[i] += Σ a[i,c] x[j+c] and y[j+c] += Σ a[i,c] x[i]. The vectors stand n apart in x and y.
template <class T, int Width, int Group>
[[gnu::always_inline]] inline void below_group(const T* a, Index stride, Index n, Index j,
                                               Index first, const T* x, T* y) {
  using Lanes [[gnu::vector_size(32)]] = T;
  constexpr Index lanes = 32 / sizeof(T);
  Lanes dot[Width][Group] = {};
  T b[Width][Group];
  for (int w = 0; w < Width; ++w)
    for (int c = 0; c < Group; ++c) b[w][c] = x[w * n + j + c];
  Index i = first;
  for (; i + lanes <= n; i += lanes) {
    Lanes u[Width], sum[Width];
    for (int w = 0; w < Width; ++w) {
      std::memcpy(&u[w], x + w * n + i, sizeof(Lanes));
      std::memcpy(&sum[w], y + w * n + i, sizeof(Lanes));
    }
#pragma GCC unroll 8
    for (int c = 0; c < Group; ++c) {
      Lanes e;
      std::memcpy(&e, a + (j + c) * stride + i, sizeof(Lanes));
#pragma GCC unroll 2
      for (int w = 0; w < Width; ++w) {
        sum[w] += e * b[w][c];
        dot[w][c] += e * u[w];
      }
    }
    for (int w = 0; w < Width; ++w) std::memcpy(y + w * n + i, &sum[w], sizeof(Lanes));
  }
  for (int w = 0; w < Width; ++w)
    for (int c = 0; c < Group; ++c) {
      const T* const column = a + (j + c) * stride;
      T rest = 0;
      for (Index k = i; k < n; ++k) {
        y[w * n + k] += column[k] * b[w][c];
        rest += column[k] * x[w * n + k];
      }
      for (Index l = 0; l < lanes; ++l) rest += dot[w][c][l];
      y[w * n + j + c] += rest;
    }
}

/// y += what columns [begin, end) of the lower triangle contribute to A·x.
template <class T, int Width, int Group>
[[gnu::always_inline]] inline void columns(const T* a, Index stride, Index n, Index begin,
                                           Index end, const T* x, T* y) {
  for (Index j = begin; j < end;) {
    const Index group = j + Group <= end ? Group : 1;
    for (int w = 0; w < Width; ++w)  // the small triangle on the diagonal
      for (Index c = j; c < j + group; ++c) {
        y[w * n + c] += a[c + c * stride] * x[w * n + c];
        for (Index i = c + 1; i < j + group; ++i) {
          y[w * n + i] += a[i + c * stride] * x[w * n + c];
          y[w * n + c] += a[i + c * stride] * x[w * n + i];
        }
      }
    if (group == Group)
      below_group<T, Width, Group>(a, stride, n, j, j + Group, x, y);
    else
      below_group<T, Width, 1>(a, stride, n, j, j + 1, x, y);
    j += group;
  }
}

/// The same code for three kinds of registers; the machine's is chosen once.
template <class T>
using ColumnsKernel = void (*)(const T* a, Index stride, Index n, Index begin, Index end,
                               const T* x, T* y);

template <class T, int Width>
void columns_plain(const T* a, Index stride, Index n, Index begin, Index end, const T* x, T* y) {
  columns<T, Width, 4>(a, stride, n, begin, end, x, y);
}

#if defined(__x86_64__)
template <class T, int Width>
[[gnu::target("avx2,fma")]] void columns_avx2(const T* a, Index stride, Index n, Index begin,
                                              Index end, const T* x, T* y) {
  columns<T, Width, 4>(a, stride, n, begin, end, x, y);
}
template <class T, int Width>
[[gnu::target("avx512f,avx512vl,avx512dq,fma")]] void columns_avx512(const T* a, Index stride,
                                                                     Index n, Index begin,
                                                                     Index end, const T* x, T* y) {
  columns<T, Width, 8>(a, stride, n, begin, end, x, y);
}
#endif

template <class T, int Width>
ColumnsKernel<T> best_columns() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq"))
    return columns_avx512<T, Width>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return columns_avx2<T, Width>;
#endif
  return columns_plain<T, Width>;
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
  static const ColumnsKernel<T> one = best_columns<T, 1>(), two = best_columns<T, 2>();
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
      for (; v + 2 <= width; v += 2) two(A.data, A.stride, n, c, stop, x + v * n, y + v * n);
      if (v < width) one(A.data, A.stride, n, c, stop, x + v * n, y + v * n);
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
  const Index n = A.rows, b = X.cols, tile = tile_of(n);
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
  const Index n = A.rows, b = P.cols, tile = tile_of(n);
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
