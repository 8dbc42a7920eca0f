#include "binary_fitted.hpp"

#include <iomanip>
#include <sstream>

#include "binary_score.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/model/pareto.hpp"

namespace fisherman {

Predictions BinaryFitted::predict(const Table& rows, const std::string& where,
                                  bool /*errors*/) const {
  return {{},
          {"probability", "sd", "q5", "q95"},
          predictive(preparation.design(columns_of(rows, columns, where)))};
}

Fields BinaryFitted::score(const Table& rows, const Predictions& predictions,
                           const std::string& /*where*/, const std::string& labels_where) const {
  return binary_score(predictions.values.col(0), rows.labels, classes, labels_where);
}

void BinaryFitted::take(const FitData& data, Preparation how,
                        std::array<std::string, 2> names_of_classes) {
  columns = data.table.names;
  label = data.table.label_name;
  classes = std::move(names_of_classes);
  preparation = std::move(how);
  warnings = preparation.warnings;
}

void BinaryFitted::save_columns(Fields& model) const {
  model.set("seed", std::int64_t(seed));
  model.set("columns", columns);
  model.set("label", label);
  model.set("classes", std::vector<std::string>(classes.begin(), classes.end()));
  model.set("intercept", preparation.intercept);
  model.set("shift", preparation.shift);
  model.set("scale", preparation.scale);
}

void BinaryFitted::load_columns(const Fields& model) {
  seed = std::uint64_t(model.need_count("seed"));
  columns = model.need_texts("columns");
  label = model.need_text("label");
  const std::vector<std::string> both = model.need_texts("classes");
  require(both.size() == 2, "it has ", both.size(), " classes, but must have two");
  classes = {both[0], both[1]};
  preparation.intercept = model.need_flag("intercept");
  preparation.shift = model.need_vector("shift");
  preparation.scale = model.need_vector("scale");
  const auto count = Index(columns.size());
  require(preparation.shift.size() == count && preparation.scale.size() == count &&
              (preparation.scale.array() > 0.0).all(),
          "its sizes do not go together");
}

void BinaryFitted::add_khat(Fields& result) const {
  result.set("khat", khat);
  result.set("khat_verdict", std::string(pareto_verdict(khat)));
}

std::string BinaryFitted::khat_words() const {
  std::ostringstream out;
  out << "Pareto k " << std::fixed << std::setprecision(2) << khat << ", " << pareto_verdict(khat);
  return out.str();
}

void BinaryFitted::add_column_parameters(Fields& parameters) const {
  parameters.set("feature_shift", preparation.shift);
  parameters.set("feature_scale", preparation.scale);
  parameters.set("elbo", -summary.objective);
  parameters.set("khat", khat);
  parameters.set("khat_verdict", std::string(pareto_verdict(khat)));
}

}  // namespace fisherman
