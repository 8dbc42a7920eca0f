// A kind of fit that is not ours, added without a change anywhere else: the program fits, predicts, reports, resumes and
// compares with it, and Python's way to a fit does too.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fisherman/core/error.hpp"
#include "fisherman/fisher/exact.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/fit/run_settings.hpp"
#include "fisherman/fit/sections.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "run_program.hpp"

namespace fisherman::own_kind_test {
namespace {

namespace fs = std::filesystem;

/// The share of the second class, whatever the columns: log odds on a line, by natural gradient.
struct Coin {
  double ones, rows;

  double share(const Euclidean& x) const { return 1.0 / (1.0 + std::exp(-x.point()(0))); }
  Vector gradient(const Euclidean& x, const Draws&) const {
    return Vector::Constant(1, share(x) - ones / rows);
  }
  double objective(const Euclidean& x) const {
    const double p = share(x);
    return -(ones * std::log(p) + (rows - ones) * std::log(1.0 - p)) / rows;
  }
  FisherOperator fisher(const Euclidean& x) const {
    const double f = share(x) * (1.0 - share(x));
    return {[f](const Vector& v) -> Vector { return f * v; },
            [f](const Vector& v) -> Vector { return v / f; }};
  }
};

enum class CoinMethod { ngd, formula };

struct CoinSettings : RunSettings {
  CoinMethod method = CoinMethod::ngd;

  CoinSettings() { tolerance = 1e-12; }
  void describe(Options& o) {
    o.add("method", method, "how the share is found",
          {{CoinMethod::ngd, "ngd", "natural gradient"},
           {CoinMethod::formula, "formula", "counting"}});
    describe_run(o, {.iterations = "until converged",
                     .epsilon = "no method here starts from (0: none",
                     .step_size = "1",
                     .average = "off",
                     .tolerance = "nats per row still to be gained (0: never)"});
  }
};

class CoinFitted final : public Fitted {
 public:
  std::vector<std::string> classes;
  double share = 0.5;

