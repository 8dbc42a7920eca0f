// Thousands of updates and transports, against an inverse made afresh at the end.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "fisherman/core/spectral.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/manifold/spd.hpp"
#include "fisherman/manifold/sphere.hpp"
#include "toy.hpp"

namespace fisherman::slow_dense_accuracy_test {
namespace {

TEST(Dense, StaysAccurateOver5000Absorbs) {
  const Index d = 400;
  for (const Index b : {1, 32}) {
    Dense dense(d);
    Matrix H = Matrix::Identity(d, d);
    const Vector g = toy::random_vector(d, 1);
    for (std::uint64_t k = 0; k < 5000; ++k) {
      const Matrix phi = toy::random_matrix(d, b, 10 + k);
      dense.absorb(phi);
      H.selfadjointView<Eigen::Lower>().rankUpdate(phi);
      if (k % 3 == 0) dense.solve(g);  // with and without a gradient in the same pass
    }
    H.triangularView<Eigen::StrictlyUpper>() = H.transpose();
    const Matrix inverse = dense.inverse(), fresh = double(5000 * b) * H.inverse();
    EXPECT_LT((inverse - fresh).norm() / fresh.norm(), 1e-9) << "b = " << b;
    EXPECT_EQ((inverse - inverse.transpose()).norm(), 0.0);
    EXPECT_GT(spectrum(inverse).values(0), 0.0);
  }
}

/// Absorbs along a random walk, carried by the manifold's own transport, against H carried densely
/// by the same congruence: H⁻¹ ← BᵀH⁻¹B means H ← (B⁻ᵀ)ᵀ H B⁻ᵀ.
template <class F>
void expect_accurate_with_transport(F frame, int absorbs, Index b, int steps_between, double size) {
  const Index d = frame.dimension();
  Dense dense(d);
  Matrix H = Matrix::Identity(d, d);
  for (int k = 0; k < absorbs; ++k) {
    const Matrix phi = toy::random_matrix(d, b, 10 + std::uint64_t(k));
    dense.absorb(phi);
    H += phi * phi.transpose();
    if (k % steps_between != 0) continue;
    const F next =
        frame.retract(size * toy::random_vector(d, 20000 + std::uint64_t(k)).normalized());
    const Transport backward = next.transport_to(frame);
    dense.carry(frame.transport_to(next), backward);
    const Matrix B = backward.inverse_adjoint(Matrix::Identity(d, d));
    H = (B.transpose() * H * B).eval();
    frame = next;
  }
  const Matrix inverse = dense.inverse(), fresh = double(absorbs) * double(b) * H.inverse();
  EXPECT_LT((inverse - fresh).norm() / fresh.norm(), 1e-9);
  EXPECT_EQ((inverse - inverse.transpose()).norm(), 0.0);
  EXPECT_GT(spectrum(inverse).values(0), 0.0);
}

TEST(Dense, StaysAccurateWithBuresWassersteinTransport) {
  expect_accurate_with_transport(SpdBuresWasserstein(Matrix::Identity(6, 6)), 5000, 1, 1, 0.01);
  // 406 coordinates; a transport costs O(n⁵), so one every 500 absorbs.
  expect_accurate_with_transport(SpdBuresWasserstein(toy::random_spd(28, 1)), 5000, 1, 500, 0.1);
  expect_accurate_with_transport(SpdBuresWasserstein(toy::random_spd(28, 1)), 5000, 32, 500, 0.1);
}

TEST(Dense, StaysAccurateWithParallelTransport) {
  expect_accurate_with_transport(Sphere(toy::random_vector(40, 2)), 5000, 1, 1, 0.05);
  expect_accurate_with_transport(SpdAffine(toy::random_spd(5, 3)), 1000, 4, 1, 0.05);
}

}  // namespace
}  // namespace fisherman::slow_dense_accuracy_test
