// ℝⁿ.
#pragma once

#include <string>

#include "fisherman/manifold/frame.hpp"

namespace fisherman {

class Euclidean {
 public:
  static std::string type_name() { return "euclidean"; }
  static constexpr bool embedded = true;

  explicit Euclidean(Vector x) : x_(std::move(x)) {
    require(x_.allFinite(), "the Euclidean start holds a NaN or an infinity");
  }

  Index dimension() const { return x_.size(); }
  const Vector& point() const { return x_; }
  Matrix pull(const ConstMatrixRef& E) const {
    require_size(E, dimension(), "a Euclidean gradient");
    return E;
  }
  Vector push(const ConstVectorRef& v) const {
    require_size(v, dimension(), "a Euclidean tangent vector");
    return v;
  }
  Vector lift(const Vector& U) const { return U; }
  Euclidean retract(const Vector& v) const {
    require_finite(v, "a Euclidean step");
    return Euclidean(x_ + v);
  }

  Euclidean exp(const Vector& v) const { return retract(v); }
  Vector log(const Euclidean& other) const { return other.x_ - x_; }
  double distance(const Euclidean& other) const { return log(other).norm(); }
  Transport transport_to(const Euclidean&) const { return Transport::identity(); }
  Vector state() const { return x_; }
  Euclidean restored(const Vector& state) const { return Euclidean(state); }

 private:
  Vector x_;
};

}  // namespace fisherman
