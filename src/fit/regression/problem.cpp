// From data and settings to what is fitted.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "fisherman/core/error.hpp"
#include "fisherman/core/row_parts.hpp"
#include "fisherman/io/text.hpp"
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

/// The labels of rows: each text once, and which of them a row has. There may be many more rows than memory for texts.
struct DistinctLabels {
  std::vector<std::string> texts;
  std::vector<std::int32_t> codes;

  Vector each(const Vector& of_texts) const {
    Vector out(Index(codes.size()));
    for (std::size_t i = 0; i < codes.size(); ++i) out(Index(i)) = of_texts(codes[i]);
    return out;
  }
};

DistinctLabels distinct_labels(const Column& column, const std::vector<Index>& rows) {
  DistinctLabels out;
  out.codes.reserve(rows.size());
  std::map<double, std::int32_t> code;  // of a number, or of a level
  constexpr double missing = std::numeric_limits<double>::infinity();
  for (const Index i : rows) {
    const double key = column.is_missing(i) ? missing
                       : column.is_words()  ? double(column.codes[std::size_t(i)])
                                            : column.numbers(i);
    const auto [at, is_new] = code.emplace(key, std::int32_t(out.texts.size()));
    if (is_new) out.texts.push_back(column.text(i));
    out.codes.push_back(at->second);
  }
  return out;
}

/// Classes may be numbers, but those that are not whole are hardly meant to be.
void require_whole(const FitData& data, const Columns& columns, const Column& column,
                   const std::vector<Index>& rows) {
  if (column.is_words()) return;
  for (const Index i : rows)
    if (const double y = column.numbers(i); y != std::floor(y))
      throw FileError(sentence(columns.place(i, data.labels_where), ", column '", column.name,
                               "': the outcome is ", y,
                               ", but for the likelihood multinomial it must be a word or a whole "
                               "number that names a class"));
}

/// The class that others are compared with.
void put_first(std::vector<std::string>& classes, const std::string& reference,
               const std::string& column) {
  if (reference.empty() || classes.empty()) return;
  const auto found = std::find(classes.begin(), classes.end(), reference);
  require(found != classes.end(), "--reference names ", shown(reference), " for the outcome ",
          shown(column), ", which has no such class");
  std::rotate(classes.begin(), found, found + 1);
}

/// Together: rows may have been left out, so that others are to be summed over here.
RowPart deal(DesignedRows& rows, Outcomes& outcomes) {
  std::vector<Vector*> vectors;
  for (Vector* one : {&outcomes.y, &outcomes.trials, &outcomes.weights, &rows.offset})
    if (largest_of_ranks(one->size()) > 0) vectors.push_back(one);
  const Index p = rows.x.cols();
  Matrix all(p + Index(vectors.size()), rows.x.rows());
  all.topRows(p) = rows.x.transpose();
  for (std::size_t k = 0; k < vectors.size(); ++k) all.row(p + Index(k)) = vectors[k]->transpose();
  rows.x.resize(0, 0);
  all = dealt(std::move(all));
  rows.x = all.topRows(p).transpose();
  for (std::size_t k = 0; k < vectors.size(); ++k) *vectors[k] = all.row(p + Index(k)).transpose();
  return RowPart::of_rank(sum_of_ranks(all.cols()));
}

/// Together: what a target asks of the outcomes where one rank has them all.
void require_spread_of_all(const Likelihood& likelihood, const Vector& mine) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double least = infinity, most = -infinity;
  for (const Vector& theirs : from_each_rank(
           Vector(mine.size() > 0 ? Vector{{mine.minCoeff(), mine.maxCoeff()}} : Vector()))) {
    if (theirs.size() == 0) continue;
    least = std::min(least, theirs(0));
    most = std::max(most, theirs(1));
  }
  require_spread(likelihood, least, most);
}

}  // namespace

