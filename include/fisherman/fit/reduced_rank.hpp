// Reduced-rank multinomial regression from a table to fitted coefficients: what `fisherman fit
// reduced-rank` does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fisherman/fisher/factored.hpp"
#include "fisherman/fit/driver.hpp"
#include "fisherman/fit/run_settings.hpp"
#include "fisherman/io/table.hpp"
#include "fisherman/model/multinomial.hpp"

namespace fisherman {

/// How the coefficients are found.
enum class ReducedRankMethod { lbfgs, ifngd, rsgd, extrinsic, kfac };

/// The numbers of operators and data.
enum class Precision { automatic, float32, float64 };

/// What is done to the features first.
enum class FeatureScale { automatic, pixel, standardize, none };
std::string name(FeatureScale scale);

/// The first coefficients.
enum class ReducedRankStart { automatic, search, means, paper };

struct ReducedRankSettings : RunSettings {
  std::string rank = "auto";
  ReducedRankMethod method = ReducedRankMethod::lbfgs;
  std::string ridges = "auto";
  double ridge = 1.0;  // one of those
  std::int64_t cv = 0;
  std::string reference;
  Carry transport = Carry::frame;
  Precision precision = Precision::automatic;
  FeatureScale scale = FeatureScale::automatic;
  ReducedRankStart initial = ReducedRankStart::automatic;
  double passes = 0.0;
  std::int64_t starts = 1;
  double holdout = 0.0;
  Automatic standard_errors = Automatic::automatic;

  ReducedRankSettings() {
    batch = 0;
    eval_every = 50;
  }
  void describe(Options& options);
  /// The ranks of `--rank 1,2,5`; auto is 5, or less if there are fewer classes or features. Throws Misuse unless they are
  /// whole numbers, 1 ≤ r ≤ min(p, K−1).
  std::vector<Index> ranks(Index features, Index classes) const;
  /// The values of `--ridge 0.1,1`; auto is 1, or several to choose from with --cv.
  std::vector<double> ridge_values() const;
  /// What `scale` says, with auto decided: images are divided by 255, sparse tables are taken as they are, anything else is
  /// standardised.
  FeatureScale scaling(const Table& table) const;
  /// Two phases: stochastic at first, then over all rows.
  bool descends() const { return method == ReducedRankMethod::lbfgs; }
  /// With what is left to us decided.
  ReducedRankStart initial_choice() const;
  Index rows_per_gradient() const;
  /// Nats per row still to be gained below which a fit has converged (lbfgs) or settled.
  double tolerance_for(Index rows) const;
  /// Iterations of the stochastic phase.
  std::int64_t stochastic_iterations(Index rows) const;
  /// The Fisher approximation, with auto decided by the method.
  FisherChoice approximation() const;
  /// Whether epsilon is worth tuning: the method learns dense blocks of the Fisher matrix from scores.
  bool learns_fisher() const {
    return learns(method == ReducedRankMethod::ifngd || method == ReducedRankMethod::extrinsic);
  }
};

/// A sentence about pixel, standardize or none.
std::string scaling_words(FeatureScale how);

/// What was done to the features, so that it can be done again to new rows. Features that tell nothing
/// (always zero, or constant where they are centred) are left out: their coefficients are zero.
struct FeatureMap {
  std::vector<std::string> names;  // of all columns
  std::vector<Index> kept;
  Vector shift, scale;  // of the kept ones: x ↦ (x − shift)/scale

