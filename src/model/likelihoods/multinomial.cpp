// y is one of K classes, p ∝ (1, e^η₁, …, e^ηₘ) with m = K − 1 linear predictors: log p = η_y − lse(0, η).
//
// Under a normal η the expectation of lse, the logarithm of the sum of exponentials, has no closed form. For two classes it
// is that of the logistic likelihood. For more it is a sum over fixed nodes of the normal, so that the objective of a fit
// has no noise: with V = LLᵀ
//     F(m, V) = Σₛ wₛ lse(0, m + L zₛ),
// and what expect() gives are the exact derivatives of this F, not of what it approximates, so that a solver converges to any
// accuracy. The one in V goes through the Cholesky factor (Murray 2016): with L̄ the lower triangle of Σₛ wₛ pₛ zₛᵀ, p = ∇lse,
//     ∂F/∂V = sym(L⁻ᵀ Φ(LᵀL̄) L⁻¹),
// where Φ keeps the lower triangle and halves the diagonal.
#include <algorithm>
#include <cmath>

#include "fisherman/core/error.hpp"
#include "fisherman/model/logistic_quadrature.hpp"
#include "likelihoods.hpp"

namespace fisherman {
namespace {

using Array = Eigen::ArrayXd;

/// lse(0, η) for one η; `p` become the probabilities of the classes but the first.
double log_sum(const double* eta, Index m, double* p) {
  double largest = 0.0, sum = 0.0;
  for (Index k = 0; k < m; ++k) largest = std::max(largest, eta[k]);
  for (Index k = 0; k < m; ++k) sum += p[k] = std::exp(eta[k] - largest);
  sum += std::exp(-largest);
  for (Index k = 0; k < m; ++k) p[k] /= sum;
  return largest + std::log(sum);
}

/// Of η ~ N(mean, LLᵀ).
struct LogSumMoments {
  double value = 0.0;
  Vector slope;   // in the mean
  Matrix factor;  // in L: lower triangle
};

/// Room for what is computed at all nodes of a row.
class AtNodes {
 public:
  AtNodes(const NormalNodes& nodes, Index m)
      : nodes_(nodes), e_(nodes.z.rows(), m), largest_(nodes.z.rows()), sum_(nodes.z.rows()) {}

  LogSumMoments moments(const Vector& mean, const Matrix& L) {
    const Index m = mean.size();
    const auto w = nodes_.weight.array();
    largest_.setZero();
    for (Index k = 0; k < m; ++k) {
      e_.col(k).setConstant(mean(k));
      for (Index l = 0; l <= k; ++l) e_.col(k) += L(k, l) * nodes_.z.col(l).array();
      largest_ = largest_.max(e_.col(k));
    }
    sum_ = (-largest_).exp();
    for (Index k = 0; k < m; ++k) {
      e_.col(k) = (e_.col(k) - largest_).exp();
      sum_ += e_.col(k);
    }
    LogSumMoments out{(w * (largest_ + sum_.log())).sum(), Vector(m), Matrix::Zero(m, m)};
    sum_ = w / sum_;
    for (Index k = 0; k < m; ++k) {
      e_.col(k) *= sum_;  // weight times probability
      out.slope(k) = e_.col(k).sum();
      for (Index l = 0; l <= k; ++l) out.factor(k, l) = (e_.col(k) * nodes_.z.col(l).array()).sum();
    }
    return out;
  }

