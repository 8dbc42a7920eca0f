// The laws of a model: its gradient is the derivative of its objective, its scores have mean zero
// and the Fisher operator as their second moment, and the KL divergence is ½F[v,v] to second order.
#pragma once

#include <functional>

#include "fisherman/model/model.hpp"
#include "fisherman/testing/law_report.hpp"

namespace fisherman::testing {

struct ModelLawOptions {
  Index repeats = 400;    // independent estimates to average
  double deviations = 5;  // how many standard errors count as agreement
  double step = 1e-4;     // of the finite difference
  std::uint64_t seed = 1;
};

/// The mean of many gradient estimates along a random direction is the slope of the objective along
/// the retraction, within `deviations` standard errors. The objective must be exact.
template <Frame F, Model<F> M>
LawReport check_gradient(M& model, const F& frame, const ModelLawOptions& options = {}) {
  LawReport report;
  const Index n = frame.dimension();
  for (std::uint32_t direction = 0; direction < 3; ++direction) {
    const Vector v = Draws(options.seed, 0).normals(direction, n, 1).col(0).normalized();
    Vector slopes(options.repeats);
    for (Index k = 0; k < options.repeats; ++k)
      slopes(k) = v.dot(model.gradient(frame, Draws(options.seed, std::uint64_t(k) + 1)));
    const double h = options.step;
    const double ahead = objective(model, frame.retract(Vector(h * v))).value();
    const double behind = objective(model, frame.retract(Vector(-h * v))).value();
    const double expected = (ahead - behind) / (2.0 * h);
    const double error = std::sqrt((slopes.array() - slopes.mean()).square().sum() /
                                   double(options.repeats - 1) / double(options.repeats));
    report.below("the gradient is the derivative of the objective",
                 std::abs(slopes.mean() - expected),
                 options.deviations * error + 1e-6 * (1.0 + std::abs(expected)));
  }
  return report;
}

/// E[φ] = 0, and, if the model knows its Fisher operator, E[φφᵀ] = F; entry by entry, within
/// `deviations` standard errors.
template <Frame F, class M>
requires HasScores<M, F> LawReport check_scores(M& model, const F& frame,
                                                const ModelLawOptions& options = {}) {
  LawReport report;
  const Index n = frame.dimension();
  Vector sum = Vector::Zero(n);
  Matrix second = Matrix::Zero(n, n), fourth = Matrix::Zero(n, n);
  double count = 0.0;
  for (Index k = 0; k < options.repeats; ++k) {
    const Matrix phi = model.scores(frame, Draws(options.seed, std::uint64_t(k) + 1));
    sum += phi.rowwise().sum();
    second += phi * phi.transpose();
    fourth += phi.cwiseAbs2() * phi.cwiseAbs2().transpose();
    count += double(phi.cols());
  }
  second /= count;
  fourth /= count;
  const Vector error = (second.diagonal() / count).cwiseSqrt();
  const Vector mean = sum / count;
  report.below("E[score] = 0, in standard errors",
               (mean.array() / (error.array() + 1e-12)).abs().maxCoeff(), options.deviations);
  if constexpr (HasFisher<M, F>) {
    const FisherOperator fisher = model.fisher(frame);
    Matrix exact(n, n);
    for (Index k = 0; k < n; ++k) exact.col(k) = fisher.apply(Vector::Unit(n, k));
    const Matrix spread = ((fourth - second.cwiseAbs2()) / count).cwiseMax(0.0).cwiseSqrt();
    report.below("E[score scoreᵀ] = F, in standard errors",
                 ((second - exact).array() / (spread.array() + 1e-12)).abs().maxCoeff(),
                 options.deviations);
    const Vector v = Draws(options.seed, 0).normals(0, n, 1);
    report.below("F⁻¹F = I", (fisher.solve(fisher.apply(v)) - v).norm(), 1e-9 * v.norm());
  }
  return report;
}

/// KL(q_θ ‖ q_R(tv)) = ½t²F[v,v] + O(t³), given the KL divergence of two frames. The order is that of the
/// errors of three directions together: along one, the third derivative may happen to vanish.
template <Frame F>
LawReport check_kl(const F& frame, const FisherOperator& fisher,
                   const std::function<double(const F&, const F&)>& kl,
                   const ModelLawOptions& options = {}) {
  LawReport report;
  const double t1 = 0.01, t2 = t1 / 8.0;  // errors of about 1e-9 at t2, far above rounding
  double error1 = 0.0, error2 = 0.0;
  for (std::uint32_t direction = 0; direction < 3; ++direction) {
    const Vector v =
        Draws(options.seed, 5).normals(direction, frame.dimension(), 1).col(0).normalized();
    const double quadratic = 0.5 * v.dot(fisher.apply(v));
    const auto error = [&](double t) {
      return std::abs(kl(frame, frame.retract(Vector(t * v))) - t * t * quadratic);
    };
    report.below("KL is ½F[v,v] for a short step", error(t2) / (t2 * t2 * quadratic), 0.1);
    error1 += error(t1);
    error2 += error(t2);
  }
  report.above("KL − ½F[v,v] falls with order 3", slope(t1, error1, t2, error2, 1e-13), 2.8);
  return report;
}

}  // namespace fisherman::testing
