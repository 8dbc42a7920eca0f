// Limited-memory BFGS: a deterministic minimiser for smooth functions of a flat vector. Our stochastic
// methods are compared with it; it needs nothing of them.
#pragma once

#include <functional>

#include "fisherman/core/types.hpp"

namespace fisherman {

struct LbfgsOptions {
  Index memory = 20;        // pairs of differences kept
  Index iterations = 1000;  // at the most
  double tolerance =
      1e-8;  // converged when ½gᵀH⁻¹g, the decrease that the model promises, is below
};

struct LbfgsResult {
  Vector x;
  double value;
  Index iterations;
  bool converged;  // otherwise: the iterations were done, or the line search found nothing lower
};

/// The value at x, and the gradient into the second argument, which has x's size.
using Objective = std::function<double(const Vector&, Vector&)>;
/// Called after each iteration with its number and value; false ends the run.
using LbfgsWatch = std::function<bool(Index, double)>;

/// Throws NotFinite if the start has no finite value.
LbfgsResult lbfgs(Vector x, const Objective& f, const LbfgsOptions& options = {},
                  const LbfgsWatch& watch = {});

}  // namespace fisherman