  Fields model() const override {
    Fields out;
    out.set("model", "coin");
    out.set("columns", columns).set("label", label).set("classes", classes).set("share", share);
    return out;
  }
  Fields parameters() const override { return Fields().set("share", share); }
  std::string text(const Output&) const override {
    return sentence("share of ", classes[1], ": ", share, '\n');
  }
  std::vector<NamedFile> tables(const Output&) const override {
    return {{"share.csv", sentence("class,share\n", classes[1], ",", share, "\n")}};
  }
  Predictions predict(const Table& rows, const std::string&, bool) const override {
    return {{}, {"probability"}, Matrix::Constant(rows.x.rows(), 1, share)};
  }
  Fields score(const Table&, const Predictions& p, const std::string&,
               const std::string&) const override {
    return Fields().set("rows", p.values.rows());
  }
};

std::unique_ptr<Fitted> fit(FitData data, const FitSettings& settings, Driver& driver) {
  const auto& s = settings_as<CoinSettings>(settings);
  const auto [y, classes] = data.binary_labels();
  auto out = std::make_unique<CoinFitted>();
  out->columns = data.table.names;
  out->label = data.table.label_name;
  out->classes = {classes[0], classes[1]};
  if (s.method == CoinMethod::formula) {
    driver.require_fresh("--method formula is done in one go");
    out->share = y.mean();
    out->summary.objective = Coin{y.sum(), double(y.size())}.objective(
        Euclidean(Vector::Constant(1, std::log(y.mean() / (1.0 - y.mean())))));
    return out;
  }
  const Euclidean start(Vector::Zero(1));
  ErasedRun run{{start, Exact(1), std::uint64_t(s.seed), Average({.on = false})},
                AnyModel::of<Euclidean>(Coin{y.sum(), double(y.size())}),
                {},
                s.iterations > 0 ? after_iterations(s.iterations)
                                 : when_predicted_below(s.tolerance) || after_iterations(1000),
                1000};
  run.options.rule = s.rule({.step_size = 1.0, .decay = 0.0, .kl_radius = 0.0});
  run.options.smoothing = 0.0;
  out->summary = driver.drive(run);
  out->as_asked = out->summary.as_asked(s.iterations);
  out->share = 1.0 / (1.0 + std::exp(-run.state.estimate().point()(0)));
  return out;
}

std::unique_ptr<Fitted> load(const SavedFit& saved) {
  auto out = std::make_unique<CoinFitted>();
  out->columns = saved.model.need_texts("columns");
  out->label = saved.model.need_text("label");
  out->classes = saved.model.need_texts("classes");
  require(out->classes.size() == 2, "it has no two classes");
  out->share = saved.model.number("share");
  return out;
}

report::Page page(const std::vector<ReportedFit>& fits, const PageLimits&) {
  report::Page out;
  out.title = "A coin: " + report::data_name(fits[0]);
  for (const ReportedFit& one : fits)
    out.sections.push_back(report::Section(one.name).paragraph(
        sentence("The share is ", one.as<CoinFitted>().share, ".")));
  out.sections.push_back(report::settings_section(fits));
  return out;
}

void add_coin() {
  add_fit_kind({.name = "coin",
                .help = "the share of the second class",
                .objective = "mean negative log-likelihood, nats",
                .files = {"share.csv"},
                .settings = new_settings<CoinSettings>,
                .fit = fit,
                .load = load,
                .page = page,
                .reference_method = "formula",
                .grid = "step-size=0.5,1"});
}

TEST(OwnKind, EveryCommandTakesItFromTheTable) {
  add_coin();
  EXPECT_THROW(add_coin(), Misuse);
  const fs::path here = fs::path(testing::TempDir()) / "fisherman-own-kind";
  fs::remove_all(here);
  fs::create_directories(here);
  const std::string data = (here / "data.csv").string(), run = (here / "run").string();
  std::ofstream(data) << "x,label\n1,no\n2,yes\n3,yes\n4,yes\n";

  const Ran fitted = program({"fit", "coin", "--data", data, "--out", run, "--json", "--quiet"});
  ASSERT_EQ(fitted.code, 0);
  EXPECT_EQ(Json::parse(fitted.out)["status"], "converged");
  EXPECT_NEAR(Json::parse(text_of(fs::path(run) / "model.json"))["share"].get<double>(), 0.75,
              1e-6);  // the tolerance, 1e-12 nats, is a distance of 1e-6
  EXPECT_TRUE(fs::exists(fs::path(run) / "share.csv"));
  EXPECT_NE(text_of(fs::path(run) / "report.html").find("The share is 0.75"), std::string::npos);

  const Ran predicted = program({"predict", "--run", run, "--data", data, "--json"});
  EXPECT_EQ(predicted.code, 0);
  EXPECT_EQ(Json::parse(predicted.out)["rows"], 4);

  const std::string html = (here / "page.html").string();
  EXPECT_EQ(program({"report", run, "--out", html}).code, 0);
  EXPECT_NE(text_of(html).find("A coin: data.csv"), std::string::npos);

  const std::string again = (here / "again").string();
  EXPECT_EQ(program({"fit", "coin", "--config", run + "/config.json", "--out", again}).code, 0);
  EXPECT_EQ(text_of(fs::path(run) / "model.json"), text_of(fs::path(again) / "model.json"));
  EXPECT_EQ(program({"fit", "coin", "--data", data, "--out", again, "--overwrite", "--method",
                     "formula", "--quiet"})
                .code,
            0);
  EXPECT_EQ(program({"fit", "coin", "--data", data, "--out", again, "--resume", "--method",
                     "formula", "--quiet"})
                .code,
            1);

  EXPECT_NE(program({"list"}).out.find("fisherman fit coin: the share"), std::string::npos);
  EXPECT_NE(program({"man"}).out.find("coin"), std::string::npos);
  EXPECT_NE(program({"completion", "bash"}).out.find("coin"), std::string::npos);
  EXPECT_EQ(program({"compare", "coin", "--help"}).code, 0);
  EXPECT_EQ(program({"tune", "coin", "--help"}).code, 0);
  fs::remove_all(here);
}

}  // namespace
}  // namespace fisherman::own_kind_test
