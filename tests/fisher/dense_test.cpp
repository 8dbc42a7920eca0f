#include "fisherman/fisher/dense.hpp"

#include <Eigen/LU>

#include "expect_laws.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/fisher/spectrum_bounds.hpp"
#include "fisherman/manifold/fixed_rank.hpp"
#include "fisherman/manifold/spd.hpp"
#include "fisherman/manifold/sphere.hpp"
#include "fisherman/testing/fisher_laws.hpp"
#include "toy.hpp"

namespace fisherman::fisher_dense_test {
namespace {

TEST(Dense, Laws) {
  for (const Index scores : {1, 3, 40}) {  // narrow, folded late; and wide, folded at once
    const testing::FisherLawOptions options{.reference = testing::dense_reference(2.0),
                                            .scores = scores};
    for (const Index n : {1, 2, 17, 70}) {
      const auto report = testing::check_fisher(Dense(n, {.epsilon = 2.0}), options);
      EXPECT_TRUE(report.ok()) << "n = " << n << ", b = " << scores << '\n' << report;
    }
    const auto erased = testing::check_fisher(AnyFisher(Dense(17, {.epsilon = 2.0})), options);
    EXPECT_TRUE(erased.ok()) << erased;
  }
}

TEST(Dense, LawsInSinglePrecision) {
  const auto report = testing::check_fisher(DenseSingle(30, {.epsilon = 2.0}),
                                            {.reference = testing::dense_reference(2.0),
                                             .tolerance = 2e-5});  // a few hundred float roundings
  EXPECT_TRUE(report.ok()) << report;
}

TEST(Dense, TilesAndTriangleAgreeForLargerSizes) {
  const auto report =
      testing::check_fisher(Dense(530, {.epsilon = 2.0}),
                            {.reference = testing::dense_reference(2.0), .blocks = 5, .scores = 9});
  EXPECT_TRUE(report.ok()) << report;
}

// The projection contracts and has no inverse: H⁻¹ itself is carried, BᵀH⁻¹B.
TEST(Dense, CarriesByTheProjectionOnFixedRank) {
  const FixedRank here(toy::random_matrix(5, 4, 1), 2);
  const FixedRank next = here.retract(0.2 * toy::random_vector(here.dimension(), 2));
  const Index d = here.dimension();
  Dense dense(d);
  dense.absorb(here.pull(toy::random_matrix(20, 30, 3)));
  const Matrix before = dense.inverse();
  dense.carry(here.transport_to(next), next.transport_to(here));
  const Matrix B = next.transport_to(here).apply(Matrix::Identity(d, d));
  const Matrix expected = B.transpose() * before * B;
  EXPECT_LT((dense.inverse() - expected).norm(), 1e-12 * expected.norm());
}

// H = I + ΦΦᵀ plus unit vectors that go round: after whole cycles a floor is exactly λ on the
// diagonal.
TEST(Dense, AFloorHoldsUpUnseenDirections) {
  const Index d = 10;
  Dense bare(d), held(d, {.floor = {.level = 0.01}});
  const Matrix one = Vector::Unit(d, 0);
  for (int k = 0; k < 400; ++k) {
    bare.absorb(one);
    held.absorb(one);
  }
  const Vector unseen = Vector::Unit(d, 5);
  EXPECT_NEAR(unseen.dot(bare.solve(unseen)), 400.0, 1e-9);  // n/ε: grows for ever
  EXPECT_NEAR(unseen.dot(held.solve(unseen)), 400.0 / (1.0 + 0.01 * 400.0), 1e-9);  // → 1/λ
  EXPECT_NEAR((Floor{.level = 2.0, .decay = 0.5}.at(100)), 0.2, 1e-15);
}

TEST(Dense, SpectrumBoundsAreTheExtremeEigenvalues) {
  Dense dense(60);
  dense.absorb(toy::random_matrix(60, 200, 3));
  const Vector exact = spectrum(dense.inverse()).values;
  const SpectrumBounds bounds = spectrum_bounds(dense, 60);
  EXPECT_NEAR(bounds.smallest / exact(0), 1.0, 1e-8);
  EXPECT_NEAR(bounds.largest / exact(59), 1.0, 1e-8);
  const SpectrumBounds rough = spectrum_bounds(dense, 20);
  EXPECT_GE(rough.smallest, exact(0) * (1 - 1e-10));
  EXPECT_LE(rough.largest, exact(59) * (1 + 1e-10));
  EXPECT_NEAR(rough.largest / exact(59), 1.0, 0.05);
}

TEST(Dense, Misuse) {
  expect_misuse([] { Dense(0); }, "positive dimension");
  expect_misuse([] { Dense(3, {.epsilon = 0.0}); }, "epsilon is 0");
  expect_misuse([] { Dense(3, {.fold = 0}); }, "fold is 0");
  Dense dense(3);
  expect_misuse([&] { dense.absorb(Matrix::Zero(2, 1)); }, "2 rows, but must have 3");
  expect_misuse([&] { dense.solve(Vector::Zero(4)); }, "4 rows, but must have 3");
  const Vector before = dense.solve(Vector::Ones(3));
  EXPECT_THROW(dense.absorb(Vector::Constant(3, NAN)), NotFinite);
  EXPECT_EQ(Vector(dense.solve(Vector::Ones(3))), before);
  EXPECT_EQ(dense.count(), 0);
  dense.absorb(Vector::Constant(3, 1e160));  // finite, but its square is not
  EXPECT_THROW(dense.solve(Vector::Ones(3)), NotFinite);
  EXPECT_EQ(dense.count(), 0);
  EXPECT_EQ(Vector(dense.solve(Vector::Ones(3))), before);
  expect_misuse([] { Dense(10'000'000); }, "Window");
}

}  // namespace
}  // namespace fisherman::fisher_dense_test
