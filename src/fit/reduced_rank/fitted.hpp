#pragma once

#include <memory>
#include <optional>

#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/fit/reduced_rank_path.hpp"

namespace fisherman {

/// Coefficients of low rank for several classes, the best of the ranks and starts that were tried.
class ReducedRankFitted final : public Fitted {
 public:
  ReducedRankFitted(FeatureMap features, ReducedRank fitted);

  FeatureMap map;
  ReducedRank point;
  std::vector<std::string> classes;
  std::string scaling;  // what was done to the features
  double ridge = 0.0;
  Fields best;                 // the result of the part that was kept
  std::vector<Fields> fits;    // of each rank and start, if there are several
  std::vector<Fields> trials;  // of a cross-validation
  Eigen::MatrixXi confusion;   // of the held-out rows, if there are any
  bool errors_asked = false;
  std::optional<Uncertainty> uncertainty;

  static std::unique_ptr<Fitted> fit(FitData data, const FitSettings& settings, Driver& driver);
  static std::unique_ptr<Fitted> load(const SavedFit& saved);

  Index rank() const { return point.factor<0>().S().rows(); }
  bool tested() const { return best.has("test_loss"); }
  Fields result() const override;
  Fields model() const override;
  Fields arrays() const override;
  Fields parameters() const override;
  std::string text(const Output& output) const override;
  std::vector<NamedFile> tables(const Output& output) const override;
  Matrix transform(const Table& rows, const std::string& where) const override;
  Predictions predict(const Table& rows, const std::string& where, bool errors) const override;
  Fields score(const Table& rows, const Predictions& predictions, const std::string& where,
               const std::string& labels_where) const override;

 private:
  DesignRows design(const Table& rows, const std::string& where) const;
  /// p×(K−1) numbers of the scaled features as K×p of the features, zero for the last class.
  Matrix by_class(const Matrix& of_scaled) const;
};

namespace reduced_rank_report {
report::Page page(const std::vector<ReportedFit>& fits, const PageLimits& limits);
}

}  // namespace fisherman
