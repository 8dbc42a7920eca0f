// Who watches a run, when it stops, and what a checkpoint restores.
#include "fisherman/solve/observers.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "expect_laws.hpp"
#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/fisher/window.hpp"
#include "fisherman/manifold/any_frame.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/solve/run.hpp"
#include "toy.hpp"

namespace fisherman::solve_observers_test {
namespace {

const StepRule plain{
    .step_size = 0.1, .delay = 10.0, .decay = 0.5, .kl_radius = 0.0, .guard = false};

TEST(Observers, CheckpointIsWrittenAtTheEndOfARunHoweverShort) {
  const auto file =
      std::filesystem::temp_directory_path() / ("fisherman-end-" + std::to_string(getpid()));
  const toy::Attraction model{Vector::Zero(3)};
  State state{Euclidean(Vector::Ones(3)), Dense(3)}, resumed = state;
  run(state, model, {.rule = plain}, after_iterations(7), {Checkpoint(file)});
  restore(resumed, read_checkpoint(file));
  std::filesystem::remove(file);
  EXPECT_EQ(resumed.iteration, 7);
  EXPECT_EQ(resumed.frame.point(), state.frame.point());
}

TEST(Restore, AnotherKindSizeOrOptionIsRefusedAndTheStateIsAsBefore) {
  const Vector x = Vector::Ones(2);
  const Matrix I = Matrix::Identity(2, 2);
  State<AnyFrame, AnyFisher> affine{gaussian_affine(x, I), Dense(5)}, untouched = affine;
  State<AnyFrame, AnyFisher> bw{gaussian_bures_wasserstein(x, I), Dense(5)};
  State<AnyFrame, AnyFisher> window{gaussian_affine(x, I), Window(5)};
  State<AnyFrame, AnyFisher> epsilon{gaussian_affine(2.0 * x, I), Dense(5, {.epsilon = 2.0})};
  State<AnyFrame, AnyFisher> averaged{gaussian_affine(x, I), Dense(5), 1, Average({.on = true})};
  for (auto* other : {&bw, &window, &epsilon, &averaged}) {
    const Vector before = other->frame.point();
    EXPECT_THROW(restore(*other, saved(affine)), FileError);
    EXPECT_EQ(other->frame.point(), before);
  }
  restore(untouched, saved(affine));  // a run that has not begun can be saved too
}

TEST(Stop, CriteriaCombine) {
  Record r;
  r.iteration = 10;
  r.seconds = 2.0;
  r.predicted = 0.5;
  r.step_norm = 0.1;
  EXPECT_EQ((after_iterations(20) || after_seconds(1.0))(r), Status::time_is_up);
  EXPECT_EQ((after_iterations(10) || after_seconds(1.0))(r), Status::iterations_done);
  EXPECT_EQ((after_iterations(10) && when_predicted_below(1.0))(r), Status::converged);
  EXPECT_EQ((after_iterations(11) && when_predicted_below(1.0))(r), std::nullopt);
  r.predicted = Record::unknown;
  EXPECT_EQ(when_predicted_below(1.0)(r), std::nullopt);  // NaN is below nothing
  std::atomic<bool> flag = false;
  const Stop stop = when_set(flag);
  EXPECT_EQ(stop(r), std::nullopt);
  flag = true;
  EXPECT_EQ(stop(r), Status::interrupted);
}

TEST(Observers, TraceAndProgressTellTheStory) {
  const toy::Attraction model{Vector::Zero(2), 1, 0.0};
  State state{Euclidean(Vector::Ones(2)), Identity(2)};
  Trace trace;
  std::ostringstream bar, csv;
  run(state, model, {.rule = plain, .evaluate_every = 2}, after_iterations(4),
      {trace.observer(), Progress(bar, 4)});
  ASSERT_EQ(trace.records().size(), 4U);
  EXPECT_TRUE(std::isnan(trace.records()[0].objective));
  EXPECT_LT(trace.records()[3].objective, trace.records()[1].objective);
  trace.write_csv(csv);
  EXPECT_EQ(csv.str().substr(0, 27), "iteration,seconds,objective");
  const std::string table = csv.str();
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 5);
  EXPECT_NE(bar.str().find("4/4 100%"), std::string::npos) << bar.str();
  EXPECT_NE(bar.str().find("it/s"), std::string::npos);
  EXPECT_EQ(bar.str().back(), '\n');
}

}  // namespace
}  // namespace fisherman::solve_observers_test
