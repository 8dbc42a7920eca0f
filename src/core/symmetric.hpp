// Products with a symmetric matrix kept in its lower triangle, cut into tasks of a fixed size.
// Private to the Fisher approximations.
#pragma once

#include "blas.hpp"

namespace fisherman {

/// Room for the partial results of symmetric_times; grows once and is kept.
template <class T>
struct SymmetricWorkspace {
  Eigen::Matrix<T, Eigen::Dynamic, 1> partial;
};

/// Y ← A·X. Up to four columns cost one read of the triangle.
template <class T>
void symmetric_times(blas::View<const T> A, blas::View<const T> X, blas::View<T> Y,
                     SymmetricWorkspace<T>& room);

/// Lower triangle of A ← A − P·Pᵀ
template <class T>
void symmetric_subtract(blas::View<T> A, blas::View<const T> P);

}  // namespace fisherman
