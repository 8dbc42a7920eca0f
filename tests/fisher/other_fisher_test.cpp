// Identity, block diagonal, exact, Adam.
#include <Eigen/LU>

#include "expect_laws.hpp"
#include "fisherman/fisher/adam.hpp"
#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/exact.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/fisher/window.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/testing/fisher_laws.hpp"
#include "toy.hpp"

namespace fisherman::fisher_other_fisher_test {
namespace {

TEST(Identity, Laws) {
  const auto reference = [](const Matrix& scores) {
    return Matrix(Matrix::Identity(scores.rows(), scores.rows()));
  };
  for (const auto& report :
       {testing::check_fisher(Identity(7), {.reference = reference}),
        testing::check_fisher(AnyFisher(Identity(7)), {.reference = reference})})
    EXPECT_TRUE(report.ok()) << report;
}

// Two steps by hand, from the published algorithm; and a saved one goes on as it would have.
TEST(Adam, FollowsThePublishedRecursionAndResumes) {
  AnyFisher adam = Adam(2, {.first = 0.5, .second = 0.75, .epsilon = 0.1});
  EXPECT_TRUE(adam.has_momentum());
  const Vector g{{2.0, -4.0}}, h{{-2.0, 0.0}};
  const Vector first = adam.solve(g);  // bias correction makes the moments g and g²
  EXPECT_DOUBLE_EQ(first(0), 2.0 / 2.1);
  EXPECT_DOUBLE_EQ(first(1), -4.0 / 4.1);
  Writer out;
  adam.save(out);
  AnyFisher again = Adam(2, {.first = 0.5, .second = 0.75, .epsilon = 0.1});
  Reader in(out.bytes());
  again.load(in);
  // m = ½(½g) + ½h = (−½, −1), over 1 − ½²; v = ¾(¼g²) + ¼h² = (1.75, 3), over 1 − ¾².
  const Vector second = adam.solve(h);
  EXPECT_NEAR(second(0), -0.5 / 0.75 / (std::sqrt(1.75 / 0.4375) + 0.1), 1e-15);
  EXPECT_NEAR(second(1), -1.0 / 0.75 / (std::sqrt(3.0 / 0.4375) + 0.1), 1e-15);
  EXPECT_EQ(again.solve(h), second);
  EXPECT_THROW(Adam(2, {.first = 1.0}), Misuse);
  AnyFisher other = Adam(3);
  Reader of_two(out.bytes());
  EXPECT_THROW(other.load(of_two), FileError);
}

TEST(BlockDiagonal, Laws) {
  const auto reference = [](const Matrix& scores) {
    Matrix out = Matrix::Zero(9, 9);
    out.topLeftCorner(4, 4) = testing::dense_reference(1.0)(scores.topRows(4));
    out.bottomRightCorner(5, 5) = testing::dense_reference(2.0)(scores.bottomRows(5));
    return out;
  };
  const BlockDiagonal<Dense> same({Dense(4, {.epsilon = 1.0}), Dense(5, {.epsilon = 2.0})});
  const BlockDiagonal<AnyFisher> mixed(
      {Dense(4, {.epsilon = 1.0}), Window(5, {.size = 50, .epsilon = 2.0})});
  for (const auto& report : {testing::check_fisher(same, {.reference = reference}),
                             testing::check_fisher(mixed, {.reference = reference}),
                             testing::check_fisher(AnyFisher(same), {.reference = reference})})
    EXPECT_TRUE(report.ok()) << report;
  expect_misuse([] { BlockDiagonal<Dense>({}); }, "at least one block");
  BlockDiagonal<Dense> copy = same;
  EXPECT_THROW(copy.absorb(Matrix::Constant(9, 1, NAN)), NotFinite);
  EXPECT_EQ(copy.blocks()[0].count(), 0);
}

TEST(BlockDiagonal, EachBlockIsCarriedByItsOwnPartOfTheTransport) {
  const auto frame = gaussian_bures_wasserstein(toy::random_vector(3, 1), toy::random_spd(3, 2));
  const auto next = frame.retract(0.1 * toy::random_vector(9, 3));
  BlockDiagonal<Dense> both({Dense(3), Dense(6)});
  Dense mean(3), covariance(6);
  const Matrix phi = toy::random_matrix(9, 20, 4);
  both.absorb(phi);
  mean.absorb(phi.topRows(3));
  covariance.absorb(phi.bottomRows(6));
  both.carry(frame.transport_to(next), next.transport_to(frame));
  const auto &a = frame.covariance_frame(), &b = next.covariance_frame();
  covariance.carry(a.transport_to(b), b.transport_to(a));
  const Vector g = toy::random_vector(9, 5);
  Vector expected(9);
  expected << mean.solve(g.head(3)), covariance.solve(g.tail(6));
  EXPECT_LT((both.solve(g) - expected).norm(), 1e-12 * expected.norm());
}

TEST(Exact, AsksTheModel) {
  struct Half {
    FisherOperator fisher(const int&) const {
      return {[](const Vector& v) -> Vector { return 2.0 * v; },
              [](const Vector& v) -> Vector { return 0.5 * v; }};
    }
  } model;
  Exact exact(3);
  expect_misuse([&] { exact.solve(Vector::Ones(3)); }, "before it has seen a model");
  exact.learn(model, 0, 0);
  EXPECT_EQ(exact.solve(Vector::Ones(3)), Vector::Constant(3, 0.5));
}

}  // namespace
}  // namespace fisherman::fisher_other_fisher_test
