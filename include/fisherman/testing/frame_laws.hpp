// The laws of a frame (manifold/frame.hpp), checked numerically at one point. One line tests a
// manifold of your own:
//
//     auto report = fisherman::testing::check_frame(MyFrame(...));
//     if (!report.ok()) std::cerr << report;
#pragma once

#include <functional>
#include <optional>

#include "fisherman/core/random.hpp"
#include "fisherman/manifold/frame.hpp"
#include "fisherman/testing/law_report.hpp"

namespace fisherman::testing {

struct FrameLawOptions {
  /// The metric, as a function of two ambient tangent vectors at the frame's point. Without it,
  /// isometry is not checked.
  std::function<double(const Vector&, const Vector&)> metric = {};
  /// The metric is the ambient dot product: isometry is checked with it, and the order of the
  /// retraction by its acceleration.
  bool embedded = false;
  /// What the retraction claims: 1, or 2 (checked against exp, or by the acceleration if embedded).
  int order = 1;
  /// exp and log exist here (a manifold may have them in special cases only).
  bool exp_log = true;
  std::uint64_t seed = 1;
  double step = 0.1;  // the length of test steps, in coordinates
};

namespace detail {

/// The matrix of push, one column a coordinate.
template <Frame F>
Matrix push_matrix(const F& frame) {
  const Index n = frame.dimension();
  Matrix P(Vector(frame.point()).size(), n);
  for (Index k = 0; k < n; ++k) P.col(k) = frame.push(Vector(Vector::Unit(n, k)));
  return P;
}

/// Projects coordinates onto those that tangent vectors have: all of them in a minimal frame, a
/// subspace in a redundant one (the row space of push).
Matrix tangent_coordinates(const Matrix& push);

}  // namespace detail

/// Laws 1 and 2: pull is push's transpose; coordinates measure lengths.
template <Frame F>
LawReport check_coordinates(const F& frame, const FrameLawOptions& options = {}) {
  LawReport report;
  const Draws draws(options.seed, 0);
  const Index n = frame.dimension(), ambient = Vector(frame.point()).size();
  const Matrix P = detail::push_matrix(frame), tangent = detail::tangent_coordinates(P);
  const Matrix E = draws.normals(0, ambient, 4), V = tangent * draws.normals(1, n, 4);
  const Matrix pulled = frame.pull(E);
  report.below("pull(E)·v = E·push(v)", (pulled.transpose() * V - E.transpose() * (P * V)).norm(),
               1e-10 * (1.0 + E.norm() * (P * V).norm()));
  Matrix one_by_one(n, 4);
  for (Index k = 0; k < 4; ++k) one_by_one.col(k) = frame.pull(Matrix(E.col(k)));
  report.below("pull takes columns one by one", (pulled - one_by_one).norm(),
               1e-12 * (1.0 + pulled.norm()));
  const Vector v = V.col(0), w = V.col(1);
  report.below(
      "push is linear",
      (frame.push(Vector(2.0 * v - 3.0 * w)) - 2.0 * frame.push(v) + 3.0 * frame.push(w)).norm(),
      1e-10 * (1.0 + frame.push(v).norm() + frame.push(w).norm()));
  report.below("lift(push(v)) = v", (lift(frame, P * v) - v).norm(), 1e-9 * v.norm());
  std::function<double(const Vector&, const Vector&)> metric = options.metric;
  if (options.embedded) metric = [](const Vector& a, const Vector& b) { return a.dot(b); };
  if (metric) {
    double worst = 0.0;
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 4; ++j)
        worst =
            std::max(worst, std::abs(metric(P * V.col(i), P * V.col(j)) - V.col(i).dot(V.col(j))));
    report.below("coordinates are orthonormal in the metric", worst, 1e-10 * V.squaredNorm());
  }
  if (options.embedded) {
    const Vector U = P * v;
    report.below("push(pull(U)) = U for tangent U",
                 (Vector(frame.push(Vector(frame.pull(Matrix(U))))) - U).norm(),
                 1e-11 * (1.0 + U.norm()));
  }
  return report;
}

