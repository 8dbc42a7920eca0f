#include "fisherman/testing/frame_laws.hpp"

#include <algorithm>
#include <cmath>

#include "fisherman/core/random.hpp"
#include "fisherman/core/spectral.hpp"

// Tolerances. An identity holds to the rounding of some hundred operations, 1e-12 to 1e-9 of the sizes
// involved: eigenvectors and square roots, of condition numbers up to 1e3, cost the larger ones. A slope
// between two steps a factor of 8 apart may miss its order by 0.15, the next term of the expansion.
namespace fisherman::testing {
namespace {

/// The matrix of push, one column a coordinate.
Matrix push_matrix(const AnyFrame& frame) {
  const Index n = frame.dimension();
  Matrix P(frame.point().size(), n);
  for (Index k = 0; k < n; ++k) P.col(k) = frame.push(Vector::Unit(n, k));
  return P;
}

/// Projects coordinates onto those that tangent vectors have: all of them in a minimal frame, a
/// subspace in a redundant one (the row space of push).
Matrix tangent_coordinates(const Matrix& push) {
  const Svd f = svd(push);
  const auto basis = f.V.leftCols((f.s.array() > 1e-9 * f.s(0)).count());
  return basis * basis.transpose();
}

}  // namespace

LawReport check_coordinates(const AnyFrame& frame, const FrameLawOptions& options) {
  LawReport report;
  const Draws draws(options.seed, 0);
  const Index n = frame.dimension(), ambient = frame.point().size();
  const Matrix P = push_matrix(frame), tangent = tangent_coordinates(P);
  const Matrix E = draws.normals(0, ambient, 4), V = tangent * draws.normals(1, n, 4);
  const Matrix pulled = frame.pull(E), PV = P * V;
  report.below("pull(E)·v = E·push(v)", (pulled.transpose() * V - E.transpose() * PV).norm(),
               1e-10 * (1.0 + E.norm() * PV.norm()));
  Matrix one_by_one(n, 4);
  for (Index k = 0; k < 4; ++k) one_by_one.col(k) = frame.pull(E.col(k));
  report.below("pull takes columns one by one", (pulled - one_by_one).norm(),
               1e-12 * (1.0 + pulled.norm()));
  const Vector combined = frame.push(2.0 * V.col(0) - 3.0 * V.col(1));
  report.below("push is linear", (combined - 2.0 * PV.col(0) + 3.0 * PV.col(1)).norm(),
               1e-10 * (1.0 + PV.norm()));
  report.below("lift(push(v)) = v", (frame.lift(PV.col(0)) - V.col(0)).norm(), 1e-9 * V.norm());
  auto metric = options.metric;
  if (options.embedded) metric = [](const Vector& a, const Vector& b) { return a.dot(b); };
  if (metric) {
    double worst = 0.0;
    for (Index i = 0; i < 4; ++i)
      for (Index j = 0; j < 4; ++j)
        worst = std::max(worst, std::abs(metric(PV.col(i), PV.col(j)) - V.col(i).dot(V.col(j))));
    report.below("coordinates are orthonormal in the metric", worst, 1e-10 * V.squaredNorm());
  }
  if (options.embedded) {
    const Vector U = PV.col(0);
    report.below("push(pull(U)) = U for tangent U", (frame.push(frame.pull(U)) - U).norm(),
                 1e-11 * (1.0 + U.norm()));
  }
  return report;
}

LawReport check_retraction(const AnyFrame& frame, const FrameLawOptions& options) {
  LawReport report;
  const bool by_exp = frame.abilities().exp && options.exp_log;
  require(options.order == 1 || options.order == 2, "order is ", options.order,
          ", but must be 1 or 2");
  require(options.order == 1 || options.embedded || by_exp,
          "order is 2, which is checked against the frame's exp, or by the acceleration if the "
          "metric is ",
          "the ambient one (embedded): here is neither, and a metric at one point does not tell");
  const Draws draws(options.seed, 1);
  const Matrix P = push_matrix(frame), tangent = tangent_coordinates(P);
  const Vector x = frame.point();
  const Vector v = tangent * draws.normals(0, frame.dimension(), 1).col(0).normalized();
  const double scale = 1.0 + x.norm();
  const AnyFrame still = frame.retract(Vector::Zero(frame.dimension()));
  report.below("retract(0) is the same point", (still.point() - x).norm(), 1e-12 * scale);
  report.below("retract(0) is the same frame", (push_matrix(still) - P).norm(),
               1e-10 * (1.0 + P.norm()));

  const auto at = [&](double t) { return frame.retract(t * v).point(); };
  const double t1 = options.step, t2 = options.step / 8.0, noise = 1e-13 * scale;
  const auto first = [&](double t) { return (at(t) - x - t * (P * v)).norm(); };
  report.above("retraction error falls with order 2 (first order)",
               slope(t1, first(t1), t2, first(t2), noise), 1.85);
  if (options.order == 2 && options.embedded) {
    const auto bend = [&](double t) { return (P.transpose() * (at(t) + at(-t) - 2.0 * x)).norm(); };
    report.above("tangential acceleration vanishes (second order)",
                 slope(t1, bend(t1), t2, bend(t2), noise), 3.5);
  }
  if (options.order == 2 && by_exp) {
    const auto second = [&](double t) { return (at(t) - frame.exp(t * v).point()).norm(); };
    report.above("distance to exp falls with order 3 (second order)",
                 slope(t1, second(t1), t2, second(t2), noise), 2.85);
  }

  // A frame that moves smoothly turns in proportion to the step; one that jumps does not.
  const auto turn = [&](double t) { return (push_matrix(frame.retract(t * v)) - P).norm() / t; };
  report.below("the frame turns in proportion to the step", turn(options.step * 1e-4),
               10.0 * (1.0 + turn(options.step)));

  if (frame.abilities().reach) {
    const Vector far = 1e3 * v;
    const double fraction = frame.reach(far);
    report.between("reach is a fraction", fraction, 1e-12, 1.0);
    report.below("a step within reach is finite",
                 frame.retract(fraction * far).point().allFinite() ? 0.0 : 1.0, 0.5);
  }
  return report;
}

LawReport check_exp_log(const AnyFrame& frame, const FrameLawOptions& options) {
  LawReport report;
  if (!frame.abilities().exp || !frame.abilities().log) return report;
  const Matrix tangent = tangent_coordinates(push_matrix(frame));
  const Vector direction =
      Draws(options.seed, 2).normals(0, frame.dimension(), 1).col(0).normalized();
  const Vector v = 3.0 * options.step * tangent * direction;
  const AnyFrame other = frame.exp(v), back = frame.exp(frame.log(other));
  report.below("log(exp(v)) = v", (frame.log(other) - v).norm(), 1e-9);
  report.below("exp(log(y)) = y", (back.point() - other.point()).norm(),
               1e-9 * (1.0 + other.point().norm()));
  if (frame.abilities().distance) {
    const double distance = frame.distance(other);
    report.below("distance is the length of log", std::abs(distance - v.norm()), 1e-8);
    report.below("distance is symmetric", std::abs(distance - other.distance(frame)), 1e-8);
  }
  return report;
}

LawReport check_transport(const AnyFrame& frame, const FrameLawOptions& options) {
  LawReport report;
  if (!frame.abilities().transport) return report;
  const Draws draws(options.seed, 3);
  const Index n = frame.dimension();
  const Matrix here = tangent_coordinates(push_matrix(frame));
  const Vector step = options.step * here * draws.normals(0, n, 1).col(0).normalized();
  const AnyFrame next = frame.retract(step), near = frame.retract(1e-4 * step);
  const Matrix there = tangent_coordinates(push_matrix(next));
  const Matrix V = here * draws.normals(1, n, 2), W = there * draws.normals(2, n, 2);
  const Transport T = frame.transport_to(next);
  const Matrix TV = T.apply(V), combined = T.apply(V.col(0) - 2.0 * V.col(1));
  const double size = V.norm();
  report.below("transport is linear", (combined - (TV.col(0) - 2.0 * TV.col(1))).norm(),
               1e-11 * size);
  report.below("transport lands in the tangent space", (there * TV - TV).norm(), 1e-9 * size);
  report.below("transport to the same point is the identity",
               (frame.transport_to(frame).apply(V) - V).norm(), 1e-10 * size);
  report.below("transport has the right adjoint",
               (TV.transpose() * W - V.transpose() * T.adjoint(W)).norm(), 1e-11 * size * W.norm());
  if (T.inverse_adjoint)
    report.below("transport has the right inverse adjoint",
                 (T.adjoint(T.inverse_adjoint(V)) - V).norm(), 1e-9 * size);
  if (T.kind != Transport::Kind::general)
    report.below("transport is an isometry", (TV.transpose() * TV - V.transpose() * V).norm(),
                 1e-10 * size * size);
  report.below("transport is continuous", (frame.transport_to(near).apply(V) - V).norm(),
               1e-2 * size);
  return report;
}

LawReport check_state(const AnyFrame& frame, const FrameLawOptions& options) {
  LawReport report;
  if (!frame.abilities().state) return report;
  const Draws draws(options.seed, 4);
  const Vector v = 0.1 * options.step * draws.normals(0, frame.dimension(), 1).col(0);
  const AnyFrame moved = frame.retract(v), copy = frame.restored(moved.state());
  const Matrix E = draws.normals(1, frame.point().size(), 2);
  const auto differ = [](const Matrix& a, const Matrix& b) {
    return double((a.array() != b.array()).count());
  };
  report.below("a restored frame has the same point", differ(moved.point(), copy.point()), 0.5);
  report.below("a restored frame pulls the same", differ(moved.pull(E), copy.pull(E)), 0.5);
  report.below("a restored frame moves the same",
               differ(moved.retract(v).point(), copy.retract(v).point()), 0.5);
  return report;
}

LawReport check_path(const std::function<AnyFrame(double)>& path, Index steps) {
  const auto largest_jump = [&](Index count) {
    double jump = 0.0;
    Matrix before = push_matrix(path(0.0));
    for (Index k = 1; k <= count; ++k) {
      const Matrix now = push_matrix(path(double(k) / double(count)));
      jump = std::max(jump, (now - before).norm());
      before = now;
    }
    return jump;
  };
  LawReport report;
  report.above("jumps shrink with the steps", largest_jump(steps) / largest_jump(10 * steps), 5.0);
  return report;
}

LawReport check_frame(const AnyFrame& frame, const FrameLawOptions& options) {
  LawReport report = check_coordinates(frame, options);
  report.add(check_retraction(frame, options));
  if (options.exp_log) report.add(check_exp_log(frame, options));
  report.add(check_state(frame, options));
  return report;
}

}  // namespace fisherman::testing
