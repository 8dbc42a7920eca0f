// Unit spheres: the columns of an n×k matrix, each of norm one. k = 1 is the sphere, k > 1 the
// oblique manifold.
//
// A sphere has no continuous basis of its tangent spaces (the hairy ball), so the frame is
// redundant: coordinates are ambient numbers, pull and push project. It needs no complement and
// costs O(nk).
#pragma once

#include <string>

#include "fisherman/manifold/frame.hpp"

namespace fisherman {

class Oblique {
 public:
  static std::string type_name() { return "oblique"; }
  static constexpr bool embedded = true;

  /// Throws Misuse unless X is finite and no column is zero; columns are scaled to norm one.
  explicit Oblique(const ConstMatrixRef& X);

  Index rows() const { return X_.rows(); }
  Index cols() const { return X_.cols(); }
  const Matrix& matrix() const { return X_; }

  Index dimension() const { return X_.size(); }
  Vector point() const { return as_vector(X_); }
  Matrix pull(const ConstMatrixRef& E) const;
  Vector push(const ConstVectorRef& v) const { return pull(v); }
  Vector lift(const Vector& U) const { return pull(U); }
  /// The exponential: great circles.
  Oblique retract(const Vector& v) const;
  /// At most a quarter turn.
  double reach(const Vector& v) const;

  Oblique exp(const Vector& v) const { return retract(v); }
  /// No column may face its opposite.
  Vector log(const Oblique& other) const;
  double distance(const Oblique& other) const { return log(other).norm(); }
  /// Parallel transport along great circles: the rotation that takes each x to its x'.
  Transport transport_to(const Oblique& next) const;

  Vector state() const { return as_vector(X_); }
  Oblique restored(const Vector& state) const;

 private:
  struct Unit {
    Matrix X;
  };
  explicit Oblique(Unit unit) : X_(std::move(unit.X)) {}
  Matrix X_;
};

/// The unit sphere in ℝⁿ.
using Sphere = Oblique;

}  // namespace fisherman