/// Laws 3 and 4: the retraction has the right value, derivative and order, and the frame moves
/// continuously with it.
template <Frame F>
LawReport check_retraction(const F& frame, const FrameLawOptions& options = {}) {
  LawReport report;
  const Draws draws(options.seed, 1);
  const Matrix P = detail::push_matrix(frame), tangent = detail::tangent_coordinates(P);
  const Vector x = frame.point();
  const Vector v = tangent * draws.normals(0, frame.dimension(), 1).col(0).normalized();
  const double scale = 1.0 + x.norm();
  const F still = frame.retract(Vector::Zero(frame.dimension()));
  report.below("retract(0) is the same point", (Vector(still.point()) - x).norm(), 1e-12 * scale);
  report.below("retract(0) is the same frame", (detail::push_matrix(still) - P).norm(),
               1e-10 * (1.0 + P.norm()));

  const auto at = [&](double t) { return Vector(frame.retract(Vector(t * v)).point()); };
  const double t1 = options.step, t2 = options.step / 8.0, noise = 1e-13 * scale;
  const auto first = [&](double t) { return (at(t) - x - t * (P * v)).norm(); };
  report.above("retraction error falls with order 2 (first order)",
               slope(t1, first(t1), t2, first(t2), noise), 1.85);
  if (options.order >= 2) {
    if constexpr (HasExp<F>) {
      const auto second = [&](double t) {
        return (at(t) - Vector(frame.exp(Vector(t * v)).point())).norm();
      };
      report.above("distance to exp falls with order 3 (second order)",
                   slope(t1, second(t1), t2, second(t2), noise), 2.85);
    } else if (options.embedded) {
      const auto bend = [&](double t) {
        return (P.transpose() * (at(t) + at(-t) - 2.0 * x)).norm();
      };
      report.above("tangential acceleration vanishes (second order)",
                   slope(t1, bend(t1), t2, bend(t2), noise), 3.5);
    }
  }

  // A frame that moves smoothly turns by an angle proportional to the step; one that jumps does
  // not.
  const auto turn = [&](double t) {
    return (detail::push_matrix(frame.retract(Vector(t * v))) - P).norm() / t;
  };
  const double coarse = turn(options.step), fine = turn(options.step * 1e-4);
  report.below("the frame turns in proportion to the step", fine, 10.0 * (1.0 + coarse));

  if constexpr (!requires { frame.reach(v); }) return report;
  const Vector far = 1e3 * v;
  const double fraction = reach(frame, far);
  report.between("reach is a fraction", fraction, 1e-12, 1.0);
  report.below("a step within reach is finite",
               Vector(frame.retract(Vector(fraction * far)).point()).allFinite() ? 0.0 : 1.0, 0.5);
  return report;
}

/// exp, log and distance agree with each other, where they exist.
template <Frame F>
LawReport check_exp_log([[maybe_unused]] const F& frame,
                        [[maybe_unused]] const FrameLawOptions& options = {}) {
  LawReport report;
  if constexpr (HasExp<F> && HasLog<F>) {
    const Matrix tangent = detail::tangent_coordinates(detail::push_matrix(frame));
    const Vector v = 3.0 * options.step * tangent *
                     Draws(options.seed, 2).normals(0, frame.dimension(), 1).col(0).normalized();
    const F other = frame.exp(v);
    report.below("log(exp(v)) = v", (Vector(frame.log(other)) - v).norm(), 1e-9);
    report.below("exp(log(y)) = y",
                 (Vector(frame.exp(frame.log(other)).point()) - Vector(other.point())).norm(),
                 1e-9 * (1.0 + Vector(other.point()).norm()));
    if constexpr (HasDistance<F>) {
      report.below("distance is the length of log", std::abs(frame.distance(other) - v.norm()),
                   1e-8);
      report.below("distance is symmetric", std::abs(frame.distance(other) - other.distance(frame)),
                   1e-8);
    }
  }
  return report;
}

