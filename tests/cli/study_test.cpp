// The parts of a study: grids, what is tried next, means over runs, the store of trials.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "fisherman/core/error.hpp"
#include "fisherman/core/random.hpp"
#include "study/crew.hpp"
#include "study/grid.hpp"
#include "study/rates.hpp"
#include "study/search.hpp"
#include "study/store.hpp"
#include "study/summary.hpp"
#include "study/svg.hpp"

namespace fisherman::cli::study::study_test {
namespace {

using Cells = std::vector<Cell>;

template <class F>
std::string misuse_of(const F& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(SettingsGrid, IsReadFromTextAndWrittenBack) {
  const auto grid = SettingsGrid::parse(" step-size = 0.1, 0.01 ;decay=0,0.5,0.9; ");
  EXPECT_EQ(grid.size(), 6U);
  EXPECT_EQ(grid.all().size(), 6U);
  const Settings third = grid.settings({1, 2});
  EXPECT_EQ(third[0].second, "0.01");
  EXPECT_EQ(third[1], (std::pair<std::string, std::string>("decay", "0.9")));
  EXPECT_EQ(SettingsGrid::parse(grid.text()).text(), grid.text());
}

TEST(SettingsGrid, NeighboursAreOneStepAlongOneAxisAndStayInside) {
  const auto grid = SettingsGrid::parse("a=1,2,3; b=1,2; c=7");
  EXPECT_EQ(grid.neighbours({1, 0, 0}), (Cells{{0, 0, 0}, {2, 0, 0}, {1, 1, 0}}));
  EXPECT_EQ(grid.neighbours({0, 1, 0}), (Cells{{1, 1, 0}, {0, 0, 0}}));
  for (const Cell& cell : grid.all())  // a neighbour's neighbours include the cell
    for (const Cell& other : grid.neighbours(cell)) {
      const Cells back = grid.neighbours(other);
      EXPECT_NE(std::find(back.begin(), back.end(), cell), back.end());
    }
}

TEST(SettingsGrid, SamplesDifferentCellsAndTheSameOnesForOneSeed) {
  const auto grid = SettingsGrid::parse("a=1,2,3,4; b=1,2,3,4,5; c=1,2,3,4,5");
  const Cells sample = grid.sample(25, 3);
  EXPECT_EQ(sample.size(), 25U);
  EXPECT_EQ(std::set<Cell>(sample.begin(), sample.end()).size(), 25U);
  EXPECT_EQ(sample, grid.sample(25, 3));
  EXPECT_NE(sample, grid.sample(25, 4));
  const Cells all = grid.sample(1000, 1);
  EXPECT_EQ(std::set<Cell>(all.begin(), all.end()).size(), 100U);
  // Each cell has a chance of 1/4; of 4000 samples a cell is in 1000 ± 27 (one standard deviation).
  int hits = 0;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const Cells some = grid.sample(25, seed);
    hits += int(std::count(some.begin(), some.end(), Cell{2, 3, 1}));
  }
  EXPECT_NEAR(hits, 1000, 5 * 27);
}

TEST(SettingsGrid, SaysWhatIsWrong) {
  const auto parse = [](const char* text) { return misuse_of([&] { SettingsGrid::parse(text); }); };
  EXPECT_EQ(parse(""), "--grid names no option");
  EXPECT_EQ(parse("a=1; a=2"), "--grid names 'a' twice");
  EXPECT_EQ(parse("a=,"), "--grid: 'a' has no values");
  EXPECT_EQ(parse("0.1,0.2"), "--grid: '0.1,0.2' is not OPTION=VALUE,VALUE,…");
}

TEST(Arms, HaveNamesMethodsAndSettings) {
  const auto arms = parse_arms("ngd; mine: ifngd geometry=bw no-guard ;");
  ASSERT_EQ(arms.size(), 2U);
  EXPECT_EQ(arms[0].label, "ngd");
  EXPECT_EQ(arms[1].label, "mine");
  EXPECT_EQ(arms[1].settings,
            (Settings{{"method", "ifngd"}, {"geometry", "bw"}, {"no-guard", "true"}}));
  EXPECT_EQ(misuse_of([] { parse_arms(" ; "); }), "--methods names no method");
  EXPECT_EQ(misuse_of([] { parse_arms("ngd; ngd"); }), "--methods names 'ngd' twice");
}

Trial run_of(std::vector<double> objectives, const char* status = "iterations_done") {
  Trial trial;
  trial.status = status;
  trial.objective = objectives.empty() ? NAN : objectives.back();
  for (std::size_t k = 0; k < objectives.size(); ++k) {
    trial.course.iterations.push_back(10.0 * double(k + 1));
    trial.course.seconds.push_back(double(k + 1));
  }
  trial.course.objectives = std::move(objectives);
  return trial;
}

TEST(Band, IsTheMeanWithItsStandardErrorWhileAllRunsGoOn) {
  const Band all = band("x", {run_of({5, 2}), run_of({3, 1}), run_of({4, 0})});
  EXPECT_EQ(all.mean, (std::vector<double>{4, 1}));
  EXPECT_DOUBLE_EQ(all.error[0], std::sqrt(1.0 / 3.0));  // of 5, 3, 4: variance 1, three runs
  EXPECT_EQ(all.last(), 1.0);
  EXPECT_EQ(all.above(1.0).mean, (std::vector<double>{3, 0}));
  EXPECT_EQ(all.below(2.0), 20.0);
  EXPECT_TRUE(std::isnan(all.below(1.0)));

  const Band lost = band("y", {run_of({5, 2}), run_of({3}, "diverged")});
  EXPECT_EQ(lost.mean, (std::vector<double>{4}));  // not the survivor's
  EXPECT_EQ(lost.well, 1U);
  EXPECT_TRUE(std::isnan(lost.last()));
  EXPECT_TRUE(std::isnan(lost.below(100.0)));
}

TEST(Crew, RanksShareTheCoresThatSeveralMayRunOn) {
  const std::vector<Machine> bound = {{"a", {0, 1}}, {"a", {2, 3, 4}}, {"b", {0, 1}}};
  EXPECT_EQ(cores_of(0, bound), 2);
  EXPECT_EQ(cores_of(1, bound), 3);
  EXPECT_EQ(cores_of(2, bound), 2);
  const std::vector<Machine> free(3, {"a", {0, 1, 2, 3, 4, 5}});
  EXPECT_EQ(cores_of(2, free), 2);
  const std::vector<Machine> many(5, {"a", {0, 1}});
  EXPECT_EQ(cores_of(0, many), 1);  // none is without a core
}

struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("fisherman-study-" + std::to_string(::getpid()));
  Folder() { std::filesystem::remove_all(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

TEST(Store, KeepsTrialsByTheirCommand) {
  const Folder folder;
  {
    Store store(folder.path, {{"study", "test"}});
    Trial trial = store.trial({"logistic", "--seed", "1"});
    EXPECT_FALSE(trial.ended());
    store.begin(trial);
    trial.status = "iterations_done";
    trial.objective = 0.1 + 0.2;  // all digits have to come back
    trial.course = run_of({1.0 / 3.0, 0.25}).course;
    store.finish(trial);
    store.trial({"logistic", "--seed", "2"});
    EXPECT_EQ(store.trial({"logistic", "--seed", "1"}).id, trial.id);
  }
  Store again(folder.path, {{"study", "test"}});
  const auto all = again.all();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].well());
  EXPECT_EQ(all[0].objective, 0.1 + 0.2);
  EXPECT_EQ(all[0].attempts, 1);
  EXPECT_EQ(all[0].course.objectives, (std::vector<double>{1.0 / 3.0, 0.25}));
  EXPECT_FALSE(all[1].ended());
  EXPECT_EQ(all[1].command, (Command{"logistic", "--seed", "2"}));
}

TEST(Store, RefusesOtherSettingsAndASecondProcess) {
  const Folder folder;
  const auto told = [&](const Json& settings) {
    return misuse_of([&] { Store(folder.path, settings); });
  };
  {
    Store store(folder.path, {{"seeds", 3}});
    EXPECT_NE(told({{"seeds", 3}}).find("another fisherman is at work"), std::string::npos);
  }
  EXPECT_NE(told({{"seeds", 4}}).find("of other settings: seeds was 3 and is now 4"),
            std::string::npos);
}

/// A search on a made-up objective: what the runner would do, without processes.
TEST(Search, TriesRandomCellsThenTheNeighboursOfTheBestAndEnds) {
  const Folder folder;
  Store store(folder.path, {{"study", "search"}});
  Problem problem(fit_kind("logistic"));
  problem.data = "unread.csv";
  const auto grid = SettingsGrid::parse("step-size=1,2,3,4,5,6; decay=0,0.1,0.2,0.3,0.4,0.5");
  Search search(problem, {}, grid, {.random = 6, .rounds = 20});
  std::vector<std::size_t> phases;
  for (;;) {
    std::vector<Trial> trials = search.next(store);
    if (trials.empty()) break;
    phases.push_back(trials.size());
    for (Trial& trial : trials) {
      const Cell& cell = *search.cell_of(trial);
      trial.status = "iterations_done";
      trial.objective = std::pow(double(cell[0]) - 4, 2) + std::pow(double(cell[1]) - 1, 2);
    }
    search.give_back(trials);
  }
  EXPECT_EQ(phases.front(), 6U);
  EXPECT_GT(phases.size(), 2U);
  EXPECT_EQ(search.ranking().front().cell, (Cell{4, 1}));  // convex: the steps lead there
  EXPECT_EQ(search.words({4, 1}), "step-size 5, decay 0.1");

  Search short_one(problem, {}, grid, {.random = 25, .seeds = 2, .most = 9});
  EXPECT_EQ(short_one.next(store).size(), 8U);  // four cells of two runs
  EXPECT_EQ(misuse_of([&] { Search(problem, {}, SettingsGrid::parse("stepsize=1"), {}); }),
            "there is no option 'stepsize'; did you mean 'step-size'?");
}

TEST(Slope, IsThatOfAPowerLawAndItsErrorThatOfTheSeeds) {
  const std::vector<double> x = {1, 2, 4, 8, 16};
  std::vector<std::vector<double>> same, scattered;
  for (int seed = 0; seed < 400; ++seed) {
    const Matrix noise = Draws(std::uint64_t(seed), 0).normals(0, Index(x.size()), 1);
    auto& one = same.emplace_back();
    auto& other = scattered.emplace_back();
    for (std::size_t k = 0; k < x.size(); ++k) {
      one.push_back(3.0 * std::pow(x[k], -0.75));
      other.push_back(one.back() * (1.0 + 0.1 * noise(Index(k), 0)));
    }
  }
  EXPECT_NEAR(slope_of_mean(x, same).value, -0.75, 1e-12);
  EXPECT_NEAR(slope_of_mean(x, same).error, 0.0, 1e-12);
  // log y scatters by 0.1/√400; the slope by that over √Σ(log x − mean)² = √10·log 2. The jackknife's own
  // relative error over 400 seeds is 1/√800, and 20% are five times that and more.
  const double expected = 0.1 / 20.0 / (std::sqrt(10.0) * std::log(2.0));
  const Slope slope = slope_of_mean(x, scattered);
  EXPECT_NEAR(slope.error, expected, 0.2 * expected);
  EXPECT_NEAR(slope.value, -0.75, 5.0 * expected);
}

TEST(Svg, DrawsEveryBandAndEscapesNames) {
  const Band one = band("a <b>", {run_of({5, 2}), run_of({3, 1})});
  const std::string text = svg({.x_name = "iteration",
                                .y_name = "gap",
                                .rows = {{{"left", {one}, {0}}, {"right", {one, one}, {0, 1}}}}});
  std::size_t lines = 0;
  for (std::size_t at = text.find("<polyline"); at != std::string::npos;
       at = text.find("<polyline", at + 1))
    ++lines;
  EXPECT_EQ(lines, 3U);
  EXPECT_NE(text.find("a &lt;b&gt;"), std::string::npos);
  EXPECT_EQ(text.find("nan"), std::string::npos);
}

// Powers of ten alone would leave an axis from 20 to 90 without a tick and one from 50 to 200 with one.
TEST(Svg, ALogarithmicAxisHasTwoTicksOrMore) {
  for (const auto& [from, to] : std::vector<std::pair<double, double>>{
           {1, 2}, {1, 5}, {20, 90}, {50, 200}, {10, 100}, {101, 103}, {1, 1e6}, {0.3, 0.4}}) {
    Band band;
    band.iterations = {from, to};
    band.mean = {1.0, 2.0};
    band.error = {0.1, 0.1};
    const std::string text = svg(
        {.x_name = "", .y_name = "", .log = false, .log_x = true, .rows = {{{"", {band}, {0}}}}});
    std::size_t ticks = 0;  // vertical lines of the grid: both ends at one place
    for (std::size_t at = text.find("class=\"grid\" x1=\""); at != std::string::npos;
         at = text.find("class=\"grid\" x1=\"", at + 1)) {
      const std::string x1 = text.substr(at + 17, text.find('"', at + 17) - at - 17);
      ticks += std::size_t(
          text.compare(at + 17 + x1.size() + 2, 5 + x1.size(), "x2=\"" + x1 + "\"") == 0);
    }
    EXPECT_GE(ticks, 2U) << from << " to " << to;
    EXPECT_LE(ticks, 9U) << from << " to " << to;
  }
}

}  // namespace
}  // namespace fisherman::cli::study::study_test
