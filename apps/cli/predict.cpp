// fisherman predict: predictions for new rows, from the folder of a fit.
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "command.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/io/columns.hpp"
#include "fisherman/io/text.hpp"
#include "output_file.hpp"
#include "saved_run.hpp"

namespace fisherman::cli {
namespace {

struct Predict {
  std::string run_folder, data, labels;
  OutputFile out;
  bool json = false, no_header = false;
  int run() const;

 private:
  /// The rows, with labels if there are any.
  Table rows(const Fitted& fit, const FitKind& kind) const;
};

Table Predict::rows(const Fitted& fit, const FitKind& kind) const {
  Table table = read_table(data, {.label = fit.label,
                                  .has_label = labels.empty(),
                                  .label_optional = true,
                                  .header = !no_header,
                                  .least_columns = Index(fit.columns.size()),
                                  .wanted = fit.columns,
                                  .sparse = kind.takes_sparse,
                                  .mixed = kind.takes_columns,
                                  .welcome = fit.welcome});
  if (labels.empty()) return table;
  return with_labels(std::move(table), labels, fit.label, {.header = !no_header});
}

std::string csv(const Predictions& predictions) {
  std::ostringstream text;
  text << std::setprecision(10);
  const bool classes = !predictions.classes.empty();
  if (classes) text << "class";
  for (std::size_t k = 0; k < predictions.columns.size(); ++k)
    text << (k > 0 || classes ? "," : "") << csv_field(predictions.columns[k]);
  text << '\n';
  for (Index i = 0; i < predictions.values.rows(); ++i) {
    if (classes) text << csv_field(predictions.classes[std::size_t(i)]);
    for (Index k = 0; k < predictions.values.cols(); ++k)
      text << (k > 0 || classes ? "," : "") << predictions.values(i, k);
    text << '\n';
  }
  return text.str();
}

int Predict::run() const {
  require(labels != standard_input, "only --data can be -, which is standard input");
  const SavedRun saved = read_run(run_folder);
  std::vector<std::filesystem::path> inputs = saved.sums.paths();
  inputs.insert(inputs.end(), {data, labels, saved.folder / "checkpoint"});
  out.check(inputs);
  const Table table = rows(*saved.fit, *saved.kind);
  const std::string where = name_of_file(data);
  const Predictions predictions = saved.fit->predict(table, where, true);
  const Json summary =
      json_of(saved.fit->score(table, predictions, where, labels.empty() ? where : labels));
  if (!out.path.empty())  // last: a label that is not known leaves nothing behind
    out.write(csv(predictions));
  else if (!json)
    std::cout << csv(predictions);
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
  command
      ->add_option("--data", self->data,
                   "rows with the fit's columns; labels are optional, and - is standard input")
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
