#include "binary_fitted.hpp"

#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

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
  // In the log loss no row counts as less likely, as in scikit-learn: one alone would make it infinite.
  constexpr double least_probability = std::numeric_limits<double>::epsilon();
  const auto p = predictions.values.col(0);
  Fields out;
  out.set("rows", p.size());
  out.set("class", classes[1]);
  if (rows.labels.empty()) return out;
  const Vector y = binary_labels(rows.labels, classes, labels_where);
  double loss = 0.0, right = 0.0;
  Index clipped = 0;
  for (Index i = 0; i < p.size(); ++i) {
    const double of_class = y(i) == 1.0 ? p(i) : 1.0 - p(i);
    if (of_class < least_probability) ++clipped;
    loss -= std::log(std::max(of_class, least_probability));
    right += (p(i) > 0.5) == (y(i) == 1.0) ? 1.0 : 0.0;
  }
  out.set("log_loss", loss / double(p.size()));
  if (clipped > 0)
    out.set("log_loss_note",
            sentence("The probability of the true class is below ", least_probability, " in ",
                     clipped, clipped == 1 ? " row" : " rows",
                     "; it counts as that there, because the loss would be infinite."));
  out.set("accuracy", right / double(p.size()));
  return out;
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
