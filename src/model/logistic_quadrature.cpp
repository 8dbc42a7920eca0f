// Three rules, for normals of different width.
//
// Narrow ones: the functions at a few points of the normal, Gauss-Hermite's where it is narrow against the
// logistic's own width, the trapezoidal rule's up to there.
//
// Wide ones: the trapezoidal rule on a grid of η, which converges faster than any power of its spacing for
// smooth functions that vanish at both ends. Two of the three functions do not vanish, so something with
// the same ends and a known expectation is taken away first: the ramp and the step smoothed by a normal
// density of width a,
//     r(η) = ηΦ(η/a) + aφ(η/a),   E r(η) = mΦ(m/c) + cφ(m/c) with c² = a² + variance,
// and its derivative Φ(η/a) with E = Φ(m/c). What is left decays like e^-|η| whatever the variance, so
// a table on a fixed grid serves every row: Gauss-Hermite, the usual choice, converges slowly where
// the posterior is wide.
#include "fisherman/model/logistic_quadrature.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "elementwise.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/model/normal_quadrature.hpp"
#include "sigmoid.hpp"

namespace fisherman {
namespace {

constexpr double width = 1.6;  // of the smoothing; any value near the logistic's own will do

// The spacing: the functions' nearest poles are at ±iπ, so the rule's error is exp(−2π²/spacing).
constexpr double spacing = 0.5;
constexpr double outermost = 40.0;  // e^-40 is below rounding
constexpr int outermost_node = int(outermost / spacing);
constexpr int grid_size = 2 * outermost_node + 1;
constexpr double narrow = 0.8;  // a normal narrower than this falls between the grid points

double density(double z) {
  return std::exp(-0.5 * z * z) * (0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2);
}

/// What is taken away, for a normal of variance v around m.
LogisticMoments smooth_part(double m, double v) {
  const double c = std::sqrt(width * width + v);
  return {m * normal_distribution(m / c) + c * density(m / c), normal_distribution(m / c), 0.0};
}

/// What is left of the functions, at the points of the grid.
struct Grid {
  Vector softplus{grid_size}, sigmoid{grid_size}, slope{grid_size};

