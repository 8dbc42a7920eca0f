#include "fisherman/model/pareto.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace fisherman {
namespace {

/// The shape of a generalised Pareto distribution through exceedances (ascending, positive), by the
/// profile-likelihood average of Zhang and Stephens (2009), with PSIS's weak prior towards ½.
double fitted_shape(const std::vector<double>& x) {
  const double n = double(x.size());
  const int candidates = 30 + int(std::sqrt(n));
  const double quartile = x[std::size_t(n / 4.0 + 0.5) - 1], largest = x.back();
  const auto shape = [&](double b) {
    double sum = 0.0;
    for (const double v : x) sum += std::log1p(-b * v);
    return sum / n;
  };
  std::vector<double> theta, likelihood;
  for (int j = 0; j < candidates; ++j) {
    const double b = 1.0 / largest + (1.0 - std::sqrt(candidates / (j + 0.5))) / (3.0 * quartile);
    const double k = shape(b);
    theta.push_back(b);
    likelihood.push_back(n * (std::log(-b / k) - k - 1.0));
  }
  double mean = 0.0;
  for (std::size_t j = 0; j < theta.size(); ++j) {
    double sum = 0.0;
    for (const double other : likelihood) sum += std::exp(other - likelihood[j]);
    mean += theta[j] / sum;
  }
  return (n * shape(mean) + 10.0 * 0.5) / (n + 10.0);
}

}  // namespace

double pareto_k(const Vector& log_ratios) {
  const Index count = log_ratios.size();
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  if (count < 25 || !log_ratios.allFinite()) return unknown;
  std::vector<double> sorted(log_ratios.data(), log_ratios.data() + count);
  std::sort(sorted.begin(), sorted.end());
  const auto tail = Index(std::ceil(std::min(0.2 * double(count), 3.0 * std::sqrt(double(count)))));
  const double largest = sorted.back(), cutoff = sorted[std::size_t(count - tail - 1)];
  std::vector<double> exceedances;
  for (Index i = count - tail; i < count; ++i) {
    const double over = std::exp(sorted[std::size_t(i)] - largest) - std::exp(cutoff - largest);
    if (over > 0.0) exceedances.push_back(over);
  }
  return exceedances.size() < 5 ? unknown : fitted_shape(exceedances);
}

std::string pareto_verdict(double k) {
  if (std::isnan(k)) return "not known";
  if (k < 0.5) return "good: the approximation is close to the posterior";
  if (k < 0.7) return "usable: means and intervals are fine, tails less so";
  return "poor: the posterior is wider or more skewed than its approximation; mind its uncertainty";
}

}  // namespace fisherman
