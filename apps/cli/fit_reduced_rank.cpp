// fisherman fit reduced-rank: from a table and its classes to coefficients of low rank.
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <numeric>

#include "command.hpp"
#include "fisherman/app/reduced_rank.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/npy.hpp"
#include "fisherman/io/table.hpp"
#include "fisherman/solve/observers.hpp"
#include "run_folder.hpp"

namespace fisherman::cli {
namespace {

using Json = nlohmann::ordered_json;
using Erased = State<AnyFrame, AnyFisher>;

/// Rows to fit and rows to test on.
struct Rows {
  std::shared_ptr<const ClassData> train, test;  // test may be null
};

/// One rank from one start.
struct Ended {
  Index rank, start;
  ReducedRank point;
  std::string status, sentence;
  double objective;
  std::int64_t iterations;
  double seconds, gain;
  std::int64_t rejected = 0;
  bool resumed_whole = false;
};

struct Fit {
  ReducedRankSettings settings;
  Options options;
  Flags flags;
  std::string data, labels, label, test_data, test_labels, config, out;
  std::int64_t columns = 0;
  bool resume = false, json = false, quiet = false;

  int run();

 private:
  void say(const std::string& line) const {
    if (!quiet) std::cerr << line << '\n';
  }
  Table read(const std::string& file, const std::string& label_file) const;
  Rows split(Table& table, const std::vector<int>& y, Index classes, const FeatureMap& map,
             const MemoryPlan& plan) const;
  std::shared_ptr<const ClassData> rows_of(const Table& table, const std::vector<int>& y,
                                           const std::vector<Index>& rows, Index classes,
                                           const FeatureMap& map, bool single) const;
  Ended solve(const Rows& rows, Index rank, Index start, const MemoryPlan& plan,
              const RunFolder* folder) const;
  Ended descend(const Rows& rows, Index rank, Index start, const RunFolder* folder) const;
  Json describe_end(const Rows& rows, const Ended& end) const;
  void write_model(const RunFolder& folder, const Ended& end, const FeatureMap& map,
                   const std::vector<std::string>& classes, const Rows& rows, Json& result) const;
};

std::vector<std::vector<double>> nested(const Matrix& m) {
  std::vector<std::vector<double>> out;
  for (Index i = 0; i < m.rows(); ++i) {
    const Vector row = m.row(i);
    out.emplace_back(row.data(), row.data() + row.size());
  }
  return out;
}
std::vector<double> flat(const Vector& v) { return {v.data(), v.data() + v.size()}; }

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? "\"\"" : std::string(1, c);
  return field + "\"";
}

/// A table with a name for each row and each column.
template <class M>
std::string csv(const std::string& corner, const std::vector<std::string>& row_names,
                const std::vector<std::string>& column_names, const M& m) {
  std::ostringstream text;
  text << std::setprecision(17) << corner;
  for (const std::string& name : column_names) text << ',' << csv_field(name);
  text << '\n';
  for (Index i = 0; i < m.rows(); ++i) {
    text << csv_field(row_names[std::size_t(i)]);
    for (Index j = 0; j < m.cols(); ++j) text << ',' << m(i, j);
    text << '\n';
  }
  return text.str();
}

std::vector<std::string> numbered(const char* stem, Index count) {
  std::vector<std::string> names;
  for (Index k = 1; k <= count; ++k) names.push_back(sentence(stem, k));
  return names;
}

Table Fit::read(const std::string& file, const std::string& label_file) const {
  Table table = read_table(file, {.label = label_file.empty() ? label : std::string(),
                                  .has_label = label_file.empty(),
                                  .columns = columns,
                                  .memory_limit = std::uint64_t(16) << 30});
  if (!label_file.empty()) {
    table.labels = read_labels(label_file);
    if (Index(table.labels.size()) != table.x.rows())
      throw FileError(sentence(label_file, ": there are ", table.labels.size(), " labels, but ",
                               file, " has ", table.x.rows(), " rows"));
  }
  if (table.labels.empty())
    throw FileError(file + ": has no labels; name the file that has them with --labels");
  return table;
}

std::shared_ptr<const ClassData> Fit::rows_of(const Table& table, const std::vector<int>& y,
                                              const std::vector<Index>& rows, Index classes,
                                              const FeatureMap& map, bool single) const {
  std::vector<int> chosen;
  for (const Index i : rows) chosen.push_back(y[std::size_t(i)]);
  if (single)
    return std::make_shared<const ClassData>(map.design<float>(table.x, rows), chosen, classes);
  return std::make_shared<const ClassData>(map.design<double>(table.x, rows), chosen, classes);
}

Rows Fit::split(Table& table, const std::vector<int>& y, Index classes, const FeatureMap& map,
                const MemoryPlan& plan) const {
  std::vector<Index> rows(static_cast<std::size_t>(table.x.rows()));
  std::iota(rows.begin(), rows.end(), Index(0));
  std::vector<Index> held;
  if (settings.holdout > 0.0) {
    const Matrix keys =
        Draws(std::uint64_t(settings.seed), std::uint64_t(3) << 61).uniforms(0, table.x.rows(), 1);
    const auto test_begin = std::stable_partition(
        rows.begin(), rows.end(), [&](Index i) { return keys(i) >= settings.holdout; });
    held.assign(test_begin, rows.end());
    rows.erase(test_begin, rows.end());
    require(!rows.empty() && !held.empty(), "--holdout ", settings.holdout, " of ", table.x.rows(),
            " rows leaves nothing to fit or nothing to test on");
  }
  Rows both{rows_of(table, y, rows, classes, map, plan.single_design), nullptr};
  if (!held.empty()) both.test = rows_of(table, y, held, classes, map, plan.single_design);
  return both;
}

Ended Fit::descend(const Rows& rows, Index rank, Index start, const RunFolder* folder) const {
  const auto began = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  Trace trace;
  const auto record = trace.observer();
  const auto end = factor_lbfgs(
      *rows.train, reduced_rank_start(*rows.train, rank, start, std::uint64_t(settings.seed)),
      {.iterations = settings.iterations > 0 ? settings.iterations : 1000, .tolerance = 1e-7},
      [&](Index k, double value) {
        record({.iteration = k, .seconds = passed(), .objective = value}, 0);
        return !interrupted().load();
      });
  if (folder != nullptr) {
    std::ostringstream text;
    trace.write_csv(text);
    folder->write("trace.csv", text.str());
  }
  const Status status = end.converged          ? Status::converged
                        : interrupted().load() ? Status::interrupted
                                               : Status::iterations_done;
  return {rank,
          start,
          end.point,
          std::string(name(status)),
          std::string(describe(status)),
          end.objective,
          end.iterations,
          passed(),
          Record::unknown};
}

Ended Fit::solve(const Rows& rows, Index rank, Index start, const MemoryPlan& plan,
                 const RunFolder* folder) const {
  if (settings.method == "lbfgs") return descend(rows, rank, start, folder);
  ReducedRankRun fit = make_run(rows.train, settings, rank, start, plan);
  std::vector<Observer<Erased>> observers;
  std::ofstream trace;
  if (folder != nullptr) {
    const bool going_on = resume && std::filesystem::exists(folder->file("checkpoint"));
    if (going_on) {
      restore(fit.state, read_checkpoint(folder->file("checkpoint")));
      folder->cut_trace(fit.state.iteration);
    }
    trace.open(folder->file("trace.csv"), going_on ? std::ios::app : std::ios::out);
    if (!going_on) trace << Trace::csv_header() << std::flush;
    observers.emplace_back([&](const Record& r, const Erased&) {
      trace << Trace::csv_line(r) << std::flush;
      if (!trace) throw FileError(folder->file("trace.csv").string() + ": cannot be written");
    });
    observers.emplace_back(Checkpoint(folder->file("checkpoint"), 30.0));
  }
  if (!quiet && isatty(STDERR_FILENO) != 0)
    observers.emplace_back(Progress(std::cerr, fit.planned));
  const Outcome outcome =
      fisherman::run(fit.state, fit.model, fit.options,
                     when_set(interrupted()) || after_iterations(fit.planned), observers);
  const double gain = gain_left(fit, rows.train);
  Status status = outcome.status;
  if (status == Status::iterations_done && gain < settings.tolerance) status = Status::converged;
  std::string text(describe(status));
  if (!outcome.trouble.empty()) text += " (" + outcome.trouble + ")";
  const AnyFrame end = fit.state.estimate();
  return {rank,
          start,
          reduced_rank_point(end),
          std::string(name(status)),
          text,
          fit.model.objective(end).value(),
          fit.state.iteration,
          fit.state.seconds,
          gain,
          fit.state.rejected};
}

Json Fit::describe_end(const Rows& rows, const Ended& end) const {
  const Evaluation train = evaluate(*rows.train, end.point);
  Json result;
  result["rank"] = end.rank;
  result["start"] = end.start;
  result["status"] = end.status;
  result["sentence"] = end.sentence;
  result["objective"] = end.objective;
  result["accuracy"] = train.accuracy;
  result["iterations"] = end.iterations;
  result["seconds"] = end.seconds;
  result["gain"] = std::isnan(end.gain) ? Json() : Json(end.gain);
  result["rejected"] = end.rejected;
  // If every row's class is the likeliest, a larger multiple of B fits better still, without end.
  result["separable"] = train.accuracy == 1.0;
  if (rows.test) {
    const Evaluation test = evaluate(*rows.test, end.point);
    result["test_loss"] = test.loss;
    result["test_accuracy"] = test.accuracy;
  }
  result["singular_values"] = flat(components(end.point).s);
  return result;
}

void Fit::write_model(const RunFolder& folder, const Ended& end, const FeatureMap& map,
                      const std::vector<std::string>& classes, const Rows& rows,
                      Json& result) const {
  const FixedRank& B = end.point.factor<0>();
  const Vector& alpha = end.point.factor<1>().point();
  const Components parts = components(end.point);
  const std::vector<std::string> free(classes.begin(), classes.end() - 1);
  Json model;
  model["model"] = "reduced-rank";
  model["columns"] = map.names;
  model["kept"] = map.kept;
  model["shift"] = flat(map.shift);
  model["scale"] = flat(map.scale);
  model["classes"] = classes;
  model["label"] = label;
  model["U"] = nested(B.U());
  model["S"] = nested(B.S());
  model["V"] = nested(B.V());
  model["intercepts"] = flat(alpha);
  folder.write("model.json", model);
  const Matrix full = map.restored(B.matrix());
  folder.write("B.csv", csv("feature", map.names, free, full));
  folder.write("B.npy", npy_bytes(full));
  folder.write("U.csv", csv("feature", map.names, numbered("u", end.rank), map.restored(parts.U)));
  folder.write("S.csv", csv("component", numbered("", end.rank), {"singular_value"}, parts.s));
  folder.write("V.csv", csv("class", free, numbered("v", end.rank), parts.V));
  folder.write("intercepts.csv", csv("class", free, {"intercept"}, alpha));
  folder.write("confusion.csv",
               csv("true", classes, classes,
                   evaluate(rows.test ? *rows.test : *rows.train, end.point).confusion));
  // The work is one product of order d for each row and class.
  const double d = double(end.point.dimension());
  const double work = double(rows.train->rows()) * double(classes.size()) * d * d;
  if (settings.standard_errors == "off" || (settings.standard_errors == "auto" && work > 2e11))
    return;
  const auto uncertainty = Uncertainty::of(rows.train, end.point);
  result["standard_errors"] = uncertainty.has_value();
  if (!uncertainty) {
    say("warning: the Fisher information is singular at the fit, so there are no standard errors");
    return;
  }
  folder.write("B_standard_errors.csv",
               csv("feature", map.names, free, map.restored(uncertainty->coefficients())));
  folder.write("intercept_standard_errors.csv",
               csv("class", free, {"standard_error"}, uncertainty->intercepts()));
  folder.write("covariance.npy", npy_bytes(uncertainty->covariance()));
}

int Fit::run() {
  flags.apply(options, config);
  require(!resume || !out.empty(), "--resume needs --out, the folder of the run to go on with");
  require(test_labels.empty() || !test_data.empty(), "--test-labels needs --test-data");
  require(test_data.empty() || settings.holdout == 0.0,
          "--test-data and --holdout do not go together: one of them is enough");
  require(settings.holdout < 1.0, "--holdout is 1, but something must be left to fit");
  require(!resume || settings.method != "lbfgs",
          "--method lbfgs is done in one go and has nothing to resume");
  set_threads(int(settings.threads));
  Table table = read(data, labels);
  const auto [y, classes] = class_labels(table.labels, labels.empty() ? data : labels);
  const FeatureMap map = FeatureMap::of(table.x, table.names, settings.scale);
  const auto K = Index(classes.size());
  const std::vector<Index> ranks = settings.ranks(Index(map.kept.size()), K);
  const MemoryPlan plan =
      plan_memory(settings, table.x.rows(), table.x.cols(), Index(map.kept.size()), K,
                  *std::max_element(ranks.begin(), ranks.end()));
  if (const auto dropped = map.names.size() - map.kept.size(); dropped > 0)
    say(sentence(dropped, " of ", map.names.size(),
                 " features are constant; they are left out, and their coefficients are 0"));
  say(sentence("memory: about ", std::ceil(plan.peak() / 1e6), " MB at the peak"));
  Rows rows = split(table, y, K, map, plan);
  table.x.resize(0, 0);
  if (!test_data.empty()) {
    const Table test = read(test_data, test_labels);
    std::vector<Index> all(static_cast<std::size_t>(test.x.rows()));
    std::iota(all.begin(), all.end(), Index(0));
    const auto test_y =
        class_labels(test.labels, classes, test_labels.empty() ? test_data : test_labels);
    rows.test = rows_of(test, test_y, all, K, map, plan.single_design);
  }

  Json config_json = as_json(options);
  for (const auto& [key, file] : {std::pair{"data", data},
                                  {"labels", labels},
                                  {"test-data", test_data},
                                  {"test-labels", test_labels}}) {
    if (file.empty()) continue;
    config_json[key] = std::filesystem::absolute(file).string();
    config_json[std::string(key) + "-checksum"] = file_checksum(file);
  }
  config_json["version"] = FISHERMAN_VERSION;
  const bool several = ranks.size() > 1 || settings.starts > 1;
  std::unique_ptr<RunFolder> folder;
  if (!out.empty()) {
    folder = std::make_unique<RunFolder>(out, resume, several ? "config.json" : "checkpoint");
    if (resume)
      folder->require_same(config_json);
    else
      folder->write("config.json", config_json);
  }

  Json fits = Json::array();
  std::optional<Ended> best;
  Json best_result;
  double best_value = INFINITY;
  for (const Index rank : ranks) {
    std::optional<Ended> best_start;
    Json start_result;
    for (Index start = 0; start < settings.starts; ++start) {
      std::unique_ptr<RunFolder> leg;
      if (folder && several) {
        const auto where = std::filesystem::path(out) / sentence("rank-", rank, "-start-", start);
        leg = std::make_unique<RunFolder>(where, false);
      }
      const Ended end = solve(rows, rank, start, plan, leg ? leg.get() : folder.get());
      Json result = describe_end(rows, end);
      if (several) {
        say(sentence("rank ", rank, ", start ", start, ": training loss ", end.objective,
                     rows.test ? sentence(", held-out loss ", result["test_loss"].get<double>())
                               : std::string()));
        fits.push_back(result);
        if (leg) leg->write("result.json", result);
      }
      if (!best_start || end.objective < best_start->objective)
        best_start = end, start_result = std::move(result);
      if (end.status == "interrupted") break;
    }
    // Among ranks the held-out rows decide; without any, the last rank that was asked for stands.
    const double value = rows.test ? start_result["test_loss"].get<double>() : -double(rank);
    if (!best || value < best_value)
      best = best_start, best_result = start_result, best_value = value;
    if (best_start->status == "interrupted") break;
  }
  Json result = best_result;
  if (several) result["fits"] = fits;
  result["memory_predicted"] = plan.peak();
  if (folder) {
    write_model(*folder, *best, map, classes, rows, result);
    folder->write("result.json", result);
  }
  if (json) {
    std::cout << result.dump(2) << '\n';
  } else {
    if (several) {
      std::cout << " rank  start   training   accuracy"
                << (rows.test ? "   held-out   accuracy" : "") << '\n'
                << std::fixed << std::setprecision(5);
      for (const Json& one : fits) {
        std::cout << std::setw(5) << one["rank"].get<Index>() << std::setw(7)
                  << one["start"].get<Index>() << std::setw(11) << one["objective"].get<double>()
                  << std::setw(11) << one["accuracy"].get<double>();
        if (rows.test)
          std::cout << std::setw(11) << one["test_loss"].get<double>() << std::setw(11)
                    << one["test_accuracy"].get<double>();
        std::cout << '\n';
      }
      std::cout << '\n';
    }
    std::cout << std::fixed << std::setprecision(5) << best->sentence << "\nrank " << best->rank
              << ": mean training loss " << best->objective << " nats, accuracy "
              << result["accuracy"].get<double>() << ", after " << best->iterations
              << " iterations, " << std::setprecision(2) << best->seconds << " s\n"
              << std::setprecision(5);
    if (rows.test)
      std::cout << "held-out loss " << result["test_loss"].get<double>() << ", accuracy "
                << result["test_accuracy"].get<double>() << '\n';
  }
  if (result["separable"].get<bool>())
    say("warning: every row's class is the likeliest, so the classes are linearly separable: the "
        "likelihood has no finite maximum, and the coefficients grow with the iterations");
  const bool asked = best->status == "iterations_done" && settings.iterations > 0;
  return best->status == "converged" || asked ? done : not_converged;
}

}  // namespace

