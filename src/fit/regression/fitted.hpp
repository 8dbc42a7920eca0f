#pragma once

#include <memory>
#include <optional>

#include "checks.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/fit/regression.hpp"

namespace fisherman {

/// A Gaussian over the parameters of a regression: coefficients, logarithms of the standard deviations of groups, and of the
/// likelihood's further parameters.
class RegressionFitted final : public Fitted {
 public:
  std::string kind;  // "regression", or "logistic"
  DesignPlan plan;
  std::shared_ptr<const Likelihood> likelihood;
  /// None if outcomes are numbers. Probabilities of one of two are those of the second; of several, the first is the one
  /// that others are compared with.
  std::vector<std::string> classes;
  GaussianPoint q;
  RatioCheck ratios;
  /// What more exact expectations would change the NELBO by, where those of the likelihood are not exact.
  double expectation_error = Record::unknown;
  std::vector<std::string> priors;                 // in words, one for each parameter
  std::shared_ptr<const RegressionTarget> target;  // nothing for a fit that was loaded

  static std::unique_ptr<Fitted> fit(FitData data, const RegressionSettings& settings,
                                     const std::string& kind, Driver& driver);
  static std::unique_ptr<Fitted> load(const SavedFit& saved);

  Fields result() const override;
  Fields model() const override;
  Fields parameters() const override;
  std::string text(const Output& output) const override;
  std::vector<NamedFile> tables(const Output& output) const override;
  Predictions predict(const Table& rows, const std::string& where, bool errors) const override;
  Fields score(const Table& rows, const Predictions& predictions, const std::string& where,
               const std::string& labels_where) const override;
  FittedDraws draws(Index count, std::uint64_t from_seed, Units units) const override;

  // What takes a while is computed when it is first asked for, and needs the data: a fit that was loaded has what was saved.
  const LeaveOneOut& loo() const;
  const std::vector<PredictiveCheck>& checks() const;
  const std::vector<MarginalEffect>& effects() const;  // of terms, in their own units

  /// Coefficients, group effects among them, in either units. Of several linear predictors those of one class follow those
  /// of another, and have its name before theirs.
  GaussianPoint coefficients(Units units) const;
  std::vector<std::string> names(Units units) const;
  Index coefficient_count() const { return Index(plan.names.size()) * likelihood->predictors(); }
  /// Whether coefficient k is that of a term.
  bool of_term(Index k, Units units) const;
  bool several_classes() const { return likelihood->link() == Link::softmax; }

  /// A positive parameter: a standard deviation of group effects, or one of the likelihood's. Its posterior is lognormal.
  struct Positive {
    std::string name;
    double log_mean, log_sd;

    double mean() const;
    double sd() const;
    double quantile(double z) const;  // of the standard normal's z
  };
  std::vector<Positive> positives(Units units) const;

  /// "odds ratio" or "ratio of means": what exp of a coefficient is; empty where it is nothing.
  std::string ratio_name() const;

 private:
  /// Of draws of coefficients, one a column.
  Matrix in_own_units(const Matrix& betas) const;
  Predictions class_predictions(const DesignedRows& rows) const;

  mutable std::optional<LeaveOneOut> loo_;
  mutable std::optional<std::vector<PredictiveCheck>> checks_;
  mutable std::optional<std::vector<MarginalEffect>> effects_;
};

/// What a fit is of: plan, target and the names of the classes, from data and settings.
struct RegressionProblem {
  DesignPlan plan;
  std::shared_ptr<const Likelihood> likelihood;
  std::shared_ptr<const RegressionTarget> target;
  std::vector<std::string> classes;
};
/// With the plan of a fit that was made before, or a new one.
RegressionProblem regression_problem(FitData data, const RegressionSettings& settings,
                                     const RegressionFitted* before = nullptr);

/// The outcomes of a table's rows, some of them. Classes are numbered as `classes` has them; if it is empty, it becomes
/// what there is, with the class `reference` first if that is not empty. Throws FileError.
Vector outcomes_of(const FitData& data, const Columns& columns, const Likelihood& likelihood,
                   bool trials, const std::vector<Index>& rows, const std::string& reference,
                   std::vector<std::string>& classes);

}  // namespace fisherman
