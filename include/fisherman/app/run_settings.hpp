// The settings that every application has: how many iterations, how long a step, which seed.
#pragma once

#include <cstdint>
#include <string>

#include "fisherman/app/options.hpp"
#include "fisherman/solve/step_rule.hpp"

namespace fisherman {

/// An application derives its own settings from these and changes defaults in its constructor.
struct RunSettings {
  std::int64_t iterations = 0;
  std::int64_t batch = 100;
  std::int64_t scores = 0;
  double epsilon = 0.0;
  double step_size = 0.0;
  double delay = 0.0;
  double decay = -1.0;
  double kl_radius = -1.0;
  double norm_cap = 0.0;
  bool no_guard = false;
  std::string average = "auto";
  double tolerance = 0.0;
  std::int64_t eval_every = 1;
  std::int64_t seed = 1;
  std::int64_t threads = 1;

  /// What differs between applications: the words for --batch, --scores and --tolerance, and what a negative
  /// --eval-every means. There is no --batch and no --scores where they are empty.
  struct Words {
    std::string batch, scores, tolerance, evaluations = "";
  };
  void describe_run(Options& options, const Words& words);

  /// The step rule, with `by_method` for what was left to the method.
  StepRule rule(const StepRule& by_method) const;
};

}  // namespace fisherman
