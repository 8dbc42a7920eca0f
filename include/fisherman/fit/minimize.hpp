// Any model on any manifold, with the settings that applications have.
#pragma once

#include "fisherman/fit/erased_run.hpp"
#include "fisherman/fit/run_settings.hpp"

namespace fisherman {

/// How the minimum is found.
enum class MinimizeMethod { ifngd, ngd, gd, adam, lbfgs };

struct MinimizeSettings : RunSettings {
  MinimizeMethod method = MinimizeMethod::ifngd;
  Carry transport = Carry::frame;
  std::int64_t window = 200;

  MinimizeSettings() { eval_every = 10; }
  void describe(Options& options);
  /// Whether the method goes by the Fisher information of itself.
  bool is_natural() const {
    return method == MinimizeMethod::ifngd || method == MinimizeMethod::ngd;
  }
};

ErasedRun make_run(const AnyFrame& start, AnyModel model, const MinimizeSettings& settings);

}  // namespace fisherman
