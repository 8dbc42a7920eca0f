// The Gaussian nearest to any density, by natural gradient: what regressions and log densities of
// one's own share.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "fisherman/fit/driver.hpp"
#include "fisherman/fit/run_settings.hpp"
#include "fisherman/model/gradient_estimator.hpp"
#include "fisherman/model/pareto.hpp"
#include "fisherman/model/target.hpp"

namespace fisherman {

/// How distances between Gaussians are measured.
enum class Geometry { affine, bures_wasserstein, euclidean };

/// How the posterior is found; each kind of settings has words for those that it offers.
enum class GaussianMethod { ngd, ifngd, gd, exact, adam, forward_backward, lin, newton };

struct GaussianSettings : RunSettings {
  Geometry geometry = Geometry::affine;
  GaussianMethod method = GaussianMethod::ngd;
  Carry transport = Carry::frame;
  std::optional<GradientEstimator> estimator;  // nothing: by the method

  /// Whether epsilon matters to the method, which learns the Fisher matrix from scores then.
  bool learns_fisher() const { return learns(method == GaussianMethod::ifngd); }

 protected:
  void describe_geometry(Options& options, const Words<GaussianMethod>& methods,
                         const Words<std::optional<GradientEstimator>>& estimators);
};

/// For a log density of which only values and gradients are known.
struct DensitySettings : GaussianSettings {
  std::int64_t starts = 4;

  DensitySettings() {
    method = GaussianMethod::newton;
    eval_every = 20;  // an evaluation takes 512 draws
  }
  void describe(Options& options) { describe_density(options, density_help()); }

 protected:
  static Help density_help();
  void describe_density(Options& options, const Help& help);
};

/// The number of standard deviations on either side that hold 90% of a normal distribution.
inline constexpr double ninety_percent = 1.6448536269514722;

struct GaussianPoint {
  Vector mean;
  Matrix covariance;

  double sd(Index k) const { return std::sqrt(std::max(0.0, covariance(k, k))); }
};

/// Throws Misuse if there is not the memory to fit a Gaussian of so many dimensions by these settings, beside
/// `data` bytes that are there already.
void require_gaussian_memory(const GaussianSettings& settings, Index dimension, double data);

/// From N(start.mean, start.covariance); without a start newton looks for one, and other methods begin at N(0, I). Throws
/// Misuse for settings that do not go together.
ErasedRun make_run(const FunctionTarget& target, const DensitySettings& settings,
                   const std::optional<GaussianPoint>& start);

/// Of the frame of such a run, which has a Gaussian in it.
GaussianPoint gaussian_point(const AnyFrame& frame);

/// What a fit to a density leaves, whichever family q is of.
struct DensityFit {
  FitSummary end;  // with the objective from fresh draws, where that is known
  double objective_error = Record::unknown;  // one standard error
  RatioCheck ratios = {};
  Vector log_ratios = {};  // log p − log q, up to a constant, at the draws that these are from
  Index impossible = 0;  // number of these draws without a density; the NELBO is that of the others
  std::int64_t gradients = 0;  // that it has taken, where they are counted
  std::int64_t failed = 0;     // pairs of points at which the density was not finite
  Vector others = {};          // NELBOs of Gaussians elsewhere

  /// Sets the objective, its error and what follows from the ratios, to which `constant` is to be added. Where the density is
  /// not finite at most draws, all is left as it is, and there are no ratios.
  void judge(Vector ratios_at_draws, double constant);
};

struct GaussianFit : DensityFit {
  GaussianPoint q;
};
GaussianFit fit_gaussian(const FunctionTarget& target, const DensitySettings& settings,
                         const std::optional<GaussianPoint>& start, const Drive& drive);

/// The draws, one per column, that k̂ and the NELBO of a fit to a density are from.
Matrix khat_draws(const GaussianPoint& q, Index count, std::uint64_t seed);

/// n×count draws, one a row.
Matrix posterior_draws(const GaussianPoint& q, Index count, std::uint64_t seed);

/// log q at draws, one a row.
Vector log_density(const GaussianPoint& q, const Matrix& draws);

/// Importance ratios of q, from as many draws as draws_for_khat() says.
template <Target T>
RatioCheck posterior_check(const T& target, const GaussianPoint& q, std::uint64_t seed);

}  // namespace fisherman
