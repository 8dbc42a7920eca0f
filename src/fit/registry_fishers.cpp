#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/decorrelated.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/exact.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/fisher/kronecker.hpp"
#include "fisherman/fisher/window.hpp"
#include "fisherman/fit/registry.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "random_points.hpp"

namespace fisherman {
namespace fisher_examples {
namespace {

using Seed = std::uint64_t;
constexpr double epsilon = 2.0;

FisherExample dense(const Sizes& n, Seed) {
  return {Dense(n[0], {.epsilon = epsilon}), {.reference = testing::dense_reference(epsilon)}};
}

FisherExample dense_single(const Sizes& n, Seed) {
  return {DenseSingle(n[0], {.epsilon = epsilon}),
          {.reference = testing::dense_reference(epsilon),
           .tolerance = 2e-5}};  // a few hundred float roundings
}

FisherExample window(const Sizes& n, Seed) {
  const Index size = n[1];
  return {
      Window(n[0], {.size = size, .epsilon = epsilon}), {.reference = [size](const Matrix& scores) {
        return testing::dense_reference(epsilon)(scores.rightCols(std::min(size, scores.cols())));
      }}};
}

FisherExample block_diagonal(const Sizes& n, Seed) {
  const auto reference = [a = n[0], b = n[1]](const Matrix& scores) {
    Matrix out = Matrix::Zero(a + b, a + b);
    out.topLeftCorner(a, a) = testing::dense_reference(epsilon)(scores.topRows(a));
    out.bottomRightCorner(b, b) = testing::dense_reference(epsilon)(scores.bottomRows(b));
    return out;
  };
  return {
      BlockDiagonal<Dense>({Dense(n[0], {.epsilon = epsilon}), Dense(n[1], {.epsilon = epsilon})}),
      {.reference = reference}};
}

/// An approximation in its own right: not the inverse of its scores' second moment.
FisherExample kronecker(const Sizes& n, Seed) {
  return {BasicKronecker<double>(n[0], n[1], {.epsilon = epsilon}), {}};
}

/// Another, and one whose coordinates follow its scores.
FisherExample decorrelated(const Sizes& n, Seed) {
  return {Decorrelated({1, n[0], n[1]}, {3}, {.epsilon = epsilon}), {.one_by_one = false}};
}

FisherExample identity(const Sizes& n, Seed) {
  return {Identity(n[0]), {.reference = [](const Matrix& scores) {
            return Matrix(Matrix::Identity(scores.rows(), scores.rows()));
          }}};
}

/// Of a Gaussian in the Bures-Wasserstein geometry, whose Fisher matrix is known and is not I.
FisherExample exact(const Sizes& n, Seed seed) {
  const auto q = gaussian_bures_wasserstein(random_vector(n[0], seed), random_spd(n[0], seed));
  struct Known {
    FisherOperator fisher(const GaussianBuresWasserstein& at) const { return gaussian_fisher(at); }
  } model;
  Exact learnt(q.dimension());
  learnt.learn(model, q, Draws(seed, 0));
  const auto reference = [F = gaussian_fisher(q)](const Matrix& scores) {
    Matrix written(scores.rows(), scores.rows());
    for (Index k = 0; k < scores.rows(); ++k)
      written.col(k) = F.apply(Vector::Unit(scores.rows(), k));
    return Matrix(written.inverse());
  };
  return {learnt, {.reference = reference}};
}

std::vector<Named<FisherExample>> all_approximations() {
  return {
      {"dense",
       "the inverse itself, one triangle, updated by Woodbury's formula",
       "d",
       {20},
       dense},
      {"dense-single", "the same in single precision", "d", {20}, dense_single},
      {"window", "the K most recent scores: O(dK) numbers", "d,K", {20, 7}, window},
      {"block-diagonal",
       "one approximation for each block of coordinates",
       "a,b",
       {4, 5},
       block_diagonal},
      {"kronecker",
       "Kronecker factors of a block that is a matrix, as in K-FAC",
       "a,b",
       {4, 3},
       kronecker},
      {"decorrelated",
       "one operator for each column of such a block, their mean correlation taken out",
       "a,b",
       {4, 3},
       decorrelated},
      {"exact", "the closed form, from a model that has one", "n", {3}, exact},
      {"identity", "nothing: gradient descent on the manifold", "d", {7}, identity},
  };
}

}  // namespace
}  // namespace fisher_examples

const std::vector<Named<FisherExample>>& fisher_approximations() {
  static const std::vector<Named<FisherExample>> all = fisher_examples::all_approximations();
  return all;
}

testing::LawReport check_laws(const FisherExample& example, std::uint64_t seed) {
  testing::FisherLawOptions options = example.laws;
  options.seed = seed;
  return testing::check_fisher(example.fisher, options);
}

}  // namespace fisherman
