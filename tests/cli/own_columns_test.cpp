// A kind of fit, not ours, that takes columns as people have them: words, missing values, weights, tabs, standard input.
// Its fit remembers how they were coded, for predictions, reports and repeats.
#include <unistd.h>

#include <Eigen/QR>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "fisherman/core/error.hpp"
#include "fisherman/fit/design.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/fit/sections.hpp"
#include "run_program.hpp"

namespace fisherman::own_columns_test {
namespace {

namespace fs = std::filesystem;

struct LineSettings : DesignSettings {
  void describe(Options& o) { describe_design(o); }
};

class LineFitted final : public Fitted {
 public:
  DesignPlan plan;
  Vector beta;

  Fields model() const override {
    return Fields().set("model", "line").set("design", plan.saved()).set("beta", beta);
  }
  Fields parameters() const override { return Fields().set("beta", beta); }
  std::string text(const Output&) const override {
    const Matrix own = plan.in_own_units(Matrix(beta));
    const std::vector<std::string> names = plan.own_names();
    std::string out;
    for (std::size_t k = 0; k < names.size(); ++k)
      out += sentence(names[k], " ", own(Index(k), 0), "\n");
    for (const std::string& note : plan.notes) out += note + "\n";
    return out;
  }
  Predictions predict(const Table& rows, const std::string& where, bool) const override {
    const DesignedRows designed = plan.rows(*rows.mixed, where);
    Vector eta = designed.x * beta;
    if (designed.offset.size() > 0) eta += designed.offset;
    return {{}, {"mean"}, eta};
  }
  Fields score(const Table& rows, const Predictions& p, const std::string&,
               const std::string&) const override {
    Fields out;
    out.set("rows", p.values.rows());
    if (const Column* const y = rows.mixed->find(label))
      out.set("error", (y->numbers - p.values.col(0)).norm());
    return out;
  }
  void tell_front_end() {
    columns = plan.needed();
    welcome = plan.welcome();
    label = plan.outcome();
  }
};

std::unique_ptr<Fitted> fit(FitData data, const FitSettings& settings, Driver&) {
  const auto& s = settings_as<LineSettings>(settings);
  auto out = std::make_unique<LineFitted>();
  const Columns& columns = *data.table.mixed;
  out->plan = DesignPlan::of(columns, data.table.label_name, s, data.where);
  out->tell_front_end();
  const DesignedRows rows = out->plan.rows(columns, data.where, RowsFor::fit);
  Vector y = columns.find(out->label)->at(rows.kept).numbers;
  if (rows.offset.size() > 0) y -= rows.offset;
  Vector root = Vector::Ones(y.size());
  if (rows.weights.size() > 0) root = rows.weights.cwiseSqrt();
  const Matrix x = root.asDiagonal() * rows.x;
  out->beta = x.completeOrthogonalDecomposition().solve(root.cwiseProduct(y));
  out->summary.objective = (rows.x * out->beta - y).norm();
  return out;
}

std::unique_ptr<Fitted> load(const SavedFit& saved) {
  auto out = std::make_unique<LineFitted>();
  out->plan = DesignPlan::loaded(saved.model.need_fields("design"));
  out->beta = saved.model.need_vector("beta");
  require(out->beta.size() == Index(out->plan.names.size()), "'beta' has another size");
  out->tell_front_end();
  return out;
}

report::Page page(const std::vector<ReportedFit>& fits, const PageLimits&) {
  report::Page out;
  out.title = "A line: " + report::data_name(fits[0]);
  std::string missing;
  const std::shared_ptr<const FitData> data = fits[0].data(missing);
  report::Section section("Data");
  if (data) {
    const auto& line = fits[0].as<LineFitted>();
    const DesignedRows rows = line.plan.rows(*data->table.mixed, data->where, RowsFor::fit);
    section.paragraph(sentence("There are ", rows.x.rows(), " rows of ", data->table.rows(), "."));
  } else {
    section.paragraph(missing);
  }
  out.sections.push_back(section);
  out.sections.push_back(report::settings_section(fits));
  return out;
}

class OwnColumns : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    add_fit_kind({.name = "line",
                  .help = "a line by least squares",
                  .objective = "root of the sum of squares",
                  .takes_columns = true,
                  .settings = new_settings<LineSettings>,
                  .fit = fit,
                  .load = load,
                  .page = page});
  }
  void SetUp() override {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->name();
    here_ = fs::path(testing::TempDir()) / ("fisherman-own-columns-" + test);
    fs::remove_all(here_);
    fs::create_directories(here_);
  }
  void TearDown() override { fs::remove_all(here_); }

