// Reduced-rank multinomial regression from a table to fitted coefficients: what `fisherman fit
// reduced-rank` does.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fisherman/fit/driver.hpp"
#include "fisherman/fit/run_settings.hpp"
#include "fisherman/model/multinomial.hpp"
#include "fisherman/solve/lbfgs.hpp"

namespace fisherman {

/// How the coefficients are found.
enum class ReducedRankMethod { ifngd, rsgd, extrinsic, kfac, lbfgs };

/// The numbers of operators and data.
enum class Precision { automatic, float32, float64 };

/// What is done to the features first.
enum class FeatureScale { automatic, pixel, standardize, none };
std::string name(FeatureScale scale);

/// The first coefficients.
enum class ReducedRankStart { means, paper };

struct ReducedRankSettings : RunSettings {
  std::string rank = "5";
  ReducedRankMethod method = ReducedRankMethod::ifngd;
  Carry transport = Carry::frame;
  Precision precision = Precision::automatic;
  FeatureScale scale = FeatureScale::automatic;
  ReducedRankStart initial = ReducedRankStart::means;
  double passes = 3.0;
  std::int64_t starts = 1;
  double holdout = 0.0;
  Automatic standard_errors = Automatic::automatic;

  ReducedRankSettings() {
    batch = 128;
    tolerance = 0.02;
    eval_every = 50;
  }
  void describe(Options& options);
  /// The ranks of `--rank 1,2,5`. Throws Misuse unless they are whole numbers, 1 ≤ r ≤ min(p, K−1).
  std::vector<Index> ranks(Index features, Index classes) const;
  /// What `scale` says, with auto decided: images are divided by 255, anything else is standardised.
  FeatureScale scaling(bool images) const;
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

  /// `how` is pixel, standardize or none, as ReducedRankSettings::scaling() decides.
  static FeatureMap of(const Matrix& x, std::vector<std::string> names, FeatureScale how);
  /// Chosen rows of the table, as columns. Throws Misuse unless x has the columns that were mapped.
  template <class Scalar>
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> design(
      const Matrix& x, const std::vector<Index>& rows) const;
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
MemoryPlan plan_memory(const ReducedRankSettings& settings, Index rows, Index columns, Index kept,
                       Index classes, Index rank);

/// Small coefficients in the r directions in which the means of the classes differ most: the same for every
/// seed. The paper's start is ones on the diagonal.
ReducedRank means_start(const ClassData& data, Index rank);
ReducedRank diagonal_start(const ClassData& data, Index rank);
ReducedRank random_start(const ClassData& data, Index rank, const Draws& draws);
/// Start 0 is what `initial` says; the others are random.
ReducedRank first_point(const ClassData& data, const ReducedRankSettings& settings, Index rank,
                        Index start);

/// `method` must not be lbfgs.
ErasedRun make_run(const std::shared_ptr<const ClassData>& data,
                   const ReducedRankSettings& settings, Index rank, Index start,
                   const MemoryPlan& plan);
/// The point of a run's frame, intrinsic or extrinsic.
ReducedRank reduced_rank_point(const AnyFrame& frame);

/// The deterministic reference: L-BFGS on B = L Rᵀ and the intercepts.
/// Iterations of it, if the number is left to us.
inline constexpr std::int64_t most_descent = 1000;
struct ReducedRankOptimum {
  ReducedRank point;
  double objective;
  Index iterations;
  bool converged;
};
ReducedRankOptimum factor_lbfgs(const ClassData& data, const ReducedRank& start,
                                const LbfgsOptions& options, const LbfgsWatch& watch = {});

/// ½gᵀF⁻¹g with the gradient over all rows and the run's own estimate of F: nats a row still to be had.
double gain_left(ErasedRun& run, const std::shared_ptr<const ClassData>& data);

struct Evaluation {
  double loss;  // mean −log P(class)
  double accuracy;
  Eigen::MatrixXi confusion;  // [true class, likeliest class]
};
Evaluation evaluate(const ClassData& data, const ReducedRank& point);

/// Whether coefficients of the point's rank are known that put every row in its class: a multiple of them
/// fits better still, so the likelihood has no finite maximum. If the point is nearly such and the data are
/// small (a second or so of work), L-BFGS goes on from it to see.
bool separable(const ClassData& data, const ReducedRank& point);

/// Standard errors by the inverse Fisher information of all rows, at the fitted point.
class Uncertainty {
 public:
  /// Nothing if the information is singular there: some direction is not determined by the data.
  static std::optional<Uncertainty> of(const std::shared_ptr<const ClassData>& data,
                                       const ReducedRank& point);
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
