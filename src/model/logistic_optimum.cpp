// The deterministic reference: L-BFGS in the coordinates of the affine frame, where the Fisher matrix is
// the identity. Its plain gradient is the natural one, which would converge by itself, but slowly where
// posteriors are wide; the steps and gradients of the last iterations, which carry over from frame to
// frame as they are, supply what curvature differs from Fisher's.
#include <Eigen/Cholesky>
#include <cmath>
#include <deque>
#include <numbers>
#include <utility>
#include <vector>

#include "fisherman/model/gaussian_vb.hpp"
#include "fisherman/model/logistic.hpp"

namespace fisherman {
namespace {

struct Evaluation {
  GaussianAffine q;
  double nelbo;
  Vector gradient;  // in coordinates
};

Evaluation evaluated(const LogisticTarget& target, GaussianAffine q) {
  const Index d = q.order();
  const auto e = target.expectation(q.mean(), q.covariance());
  const Matrix& L = q.covariance_frame().cholesky();
  const Matrix inverse = Eigen::LLT<Matrix>(q.covariance()).solve(Matrix::Identity(d, d));
  Vector ambient(d + d * d);
  ambient << -e.gradient, -0.5 * as_vector(e.hessian + inverse);
  const double log_det = 2.0 * L.diagonal().array().log().sum();
  const double entropy = 0.5 * (double(d) * (1.0 + std::log(2.0 * std::numbers::pi)) + log_det);
  Vector gradient = q.pull(ambient);
  return {std::move(q), -entropy - e.value, std::move(gradient)};
}

/// The last steps s and what they changed in the gradient, y: an estimate of the inverse Hessian that is
/// the identity where nothing is known.
class SecantPairs {
 public:
  void add(const Vector& s, const Vector& y) {
    if (s.dot(y) <= 1e-8 * s.norm() * y.norm()) return;  // no curvature that could be inverted
    pairs_.push_front({s, y, 1.0 / s.dot(y)});
    if (pairs_.size() > 20) pairs_.pop_back();
  }

  Vector times(Vector g) const {
    std::vector<double> alpha;
    for (const Pair& p : pairs_) {
      alpha.push_back(p.rho * p.s.dot(g));
      g -= alpha.back() * p.y;
    }
    for (auto p = pairs_.rbegin(); p != pairs_.rend(); ++p) {
      const double beta = p->rho * p->y.dot(g);
      g += (alpha.back() - beta) * p->s;
      alpha.pop_back();
    }
    return g;
  }

 private:
  struct Pair {
    Vector s, y;
    double rho;
  };
  std::deque<Pair> pairs_;
};

}  // namespace

LogisticOptimum exact_optimum(const LogisticTarget& target, double tolerance, Index iterations) {
  const Index d = target.dimension();
  const Matrix I = Matrix::Identity(d, d);
  // σ(1−σ) ≤ ¼, so no posterior is narrower than this.
  Matrix precision = 0.25 * target.design().transpose() * target.design();
  precision.diagonal() += target.prior_variances().cwiseInverse();
  Evaluation now =
      evaluated(target, gaussian_affine(Vector::Zero(d), Eigen::LLT<Matrix>(precision).solve(I)));
  SecantPairs memory;
  for (Index k = 0; k < iterations; ++k) {
    if (0.5 * now.gradient.squaredNorm() < tolerance)
      return {now.q.mean(), now.q.covariance(), now.nelbo, k};
    Vector v = -memory.times(now.gradient);
    v *= now.q.reach(v);
    const double slope = now.gradient.dot(v);
    for (double length = 1.0;; length *= 0.5) {
      const Vector step = length * v;
      Evaluation next = evaluated(target, now.q.retract(step));
      if (next.nelbo <= now.nelbo + 1e-4 * length * slope + 1e-12 * std::abs(now.nelbo)) {
        memory.add(step, next.gradient - now.gradient);
        now = std::move(next);
        break;
      }
      if (length < 1e-12) throw NotFinite("the exact solver cannot lower the NELBO any further");
    }
  }
  throw NotFinite(sentence("the exact solver did not converge in ", iterations, " iterations"));
}

}  // namespace fisherman