 private:
  const NormalNodes& nodes_;
  Eigen::ArrayXXd e_;
  Array largest_, sum_;
};

/// V of a row, from its lower triangle.
Matrix covariance_of_row(const Matrix& packed, Index i, Index m) {
  Matrix V(m, m);
  for (Index k = 0; k < m; ++k)
    for (Index l = 0; l <= k; ++l) V(k, l) = V(l, k) = packed(i, packed_at(k, l));
  return V;
}

/// The Cholesky factor of a covariance that rounding may have made a little indefinite: no pivot is below 1e-14 of its
/// largest variance.
Matrix factor_of(const Matrix& V) {
  const Index m = V.rows();
  const double least = 1e-14 * V.diagonal().maxCoeff();
  Matrix L = Matrix::Zero(m, m);
  if (least == 0.0) return L;
  for (Index k = 0; k < m; ++k) {
    for (Index l = 0; l < k; ++l)
      L(k, l) = (V(k, l) - L.row(k).head(l).dot(L.row(l).head(l))) / L(l, l);
    L(k, k) = std::sqrt(std::max(V(k, k) - L.row(k).head(k).squaredNorm(), least));
  }
  return L;
}

/// From the derivative in the factor to that in the covariance.
Matrix by_covariance(const Matrix& L, const Matrix& by_factor) {
  Matrix middle = (L.transpose() * by_factor).triangularView<Eigen::Lower>();
  middle.diagonal() *= 0.5;
  const auto upper = L.transpose().triangularView<Eigen::Upper>();
  const Matrix left = upper.solve(middle);                                // L⁻ᵀΦ
  const Matrix both = upper.solve(Matrix(left.transpose())).transpose();  // L⁻ᵀΦL⁻¹
  return 0.5 * (both + both.transpose());
}

class MultinomialLikelihood final : public Likelihood {
 public:
  MultinomialLikelihood(Index classes, Index nodes) : m_(classes - 1) {
    require(classes >= 2, "a multinomial likelihood needs at least two classes, not ", classes);
    if (m_ > 1) nodes_ = normal_nodes(m_, nodes);
  }

  std::string name() const override { return "multinomial"; }
  std::string help() const override { return "two or more classes, by log odds to the first"; }
  Link link() const override { return Link::softmax; }
  Index predictors() const override { return m_; }
  std::string trouble(double y, double /*trials*/) const override {
    if (y >= 0.0 && y <= double(m_) && y == std::floor(y)) return {};
    return sentence("must be a whole number from 0 to ", m_);
  }
  std::string approximation() const override {
    if (m_ == 1) return {};
    return sentence("Expectations over the ", m_, " linear predictors of a row are sums over ",
                    nodes_.weight.size(), " fixed nodes.");
  }

  std::shared_ptr<const Likelihood> finer() const override {
    return m_ == 1 ? nullptr : multinomial_likelihood(m_ + 1, 4 * nodes_.weight.size());
  }

  double log_p(double y, double /*trials*/, const double* eta,
               const double* /*psi*/) const override {
    Vector p(m_);
    const double sum = log_sum(eta, m_, p.data());
    return (y > 0.0 ? eta[Index(y) - 1] : 0.0) - sum;
  }

  double sample(double /*trials*/, const double* eta, const double* /*psi*/,
                RandomSequence& random) const override {
    Vector p(m_);
    log_sum(eta, m_, p.data());
    double left = random.uniform();
    for (Index k = m_; k > 0; --k) {
      left -= p(k - 1);
      if (left < 0.0) return double(k);
    }
    return 0.0;
  }

  double sum(const Outcomes& outcomes, Index first, Eigen::Ref<Matrix> eta, const double* /*psi*/,
             double* /*psi_slope*/) const override {
    const Array largest = eta.rowwise().maxCoeff().cwiseMax(0.0);
    Array total = (-largest).exp();
    double value = 0.0;
    const Index n = eta.rows();
    for (Index i = 0; i < n; ++i)
      if (const Index k = class_of(outcomes, first + i); k > 0)
        value += outcomes.weight_of(first + i) * eta(i, k - 1);
    for (Index k = 0; k < m_; ++k) {
      eta.col(k) = (eta.col(k).array() - largest).exp();
      total += eta.col(k).array();
    }
    const bool weighted = outcomes.weights.size() > 0;
    const Array log_sums = largest + total.log();
    value -=
        weighted ? (outcomes.weights.segment(first, n).array() * log_sums).sum() : log_sums.sum();
    total = weighted ? Array(outcomes.weights.segment(first, n).array() / total) : total.inverse();
    eta.array().colwise() *= -total;
    for (Index i = 0; i < n; ++i)
      if (const Index k = class_of(outcomes, first + i); k > 0)
        eta(i, k - 1) += outcomes.weight_of(first + i);
    return value;
  }

