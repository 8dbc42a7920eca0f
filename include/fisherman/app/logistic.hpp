// Bayesian logistic regression from a table to a fitted Gaussian: what `fisherman fit logistic` does.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "fisherman/app/options.hpp"
#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/manifold/any_frame.hpp"
#include "fisherman/model/any_model.hpp"
#include "fisherman/model/logistic.hpp"
#include "fisherman/solve/run.hpp"

namespace fisherman {

struct LogisticSettings {
  std::string geometry = "affine";
  std::string method = "ngd";
  std::string transport = "frame";
  std::string estimator = "auto";
  double prior_variance = 10.0;
  bool intercept = false;
  bool no_standardize = false;
  std::int64_t iterations = 0;
  std::int64_t batch = 100;
  std::int64_t scores = 0;
  double epsilon = 0.0;
  double step_size = 0.0;
  double delay = 100.0;
  double decay = -1.0;
  double kl_radius = 1.0;
  double norm_cap = 0.0;
  bool no_guard = false;
  std::string average = "auto";
  double tolerance = 1e-3;
  std::int64_t eval_every = 1;
  std::int64_t seed = 1;
  std::int64_t threads = 1;

  void describe(Options& options);
};

/// What was done to the columns of the data, so that it can be done again to new rows.
struct Preparation {
  std::vector<std::string> names;  // of the coefficients; the intercept last, if there is one
  Vector shift, scale;             // x ↦ (x − shift)/scale; a constant column becomes 0
  bool intercept = false;
  std::vector<std::string> warnings;

  static Preparation of(const Matrix& x, std::vector<std::string> names,
                        const LogisticSettings& settings);
  /// The design matrix. Throws Misuse unless x has the columns that were prepared.
  Matrix design(const Matrix& x) const;
};

using ErasedState = State<AnyFrame, AnyFisher>;

/// A run, ready to start.
struct LogisticRun {
  ErasedState state;
  AnyModel model;
  RunOptions options;
  Stop stop;
  std::int64_t planned;  // iterations at the most
};

/// Throws Misuse for settings that do not go together. `method` must not be "exact".
LogisticRun make_run(const LogisticTarget& target, const LogisticSettings& settings);

/// Mean and covariance of a frame of one of the three geometries.
struct GaussianPoint {
  Vector mean;
  Matrix covariance;
};
GaussianPoint gaussian_point(const AnyFrame& frame);

/// n×count draws of the coefficients, one a row.
Matrix posterior_draws(const GaussianPoint& q, Index count, std::uint64_t seed);

/// log q at draws, one a row.
Vector log_density(const GaussianPoint& q, const Matrix& draws);

/// Pareto k̂ of q for the target, from 4,000 draws.
double posterior_khat(const LogisticTarget& target, const GaussianPoint& q, std::uint64_t seed);

/// For each row of the design: the posterior mean of P(y = 1), its standard deviation, and the 5% and
/// 95% quantiles.
Matrix predictive(const Matrix& design, const GaussianPoint& q);

}  // namespace fisherman
