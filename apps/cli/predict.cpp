// fisherman predict: probabilities for new rows, from the folder of a fit.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "command.hpp"
#include "fisherman/app/logistic.hpp"
#include "fisherman/core/archive.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman::cli {
namespace {

struct Predict {
  std::string run_folder, data, out;
  bool json = false;
  int run() const;
};

Vector vector_of(const nlohmann::json& value) {
  const auto numbers = value.get<std::vector<double>>();
  return Eigen::Map<const Vector>(numbers.data(), Index(numbers.size()));
}

/// The fit's columns, in its order, out of a table that may have more of them in any order.
Matrix columns_named(const Table& table, const std::vector<std::string>& names,
                     const std::string& file) {
  if (table.names == names) return table.x;
  Matrix out(table.x.rows(), Index(names.size()));
  for (std::size_t k = 0; k < names.size(); ++k) {
    const auto found = std::find(table.names.begin(), table.names.end(), names[k]);
    if (found == table.names.end())
      throw FileError(file + ": has no column '" + names[k] + "', which the fit was made with");
    out.col(Index(k)) = table.x.col(found - table.names.begin());
  }
  return out;
}

int Predict::run() const {
  const std::filesystem::path folder = run_folder;
  const nlohmann::json model = read_json(folder / "model.json");
  if (model.value("model", "") != "logistic")
    throw FileError((folder / "model.json").string() + ": is not a logistic fit");
  Preparation preparation;
  preparation.shift = vector_of(model["shift"]);
  preparation.scale = vector_of(model["scale"]);
  preparation.intercept = model["intercept"];
  GaussianPoint q{vector_of(model["mean"]), {}};
  const Vector covariance = vector_of(model["covariance"]);
  q.covariance = as_matrix(covariance.data(), q.mean.size(), q.mean.size());
  const auto columns = model["columns"].get<std::vector<std::string>>();
  const auto classes = model["classes"].get<std::array<std::string, 2>>();

  const Table table = read_table(data, {.label = model["label"], .label_optional = true});
  const Matrix p = predictive(preparation.design(columns_named(table, columns, data)), q);
  std::ostringstream rows;
  rows << std::setprecision(10) << "probability,sd,q5,q95\n";
  for (Index i = 0; i < p.rows(); ++i)
    rows << p(i, 0) << ',' << p(i, 1) << ',' << p(i, 2) << ',' << p(i, 3) << '\n';
  if (!out.empty())
    write_file(out, rows.str());
  else if (!json)
    std::cout << rows.str();

  nlohmann::ordered_json summary;
  summary["rows"] = p.rows();
  summary["class"] = classes[1];
  if (!table.labels.empty()) {
    const Vector y = binary_labels(table.labels, classes, data);
    double loss = 0.0, right = 0.0;
    for (Index i = 0; i < p.rows(); ++i) {
      loss -= std::log(y(i) == 1.0 ? p(i, 0) : 1.0 - p(i, 0));
      right += (p(i, 0) > 0.5) == (y(i) == 1.0) ? 1.0 : 0.0;
    }
    summary["log_loss"] = loss / double(p.rows());
    summary["accuracy"] = right / double(p.rows());
  }
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
  command->add_option("--run", self->run_folder, "the folder of a fit")->required();
  command->add_option("--data", self->data, "rows with the fit's columns; labels are optional")
      ->required();
  command->add_option("--out", self->out,
                      "a CSV file for the predictions (default: standard output)");
  command->add_flag("--json", self->json, "print a summary as one JSON object and nothing else");
  command->footer(
      "Example:\n  fisherman predict --run wdbc-run --data new.csv --out predictions.csv");
  command->callback([self, &exit_code] { exit_code = self->run(); });
}

}  // namespace fisherman::cli
