#include "fisherman/model/neural.hpp"

#include "expect_laws.hpp"
#include "fisherman/model/target.hpp"
#include "memory_blocks.hpp"
#include "ranks_in_threads.hpp"
#include "toy.hpp"

namespace fisherman::model_neural_test {
namespace {

static_assert(Target<NeuralTarget> && HasSubset<NeuralTarget>);

struct Example {
  Matrix X;
  Vector y;
  Example(Index n, Index p) : X(toy::random_matrix(n, p, 1)), y(n) {
    const Matrix u = Draws(1, 1).uniforms(0, n, 1);
    for (Index i = 0; i < n; ++i) y(i) = u(i) < 0.4 ? 1.0 : 0.0;
  }
};

/// One draw, one row, one unit at a time.
double plain_log_density(const Example& data, const Vector& beta, const NeuralOptions& options) {
  const Index p = data.X.cols(), h = options.hidden;
  double value = -0.5 * beta.squaredNorm() / options.prior_variance -
                 0.5 * double(beta.size()) * std::log(2 * std::acos(-1.0) * options.prior_variance);
  for (Index i = 0; i < data.X.rows(); ++i) {
    double eta = beta(h * (p + 2));
    for (Index j = 0; j < h; ++j) {
      double a = beta(j * (p + 1) + p);
      for (Index k = 0; k < p; ++k) a += data.X(i, k) * beta(j * (p + 1) + k);
      const double out = options.activation == Activation::tanh      ? std::tanh(a)
                         : options.activation == Activation::sigmoid ? 1.0 / (1.0 + std::exp(-a))
                                                                     : std::max(a, 0.0);
      eta += beta(h * (p + 1) + j) * out;
    }
    value += data.y(i) * eta - std::log1p(std::exp(eta));
  }
  return value;
}

TEST(NeuralTarget, ValueAndGradientEqualAPlainNetworkAndItsDifferences) {
  const Example data(300, 3);  // two tiles of rows; 11 draws make two tiles of draws
  for (const auto activation : {Activation::tanh, Activation::sigmoid, Activation::relu}) {
    const NeuralOptions options{.hidden = 4, .activation = activation, .prior_variance = 2.0};
    const NeuralTarget target(data.X, data.y, options);
    ASSERT_EQ(target.dimension(), 21);
    const Matrix betas = toy::random_matrix(21, 11, 2);
    Matrix gradients(21, 11);
    const Vector values = target.log_density(betas, gradients);
    for (const Index k : {0, 10}) {
      EXPECT_NEAR(values(k), plain_log_density(data, betas.col(k), options), 1e-10);
      const double h = 1e-6;  // differences of numbers near 300: an error of about 300·1e-16/h
      for (Index i = 0; i < 21; ++i) {
        Vector up = betas.col(k), down = up;
        up(i) += h, down(i) -= h;
        const double slope =
            (plain_log_density(data, up, options) - plain_log_density(data, down, options)) /
            (2 * h);
        EXPECT_NEAR(gradients(i, k), slope, 1e-6) << "activation " << int(activation);
      }
    }
  }
}

TEST(NeuralTarget, MinibatchesAreUnbiased) {
  const Example data(30, 2);
  const NeuralTarget target(data.X, data.y, {.hidden = 3});
  const Matrix betas = toy::random_matrix(13, 2, 3);
  Matrix all(13, 2), one(13, 2), sum = Matrix::Zero(13, 2);
  const Vector value = target.log_density(betas, all);
  Vector values = Vector::Zero(2);
  for (Index i = 0; i < 30; ++i) {
    values += target.subset({i}).log_density(betas, one) / 30.0;
    sum += one / 30.0;
  }
  EXPECT_LT((values - value).norm(), 1e-10);
  EXPECT_LT((sum - all).norm(), 1e-10);
}

TEST(NeuralTarget, RowsInPartsAndFromDiskHaveTheSameBits) {
  const Index n = 3000;  // several groups, so that each rank has some
  const Example data(n, 3);
  const NeuralOptions options{.hidden = 2};
  const NeuralTarget whole(data.X, data.y, options);
  const Matrix betas = toy::random_matrix(whole.dimension(), 3, 5);
  Matrix expected, in_batch;
  const Vector values = whole.log_density(betas, expected = betas);
  const std::vector<Index> some = {2999, 0, 1500, 7, 7};
  const Vector batch_values = whole.subset(some).log_density(betas, in_batch = betas);
  for (int ranks = 1; ranks <= 3; ++ranks)
    on_ranks(ranks, [&](int) {
      const RowPart part = RowPart::of_rank(n);
      const Vector y = data.y.segment(part.first, part.count);
      for (const bool stored : {false, true}) {
        const TargetRows rows =
            stored ? TargetRows(std::make_shared<const MemoryBlocks>(data.X), part)
                   : TargetRows(Matrix(data.X.middleRows(part.first, part.count)), part);
        const NeuralTarget target(rows, y, options);
        EXPECT_EQ(target.rows(), n);
        Matrix found = betas;
        EXPECT_EQ(target.log_density(betas, found), values) << ranks << stored;
        EXPECT_EQ(found, expected) << ranks << stored;
        EXPECT_EQ(target.subset(some).log_density(betas, found), batch_values) << ranks << stored;
        EXPECT_EQ(found, in_batch) << ranks << stored;
      }
    });
}

TEST(NeuralTarget, PredictorsAreTheNetworksOwn) {
  const Example data(5, 2);
  const Matrix betas = toy::random_matrix(13, 9, 4);
  const Matrix eta = neural_predictors(data.X, betas, 3, Activation::tanh);
  // The likelihood of one row at y = 1 is log σ(η); a prior of great variance adds a constant only.
  const NeuralTarget target(Matrix(data.X.row(2)), Vector::Ones(1), {.hidden = 3});
  Matrix unused(13, 9);
  const Vector value = target.log_density(betas, unused);
  for (Index k = 0; k < 9; ++k) {
    const double prior = -0.5 * betas.col(k).squaredNorm() - 6.5 * std::log(2 * std::acos(-1.0));
    EXPECT_NEAR(value(k) - prior, -std::log1p(std::exp(-eta(2, k))), 1e-12);
  }
  EXPECT_EQ(target.names({"age", "city"})[1], "unit1.city");
  EXPECT_EQ(target.names({"age", "city"}).size(), 13U);
  EXPECT_EQ(target.names({"age", "city"}).back(), "out.bias");
}

TEST(NeuralTarget, Misuse) {
  const Example data(5, 2);
  expect_misuse([&] { NeuralTarget(data.X, Vector::Ones(3)); }, "3 outcomes");
  expect_misuse([&] { NeuralTarget(data.X, Vector::Constant(5, 2.0)); }, "0 or 1");
  expect_misuse([&] { NeuralTarget(data.X, data.y, {.hidden = 0}); }, "hidden is 0");
  expect_misuse([&] { NeuralTarget(data.X, data.y, {.prior_variance = -1.0}); }, "prior_variance");
  const NeuralTarget target(data.X, data.y);
  Matrix gradients(3, 1);
  expect_misuse([&] { target.log_density(Matrix::Zero(3, 1), gradients); }, "must have 41");
}

}  // namespace
}  // namespace fisherman::model_neural_test
