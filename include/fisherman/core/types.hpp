// The number types that everything else is written in.
#pragma once

#include <Eigen/Core>

namespace fisherman {

using Index = Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// Arguments that may be a whole vector or matrix, or a block of one, without a copy.
using ConstVectorRef = Eigen::Ref<const Vector>;
using ConstMatrixRef = Eigen::Ref<const Matrix>;

/// A flat ambient vector seen as the matrix it stands for, column by column; and a matrix seen
/// flat.
inline Eigen::Map<const Matrix> as_matrix(const double* data, Index rows, Index cols) {
  return {data, rows, cols};
}
inline Eigen::Map<const Vector> as_vector(const Matrix& m) { return {m.data(), m.size()}; }

namespace detail {
/// A threaded BLAS adds in an order that depends on the number of threads, so ours runs on the
/// calling thread, and parallel_for brings the threads. Done once, before main.
bool use_one_blas_thread();
inline const bool blas_uses_one_thread = use_one_blas_thread();
}  // namespace detail

}  // namespace fisherman