  std::string path(const std::string& name) const { return (here_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(here_ / name) << content;
    return path(name);
  }
  /// With `file` as standard input.
  static Ran program_from(const std::string& file, const std::vector<std::string>& words) {
    const int kept = ::dup(STDIN_FILENO);
    std::FILE* const opened = std::fopen(file.c_str(), "rb");
    ::dup2(::fileno(opened), STDIN_FILENO);
    std::fclose(opened);
    Ran ran = program(words);
    ::dup2(kept, STDIN_FILENO);
    ::close(kept);
    return ran;
  }
  Json config(const std::string& run) const {
    return Json::parse(text_of(here_ / run / "config.json"));
  }

  fs::path here_;
};

void expect_said(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' is not in: " << text;
}

// y is twice the age, and 10 more for f.
const std::string people =
    "id\tage\tsex\thired\ty\n"
    "a\t20\tf\t2024-03-01\t50\nb\t30\tm\t2023-01-02\t60\nc\tNA\tf\t2020-03-01\t70\n"
    "d\t40\tm\t2024-05-01\t80\ne\t50\tf\t2024-03-07\t110\nf\t60\t\t2024-03-01\t130\n"
    "g\t70\tm\t2024-03-09\t140\n";

TEST_F(OwnColumns, EveryCommandReadsThemAndCodesThemAlike) {
  const std::string data = write("people.tsv", people), run = path("run");
  const std::vector<std::string> command = {"fit",         "line",    "--data",    data,
                                            "--terms",     "age,sex", "--missing", "drop",
                                            "--reference", "sex=m",   "--out",     run};
  const Ran fitted = program(command);
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  expect_said(fitted.out, "age 2\nsex=f 10\n");
  expect_said(fitted.out, "2 of 7 rows are left out");
  expect_said(fitted.out, "compared with 'm'");
  EXPECT_EQ(config("run")["data"]["label"], "y");
  expect_said(text_of(here_ / "run" / "report.html"), "A line: people.tsv");

  // New rows: other columns, another order and separator, and no outcome.
  const std::string once = write("new.csv", "sex;when;age\nf;2024-01-01;1\nm;never;100\n");
  const Ran predicted = program({"predict", "--run", run, "--data", once});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_NEAR(std::stod(predicted.out.substr(5)), 12.0, 1e-8) << predicted.out;
  const std::string strange = write("strange.csv", "age,sex\n1,f\n2,x\n");
  const Ran refused = program({"predict", "--run", run, "--data", strange});
  EXPECT_EQ(refused.code, 1);
  expect_said(refused.err, "strange.csv, line 3, column 'sex': the level 'x' did not occur");
  const Ran gap = program({"predict", "--run", run, "--data", write("gap.csv", "age,sex\n,f\n")});
  EXPECT_EQ(gap.code, 1);
  expect_said(gap.err, "gap.csv, line 2, column 'age': the value is missing");

  ASSERT_EQ(program({"report", run, "--out", path("page.html")}).code, 0);
  expect_said(text_of(path("page.html")), "There are 5 rows of 7.");
  const std::string again = path("again");
  ASSERT_EQ(program({"fit", "line", "--config", run + "/config.json", "--out", again}).code, 0);
  EXPECT_EQ(text_of(fs::path(run) / "model.json"), text_of(fs::path(again) / "model.json"));
}

TEST_F(OwnColumns, OneSentenceForWhatIsRefused) {
  const std::string data = write("people.tsv", people);
  const auto refused = [&](std::vector<std::string> more, const std::string& part) {
    std::vector<std::string> command = {"fit", "line", "--data", data};
    command.insert(command.end(), more.begin(), more.end());
    const Ran ran = program(command);
    EXPECT_EQ(ran.code, 1);
    expect_said(ran.err, part);
  };
  refused({}, "people.tsv, line 2, column 'hired': '2024-03-01' is a date");
  refused({"--drop", "hired"}, "a value is missing, as in 2 of 7 rows ('age': 1, 'sex': 1)");
  refused({"--terms", "agee"}, "did you mean 'age'?");
  refused({"--terms", "age", "--missing", "guess"}, "--missing");
  refused({"--test-data", "-"}, "--test-data");
}

TEST_F(OwnColumns, WeightsOffsetsAndLabelsInTheirOwnFile) {
  const std::string data = write("x.csv", "age,w,e\n1,1,5\n2,0,5\n3,1,5\n"),
                    labels = write("y.csv", "outcome\n7\n1000\n11\n"), run = path("run");
  const Ran fitted = program({"fit", "line", "--data", data, "--labels", labels, "--weights", "w",
                              "--offset", "e", "--out", run});
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  expect_said(fitted.out, "age 2\n");
  const Ran predicted =
      program({"predict", "--run", run, "--data", write("new.csv", "age,e\n1,0\n"), "--labels",
               write("new-y.csv", "outcome\n2\n"), "--json"});
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_NEAR(Json::parse(predicted.out)["error"].get<double>(), 0.0, 1e-8);
  ASSERT_EQ(program({"report", run, "--out", path("page.html")}).code, 0);
  expect_said(text_of(path("page.html")), "There are 3 rows of 3.");
  const Ran twice = program(
      {"fit", "line", "--data", write("z.csv", "label,b\n1,2\n2,3\n3,5\n"), "--labels", labels});
  EXPECT_EQ(twice.code, 1);
  expect_said(twice.err, "the data have a column 'label' too");
}

TEST_F(OwnColumns, StandardInputCannotBeReadAgain) {
  const std::string data = write("people.tsv", people), run = path("run");
  const std::vector<std::string> command = {"fit",     "line",      "--data", "-",     "--terms",
                                            "age,sex", "--missing", "drop",   "--out", run};
  const Ran fitted = program_from(data, command);
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  EXPECT_EQ(config("run")["data"]["data"], "-");
  expect_said(text_of(here_ / "run" / "report.html"), "A line: standard input");

  const Ran repeated =
      program({"fit", "line", "--config", run + "/config.json", "--out", path("again")});
  EXPECT_EQ(repeated.code, 1);
  expect_said(repeated.err, "config.json: its data came from standard input and were not kept");
  ASSERT_EQ(program({"fit", "line", "--config", run + "/config.json", "--data", data, "--out",
                     path("again")})
                .code,
            0);
  EXPECT_EQ(text_of(here_ / "run" / "model.json"), text_of(here_ / "again" / "model.json"));
  // Its checksum is that of the file, so a report finds the data if somebody has them.
  EXPECT_EQ(config("run")["data"]["checksum"], config("again")["data"]["checksum"]);
  ASSERT_EQ(program({"report", run, "--out", path("without.html")}).code, 0);
  expect_said(text_of(path("without.html")), "The data (standard input) were not kept");
  ASSERT_EQ(program({"report", run, "--data", data, "--out", path("with.html")}).code, 0);
  expect_said(text_of(path("with.html")), "There are 5 rows of 7.");

  const std::string once = write("new.csv", "age,sex\n1,f\n");
  const Ran predicted = program_from(once, {"predict", "--run", run, "--data", "-"});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  const Ran strange = program_from(write("strange.csv", "age,sex\n1,x\n"),
                                   {"predict", "--run", run, "--data", "-"});
  expect_said(strange.err, "standard input, line 2, column 'sex'");
  const Ran labels = program({"fit", "line", "--data", data, "--labels", "-"});
  EXPECT_EQ(labels.code, 1);
  expect_said(labels.err, "only --data can be -");
}

}  // namespace
}  // namespace fisherman::own_columns_test