Vector outcomes_of(const FitData& data, const Columns& columns, const Likelihood& likelihood,
                   bool trials, const std::vector<Index>& rows, const std::string& reference,
                   std::vector<std::string>& classes) {
  const bool several = likelihood.link() == Link::softmax;
  const bool by_class = several || (likelihood.binary() && !trials);
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
    together([&] {
      for (std::size_t i = 0; i < rows.size(); ++i)
        if (const double value = y(Index(i)); !std::isfinite(value))
          throw FileError(
              sentence(columns.place(rows[i], data.labels_where), ": the outcome is missing"));
    });
    return y;
  }
  const DistinctLabels labels = distinct_labels(*column, rows);
  if (several) {
    if (classes.empty()) {
      together([&] { require_whole(data, columns, *column, rows); });
      classes = class_labels(labels.texts, data.labels_where).classes;
      put_first(classes, reference, name);
    }
    const std::vector<int> codes =
        together([&] { return class_labels(labels.texts, classes, data.labels_where); });
    return labels.each(
        Eigen::Map<const Eigen::VectorXi>(codes.data(), Index(codes.size())).cast<double>());
  }
  if (classes.empty()) {
    const BinaryLabels both = binary_labels(labels.texts, data.labels_where);
    classes = {both.classes[0], both.classes[1]};
    return labels.each(both.y);
  }
  return labels.each(binary_labels(labels.texts, {classes[0], classes[1]}, data.labels_where));
}

RegressionProblem regression_problem(FitData data, const RegressionSettings& s,
                                     const RegressionFitted* before) {
  RegressionProblem out;
  auto likelihood = before != nullptr ? before->likelihood : fisherman::likelihood(s.likelihood);
  const bool several = likelihood->link() == Link::softmax;
  require(s.trials.empty() || likelihood->binary(),
          "--trials is for logistic, probit and cloglog, not for ", likelihood->name());
  require(s.offset.empty() || !several,
          "--offset is for likelihoods with one linear predictor, not for ", likelihood->name());
  require(s.group.empty() || !several,
          "--group is for likelihoods with one linear predictor, not for ", likelihood->name());
  const Columns columns = columns_in(data);
  const std::string& label = data.table.label_name;
  out.plan = before != nullptr ? before->plan : DesignPlan::of(columns, label, s, data.where);
  require(out.plan.outcome_reference.empty() || several, "--reference names '", label,
          "', which is the outcome; that is for --likelihood multinomial");
  out.classes = before != nullptr ? before->classes : data.classes;
  if (before == nullptr && several) put_first(out.classes, out.plan.outcome_reference, label);
  DesignedRows rows = out.plan.rows(columns, data.where, RowsFor::fit);
  Outcomes outcomes{outcomes_of(data, columns, *likelihood, !s.trials.empty(), rows.kept,
                                out.plan.outcome_reference, out.classes),
                    std::move(rows.trials), std::move(rows.weights)};
  if (several) likelihood = fisherman::likelihood(s.likelihood, Index(out.classes.size()));
  together([&] {
    for (Index i = 0; i < outcomes.rows(); ++i) {
      const std::string trouble = likelihood->trouble(outcomes.y(i), outcomes.trials_of(i));
      if (!trouble.empty())
        throw FileError(sentence(columns.place(rows.kept[std::size_t(i)], data.labels_where),
                                 ", column '", label, "': the outcome is ", outcomes.y(i),
                                 ", but for the likelihood ", likelihood->name(), " it ", trouble));
    }
  });
  std::optional<RowPart> part;
  if (!columns.rows_here().is_whole())
    part = rows.blocks ? columns.rows_here() : deal(rows, outcomes);
  if (part && part->all > 1) require_spread_of_all(*likelihood, outcomes.y);
  RegressionPriors priors = priors_for(s, out.plan, *likelihood, outcomes, part);
  out.likelihood = likelihood;
  out.target = together([&] {
    return std::make_shared<const RegressionTarget>(
        rows.blocks ? TargetRows(rows.blocks, part) : TargetRows(std::move(rows.x), part),
        std::move(outcomes), likelihood, std::move(priors), std::move(rows.offset));
  });
  return out;
}

}  // namespace fisherman