  void add_curvature(const Outcomes& outcomes, Index first, const ConstMatrixRef& eta,
                     const double* /*psi*/, Eigen::Ref<Matrix> sums) const override {
    Vector at(m_), p(m_);
    for (Index i = 0; i < eta.rows(); ++i) {
      at = eta.row(i);
      log_sum(at.data(), m_, p.data());
      const double weight = outcomes.weight_of(first + i);
      for (Index k = 0; k < m_; ++k)
        for (Index l = 0; l <= k; ++l)
          sums(i, packed_at(k, l)) += weight * p(k) * (p(l) - (k == l ? 1.0 : 0.0));
    }
  }

  void expect(const Outcomes& outcomes, Index first, const PredictorNormals& normals,
              Eigen::Ref<Matrix> out) const override {
    require_finite_normals(normals);
    if (m_ == 1) {
      logistic_moments(normals.mean.col(0), normals.variance.col(0), out);
      out *= -1.0;
    } else {
      AtNodes at_nodes(nodes_, m_);
      for (Index i = 0; i < normals.mean.rows(); ++i)
        out.row(i) = minus_log_sum(normals, i, at_nodes);
    }
    for (Index i = 0; i < normals.mean.rows(); ++i)
      if (const Index k = class_of(outcomes, first + i); k > 0) {
        out(i, 0) += normals.mean(i, k - 1);
        out(i, k) += 1.0;
      }
  }

 private:
  static Index class_of(const Outcomes& outcomes, Index row) { return Index(outcomes.y(row)); }

  Eigen::RowVectorXd minus_log_sum(const PredictorNormals& normals, Index i,
                                   AtNodes& at_nodes) const {
    Eigen::RowVectorXd out(columns());
    const Vector mean = normals.mean.row(i);
    const Matrix V = covariance_of_row(normals.variance, i, m_);
    LogSumMoments moments{0.0, Vector(m_), {}};
    Matrix hessian;
    // Below this V cannot be told from 0 beside a mean of ordinary size, nor the slopes at the nodes from each other.
    if (V.diagonal().maxCoeff() < 1e-20) {
      moments.value = log_sum(mean.data(), m_, moments.slope.data());
      hessian = Matrix(moments.slope.asDiagonal()) - moments.slope * moments.slope.transpose();
    } else {
      const Matrix L = factor_of(V);
      moments = at_nodes.moments(mean, L);
      hessian = 2.0 * by_covariance(L, moments.factor);
    }
    out(0) = -moments.value;
    out.segment(1, m_) = -moments.slope;
    for (Index k = 0; k < m_; ++k)
      for (Index l = 0; l <= k; ++l) out(1 + m_ + packed_at(k, l)) = -hessian(k, l);
    return out;
  }

  Index m_;
  NormalNodes nodes_;
};

}  // namespace

std::shared_ptr<const Likelihood> multinomial_likelihood(Index classes, Index nodes) {
  return std::make_shared<MultinomialLikelihood>(classes, nodes);
}

ClassProbabilities class_probabilities(const PredictorNormals& normals) {
  require_finite_normals(normals);
  const Index n = normals.mean.rows(), m = normals.mean.cols();
  ClassProbabilities out{Matrix(n, m + 1), Matrix(n, m + 1)};
  if (m == 1) {
    for (Index i = 0; i < n; ++i) {
      const double deviation = std::sqrt(normals.variance(i, 0));
      const ProbabilityMoments second = probability_moments(normals.mean(i, 0), deviation),
                               first = probability_moments(-normals.mean(i, 0), deviation);
      out.mean.row(i) << first.mean, second.mean;
      out.deviation.row(i) << first.deviation, second.deviation;
    }
    return out;
  }
  const NormalNodes nodes = normal_nodes(m);
  Matrix p(nodes.z.rows(), m + 1);
  for (Index i = 0; i < n; ++i) {
    const Matrix L = factor_of(covariance_of_row(normals.variance, i, m));
    p.col(0).setZero();
    p.rightCols(m) = (nodes.z * L.transpose()).rowwise() + normals.mean.row(i);
    p = (p.colwise() - p.rowwise().maxCoeff().eval()).array().exp().matrix().eval();
    p.array().colwise() /= p.rowwise().sum().array().eval();
    out.mean.row(i) = nodes.weight.transpose() * p;
    p.rowwise() -= out.mean.row(i);
    out.deviation.row(i) = (nodes.weight.transpose() * p.cwiseAbs2()).cwiseSqrt();
  }
  return out;
}

}  // namespace fisherman