  /// `how` is pixel, standardize or none, as ReducedRankSettings::scaling() decides. Standardised features are centred; others
  /// only if `centred` says so.
  static FeatureMap of(const Table& table, FeatureScale how, bool centred);
  /// Chosen rows of the table. Throws Misuse unless it has the columns that were mapped. Sparse tables stay so.
  DesignRows design(const Table& table, const std::vector<Index>& rows, bool single) const;
  /// p×r of the kept features → all of them, with zeros.
  Matrix restored(const Matrix& kept_rows) const;
};

/// What a fit of these sizes takes at its peak, in bytes; the table that it is read from included.
struct MemoryPlan {
  double table, design, operators, rest;
  bool single_operators, single_design;
  double peak() const;
};
/// Throws Misuse, with a sentence that says what would take less, if the machine has not that much.
MemoryPlan plan_memory(const ReducedRankSettings& settings, const Table& table, Index kept,
                       Index classes, Index rank);

/// Small coefficients in the r directions in which the means of the classes differ most: the same for every
/// seed. The paper's start is ones on the diagonal.
ReducedRank means_start(const ClassData& data, Index rank);
ReducedRank diagonal_start(const ClassData& data, Index rank);
ReducedRank random_start(const ClassData& data, Index rank, const Draws& draws);
/// The best of a few short fits in the directions in which the classes differ: the search is made anew wherever a run is.
Index tried_starts(const ClassData& data, Index rank);  // their number
ReducedRank searched_start(const ClassData& data, Index rank, const FeatureMoments& features,
                           std::int64_t seed);
/// Start 0 is what `initial` says, where only a search needs what is known of the features; the others are random.
ReducedRank first_point(const ClassData& data, const ReducedRankSettings& settings, Index rank,
                        Index start, const FeatureMoments* features = nullptr);

/// The features' variances, from all rows; and their covariance, from some thousand, if they are not too many.
FeatureMoments feature_moments(const DesignRows& rows);

/// Iterations of a descent, if their number is left to us.
inline constexpr std::int64_t most_descent = 1000;
ErasedRun make_run(const std::shared_ptr<const ClassData>& data,
                   const ReducedRankSettings& settings, Index rank, Index start,
                   const MemoryPlan& plan);
/// The same for the two phases, from a given point. `features` may serve several runs.
ErasedRun make_descent(const std::shared_ptr<const ClassData>& data,
                       const ReducedRankSettings& settings, const ReducedRank& start,
                       std::shared_ptr<const FeatureMoments> features, std::int64_t stochastic);
/// The point of a run's frame, intrinsic, extrinsic or factored.
ReducedRank reduced_rank_point(const AnyFrame& frame);

/// Nats per row still to be gained, with the gradient over all rows: by the run's own certificate if it is a descent, otherwise
/// ½gᵀF⁻¹g with its estimate of F.
double gain_left(ErasedRun& run, const std::shared_ptr<const ClassData>& data,
                 const ReducedRankSettings& settings);

struct Evaluation {
  double loss;  // mean −log P(class)
  double accuracy;
  Eigen::MatrixXi confusion;  // [true class, likeliest class]
};
Evaluation evaluate(const ClassData& data, const ReducedRank& point);

/// Features that differ from their least value, or from their largest, in rows of one class alone: numbers of them, among
/// those of the data. Without a ridge their coefficients may grow for ever.
std::vector<Index> one_class_features(const ClassData& data);

/// Standard errors by the inverse Fisher information of all rows, at the fitted point.
class Uncertainty {
 public:
  /// Nothing if the information is singular there: some direction is not determined by the data.
  /// A ridge counts as the prior that it is.
  static std::optional<Uncertainty> of(const std::shared_ptr<const ClassData>& data,
                                       const ReducedRank& point, double ridge = 0.0);
  /// A covariance that was stored.
  Uncertainty(ReducedRank point, Matrix covariance);

  const Matrix& covariance() const { return covariance_; }  // of the frame's coordinates
  Matrix coefficients() const;                              // p×(K−1)
  Vector intercepts() const;
  /// K×n for rows given as columns: of P(class).
  Matrix probabilities(const Matrix& x) const;

 private:
  ReducedRank point_;
  Matrix covariance_;
};

/// The factors as an SVD: U, singular values, V, each component with its largest entry of U positive.
struct Components {
  Matrix U;
  Vector s;
  Matrix V;
};
Components components(const ReducedRank& point);

}  // namespace fisherman
