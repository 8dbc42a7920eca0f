// A run of the one type-erased instantiation that the command line and bindings share.
#pragma once

#include <cstdint>
#include <optional>

#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/manifold/any_frame.hpp"
#include "fisherman/model/any_model.hpp"
#include "fisherman/solve/descend.hpp"
#include "fisherman/solve/newton.hpp"

namespace fisherman {

using ErasedState = State<AnyFrame, AnyFisher>;

/// A run, ready to start.
struct ErasedRun {
  ErasedState state;
  AnyModel model;
  RunOptions options;
  Stop stop;
  std::int64_t planned;                        // iterations at the most
  std::optional<DescentOptions> descent = {};  // a deterministic run, which begins after
  std::int64_t stochastic = 0;                 // this number of iterations of a stochastic one
  std::optional<NewtonOptions> newton = {};    // a run by Newton's steps from soundings
};

}  // namespace fisherman
