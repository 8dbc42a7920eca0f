// From data and settings to what is fitted.
#include <algorithm>

#include "fisherman/core/error.hpp"
#include "fitted.hpp"

namespace fisherman {
namespace {

/// The table's columns, with the outcomes among them. Classes that are numbered already become a column of words.
Columns columns_in(FitData& data) {
  const std::string label = data.table.label_name.empty() ? "y" : data.table.label_name;
  Columns out = data.table.mixed ? *data.table.mixed : columns_of_table(std::move(data.table));
  data.table.label_name = label;
  if (data.classes.empty()) return out;
  Column& outcome = out.all.emplace_back();
  outcome.name = label;
  outcome.levels = data.classes;
  outcome.codes.assign(data.codes.begin(), data.codes.end());
  return out;
}

}  // namespace

Vector outcomes_of(const FitData& data, const Columns& columns, const Likelihood& likelihood,
                   bool trials, const std::vector<Index>& rows, std::vector<std::string>& classes) {
  const bool by_class = likelihood.binary() && !trials;
  const std::string& name = data.table.label_name;
  const Column* const column = columns.find(name);
  if (column == nullptr)
    throw FileError(sentence(data.labels_where, ": has no column '", name, "' of outcomes"));
  if (!by_class) {
    if (column->is_words())
      throw FileError(sentence(data.labels_where, ", column '", name,
                               "': holds words, but the likelihood ", likelihood.name(),
                               " needs numbers"));
    const Vector y = column->numbers(rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (const double value = y(Index(i)); !std::isfinite(value))
        throw FileError(
            sentence(data.labels_where, ", ", columns.place(rows[i]), ": the outcome is missing"));
    return y;
  }
  std::vector<std::string> labels;
  labels.reserve(rows.size());
  for (const Index i : rows) labels.push_back(column->text(i));
  if (classes.empty()) {
    BinaryLabels both = binary_labels(labels, data.labels_where);
    classes = {both.classes[0], both.classes[1]};
    return std::move(both.y);
  }
  return binary_labels(labels, std::array<std::string, 2>{classes[0], classes[1]},
                       data.labels_where);
}

RegressionProblem regression_problem(FitData data, const RegressionSettings& s,
                                     const RegressionFitted* before) {
  RegressionProblem out;
  const auto likelihood =
      before != nullptr ? before->likelihood : fisherman::likelihood(s.likelihood);
  require(s.trials.empty() || likelihood->binary(),
          "--trials is for logistic, probit and cloglog, not for ", likelihood->name());
  const Columns columns = columns_in(data);
  const std::string& label = data.table.label_name;
  out.plan = before != nullptr ? before->plan : DesignPlan::of(columns, label, s, data.where);
  out.classes = before != nullptr ? before->classes : data.classes;
  DesignedRows rows = out.plan.rows(columns, data.where, RowsFor::fit);
  Outcomes outcomes{
      outcomes_of(data, columns, *likelihood, !s.trials.empty(), rows.kept, out.classes),
      std::move(rows.trials), std::move(rows.weights)};
  for (Index i = 0; i < outcomes.rows(); ++i) {
    const std::string trouble = likelihood->trouble(outcomes.y(i), outcomes.trials_of(i));
    if (!trouble.empty())
      throw FileError(sentence(data.labels_where, ", ", columns.place(rows.kept[std::size_t(i)]),
                               ", column '", label, "': the outcome is ", outcomes.y(i),
                               ", but for the likelihood ", likelihood->name(), " it ", trouble));
  }
  RegressionPriors priors = priors_for(s, out.plan, *likelihood, outcomes);
  out.target =
      std::make_shared<const RegressionTarget>(std::move(rows.x), std::move(outcomes), likelihood,
                                               std::move(priors), std::move(rows.offset));
  return out;
}

}  // namespace fisherman
