#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "../binary_fitted.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/fit/flow.hpp"
#include "fisherman/model/target_rows.hpp"

namespace fisherman {

/// Rows that stand for all, evenly spread over them: a prediction costs a pass of the network for each of 1,000 draws, and
/// this many rows show all that there is to see.
struct SpreadRows {
  static constexpr Index most = 4000;
  Index of = 0;  // rows in all
  Matrix x;
  Vector y;

  /// Together, if the rows are a part of all; y has those that are here.
  static SpreadRows from(const TargetRows& rows, const Vector& y);
};

/// A Gaussian or a flow over the weights of a network, or over the coefficients of a logistic regression.
class FlowFitted final : public BinaryFitted {
 public:
  FlowSettings settings;
  std::vector<std::string> names;  // of the weights
  std::optional<AnyFrame> frame;
  double objective_error = Record::unknown;
  // Nothing of these for a fit that was loaded.
  std::function<Vector(const Matrix& betas)> log_p;
  std::optional<SpreadRows> seen;  // of the design

  static std::unique_ptr<Fitted> fit(FitData data, const FitSettings& settings, Driver& driver);
  static std::unique_ptr<Fitted> load(const SavedFit& saved);

  Index weights() const { return Index(names.size()); }
  Fields result() const override;
  Fields model() const override;
  Fields parameters() const override;
  std::string text(const Output& output) const override;
  std::vector<NamedFile> tables(const Output& output) const override;
  Matrix predictive(const Matrix& design) const override;
  FittedDraws draws(Index count, std::uint64_t from_seed, Units units) const override;

 private:
  template <class T>
  void fit_to(T target, Driver& driver);
};

namespace flow_report {
report::Page page(const std::vector<ReportedFit>& fits, const PageLimits& limits);
}

}  // namespace fisherman
