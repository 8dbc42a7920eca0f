// fisherman predict: probabilities for new rows, from the folder of a fit.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "command.hpp"
#include "fisherman/core/archive.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/table.hpp"
#include "logistic_model.hpp"

namespace fisherman::cli {
namespace {

struct Predict {
  std::string run_folder, data, out;
  bool json = false;
  int run() const;
};

int Predict::run() const {
  const std::filesystem::path file = std::filesystem::path(run_folder) / "model.json";
  const LogisticModel model = LogisticModel::from_json(read_json(file), file.string());
  const Table table = read_table(data, {.label = model.label, .label_optional = true});
  const Matrix p = predictive(model.design(table, data), model.q);
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
  summary["class"] = model.classes[1];
  if (!table.labels.empty()) {
    const Vector y = binary_labels(table.labels, model.classes, data);
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
