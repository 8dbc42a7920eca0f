// fisherman predict: probabilities for new rows, from the folder of a fit.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>

#include "checksums.hpp"
#include "command.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/table.hpp"
#include "fisherman/io/text.hpp"
#include "flow_model.hpp"
#include "logistic_model.hpp"
#include "output_file.hpp"
#include "reduced_rank_model.hpp"

namespace fisherman::cli {
namespace {

// In the log loss no row counts as less likely, as in scikit-learn: one alone would make it infinite.
constexpr double least_probability = std::numeric_limits<double>::epsilon();

struct Predict {
  std::string run_folder, data, labels;
  OutputFile out;
  bool json = false, no_header = false;
  int run() const;

 private:
  nlohmann::ordered_json logistic(const nlohmann::json& json_model, const std::string& file) const;
  nlohmann::ordered_json flow(const nlohmann::json& json_model, const std::string& file) const;
  nlohmann::ordered_json binary(const Matrix& p, const Table& table,
                                const std::array<std::string, 2>& classes) const;
  nlohmann::ordered_json reduced_rank(const nlohmann::json& json_model,
                                      const std::string& file) const;
  struct Kind {
    const char* name;
    nlohmann::ordered_json (Predict::*predict)(const nlohmann::json& json_model,
                                               const std::string& file) const;
  };
  static const Kind kinds[];

