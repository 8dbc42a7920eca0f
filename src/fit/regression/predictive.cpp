// What a Gaussian posterior says of the expected outcome of a row: the linear predictor is normal, so that the mean and the
// standard deviation are integrals in one dimension, and quantiles go through the link.
#include <algorithm>
#include <cmath>

#include "fisherman/core/error.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/regression.hpp"
#include "fisherman/model/logistic_quadrature.hpp"
#include "fisherman/model/normal_quadrature.hpp"

namespace fisherman {
namespace {

struct Moments {
  double mean, deviation;
};

Moments moments(Link link, double m, double s) {
  switch (link) {
    case Link::logit: {
      const ProbabilityMoments p = probability_moments(m, s);
      return {p.mean, p.deviation};
    }
    case Link::identity:
      return {m, s};
    case Link::log: {
      const double mean = std::exp(m + 0.5 * s * s);
      return {mean, mean * std::sqrt(std::expm1(s * s))};
    }
    case Link::softmax:
      throw Misuse("classes have several linear predictors: see class_probabilities()");
    case Link::probit:
    case Link::cloglog:
      break;
  }
  // Both are smooth on the scale of 1; beyond a deviation of some hundreds only the sign of η matters.
  constexpr double widest = 300.0;
  if (s > widest) {
    const double p = normal_distribution(m / s);
    return {p, std::sqrt(p * (1.0 - p))};
  }
  const NormalRule& rule = normal_rule(s / 1.5);
  double first = 0.0, second = 0.0;
  for (Index k = 0; k < rule.z.size(); ++k) {
    const double p = inverse_link(link, m + s * rule.z(k));
    first += rule.weight(k) * p;
    second += rule.weight(k) * p * p;
  }
  return {first, std::sqrt(std::max(0.0, second - first * first))};
}

constexpr Index block = 512;
// Beyond this only mean/deviation matters, so a longer row is shortened: nothing overflows.
constexpr double longest = 1e100;

void require_prediction(const Matrix& x, Index i, Index row) {
  require(x.row(i).allFinite(), "row ", row + 1,
          " holds a NaN, an infinity or a number too large to be standardised: there is no "
          "prediction for it");
}

}  // namespace

ClassProbabilities class_probabilities(const Matrix& design, const GaussianPoint& q,
                                       Index predictors) {
  const Index n = design.rows();
  ClassProbabilities out{Matrix(n, predictors + 1), Matrix(n, predictors + 1)};
  parallel_for(std::size_t((n + block - 1) / block), [&](std::size_t task) {
    const Index first = Index(task) * block, count = std::min(block, n - first);
    Matrix x = design.middleRows(first, count);
    for (Index i = 0; i < count; ++i) {
      require_prediction(x, i, first + i);
      if (const double largest = x.row(i).cwiseAbs().maxCoeff(); largest > longest)
        x.row(i) *= longest / largest;
    }
    const ClassProbabilities some =
        class_probabilities(predictor_normals(x, predictors, q.mean, q.covariance));
    out.mean.middleRows(first, count) = some.mean;
    out.deviation.middleRows(first, count) = some.deviation;
  });
  return out;
}

Matrix predictive(const Matrix& design, const GaussianPoint& q, Link link, const Vector& offset,
                  const Vector& more) {
  const Index p = design.cols();
  Matrix out(design.rows(), 4);
  parallel_for(std::size_t((design.rows() + block - 1) / block), [&](std::size_t task) {
    const Index first = Index(task) * block, count = std::min(block, design.rows() - first);
    Matrix x = design.middleRows(first, count);
    Vector length(count);
    for (Index i = 0; i < count; ++i) {
      const double largest = x.row(i).cwiseAbs().maxCoeff();
      require_prediction(x, i, first + i);
      length(i) = std::min(std::max(largest, 1.0), longest);
      if (largest > 1.0) x.row(i) /= largest;
    }
    Vector m = length.cwiseProduct(x * q.mean.head(p));
    if (offset.size() > 0) m += offset.segment(first, count);
    const Matrix xs = x * q.covariance.topLeftCorner(p, p);
    for (Index i = 0; i < count; ++i) {
      const double added = more.size() > 0 ? more(first + i) : 0.0;
      const double sd = std::hypot(length(i) * std::sqrt(std::max(0.0, xs.row(i).dot(x.row(i)))),
                                   std::sqrt(added));
      const Moments y = moments(link, m(i), sd);
      out.row(first + i) << y.mean, y.deviation, inverse_link(link, m(i) - ninety_percent * sd),
          inverse_link(link, m(i) + ninety_percent * sd);
    }
  });
  return out;
}

}  // namespace fisherman
