#include "fisherman/model/normal_quadrature.hpp"

#include <Eigen/Eigenvalues>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <numbers>

#include "fisherman/core/error.hpp"

namespace fisherman {

NormalRule gauss_hermite(Index points) {
  Matrix jacobi = Matrix::Zero(points, points);
  for (Index k = 1; k < points; ++k) jacobi(k, k - 1) = jacobi(k - 1, k) = std::sqrt(double(k));
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(jacobi);
  const Vector weight = eigen.eigenvectors().row(0).array().square().transpose();
  return {eigen.eigenvalues(), weight / weight.sum()};
}

NormalRule trapezoidal(Index each_side, double step) {
  const Vector z =
      step * Vector::LinSpaced(2 * each_side + 1, -double(each_side), double(each_side));
  const Vector weight = (-0.5 * z.array().square()).exp();
  return {z, weight / weight.sum()};
}

const NormalRule& normal_rule(double ratio) {
  // A singularity at distance a costs Gauss-Hermite (n−1)!(deviation/a)^2n and the trapezoidal rule exp(−2πa/(step·deviation)).
  static const std::array<std::pair<double, NormalRule>, 3> narrow = {
      {{0.04, gauss_hermite(7)}, {0.095, gauss_hermite(12)}, {0.25, trapezoidal(15, 0.55)}}};
  for (const auto& [widest, rule] : narrow)
    if (ratio < widest) return rule;
  constexpr double reach = 8.5;  // e^(−8.5²/2) is below rounding
  constexpr double finest = 0.5;
  // Steps go by quarters of an octave, so that few rules serve all.
  const double step = std::exp2(0.25 * std::floor(4.0 * std::log2(0.55 * 0.25 / ratio)));
  if (!(reach / step < 5000.0))
    throw NotFinite("a linear predictor has no finite normal distribution");
  static std::mutex mutex;
  static std::map<double, NormalRule> wide;
  const std::lock_guard lock(mutex);
  const auto known = wide.find(step);
  if (known != wide.end()) return known->second;
  return wide.emplace(step, trapezoidal(Index(std::ceil(reach / step)), std::min(step, finest)))
      .first->second;
}

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

LogNormalDistribution log_normal_distribution(double x) {
  constexpr double half_log_2pi = 0.91893853320467274178;
  if (x > -35.0) {
    const double tail = 0.5 * std::erfc(-x / std::numbers::sqrt2);
    const double value =
        x > 0.0 ? std::log1p(-0.5 * std::erfc(x / std::numbers::sqrt2)) : std::log(tail);
    const double slope = std::exp(-0.5 * x * x - half_log_2pi) / tail;
    return {value, slope, -slope * (slope + x)};
  }
  // Φ(x) = φ(x)/|x|·(1 − 1/x² + 3/x⁴ − 15/x⁶ + …)
  const double u = 1.0 / (x * x);
  const double series = 1.0 - u * (1.0 - u * (3.0 - u * (15.0 - u * (105.0 - 945.0 * u))));
  const double slope = -x / series;
  // slope + x = |x|(1/series − 1), which cancels nothing
  const double excess = -x * (1.0 - series) / series;
  return {-0.5 * x * x - half_log_2pi - std::log(-x) + std::log(series), slope, -slope * excess};
}

LogGamma log_gamma(double x) {
  // Up by recurrence to where the asymptotic series of digamma and trigamma are exact.
  double slope = 0.0, curvature = 0.0, at = x;
  for (; at < 12.0; at += 1.0) {
    slope -= 1.0 / at;
    curvature += 1.0 / (at * at);
  }
  const double i = 1.0 / at, u = i * i;
  slope += std::log(at) - 0.5 * i -
           u * (1.0 / 12 -
                u * (1.0 / 120 -
                     u * (1.0 / 252 -
                          u * (1.0 / 240 - u * (1.0 / 132 - u * (691.0 / 32760 - u / 12.0))))));
  curvature += i + 0.5 * u +
               i * u *
                   (1.0 / 6 -
                    u * (1.0 / 30 -
                         u * (1.0 / 42 -
                              u * (1.0 / 30 - u * (5.0 / 66 - u * (691.0 / 2730 - 7.0 / 6 * u))))));
  int sign = 1;  // lgamma() itself would write it to a global variable
  return {::lgamma_r(x, &sign), slope, curvature};
}

}  // namespace fisherman
