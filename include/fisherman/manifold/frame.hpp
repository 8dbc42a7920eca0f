// A frame is the manifold seen from one point.
//
// It is a linear isometry F from ℝᴺ to the tangent space at its point, together with the retraction.
// In its coordinates the paper's metric matrix G, adjoints and transports become ordinary linear
// algebra: scores and gradients enter as pulled-back covectors, the Fisher operator is the symmetric
// matrix E[φφᵀ], and transport by the frame is the identity.
//
// Points, tangent vectors and gradients are flat columns of ambient numbers (a matrix column by
// column), so that one signature serves every manifold, and b covectors are simply b columns.
//
//   dimension()  N, the number of coordinates. N may exceed the manifold's dimension (a redundant
//                frame, such as "project onto the tangent space"), as long as the laws hold.
//   point()      the point, in ambient numbers.
//   pull(E)      coordinates of the covectors whose ambient (Euclidean) gradients are E's columns.
//   push(v)      the ambient tangent vector with coordinates v.
//   retract(v)   the frame at the point reached by moving along v. Its basis is moved along, so that
//                coordinates carry over.
//
// Laws (tested by fisherman/testing/frame_laws.hpp, on our manifolds and on yours):
//   1. pull is the transpose of push: pull(E)·v = E·push(v).
//   2. coordinates are orthonormal in the metric, so push(pull(E)) is the Riemannian gradient.
//      (In a redundant frame both hold for v among the coordinates of tangent vectors.)
//   3. retract(0) is the same frame, and d/dt point(retract(t v)) at 0 is push(v).
//   4. the frame moves continuously: a step of length h turns it by O(h).
//
// What a frame may offer besides, and what is assumed when it does not:
//   embedded             a constant: the metric is the ambient one                        (false)
//   reach(v)             the fraction of v that the retraction can be trusted with        (1)
//   clips()              eigenvalues that had to be clipped to get here                   (0)
//   lift(U)              coordinates of an ambient tangent vector, push's inverse         (least squares)
//   transport_to(next)   the paper's transport as a linear map in coordinates             (none)
//   exp, log, distance   where closed forms exist                                         (none)
//   state(), restored()  all numbers of the frame, and a frame made from them: what a
//                        checkpoint keeps                                                 (none)
#pragma once

#include <concepts>

#include "fisherman/core/error.hpp"
#include "fisherman/core/types.hpp"
#include "fisherman/manifold/transport.hpp"

namespace fisherman {

template <class F>
concept Frame = std::copyable<F> && requires(const F& frame, const Matrix& E, const Vector& v) {
  { frame.dimension() } -> std::convertible_to<Index>;
  { frame.point() } -> std::convertible_to<Vector>;
  { frame.pull(E) } -> std::convertible_to<Matrix>;
  { frame.push(v) } -> std::convertible_to<Vector>;
  { frame.retract(v) } -> std::same_as<F>;
};

/// The metric is the ambient dot product, so that push∘pull is the projection onto the tangent space. A
/// frame says so by a constant, `static constexpr bool embedded = true`.
template <class F>
concept Embedded = Frame<F> && bool(F::embedded);

template <class F>
concept HasReach = requires(const F& frame, const Vector& v) {
  { frame.reach(v) } -> std::convertible_to<double>;
};

template <class F>
concept HasTransport = requires(const F& frame, const F& next) {
  { frame.transport_to(next) } -> std::convertible_to<Transport>;
};

template <class F>
concept HasExp = requires(const F& frame, const Vector& v) {
  { frame.exp(v) } -> std::same_as<F>;
};

template <class F>
concept HasLog = requires(const F& frame, const F& other) {
  { frame.log(other) } -> std::convertible_to<Vector>;
};

template <class F>
concept HasDistance = requires(const F& frame, const F& other) {
  { frame.distance(other) } -> std::convertible_to<double>;
};

template <class F>
concept HasState = requires(const F& frame, const Vector& state) {
  { frame.state() } -> std::convertible_to<Vector>;
  { frame.restored(state) } -> std::same_as<F>;
};

template <Frame F>
double reach(const F& frame, const Vector& v) {
  if constexpr (HasReach<F>)
    return frame.reach(v);
  else
    return 1.0;
}

/// The coordinates whose push comes closest to the ambient vector U: lift(push(v)) = v. Conjugate
/// gradients on pull∘push where the frame does not say; one iteration if the metric is the ambient one.
template <Frame F>
Vector lift(const F& frame, const Vector& U) {
  if constexpr (requires { frame.lift(U); }) {
    return frame.lift(U);
  } else {
    Vector r = frame.pull(Matrix(U)), x = Vector::Zero(r.size()), p = r;
    double rr = r.squaredNorm();
    const double enough = 1e-26 * rr + 1e-30 * U.squaredNorm();
    for (Index k = 0; k < 2 * r.size() && rr > enough; ++k) {
      const Vector Ap = frame.pull(Matrix(frame.push(p)));
      if (!(p.dot(Ap) > 0.0)) break;
      const double alpha = rr / p.dot(Ap);
      x += alpha * p;
      r -= alpha * Ap;
      const double before = rr;
      rr = r.squaredNorm();
      p = r + (rr / before) * p;
    }
    return x;
  }
}

/// The frame at the manifold's point nearest to the ambient point m, found from a frame close to it.
template <Frame F>
F nearest(const F& start, const Vector& m) {
  F frame = start;
  for (int k = 0; k < 50; ++k) {  // two or three where the start is close
    Vector v = lift(frame, m - Vector(frame.point()));
    const double fraction = reach(frame, v);
    frame = frame.retract(Vector(fraction * v));
    if (fraction == 1.0 && v.norm() < 1e-9) break;
  }
  return frame;
}

template <Frame F>
Index clips(const F& frame) {
  if constexpr (requires { frame.clips(); })
    return frame.clips();
  else
    return 0;
}

}  // namespace fisherman
