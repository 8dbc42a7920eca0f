#include "fisherman/testing/frame_laws.hpp"

#include <Eigen/SVD>

namespace fisherman::testing::detail {

Matrix tangent_coordinates(const Matrix& push) {
  const Eigen::JacobiSVD<Matrix> svd(push, Eigen::ComputeThinV);
  const Vector& s = svd.singularValues();
  const Index rank = (s.array() > 1e-9 * s(0)).count();
  const auto basis = svd.matrixV().leftCols(rank);
  return basis * basis.transpose();
}

}  // namespace fisherman::testing::detail