void add_fit_reduced_rank(CLI::App& fit, int& exit_code) {
  auto self = std::make_shared<Fit>();
  CLI::App* const command = fit.add_subcommand(
      "reduced-rank", "multinomial logistic regression with a coefficient matrix of low rank");
  command->add_option("--data", self->data, "CSV, LIBSVM, npy or IDX file, gzipped or not")
      ->required();
  command->add_option("--labels", self->labels, "the classes, if they are in a file of their own");
  command->add_option("--label", self->label,
                      "the column that holds the classes (default: label, or the last)");
  command->add_option("--columns", self->columns,
                      "features of a LIBSVM file, if the last ones do not occur");
  command->add_option("--test-data", self->test_data, "rows to test on, in the form of --data");
  command->add_option("--test-labels", self->test_labels, "their classes");
  command->add_option("--config", self->config, "a JSON file of options, as config.json has them");
  command->add_option("--out", self->out, "a folder for everything that comes out");
  command->add_flag("--resume", self->resume, "go on with the run in --out");
  command->add_flag("--json", self->json, "print the result as one JSON object and nothing else");
  command->add_flag("--quiet", self->quiet, "no progress and no warnings");
  self->settings.describe(self->options);
  self->flags.add_to(*command, self->options);
  command->footer(
      "Example:\n  fisherman fit reduced-rank --data train-images-idx3-ubyte.gz --labels "
      "train-labels-idx1-ubyte.gz --rank 5 --out digits\n"
      "  fisherman predict --run digits --data t10k-images-idx3-ubyte.gz");
  command->callback([self, &exit_code] { exit_code = self->run(); });
}

}  // namespace fisherman::cli
