// What draws, weighted or not, say of each quantity.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "fisherman/fit/density.hpp"
#include "fisherman/model/pareto.hpp"

namespace fisherman {
namespace {

/// Of values with weights that add up to 1: the smallest value with at least this share of the weight up to it.
double weighted_quantile(const Vector& values, const Vector& weights,
                         const std::vector<Index>& order, double share) {
  double sum = 0.0;
  for (const Index k : order) {
    sum += weights(k);
    if (sum >= share) return values(k);
  }
  return values(order.back());
}

}  // namespace

Matrix summaries_of(const Matrix& values, const Vector& log_weights, const Vector& log_ratios) {
  const Vector w = log_weights.array().exp();
  Matrix out(values.cols(), 7);
  std::vector<Index> order(std::size_t(values.rows()));
  for (Index j = 0; j < values.cols(); ++j) {
    const Vector x = values.col(j);
    if (!x.allFinite()) {
      out.row(j).setConstant(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const double mean = w.dot(x);
    const Vector apart = x.array() - mean;
    const double variance = w.dot(apart.cwiseAbs2());
    std::iota(order.begin(), order.end(), Index(0));
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return x(a) < x(b); });
    // The variance of the weighted mean is Σw²(x − mean)², which so many equal weights would have.
    const double of_mean = w.cwiseProduct(apart).squaredNorm();
    const double ess = of_mean > 0.0 ? variance / of_mean : double(x.size());
    const Vector tail = log_ratios.array() + (apart.array().abs() + 1e-300).log();
    out.row(j) << mean, std::sqrt(variance), weighted_quantile(x, w, order, 0.05),
        weighted_quantile(x, w, order, 0.5), weighted_quantile(x, w, order, 0.95),
        std::min(ess, double(x.size())), variance > 0.0 ? pareto_k(tail) : 0.0;
  }
  return out;
}

}  // namespace fisherman
