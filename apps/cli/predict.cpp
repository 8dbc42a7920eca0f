// fisherman predict: predictions for new rows, from the folder of a fit.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "command.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/memory.hpp"
#include "fisherman/io/columns.hpp"
#include "fisherman/io/text.hpp"
#include "output_file.hpp"
#include "saved_run.hpp"

namespace fisherman::cli {
namespace {

struct Predict {
  std::string run_folder, data, labels;
  OutputFile out;
  bool json = false, no_header = false, from_disk = false;
  int run() const;

 private:
  /// The rows, with labels if there are any.
  Table rows(const Fitted& fit, const FitKind& kind) const;
};

Table Predict::rows(const Fitted& fit, const FitKind& kind) const {
  using FromDisk = ReadOptions::FromDisk;
  Table table = read_table(data, {.label = fit.label,
                                  .has_label = labels.empty(),
                                  .label_optional = true,
                                  .header = !no_header,
                                  .least_columns = Index(fit.columns.size()),
                                  .wanted = fit.columns,
                                  .sparse = kind.takes_sparse,
                                  .mixed = kind.takes_columns,
                                  .welcome = fit.welcome,
                                  .from_disk = !kind.takes_stored ? FromDisk::never
                                               : from_disk        ? FromDisk::always
                                                                  : FromDisk::beyond_limit});
  if (labels.empty()) return table;
  return with_labels(std::move(table), labels, fit.label, {.header = !no_header});
}

/// Rows that stay in their file are read block by block.
Predictions predictions_for(const Fitted& fit, const Table& table, const std::string& where) {
  if (!stays_on_disk(table)) return fit.predict(table, where, true);
  constexpr Index numbers = Index(1) << 23;  // of a block
  const Index n = table.rows(), at_once = std::max<Index>(512, numbers / table.columns());
  Predictions out;
  for (Index first = 0; first < n; first += at_once) {
    const Index count = std::min(at_once, n - first);
    const Predictions some = fit.predict(read_rows(table, first, count), where, true);
    if (first == 0) {
      out.columns = some.columns;
      const Index wide = some.values.cols();
      require_memory("the predictions",
                     {{sentence(n, " rows of ", wide), double(sizeof(double)) * double(n * wide)}},
                     "a part of the rows at a time takes less");
      out.values.resize(n, wide);
    }
    out.values.middleRows(first, count) = some.values;
    out.classes.insert(out.classes.end(), some.classes.begin(), some.classes.end());
  }
  return out;
}

/// The predictions as CSV, some thousand rows at a time.
class PredictionText {
 public:
  explicit PredictionText(const Predictions& predictions) : predictions_(predictions) {}

  /// An empty piece comes last.
  std::string next() {
    std::ostringstream text;
    text << std::setprecision(10);
    if (row_ == 0) head(text);
    const Index end = std::min(row_ + at_once, predictions_.values.rows());
    for (; row_ < end; ++row_) {
      if (classes()) text << csv_field(predictions_.classes[std::size_t(row_)]);
      for (Index k = 0; k < predictions_.values.cols(); ++k)
        text << (k > 0 || classes() ? "," : "") << predictions_.values(row_, k);
      text << '\n';
    }
    return text.str();
  }

 private:
  static constexpr Index at_once = 4096;
  bool classes() const { return !predictions_.classes.empty(); }
  void head(std::ostream& text) const {
    if (classes()) text << "class";
    for (std::size_t k = 0; k < predictions_.columns.size(); ++k)
      text << (k > 0 || classes() ? "," : "") << csv_field(predictions_.columns[k]);
    text << '\n';
  }

  const Predictions& predictions_;
  Index row_ = 0;
};

int Predict::run() const {
  require(labels != standard_input, "only --data can be -, which is standard input");
  const SavedRun saved = read_run(run_folder);
  std::vector<std::filesystem::path> inputs = saved.sums.paths();
  inputs.insert(inputs.end(), {data, labels, saved.folder / "checkpoint"});
  out.check(inputs);
  const Table table = rows(*saved.fit, *saved.kind);
  const std::string where = name_of_file(data);
  const Predictions predictions = predictions_for(*saved.fit, table, where);
  const Json summary =
      json_of(saved.fit->score(table, predictions, where, labels.empty() ? where : labels));
  PredictionText text(predictions);
  if (!out.path.empty())  // last: a label that is not known leaves nothing behind
    out.write([&] { return text.next(); });
  else if (!json)
    for (std::string piece = text.next(); !piece.empty(); piece = text.next()) std::cout << piece;
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
      app.add_subcommand("predict", "predictions for new rows, with their uncertainty");
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
  command->add_flag("--from-disk", self->from_disk,
                    "leave the rows of an .npy file in the file and read them block by block "
                    "(default: where they have no room in memory)");
  command->add_flag("--json", self->json, "print a summary as one JSON object and nothing else");
  command->footer(
      "Example:\n  fisherman predict --run wdbc-run --data new.csv --out predictions.csv");
  command->callback([self, &exit_code] { exit_code = self->run(); });
}

}  // namespace fisherman::cli
