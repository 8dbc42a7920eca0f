// The posterior of a neural network or a logistic regression, approximated by a flow: what
// `fisherman fit flow` does.
#pragma once

#include <optional>
#include <string>

#include "fisherman/fit/driver.hpp"
#include "fisherman/fit/gaussian.hpp"
#include "fisherman/fit/preparation.hpp"
#include "fisherman/fit/run_settings.hpp"
#include "fisherman/fit/units.hpp"
#include "fisherman/model/gradient_estimator.hpp"
#include "fisherman/model/logistic.hpp"
#include "fisherman/model/neural.hpp"

namespace fisherman {

/// The model whose posterior is approximated.
enum class FlowTarget { neural, logistic };

/// The distributions that approximate it.
enum class VariationalFamily { gaussian, sylvester, scaled, paper };
std::string name(VariationalFamily family);

/// How the approximation is found.
enum class FlowMethod { ifngd, ngd, rsgd, adam };

/// Where a run starts.
enum class FlowStart { automatic, gaussian, zero };

struct FlowSettings : RunSettings, ColumnSettings {
  FlowTarget target = FlowTarget::neural;
  VariationalFamily family = VariationalFamily::gaussian;
  FlowMethod method = FlowMethod::ifngd;
  GradientEstimator estimator = GradientEstimator::reparameterised;
  std::int64_t hidden = 10;
  Activation activation = Activation::tanh;
  FlowStart initial = FlowStart::automatic;
  std::int64_t window = 0;
  bool free_w1 = false;
  std::int64_t layers = 2;
  std::int64_t rank = 8;
  std::int64_t minibatch = -1;

  FlowSettings();
  void describe(Options& options);
  /// Whether epsilon matters to the method, which learns the Fisher matrix from scores then.
  bool learns_fisher() const { return learns(method == FlowMethod::ifngd); }
  /// What they say of the columns and of the prior. A network has biases and no
  /// intercept.
  ColumnSettings columns() const;
  /// The network of a neural target.
  NeuralOptions network() const;
  /// Whether a Gaussian is fitted first. Throws Misuse if it is asked for and the family has none.
  bool begins_at_gaussian() const;
  /// Scores that the Fisher estimate keeps, for a model of so many weights.
  Index window_of(Index weights) const;
  /// Rows for each gradient, of so many; 0 = all.
  Index minibatch_of(Index rows) const;
};

/// Throws Misuse for settings that do not go together.
ErasedRun make_flow_run(const NeuralTarget& target, const FlowSettings& settings);
ErasedRun make_flow_run(const LogisticTarget& target, const FlowSettings& settings);
/// From a Gaussian, if there is one.
ErasedRun make_flow_run(const FunctionTarget& target, const FlowSettings& settings,
                        const std::optional<GaussianPoint>& start = {});

struct FlowFit : DensityFit {
  AnyFrame frame;
};
FlowFit fit_flow(const NeuralTarget& target, const FlowSettings& settings, const Drive& drive);
FlowFit fit_flow(const LogisticTarget& target, const FlowSettings& settings, const Drive& drive);
FlowFit fit_flow(const FunctionTarget& target, const FlowSettings& settings, const Drive& drive,
                 const std::optional<GaussianPoint>& start = {});

/// The frame of a fit of `dimension` weights, from its saved state. Throws Misuse for one of another size.
AnyFrame flow_frame(const FlowSettings& settings, Index dimension, const Vector& state);

/// Draws of q, one a column, with their log density.
struct FlowDraws {
  Matrix betas;
  Vector log_q;
};
FlowDraws flow_draws(const FlowSettings& settings, Index dimension, const AnyFrame& frame,
                     Index count, std::uint64_t seed);
/// The draws that k̂ and the NELBO of a fit are from.
FlowDraws flow_khat_draws(const FlowSettings& settings, Index dimension, const AnyFrame& frame,
                          Index count);

/// Draws in either units, from those of `target`'s weights, whose names are given.
struct FlowCoefficients {
  std::vector<std::string> names;
  Matrix betas;  // one draw a column
};
FlowCoefficients flow_coefficients_in(Units units, const FlowSettings& settings,
                                      const Matrix& betas, const std::vector<std::string>& names,
                                      const Preparation& preparation);

/// From the linear predictors at draws, one a column: for each row the posterior mean of P(y = 1), its
/// standard deviation, and the 5% and 95% quantiles.
Matrix predictive_of_draws(Matrix predictors);
/// The same for the rows of a design matrix, from 1,000 draws of a fitted flow.
Matrix flow_predictive(const Matrix& design, const FlowSettings& settings, Index dimension,
                       const AnyFrame& frame);

}  // namespace fisherman
