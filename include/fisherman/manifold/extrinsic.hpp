// The paper's "extrinsic" baseline: an operator in the ambient space, raw Euclidean scores, and the
// direction projected onto the tangent space. It is a Fisher approximation in a different frame,
// not a different approximation: pull does nothing, push projects. So any approximation runs
// extrinsically.
#pragma once

#include "fisherman/core/type_name.hpp"
#include "fisherman/manifold/frame.hpp"

namespace fisherman {

/// For frames embedded with the ambient metric: Stiefel, Grassmann, sphere, fixed rank, Euclidean, and
/// products of those.
template <Embedded Base>
class Extrinsic {
 public:
  static std::string type_name() { return sentence("extrinsic ", fisherman::type_name<Base>()); }
  static constexpr bool embedded = true;

  explicit Extrinsic(Base base) : base_(std::move(base)) {}

  const Base& base() const { return base_; }
  Index dimension() const { return Vector(base_.point()).size(); }
  Vector point() const { return base_.point(); }
  Matrix pull(const ConstMatrixRef& E) const {
    require_size(E, dimension(), "an ambient gradient");
    return E;
  }
  Vector push(const Vector& v) const { return base_.push(inner(v)); }
  Vector lift(const Vector& U) const { return push(U); }
  Extrinsic retract(const Vector& v) const { return Extrinsic(base_.retract(inner(v))); }
  double reach(const Vector& v) const { return fisherman::reach(base_, inner(v)); }
  Index clips() const { return fisherman::clips(base_); }
  /// Everything stays in one ambient space.
  Transport transport_to(const Extrinsic&) const { return Transport::identity(); }
  Vector state() const requires HasState<Base> { return base_.state(); }
  Extrinsic restored(const Vector& state) const requires HasState<Base> {
    return Extrinsic(base_.restored(state));
  }

 private:
  Vector inner(const Vector& v) const { return base_.pull(Matrix(v)); }
  Base base_;
};

}  // namespace fisherman