/// The paper's transport to a point that retract() reaches: linear, the identity for no step, with
/// the right adjoint and inverse adjoint, and an isometry if it says so.
template <Frame F>
LawReport check_transport([[maybe_unused]] const F& frame,
                          [[maybe_unused]] const FrameLawOptions& options = {}) {
  LawReport report;
  if constexpr (HasTransport<F>) {
    const Draws draws(options.seed, 3);
    const Index n = frame.dimension();
    const Matrix here = detail::tangent_coordinates(detail::push_matrix(frame));
    const Vector step = options.step * here * draws.normals(0, n, 1).col(0).normalized();
    const F next = frame.retract(step);
    const Matrix there = detail::tangent_coordinates(detail::push_matrix(next));
    const Matrix V = here * draws.normals(1, n, 2), W = there * draws.normals(2, n, 2);
    const Transport T = frame.transport_to(next);
    const Matrix TV = T.apply(V);
    const double size = V.norm();
    report.below("transport is linear",
                 (T.apply(V.col(0) - 2.0 * V.col(1)) - (TV.col(0) - 2.0 * TV.col(1))).norm(),
                 1e-11 * size);
    report.below("transport lands in the tangent space", (there * TV - TV).norm(), 1e-9 * size);
    report.below("transport to the same point is the identity",
                 (frame.transport_to(frame).apply(V) - V).norm(), 1e-10 * size);
    report.below("transport has the right adjoint",
                 (TV.transpose() * W - V.transpose() * T.adjoint(W)).norm(),
                 1e-11 * size * W.norm());
    if (T.inverse_adjoint)
      report.below("transport has the right inverse adjoint",
                   (T.adjoint(T.inverse_adjoint(V)) - V).norm(), 1e-9 * size);
    if (T.kind != Transport::Kind::general)
      report.below("transport is an isometry", (TV.transpose() * TV - V.transpose() * V).norm(),
                   1e-10 * size * size);
    const F near = frame.retract(Vector(1e-4 * step));
    report.below("transport is continuous", (frame.transport_to(near).apply(V) - V).norm(),
                 1e-2 * size);
  }
  return report;
}

/// A frame made from a saved state is the same frame, bit for bit, and steps to the same place.
template <Frame F>
LawReport check_state([[maybe_unused]] const F& frame,
                      [[maybe_unused]] const FrameLawOptions& options = {}) {
  LawReport report;
  if constexpr (HasState<F>) {
    const Draws draws(options.seed, 4);
    const Vector v = 0.1 * options.step * draws.normals(0, frame.dimension(), 1).col(0);
    const F moved = frame.retract(v), copy = frame.restored(moved.state());
    const Matrix E = draws.normals(1, Vector(frame.point()).size(), 2);
    const auto differ = [](const Matrix& a, const Matrix& b) {
      return (a.array() != b.array()).count();
    };
    report.below("a restored frame has the same point", double(differ(moved.point(), copy.point())),
                 0.5);
    report.below("a restored frame pulls the same", double(differ(moved.pull(E), copy.pull(E))),
                 0.5);
    report.below("a restored frame moves the same",
                 double(differ(moved.retract(v).point(), copy.retract(v).point())), 0.5);
  }
  return report;
}

/// All of them, except transports, which a manifold may offer for one retraction only.
template <Frame F>
LawReport check_frame(const F& frame, const FrameLawOptions& options = {}) {
  LawReport report;
  report.add(check_coordinates(frame, options));
  report.add(check_retraction(frame, options));
  if (options.exp_log) report.add(check_exp_log(frame, options));
  report.add(check_state(frame, options));
  return report;
}

}  // namespace fisherman::testing
