// fisherman fit reduced-rank: from a table and its classes to coefficients of low rank.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>

#include "fisherman/app/reduced_rank.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/npy.hpp"
#include "fisherman/solve/observers.hpp"
#include "fit.hpp"
#include "reduced_rank_model.hpp"
#include "report.hpp"

namespace fisherman::cli {
namespace {

/// Rows to fit and rows to test on.
struct Rows {
  std::shared_ptr<const ClassData> train, test;  // test may be null
};

/// One rank from one start.
struct Leg {
  Index rank, start;
  Ended end;
  ReducedRank point;
  double gain;  // nats a row still to be had; unknown for lbfgs
};

struct FitReducedRank : FitCommand {
  ReducedRankSettings settings;
  std::string test_data, test_labels;

  int run();

 private:
  Rows split(const Table& table, const std::vector<int>& y, Index classes, const FeatureMap& map,
             bool single) const;
  Leg solve(const Rows& rows, Index rank, Index start, const MemoryPlan& plan,
            const RunFolder* folder) const;
  Leg descend(const Rows& rows, Index rank, Index start, const RunFolder* folder) const;
  void write_model(const RunFolder& folder, const Leg& leg, const FeatureMap& map,
                   const std::vector<std::string>& classes, const std::string& label_name,
                   const Rows& rows, Json& result) const;
  void print(const Json& result, const Leg& best) const;
};

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

std::shared_ptr<const ClassData> rows_of(const Table& table, const std::vector<int>& y,
                                         const std::vector<Index>& rows, Index classes,
                                         const FeatureMap& map, bool single) {
  std::vector<int> chosen;
  for (const Index i : rows) chosen.push_back(y[std::size_t(i)]);
  if (single)
    return std::make_shared<const ClassData>(map.design<float>(table.x, rows), chosen, classes);
  return std::make_shared<const ClassData>(map.design<double>(table.x, rows), chosen, classes);
}

std::vector<Index> all_rows(const Table& table) {
  std::vector<Index> rows(static_cast<std::size_t>(table.x.rows()));
  std::iota(rows.begin(), rows.end(), Index(0));
  return rows;
}

Rows FitReducedRank::split(const Table& table, const std::vector<int>& y, Index classes,
                           const FeatureMap& map, bool single) const {
  std::vector<Index> rows = all_rows(table), held;
  if (settings.holdout > 0.0) {
    const Draws draws(std::uint64_t(settings.seed), std::uint64_t(3) << 61);  // no iteration's
    const Matrix keys = draws.uniforms(0, table.x.rows(), 1);
    const auto test_begin = std::stable_partition(
        rows.begin(), rows.end(), [&](Index i) { return keys(i) >= settings.holdout; });
    held.assign(test_begin, rows.end());
    rows.erase(test_begin, rows.end());
    require(!rows.empty() && !held.empty(), "--holdout ", settings.holdout, " of ", table.x.rows(),
            " rows leaves nothing to fit or nothing to test on");
  }
  Rows both{rows_of(table, y, rows, classes, map, single), nullptr};
  if (!held.empty()) both.test = rows_of(table, y, held, classes, map, single);
  return both;
}

Leg FitReducedRank::descend(const Rows& rows, Index rank, Index start,
                            const RunFolder* folder) const {
  const auto began = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  Trace trace;
  const auto record = trace.observer();
  const auto best = factor_lbfgs(
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
  const Status status = best.converged         ? Status::converged
                        : interrupted().load() ? Status::interrupted
                                               : Status::iterations_done;
  return {rank,
          start,
          {.status = std::string(name(status)),
           .sentence = std::string(describe(status)),
           .objective = best.objective,
           .iterations = best.iterations,
           .seconds = passed()},
          best.point,
          Record::unknown};
}

Leg FitReducedRank::solve(const Rows& rows, Index rank, Index start, const MemoryPlan& plan,
                          const RunFolder* folder) const {
  if (settings.method == "lbfgs") return descend(rows, rank, start, folder);
  ErasedRun fit = make_run(rows.train, settings, rank, start, plan);
  Leg leg{rank, start, drive(fit, folder), reduced_rank_point(fit.state.estimate()),
          gain_left(fit, rows.train)};
  if (leg.end.status == name(Status::iterations_done) && leg.gain < settings.tolerance) {
    leg.end.status = name(Status::converged);
    leg.end.sentence = describe(Status::converged);
  }
  return leg;
}

Json described(const Rows& rows, const Leg& leg) {
  const Evaluation train = evaluate(*rows.train, leg.point);
  Json result = leg.end.json();
  result["rank"] = leg.rank;
  result["start"] = leg.start;
  result["gain"] = std::isnan(leg.gain) ? Json() : Json(leg.gain);
  result["accuracy"] = train.accuracy;
  result["separable"] = separable(*rows.train, leg.point);
  if (rows.test) {
    const Evaluation test = evaluate(*rows.test, leg.point);
    result["test_loss"] = test.loss;
    result["test_accuracy"] = test.accuracy;
  }
  result["singular_values"] = numbers(components(leg.point).s);
  return result;
}

void FitReducedRank::write_model(const RunFolder& folder, const Leg& end, const FeatureMap& map,
                                 const std::vector<std::string>& classes,
                                 const std::string& label_name, const Rows& rows,
                                 Json& result) const {
  const FixedRank& B = end.point.factor<0>();
  const Vector& alpha = end.point.factor<1>().point();
  const Components parts = components(end.point);
  const std::vector<std::string> free(classes.begin(), classes.end() - 1);
  folder.write("model.json", ReducedRankModel{map, end.point, classes, label_name}.to_json());
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

void FitReducedRank::print(const Json& result, const Leg& best) const {
  std::cout << std::fixed << std::setprecision(5);
  const bool tested = result.contains("test_loss");
  if (result.contains("fits")) {
    std::cout << " rank  start   training   accuracy" << (tested ? "   held-out   accuracy" : "")
              << '\n';
    for (const Json& one : result["fits"]) {
      std::cout << std::setw(5) << one["rank"].get<Index>() << std::setw(7)
                << one["start"].get<Index>();
      for (const char* column : {"objective", "accuracy", "test_loss", "test_accuracy"})
        if (one.contains(column)) std::cout << std::setw(11) << one[column].get<double>();
      std::cout << '\n';
    }
    std::cout << '\n';
  }
  std::cout << best.end.sentence << "\nrank " << best.rank << ": mean training loss "
            << best.end.objective << " nats, accuracy " << result["accuracy"].get<double>()
            << ", after " << best.end.iterations << " iterations, " << std::setprecision(2)
            << best.end.seconds << " s\n"
            << std::setprecision(5);
  if (tested)
    std::cout << "held-out loss " << result["test_loss"].get<double>() << ", accuracy "
              << result["test_accuracy"].get<double>() << '\n';
}

int FitReducedRank::run() {
  apply();
  require(test_labels.empty() || !test_data.empty(), "--test-labels needs --test-data");
  require(test_data.empty() || settings.holdout == 0.0,
          "--test-data and --holdout do not go together: one of them is enough");
  require(settings.holdout < 1.0, "--holdout is 1, but something must be left to fit");
  require(!resume || settings.method != "lbfgs",
          "--method lbfgs is done in one go and has nothing to resume");
  set_threads(int(settings.threads));
  Table table = read();
  const auto [y, classes] = class_labels(table.labels, labels.empty() ? data : labels);
  const FeatureMap map = FeatureMap::of(table.x, table.names, settings.scale);
  const auto K = Index(classes.size()), kept = Index(map.kept.size());
  const std::vector<Index> ranks = settings.ranks(kept, K);
  const MemoryPlan plan = plan_memory(settings, table.x.rows(), table.x.cols(), kept, K,
                                      *std::max_element(ranks.begin(), ranks.end()));
  if (kept < table.x.cols())
    say(sentence(table.x.cols() - kept, " of ", table.x.cols(),
                 " features are constant; they are left out, and their coefficients are 0"));
  Rows rows = split(table, y, K, map, plan.single_design);
  Json config_json = config_of(table);
  table.x.resize(0, 0);
  if (!test_data.empty()) {
    const Table test = read(test_data, test_labels);
    const auto test_y =
        class_labels(test.labels, classes, test_labels.empty() ? test_data : test_labels);
    rows.test = rows_of(test, test_y, all_rows(test), K, map, plan.single_design);
    config_json["test-data"] = file_checksum(test_data);
  }
  const bool several = ranks.size() > 1 || settings.starts > 1;
  const auto folder = this->folder(config_json);

  Json fits = Json::array(), chosen;
  std::optional<Leg> best;
  double best_value = 0.0;
  for (const Index rank : ranks) {
    std::optional<Leg> of_starts;
    Json of_starts_result;
    for (Index start = 0; start < settings.starts && !interrupted().load(); ++start) {
      std::unique_ptr<RunFolder> inside;
      if (folder && several)
        inside = std::make_unique<RunFolder>(
            folder->file(sentence("rank-", rank, "-start-", start).c_str()), false);
      const Leg leg = solve(rows, rank, start, plan, inside ? inside.get() : folder.get());
      const Json result = described(rows, leg);
      if (inside) inside->write("result.json", result);
      fits.push_back(result);
      if (!of_starts || leg.end.objective < of_starts->end.objective)
        of_starts = leg, of_starts_result = result;
    }
    if (!of_starts) break;
    // Among ranks the held-out rows decide; without any, the largest stands.
    const double value = rows.test ? of_starts_result["test_loss"].get<double>() : -double(rank);
    if (!best || value < best_value)
      best = of_starts, chosen = of_starts_result, best_value = value;
  }
  if (!best) return not_converged;  // a signal before the first iteration
  Json result = chosen;
  if (several) result["fits"] = fits;
  if (folder) {
    write_model(*folder, *best, map, classes, table.label_name, rows, result);
    folder->write("result.json", result);
    leave_report(out);
  }
  if (json)
    std::cout << result.dump(2) << '\n';
  else
    print(result, *best);
  if (result["separable"].get<bool>())
    say("warning: the classes are linearly separable (coefficients of this rank put every row in "
        "its "
        "class): the likelihood has no finite maximum, and the coefficients grow with the "
        "iterations");
  return interrupted().load() ? not_converged : best->end.exit_code(settings.iterations);
}

}  // namespace

void add_fit_reduced_rank(CLI::App& fit, int& exit_code) {
  auto self = std::make_shared<FitReducedRank>();
  CLI::App* const command = fit.add_subcommand(
      "reduced-rank", "multinomial logistic regression with a coefficient matrix of low rank");
  self->settings.describe(self->options);
  self->add_to(*command);
  command->add_option("--test-data", self->test_data, "rows to test on, in the form of --data")
      ->type_name("FILE");
  command->add_option("--test-labels", self->test_labels, "their classes")->type_name("FILE");
  command->footer(
      "Example:\n  fisherman fit reduced-rank --data train-images-idx3-ubyte.gz --labels "
      "train-labels-idx1-ubyte.gz --rank 5 --out digits\n"
      "  fisherman predict --run digits --data t10k-images-idx3-ubyte.gz");
  command->callback([self, &exit_code] { exit_code = self->run(); });
}

}  // namespace fisherman::cli
