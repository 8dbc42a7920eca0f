// p-dimensional subspaces of ℝⁿ, Gr(p, n): orthonormal X up to X → XO. An ambient gradient E with
// respect to X must belong to a function of the subspace, f(XO) = f(X).
//
// The point is kept with a complement, Q = [X X⊥], which moves along with the retraction; a tangent
// vector U = X⊥K has the coordinates K, with the metric tr(UᵀV).
#pragma once

#include <string>

#include "fisherman/manifold/frame.hpp"

namespace fisherman {

/// All are second order. QR too: what makes it first order on Stiefel is a turn within the subspace.
enum class GrassmannRetraction { exponential, qr, polar };

class Grassmann {
 public:
  static std::string type_name() { return "grassmann"; }
  static constexpr bool embedded = true;

  explicit Grassmann(const ConstMatrixRef& X,
                     GrassmannRetraction retraction = GrassmannRetraction::exponential);

  Index rows() const { return Q_.rows(); }
  Index cols() const { return p_; }
  auto matrix() const { return Q_.leftCols(p_); }

  Index dimension() const { return (rows() - p_) * p_; }
  Vector point() const;
  Matrix pull(const ConstMatrixRef& E) const;
  Vector push(const ConstVectorRef& v) const;
  Vector lift(const Vector& U) const { return pull(U); }
  Grassmann retract(const Vector& v) const;
  /// Keeps principal angles of a step below one radian or so.
  double reach(const Vector& v) const;

  Grassmann exp(const Vector& v) const;
  /// The subspaces must be less than π/2 apart in every principal angle.
  Vector log(const Grassmann& other) const;
  /// The norm of the principal angles.
  double distance(const Grassmann& other) const;
  /// Parallel transport: the identity in coordinates along the geodesic that retract() took; throws
  /// Misuse unless the retraction is the exponential.
  Transport transport_to(const Grassmann& next) const;

  Vector state() const { return as_vector(Q_); }
  Grassmann restored(const Vector& state) const;

 private:
  struct Basis {
    Matrix Q;
  };
  Grassmann(Basis basis, Index p, GrassmannRetraction retraction)
      : Q_(std::move(basis.Q)), p_(p), retraction_(retraction) {}
  Matrix tangent(const ConstVectorRef& v) const;  // K

  Matrix Q_;
  Index p_;
  GrassmannRetraction retraction_;
};

}  // namespace fisherman
