// The settings that every application has: how many iterations, how long a step, which seed.
#pragma once

#include <cstdint>
#include <string>

#include "fisherman/fit/fisher_choice.hpp"
#include "fisherman/fit/options.hpp"
#include "fisherman/manifold/transport.hpp"
#include "fisherman/solve/step_rule.hpp"

namespace fisherman {

/// What may be left to the method.
enum class Automatic { automatic, on, off };
Words<Automatic> automatic_words();
/// `by_default` if it is left to the method.
inline bool is_on(Automatic choice, bool by_default) {
  return choice == Automatic::automatic ? by_default : choice == Automatic::on;
}

/// How the Fisher estimate is carried along.
Words<Carry> carry_words();

/// Of Adam in every application, unless another is asked for.
inline constexpr double adam_step_size = 0.01;

/// An application derives its own settings from these and changes defaults in its constructor.
struct RunSettings {
  std::int64_t iterations = 0;
  std::int64_t batch = 100;
  std::int64_t scores = 0;
  FisherChoice fisher = FisherChoice::automatic;
  double epsilon = 0.0;
  double step_size = 0.0;
  double delay = 0.0;
  double decay = -1.0;
  double kl_radius = -1.0;
  double norm_cap = 0.0;
  bool no_guard = false;
  Automatic average = Automatic::automatic;
  double tolerance = 0.0;
  std::int64_t eval_every = 1;
  std::int64_t seed = 1;
  std::int64_t threads = 1;

  /// What the help says, where that differs between applications. For most it is only what 0 means; --epsilon says first
  /// whose it is, --batch, --scores and --tolerance say all. There is no --batch, no --scores and no --fisher where they are empty.
  struct Help {
    std::string iterations, batch = {}, scores = {}, epsilon, step_size, average, tolerance;
    std::string fisher = {};  // what auto is
    std::string delay = usual_delay();
    std::string norm_cap = "no limit";
    std::string evaluations = "0: only at the end";
    bool evaluates_by_itself = false;  // -1 may be said of --eval-every, and is explained
  };
  void describe_run(Options& options, const Help& help);

  /// The approximation that was asked for, or `by_method`.
  FisherChoice fisher_or(FisherChoice by_method) const {
    return fisher == FisherChoice::automatic ? by_method : fisher;
  }
  /// Whether epsilon matters, for a method that learns the Fisher matrix from scores by itself or does not.
  bool learns(bool by_method) const {
    return fisher == FisherChoice::automatic ? by_method : starts_from_epsilon(fisher);
  }
  /// Throws Misuse if one was asked for: the method of this name goes by none.
  void require_no_fisher(const std::string& method) const;

  /// The step rule, with `by_method` for what was left to the method.
  StepRule rule(const StepRule& by_method) const;

 private:
  static std::string usual_delay();
};

}  // namespace fisherman