  Grid() {
    for (int k = 0; k < grid_size; ++k) {
      const double eta = spacing * (k - outermost_node), e = std::exp(-std::abs(eta));
      const LogisticMoments taken = smooth_part(eta, 0.0);
      softplus(k) = std::max(eta, 0.0) + std::log1p(e) - taken.softplus;
      sigmoid(k) = fisherman::sigmoid(eta) - taken.sigmoid;
      slope(k) = sigmoid_slope(eta);
    }
  }
};

LogisticMoments wide_moments(double mean, double variance) {
  static const Grid grid;
  const double deviation = std::sqrt(variance), far = 9.0 * deviation;
  const auto node = [](double k) {  // a huge mean or width must not overflow an int
    return int(std::clamp(k, -1.0 - outermost_node, 1.0 + outermost_node));
  };
  const int first = std::max(-outermost_node, node(std::ceil((mean - far) / spacing)));
  const int last = std::min(outermost_node, node(std::floor((mean + far) / spacing)));
  LogisticMoments sum = smooth_part(mean, variance);
  if (first > last) return sum;
  std::array<double, grid_size> room;
  Eigen::Map<Vector> weights(room.data(), last - first + 1);
  for (int k = first; k <= last; ++k) {
    const double z = (spacing * k - mean) / deviation;
    weights(k - first) = 0.5 * z * z;
  }
  apply_exp_minus(weights);
  const double scale = spacing * density(0.0) / deviation;
  const auto part = [&](const Vector& table) {
    return scale * weights.dot(table.segment(first + outermost_node, weights.size()));
  };
  sum.softplus += part(grid.softplus);
  sum.sigmoid += part(grid.sigmoid);
  sum.slope += part(grid.slope);
  return sum;
}

/// For functions of mean + deviation·z with a deviation below `widest`: a rule of n points is wrong by (n−1)!(deviation/π)^2n.
struct Rule {
  double widest;
  NormalRule points;
};

const std::array<Rule, 3>& narrow_rules() {
  static const std::array<Rule, 3> rules = {
      {{0.125, gauss_hermite(7)}, {0.3, gauss_hermite(12)}, {narrow, trapezoidal(15, 0.55)}}};
  return rules;
}

}  // namespace

void logistic_moments(const ConstVectorRef& means, const ConstVectorRef& variances,
                      Eigen::Ref<Matrix> out) {
  require(variances.size() == means.size() && out.rows() == means.size() && out.cols() == 3,
          "there are ", means.size(), " means, but ", variances.size(), " variances and room for ",
          out.rows(), " x ", out.cols(), " moments");
  const auto& rules = narrow_rules();
  std::array<std::vector<Index>, 3> rows;  // of each rule
  for (Index i = 0; i < means.size(); ++i) {
    if (!std::isfinite(means(i)) || !std::isfinite(variances(i)) || variances(i) < 0.0)
      throw NotFinite("a linear predictor has no finite normal distribution");
    std::size_t k = 0;
    while (k < rules.size() && variances(i) >= rules[k].widest * rules[k].widest) ++k;
    if (k < rules.size()) {
      rows[k].push_back(i);
    } else {
      const LogisticMoments wide = wide_moments(means(i), variances(i));
      out.row(i) << wide.softplus, wide.sigmoid, wide.slope;
    }
  }
  for (std::size_t k = 0; k < rules.size(); ++k) {
    if (rows[k].empty()) continue;
    const Vector m = means(rows[k]), deviation = variances(rows[k]).cwiseSqrt();
    Matrix sums = Matrix::Zero(m.size(), 3);
    const auto& [z, weight] = rules[k].points;
    for (Index node = 0; node < z.size(); ++node)
      add_logistic(m, deviation, z(node), weight(node), sums);
    out(rows[k], Eigen::all) = sums;
  }
}

LogisticMoments logistic_moments(double mean, double variance) {
  Matrix out(1, 3);
  logistic_moments(Vector::Constant(1, mean), Vector::Constant(1, variance), out);
  return {out(0), out(1), out(2)};
}

// With m ≤ 0, so that nothing cancels: a positive mean is the mirror image. A narrow normal is taken at its
// own points. For a wide one, by parts,
//     E σ(η) = ∫ σ′(t) Φ((m−t)/s) dt,   E σ²(η) = ∫ 2σσ′(t) Φ((m−t)/s) dt,
// by the trapezoidal rule: all terms are positive, and Φ is smooth on the grid's scale. The integrands
// behave like e^t Φ((m−t)/s) below 0 and like e^-t above; their mass is around min(0, m + s²), s wide. Where
// s is large, Φ is flat across what e^-|t| leaves, and the window is no longer for it.
ProbabilityMoments probability_moments(double mean, double deviation) {
  if (!std::isfinite(mean) || !std::isfinite(deviation) || deviation < 0.0)
    throw NotFinite("a linear predictor has no finite normal distribution");
  const double m = -std::abs(mean), s = deviation;
  double first = 0.0, variance = 0.0;
  if (s < narrow) {
    const NormalRule& rule = narrow_rules().back().points;
    const Vector p = rule.z.unaryExpr([&](double z) { return sigmoid(m + s * z); });
    first = rule.weight.dot(p);
    variance = rule.weight.dot((p.array() - first).square().matrix());
  } else {
    const double peak = std::min(0.0, m + s * s);
    const double left = peak - 37.0 - 9.0 * std::min(s, 76.0),
                 right = std::min(37.0, peak + 9.0 * s);
    const int nodes = int((right - left) / spacing);
    double second = 0.0;
    for (int k = 0; k <= nodes; ++k) {
      const double t = left + spacing * k;
      const double term = spacing * sigmoid_slope(t) * normal_distribution((m - t) / s);
      first += term;
      second += 2.0 * sigmoid(t) * term;
    }
    variance = std::max(0.0, second - first * first);
  }
  return {mean > 0.0 ? 1.0 - first : first, std::sqrt(variance)};
}

}  // namespace fisherman
