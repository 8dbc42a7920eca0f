#include "fisherman/model/pareto.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <numeric>
#include <sstream>
#include <vector>

namespace fisherman {
namespace {

/// Of a generalised Pareto distribution.
struct Pareto {
  double k, sigma;
  double quantile(double p) const {
    return std::abs(k) < 1e-12 ? -sigma * std::log1p(-p)
                               : sigma * std::expm1(-k * std::log1p(-p)) / k;
  }
};

/// Through exceedances (ascending, positive), by the profile-likelihood average of Zhang and Stephens (2009); the shape with
/// PSIS's weak prior towards ½.
Pareto fitted(const std::vector<double>& x) {
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
  const double k = shape(mean);
  return {(n * k + 10.0 * 0.5) / (n + 10.0), -k / mean};
}

/// The largest ratios, as exceedances of the one below them, over the largest of all.
struct Tail {
  std::vector<Index> order;  // of all ratios; ascending from the one below the tail on
  Index first = 0;           // the tail begins here
  double cutoff = 0.0;       // exp of the ratio below, over the largest
  std::vector<double> exceedances;
};

Tail tail_of(const Vector& log_ratios) {
  Tail out;
  const Index count = log_ratios.size();
  out.order.resize(std::size_t(count));
  std::iota(out.order.begin(), out.order.end(), Index(0));
  const auto length =
      Index(std::ceil(std::min(0.2 * double(count), 3.0 * std::sqrt(double(count)))));
  out.first = count - length;
  const auto less = [&](Index a, Index b) {
    return log_ratios(a) < log_ratios(b) || (log_ratios(a) == log_ratios(b) && a < b);
  };
  const auto below = out.order.begin() + (out.first - 1);
  std::nth_element(out.order.begin(), below, out.order.end(), less);
  std::sort(below + 1, out.order.end(), less);
  const double largest = log_ratios(out.order.back());
  out.cutoff = std::exp(log_ratios(out.order[std::size_t(out.first - 1)]) - largest);
  for (Index i = out.first; i < count; ++i) {
    const double over = std::exp(log_ratios(out.order[std::size_t(i)]) - largest) - out.cutoff;
    if (over > 0.0) out.exceedances.push_back(over);
  }
  return out;
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t fewest = 5;  // exceedances
constexpr double usable = 0.6, poor = 0.7;

}  // namespace

double log_sum_exp(const Vector& x) {
  const double largest = x.maxCoeff();
  if (!std::isfinite(largest)) return largest;
  return largest + std::log((x.array() - largest).exp().sum());
}

SmoothedWeights pareto_smoothed(const Vector& log_ratios) {
  SmoothedWeights out{log_ratios, unknown};
  if (log_ratios.size() >= 25 && log_ratios.allFinite()) {
    const Tail tail = tail_of(log_ratios);
    if (tail.exceedances.size() >= fewest) {
      const Pareto fit = fitted(tail.exceedances);
      out.k = fit.k;
      const double largest = log_ratios.maxCoeff();
      const auto length = double(log_ratios.size() - tail.first);
      for (Index i = tail.first; i < log_ratios.size(); ++i) {
        const double p = (double(i - tail.first) + 0.5) / length;
        const double weight =
            std::min(tail.cutoff + fit.quantile(p), 1.0);  // none above the largest ratio
        out.log_weights(tail.order[std::size_t(i)]) = largest + std::log(weight);
      }
    }
  }
  out.log_weights.array() -= log_sum_exp(out.log_weights);
  return out;
}

double pareto_k(const Vector& log_ratios) {
  if (log_ratios.size() < 25 || !log_ratios.allFinite()) return unknown;
  const Tail tail = tail_of(log_ratios);
  return tail.exceedances.size() < fewest ? unknown : fitted(tail.exceedances).k;
}

double ratio_variation(const Vector& log_ratios) {
  if (!log_ratios.allFinite() || log_ratios.size() == 0) return unknown;
  const Vector ratios = (log_ratios.array() - log_ratios.maxCoeff()).exp();
  const double mean = ratios.mean();
  return std::sqrt((ratios.array() - mean).square().mean()) / mean;
}

RatioCheck ratio_check(const Vector& log_ratios) {
  if (!log_ratios.allFinite() || log_ratios.size() == 0) return {};
  return {pareto_k(log_ratios), ratio_variation(log_ratios)};
}

double RatioCheck::judged() const {
  if (hardly_vary() && !(k < 0.0)) return 0.0;
  if (vary_much()) return std::max(k, usable);
  return !(k < poor) && weights_correct() ? usable : k;
}

bool RatioCheck::decided_by_variation() const {
  const double one = judged();
  return std::isfinite(k) && ((one < 0.5) != (k < 0.5) || (one < poor) != (k < poor));
}

std::string RatioCheck::verdict() const { return pareto_verdict(judged()); }

std::string RatioCheck::told() const {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << "Pareto k " << k << ", ";
  if (decided_by_variation())
    text << "but the ratios vary by " << (vary_much() ? "" : "only ") << std::setprecision(0)
         << std::max(1.0, 100.0 * variation) << "%; ";
  text << verdict();
  return text.str();
}

std::string pareto_verdict(double k) {
  if (std::isnan(k)) return "not known";
  if (k < 0.5) return "good: the approximation is close to the posterior";
  if (k < poor) return "usable: means and intervals are fine, tails less so";
  return "poor: the posterior is wider or more skewed than its approximation; do not rely on its "
         "intervals";
}

}  // namespace fisherman
