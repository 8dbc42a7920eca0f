// The posterior of a neural network or a logistic regression, approximated by a flow: what
// `fisherman fit flow` does.
#pragma once

#include <string>

#include "fisherman/app/erased_run.hpp"
#include "fisherman/app/run_settings.hpp"
#include "fisherman/model/logistic.hpp"
#include "fisherman/model/neural.hpp"

namespace fisherman {

struct FlowSettings : RunSettings {
  std::string target = "neural";
  std::string family = "scaled";
  std::string method = "ifngd";
  std::string estimator = "reparameterised";
  std::int64_t hidden = 10;
  std::string activation = "tanh";
  double prior_variance = 1.0;
  std::int64_t window = 200;
  bool free_w1 = false;
  std::int64_t layers = 2;
  std::int64_t rank = 8;
  std::int64_t minibatch = -1;
  bool no_standardize = false;
  bool intercept = false;

  FlowSettings();
  void describe(Options& options);
  /// Rows for each gradient, of so many; 0 = all.
  Index minibatch_of(Index rows) const;
};

/// Throws Misuse for settings that do not go together.
ErasedRun make_flow_run(const NeuralTarget& target, const FlowSettings& settings);
ErasedRun make_flow_run(const LogisticTarget& target, const FlowSettings& settings);

/// The frame of a fit of `dimension` weights, from its saved state. Throws Misuse for one of another size.
AnyFrame flow_frame(const FlowSettings& settings, Index dimension, const Vector& state);

/// Draws of q, one a column, with their log density.
struct FlowDraws {
  Matrix betas;
  Vector log_q;
};
FlowDraws flow_draws(const FlowSettings& settings, Index dimension, const AnyFrame& frame,
                     Index count, std::uint64_t seed);

/// From the linear predictors at draws, one a column: for each row the posterior mean of P(y = 1), its
/// standard deviation, and the 5% and 95% quantiles.
Matrix predictive_of_draws(Matrix predictors);

}  // namespace fisherman
