#include "fisherman/solve/lbfgs.hpp"

#include <cmath>
#include <deque>
#include <limits>

#include "fisherman/core/error.hpp"

namespace fisherman {
namespace {

struct Pair {
  Vector s, y;  // differences of points and of gradients
  double sy;
};

/// The two-loop recursion: H⁻¹g.
Vector direction(const std::deque<Pair>& pairs, Vector g) {
  Vector weights(Index(pairs.size()));
  for (std::size_t k = pairs.size(); k-- > 0;) {
    weights(Index(k)) = pairs[k].s.dot(g) / pairs[k].sy;
    g -= weights(Index(k)) * pairs[k].y;
  }
  if (!pairs.empty()) g *= pairs.back().sy / pairs.back().y.squaredNorm();
  for (std::size_t k = 0; k < pairs.size(); ++k)
    g += (weights(Index(k)) - pairs[k].y.dot(g) / pairs[k].sy) * pairs[k].s;
  return g;
}

struct Point {
  Vector x, g;
  double value;
};

/// Bisection to the Wolfe conditions (Lewis and Overton 2013): enough decrease, and a slope that has
/// risen, so that sᵀy > 0. False if the interval shrinks to nothing first.
bool line_search(const Objective& f, Point& at, const Vector& v, double first) {
  constexpr double decrease = 1e-4, curvature = 0.9;
  const double slope = at.g.dot(v);
  double low = 0.0, high = std::numeric_limits<double>::infinity(), t = first;
  Point next = at;
  for (int k = 0; k < 60; ++k) {
    next.x = at.x + t * v;
    next.value = f(next.x, next.g);
    if (!(next.value <= at.value + decrease * t * slope) || !next.g.allFinite())
      high = t;
    else if (next.g.dot(v) < curvature * slope)
      low = t;
    else {
      at = std::move(next);
      return true;
    }
    t = std::isfinite(high) ? 0.5 * (low + high) : 2.0 * low;
  }
  return false;
}

}  // namespace

LbfgsResult lbfgs(Vector x, const Objective& f, const LbfgsOptions& options,
                  const LbfgsWatch& watch) {
  Point at{std::move(x), {}, 0.0};
  at.g.resize(at.x.size());
  at.value = f(at.x, at.g);
  if (!std::isfinite(at.value) || !at.g.allFinite())
    throw NotFinite("the start of L-BFGS has no finite value and gradient");
  std::deque<Pair> pairs;
  for (Index k = 0; k < options.iterations; ++k) {
    const Vector v = -direction(pairs, at.g);
    const double promise = -0.5 * at.g.dot(v);
    if (promise < options.tolerance && (k > 0 || promise == 0.0)) return {at.x, at.value, k, true};
    const Point before = at;
    const double first = pairs.empty() ? std::min(1.0, 1.0 / at.g.norm()) : 1.0;
    if (!line_search(f, at, v, first)) {
      if (pairs.empty()) return {at.x, at.value, k, false};
      pairs.clear();  // once more along the gradient
      continue;
    }
    Pair pair{at.x - before.x, at.g - before.g, 0.0};
    pair.sy = pair.s.dot(pair.y);
    if (pair.sy > 1e-14 * pair.s.norm() * pair.y.norm()) pairs.push_back(std::move(pair));
    if (Index(pairs.size()) > options.memory) pairs.pop_front();
    if (watch && !watch(k + 1, at.value)) return {at.x, at.value, k + 1, false};
  }
  return {at.x, at.value, options.iterations, false};
}

}  // namespace fisherman
