// fisherman fit reduced-rank: from a table and its classes to coefficients of low rank.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>

#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/reduced_rank_fit.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/npy.hpp"
#include "fisherman/solve/observers.hpp"
#include "fit.hpp"
#include "reduced_rank_model.hpp"
#include "report.hpp"

namespace fisherman::cli {
namespace {

struct FitReducedRank : FitCommand {
  ReducedRankSettings settings;
  std::string test_data, test_labels;

  int run();

 private:
  std::optional<ReducedRankLeg> leg(const FitRows& rows, Index rank, Index start,
                                    const MemoryPlan& plan, const RunFolder* folder) const;
  void write_model(const RunFolder& folder, const ReducedRankLeg& leg, const FeatureMap& map,
                   const std::vector<std::string>& classes, const std::string& label_name,
                   const FitRows& rows, Json& result) const;
  void print(const Json& result, const ReducedRankLeg& best) const;
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

Json described(const ReducedRankLeg& leg) {
  Json result = as_json(leg.end);
  result["rank"] = leg.rank;
  result["start"] = leg.start;
  result["gain"] = std::isnan(leg.gain) ? Json() : Json(leg.gain);
  result["accuracy"] = leg.train.accuracy;
  result["separable"] = leg.separable;
  if (leg.test) {
    result["test_loss"] = leg.test->loss;
    result["test_accuracy"] = leg.test->accuracy;
  }
  result["singular_values"] = numbers(components(leg.point).s);
  return result;
}

/// Nothing after a signal.
std::optional<ReducedRankLeg> FitReducedRank::leg(const FitRows& rows, Index rank, Index start,
                                                  const MemoryPlan& plan,
                                                  const RunFolder* folder) const {
  if (interrupted().load()) return std::nullopt;
  Trace trace;
  const auto record = trace.observer();
  ReducedRankLeg leg = fit_leg(
      rows, settings, rank, start, plan, [&](ErasedRun& run) { return drive(run, folder); },
      [&](const Record& r) {
        record(r, 0);
        return !interrupted().load();
      });
  if (folder != nullptr && settings.method == ReducedRankMethod::lbfgs) {
    std::ostringstream text;
    trace.write_csv(text);
    folder->write("trace.csv", text.str());
  }
  return leg;
}

void FitReducedRank::write_model(const RunFolder& folder, const ReducedRankLeg& end,
                                 const FeatureMap& map, const std::vector<std::string>& classes,
                                 const std::string& label_name, const FitRows& rows,
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
               csv("true", classes, classes, (end.test ? *end.test : end.train).confusion));
  const auto [asked, uncertainty] = standard_errors(rows, end.point, settings);
  if (!asked) return;
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

void FitReducedRank::print(const Json& result, const ReducedRankLeg& best) const {
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
  require(!resume || settings.method != ReducedRankMethod::lbfgs,
          "--method lbfgs is done in one go and has nothing to resume");
  set_threads(int(settings.threads));
  Table table = read();
  const auto [y, classes] = class_labels(table.labels, labels.empty() ? data : labels);
  const FeatureScale scaling = settings.scaling(table.images);
  const FeatureMap map = FeatureMap::of(table.x, table.names, scaling);
  const auto K = Index(classes.size()), kept = Index(map.kept.size());
  const std::vector<Index> ranks = settings.ranks(kept, K);
  const MemoryPlan plan = plan_memory(settings, table.x.rows(), table.x.cols(), kept, K,
                                      *std::max_element(ranks.begin(), ranks.end()));
  say(scaling_words(scaling));
  if (kept < table.x.cols())
    say(sentence(table.x.cols() - kept, " of ", table.x.cols(),
                 " features are constant; they are left out, and their coefficients are 0"));
  FitRows rows = split_rows(table.x, y, K, map, plan.single_design, settings);
  const Json config_json = config_of(table);
  table.x.resize(0, 0);
  if (!test_data.empty()) {
    const Table test = read(test_data, test_labels);
    const auto test_y =
        class_labels(test.labels, classes, test_labels.empty() ? test_data : test_labels);
    rows.test = class_rows(test.x, test_y, all_rows(test.x.rows()), K, map, plan.single_design);
  }
  const bool several = ranks.size() > 1 || settings.starts > 1;
  const auto folder = this->folder(config_json, {test_data, test_labels});

  Json fits = Json::array();
  // Each of several legs has a folder of its own inside.
  const ReducedRankFit fit = fit_path(ranks, settings.starts, [&](Index rank, Index start) {
    std::unique_ptr<RunFolder> inside;
    if (folder && several && !interrupted().load()) {
      folder->begin();
      inside = std::make_unique<RunFolder>(
          folder->file(sentence("rank-", rank, "-start-", start).c_str()), RunFolder::Begin::part);
    }
    auto done_leg = leg(rows, rank, start, plan, inside ? inside.get() : folder.get());
    if (done_leg) fits.push_back(described(*done_leg));
    if (inside && done_leg) {
      inside->write("result.json", fits.back());
      inside->finish();
    }
    return done_leg;
  });
  if (fit.legs.empty()) return not_converged;  // a signal before the first iteration
  const ReducedRankLeg& best = fit.legs[fit.best];
  Json result = fits[fit.best];
  if (several) result["fits"] = fits;
  if (folder) {
    write_model(*folder, best, map, classes, table.label_name, rows, result);
    folder->write("result.json", result);
    folder->finish();
    if (!no_report) leave_report(out);
  }
  if (json)
    std::cout << result.dump(2) << '\n';
  else
    print(result, best);
  if (result["separable"].get<bool>()) say(sentence("warning: ", separable_words));
  return interrupted().load() ? not_converged : exit_code(best.end, settings.iterations);
}

}  // namespace

void add_fit_reduced_rank(CLI::App& fit, int& exit_code) {
  auto self = std::make_shared<FitReducedRank>();
  CLI::App* const command = fit.add_subcommand(
      "reduced-rank", "multinomial logistic regression with a coefficient matrix of low rank");
  self->kind = command->get_name();
  self->settings.describe(self->options);
  self->data_options.add_named("test-data", self->test_data,
                               "rows to test on: a file in the form of --data", "FILE");
  self->data_options.add_named("test-labels", self->test_labels, "file of their classes", "FILE");
  self->add_to(*command);
  command->footer(
      "Example:\n  fisherman fit reduced-rank --data train-images-idx3-ubyte.gz --labels "
      "train-labels-idx1-ubyte.gz --rank 5 --out digits\n"
      "  fisherman predict --run digits --data t10k-images-idx3-ubyte.gz");
  command->callback([self, &exit_code] { exit_code = self->run(); });
}

}  // namespace fisherman::cli
