// One factory for the Fisher approximations of all fits.
#include "fisherman/fit/fisher_choice.hpp"

#include "expect_laws.hpp"
#include "fisherman/core/random.hpp"
#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fit/regression.hpp"
#include "fisherman/model/logistic.hpp"
#include "toy.hpp"

namespace fisherman::fit_fisher_choice_test {
namespace {

FisherOffer offer() {
  return {.blocks = {{2, 2, 1.0, true}, {5, 2, 1.0, true, true}, {3, 1, 2.0}},
          .epsilon = 4.0,
          .scores = 6,
          .closed_form = true,
          .outer = OuterBlock{4, 5, 2},
          .window = 20,
          .window_epsilon = 1.0};
}

TEST(FisherChoice, EveryWordMakesAnApproximationOfAllCoordinates) {
  const Matrix scores = Draws(1, 0).normals(0, 17, 6);
  for (const Word<FisherChoice>& word : fisher_words()) {
    if (word.value == FisherChoice::automatic) {
      expect_misuse([&] { make_fisher(word.value, offer()); }, "must have been decided");
      continue;
    }
    AnyFisher fisher = make_fisher(word.value, offer());
    EXPECT_EQ(fisher.dimension(), 17) << word.name;
    if (word.value == FisherChoice::exact) continue;  // which asks the model
    if (word.value != FisherChoice::decorrelated) fisher.absorb(scores);
    const Vector g = Draws(2, 0).normals(0, 17, 1);
    EXPECT_GT(g.dot(fisher.solve(g)), 0.0) << word.name;
  }
}

TEST(FisherChoice, BlocksAndColumnsAreDenseMatricesOfTheOffersBlocks) {
  const Matrix scores = Draws(3, 0).normals(0, 17, 9);
  const Vector g = Draws(4, 0).normals(0, 17, 1);
  AnyFisher blocks = make_fisher(FisherChoice::blocks, offer());
  AnyFisher columns = make_fisher(FisherChoice::columns, offer());
  AnyFisher dense = make_fisher(FisherChoice::dense, offer());
  BlockDiagonal<Dense> by_block(
      {Dense(4, {.epsilon = 1.0}), Dense(10, {.epsilon = 1.0}), Dense(3, {.epsilon = 2.0})});
  BlockDiagonal<Dense> by_column({Dense(4, {.epsilon = 1.0}), Dense(5, {.epsilon = 1.0}),
                                  Dense(5, {.epsilon = 1.0}), Dense(3, {.epsilon = 2.0})});
  Dense whole(17, {.epsilon = 4.0});
  blocks.absorb(scores), by_block.absorb(scores);
  columns.absorb(scores), by_column.absorb(scores);
  dense.absorb(scores), whole.absorb(scores);
  EXPECT_EQ(blocks.solve(g), Vector(by_block.solve(g)));
  EXPECT_EQ(columns.solve(g), Vector(by_column.solve(g)));
  EXPECT_EQ(dense.solve(g), Vector(whole.solve(g)));
}

TEST(FisherChoice, WhatIsNotOfferedIsRefused) {
  FisherOffer bare{.blocks = {{3}}, .epsilon = 1.0};
  expect_misuse([&] { make_fisher(FisherChoice::exact, bare); }, "closed form");
  expect_misuse([&] { make_fisher(FisherChoice::decorrelated, bare); }, "outer products");
}

TEST(FisherChoice, ARegressionConvergesWithEachThatItOffers) {
  const Index n = 300, d = 3;
  const Matrix X = toy::random_matrix(n, d, 1), u = Draws(2, 1).uniforms(0, n, 1);
  const Vector eta = X * toy::random_vector(d, 3);
  Vector y(n);
  for (Index i = 0; i < n; ++i) y(i) = u(i) < 1.0 / (1.0 + std::exp(-eta(i))) ? 1.0 : 0.0;
  const LogisticTarget target(X, y, 10.0);
  const double best = exact_optimum(target).nelbo;
  PlainDriver driver;
  for (const FisherChoice choice : {FisherChoice::exact, FisherChoice::dense, FisherChoice::blocks,
                                    FisherChoice::columns, FisherChoice::window}) {
    LogisticSettings s;
    s.method = GaussianMethod::ifngd;
    s.fisher = choice;
    s.iterations = 500;
    const RegressionFit fit =
        fit_regression(target, s, [&](ErasedRun& run) { return driver.drive(run); });
    // Noise of 100 draws per gradient, averaged over 450 iterations, leaves about d(d+3)/4 / 45,000 nats; the way down
    // from the start is in the average too.
    EXPECT_NEAR(fit.end.objective, best, 0.02) << name_of(choice, fisher_words());
  }
  LogisticSettings s;
  s.method = GaussianMethod::adam;
  s.fisher = FisherChoice::dense;
  expect_misuse([&] { make_run(target, s); }, "--method adam uses no Fisher matrix");
}

}  // namespace
}  // namespace fisherman::fit_fisher_choice_test
