// Orthonormal frames St(p, n) = {X : XᵀX = I}, with the embedded metric tr(UᵀV); O(n) is p = n.
//
// The point is kept with a complement, Q = [X X⊥], and a tangent vector U = XΩ + X⊥K has the
// coordinates (√2 · strictly lower part of Ω, K). Q moves along with the retraction. For Cayley's
// it moves by the same transform, so the paper's isometric transport
// (eq:stiefel-isometric-transport) *is* the identity in coordinates.
//
// A complement must not be made afresh at each point by a QR factorisation: its sign rule makes the
// basis jump between neighbouring points, and a jump scrambles an operator silently.
#pragma once

#include <string>

#include "fisherman/manifold/frame.hpp"

namespace fisherman {

/// Cayley is second order for p = n and p = 1 and first order otherwise; polar is second order, QR first.
enum class StiefelRetraction { cayley, qr, polar };

class Stiefel {
 public:
  static std::string type_name() { return "stiefel"; }
  static constexpr bool embedded = true;

  /// Throws Misuse unless X is n×p, p ≤ n, with orthonormal columns.
  explicit Stiefel(const ConstMatrixRef& X,
                   StiefelRetraction retraction = StiefelRetraction::cayley);

  Index rows() const { return Q_.rows(); }
  Index cols() const { return p_; }
  auto matrix() const { return Q_.leftCols(p_); }
  auto complement() const { return Q_.rightCols(rows() - p_); }

  Index dimension() const;
  Vector point() const;
  Matrix pull(const ConstMatrixRef& E) const;
  Vector push(const ConstVectorRef& v) const;
  Vector lift(const Vector& U) const { return pull(U); }
  Stiefel retract(const Vector& v) const;
  /// Keeps the largest rotation of a step at about one radian.
  double reach(const Vector& v) const;

  /// On O(n) only: W exp(Ω), its inverse (both in one component and less than π apart), ‖Ω‖.
  Stiefel exp(const Vector& v) const;
  Vector log(const Stiefel& other) const;
  double distance(const Stiefel& other) const { return log(other).norm(); }

  /// The paper's isometric transport, for the Cayley retraction; throws Misuse for the others.
  /// `next` must have been reached from here by retract(): then it is the identity in coordinates.
  Transport transport_to(const Stiefel& next) const;

  Vector state() const { return as_vector(Q_); }
  Stiefel restored(const Vector& state) const;

 private:
  struct Basis {
    Matrix Q;
  };
  Stiefel(Basis basis, Index p, StiefelRetraction retraction)
      : Q_(std::move(basis.Q)), p_(p), retraction_(retraction) {}
  Matrix tangent(const ConstVectorRef& v) const;  // QᵀU = [Ω; K]
  Matrix cayley(const Matrix& w) const;

  Matrix Q_;
  Index p_;
  StiefelRetraction retraction_;
};

}  // namespace fisherman