  /// The rows, with labels if there are any.
  Table rows(const std::string& label, const std::vector<std::string>& columns) const;
  void write(const std::string& rows) const;
};

Table Predict::rows(const std::string& label, const std::vector<std::string>& columns) const {
  Table table = read_table(data, {.label = label,
                                  .has_label = labels.empty(),
                                  .label_optional = true,
                                  .header = !no_header,
                                  .least_columns = Index(columns.size()),
                                  .wanted = columns});
  if (labels.empty()) return table;
  table.labels = read_labels(labels, {.header = !no_header});
  if (Index(table.labels.size()) != table.x.rows())
    throw FileError(sentence(labels, ": has ", table.labels.size(), " labels, but ", data, " has ",
                             table.x.rows(), " rows"));
  return table;
}

void Predict::write(const std::string& rows) const {
  if (!out.path.empty())
    out.write(rows);
  else if (!json)
    std::cout << rows;
}

nlohmann::ordered_json Predict::reduced_rank(const nlohmann::json& json_model,
                                             const std::string& file) const {
  const ReducedRankModel model = ReducedRankModel::from_json(json_model, file);
  const Table table = rows(model.label, model.map.names);
  const Matrix x = model.design(table, data);
  std::optional<Uncertainty> uncertainty;
  const Checksums sums = Checksums::read(run_folder);
  if (const std::string name = "covariance.npy"; sums.has(name))
    uncertainty.emplace(model.point, read_table(sums.verified(name), {.has_label = false}).x);
  nlohmann::ordered_json summary;
  summary["rows"] = x.cols();
  if (!table.labels.empty()) {
    const std::string& where = labels.empty() ? data : labels;
    const ClassData known(x, class_labels(table.labels, model.classes, where),
                          Index(model.classes.size()));
    const Evaluation result = evaluate(known, model.point);
    summary["log_loss"] = result.loss;
    summary["accuracy"] = result.accuracy;
  }
  write(predictions_csv(model, x,
                        uncertainty));  // last: a label that is not known leaves nothing behind
  return summary;
}

/// Of the two classes, from each row's P(y = 1): mean, sd, 5% and 95%.
nlohmann::ordered_json Predict::binary(const Matrix& p, const Table& table,
                                       const std::array<std::string, 2>& classes) const {
  std::ostringstream rows;
  rows << std::setprecision(10) << "probability,sd,q5,q95\n";
  for (Index i = 0; i < p.rows(); ++i)
    rows << p(i, 0) << ',' << p(i, 1) << ',' << p(i, 2) << ',' << p(i, 3) << '\n';
  nlohmann::ordered_json summary;
  summary["rows"] = p.rows();
  summary["class"] = classes[1];
  if (!table.labels.empty()) {
    const Vector y = binary_labels(table.labels, classes, labels.empty() ? data : labels);
    double loss = 0.0, right = 0.0;
    Index clipped = 0;
    for (Index i = 0; i < p.rows(); ++i) {
      const double of_class = y(i) == 1.0 ? p(i, 0) : 1.0 - p(i, 0);
      if (of_class < least_probability) ++clipped;
      loss -= std::log(std::max(of_class, least_probability));
      right += (p(i, 0) > 0.5) == (y(i) == 1.0) ? 1.0 : 0.0;
    }
    summary["log_loss"] = loss / double(p.rows());
    if (clipped > 0)
      summary["log_loss_note"] =
          sentence("The probability of the true class is below ", least_probability, " in ",
                   clipped, clipped == 1 ? " row" : " rows",
                   "; it counts as that there, because the loss would be infinite.");
    summary["accuracy"] = right / double(p.rows());
  }
  write(rows.str());
  return summary;
}

nlohmann::ordered_json Predict::logistic(const nlohmann::json& json_model,
                                         const std::string& file) const {
  const LogisticModel model = LogisticModel::from_json(json_model, file);
  const Table table = rows(model.label, model.columns);
  return binary(predictive(model.design(table, data), model.q), table, model.classes);
}

nlohmann::ordered_json Predict::flow(const nlohmann::json& json_model,
                                     const std::string& file) const {
  const FlowModel model = FlowModel::from_json(json_model, file);
  const Table table = rows(model.label, model.columns);
  return binary(model.predictive(table, data), table, model.classes);
}

/// What can be predicted with: the kinds of fit, as model.json names them.
const Predict::Kind Predict::kinds[] = {{"logistic", &Predict::logistic},
                                        {"reduced-rank", &Predict::reduced_rank},
                                        {"flow", &Predict::flow}};

int Predict::run() const {
  const Checksums sums = Checksums::read(run_folder);
  std::vector<std::filesystem::path> inputs = sums.paths();
  inputs.insert(inputs.end(), {data, labels, std::filesystem::path(run_folder) / "checkpoint"});
  out.check(inputs);
  const std::filesystem::path file = sums.verified("model.json");
  const nlohmann::json model = read_json(file);
  const nlohmann::json kind = model.value("model", nlohmann::json());
  const auto found = std::find_if(std::begin(kinds), std::end(kinds),
                                  [&](const auto& known) { return kind == known.name; });
  if (found == std::end(kinds))
    throw FileError(sentence(file.string(), ": is a fit of the kind ", shown(kind.dump()),
                             ", which this program does not know"));
  const auto summary = (this->*found->predict)(model, file.string());
  if (json)
    std::cout << summary.dump(2) << '\n';
  else
    std::cerr << summary.dump() << '\n';
  return done;
}

}  // namespace

void add_predict(CLI::App& app, int& exit_code) {
  auto self = std::make_shared<Predict>();
  CLI::App* const command =
      app.add_subcommand("predict", "probabilities for new rows, with their uncertainty");
  command->add_option("--run", self->run_folder, "the folder of a fit")
      ->required()
      ->type_name("DIR");
  command->add_option("--data", self->data, "rows with the fit's columns; labels are optional")
      ->required()
      ->type_name("FILE");
  command->add_option("--labels", self->labels, "a file of labels, if they are not in the data")
      ->type_name("FILE");
  command
      ->add_option("--out", self->out.path,
                   "a CSV file for the predictions (default: standard output)")
      ->type_name("FILE");
  self->out.add_to(*command);
  command->add_flag("--no-header", self->no_header,
                    "the first row of a CSV file holds data; its columns are then f1, f2, …");
  command->add_flag("--json", self->json, "print a summary as one JSON object and nothing else");
  command->footer(
      "Example:\n  fisherman predict --run wdbc-run --data new.csv --out predictions.csv");
  command->callback([self, &exit_code] { exit_code = self->run(); });
}

}  // namespace fisherman::cli
