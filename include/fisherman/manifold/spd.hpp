// Symmetric positive definite matrices in four geometries. Ambient numbers are the n×n matrix; an
// ambient gradient counts as its symmetric part.
//
//   SpdEuclidean         tr(UV). The paper's baseline: add, and clip what leaves the cone.
//   SpdBuresWasserstein  tr(L_Σ(U) Σ L_Σ(V)), L_Σ the Lyapunov solution: optimal transport's.
//   SpdAffine            tr(Σ⁻¹UΣ⁻¹V): invariant under congruence, and for Gaussians Fisher's own.
//   SpdLogEuclidean      tr(D log[U] D log[V]): flat.
//
// All four frames are smooth functions of Σ: their transports are isometric and path-independent.
//
// Each has, besides the operations of a frame, what Gaussian<…> needs of a covariance geometry:
// pull_squares(A), the coordinates of the covectors a aᵀ for A's columns a, and pull_mean, push_mean
// and lift_mean, how the geometry measures the mean.
#pragma once

#include <string>

#include "fisherman/core/spectral.hpp"
#include "fisherman/manifold/frame.hpp"

namespace fisherman {

/// Eigenvalues below this are raised to it by the retractions that can leave the cone.
inline constexpr double spd_floor = 1e-8;

/// The covariance itself and what all geometries do with it.
class SpdPoint {
 public:
  Index order() const { return sigma_.rows(); }
  const Matrix& matrix() const { return sigma_; }
  Index dimension() const;
  Vector point() const { return as_vector(sigma_); }
  Vector state() const { return as_vector(sigma_); }
  Index clips() const { return clips_; }

 protected:
  /// A covariance that nobody needs to check again, and how many eigenvalues were clipped for it.
  struct Reached {
    Matrix sigma;
    Index clips = 0;
  };
  /// Symmetrises; throws NotFinite unless finite.
  explicit SpdPoint(Reached reached);
  /// A user's matrix: throws Misuse unless it is finite, symmetric to rounding, positive definite.
  /// With eigenvalues above `floor`.
  static Reached checked(const ConstMatrixRef& sigma, double floor = 0.0);
  /// Raises eigenvalues below spd_floor and counts them.
  static Reached clipped(const Matrix& sigma);
  Reached from_state(const Vector& state) const;
  Eigen::Map<const Matrix> gradient(const ConstMatrixRef& E, Index column) const;
  Matrix coordinates(const ConstVectorRef& v) const;

 private:
  Matrix sigma_;
  Index clips_ = 0;
};

class SpdEuclidean : public SpdPoint {
 public:
  static std::string type_name() { return "spd-euclidean"; }
  static constexpr bool embedded = true;

  explicit SpdEuclidean(const ConstMatrixRef& sigma) : SpdPoint(checked(sigma, spd_floor)) {}

  Matrix pull(const ConstMatrixRef& E) const;
  Matrix pull_squares(const ConstMatrixRef& A) const;
  Vector push(const ConstVectorRef& v) const;
  Vector lift(const Vector& U) const;
  /// Σ + U, clipped.
  SpdEuclidean retract(const Vector& v) const;
  /// Half the way to the boundary of the cone at most.
  double reach(const Vector& v) const;
  Transport transport_to(const SpdEuclidean&) const { return Transport::identity(); }
  SpdEuclidean restored(const Vector& state) const { return SpdEuclidean(from_state(state)); }

  Matrix pull_mean(const ConstMatrixRef& E) const { return E; }
  Vector push_mean(const ConstVectorRef& v) const { return v; }
  Vector lift_mean(const ConstVectorRef& u) const { return u; }

 private:
  explicit SpdEuclidean(Reached reached) : SpdPoint(std::move(reached)) {}
};

/// Coordinates are svec of P[(PᵀXP) ∘ √((λᵢ+λⱼ)/2)]Pᵀ with Σ = PΛPᵀ and X = L_Σ(U): the symmetric
/// square root of the metric, continuous also where eigenvalues cross.
class SpdBuresWasserstein : public SpdPoint {
 public:
  static std::string type_name() { return "spd-bures-wasserstein"; }
  explicit SpdBuresWasserstein(const ConstMatrixRef& sigma);

  Matrix pull(const ConstMatrixRef& E) const;
  Matrix pull_squares(const ConstMatrixRef& A) const;
  Vector push(const ConstVectorRef& v) const;
  Vector lift(const Vector& U) const;
  /// eq:bw-exp-map: (I+X)Σ(I+X), clipped. Second order; exact while I+X is positive.
  SpdBuresWasserstein retract(const Vector& v) const;
  /// Keeps ‖X‖ ≤ ½: at 1, I+X stops being positive.
  double reach(const Vector& v) const;

  SpdBuresWasserstein exp(const Vector& v) const { return retract(v); }
  Vector log(const SpdBuresWasserstein& other) const;
  /// eq:w2-distance
  double distance(const SpdBuresWasserstein& other) const;
  /// The differentiated exponential (appendix, appx:bw-diff-exp), O(n³) a column.
  Transport transport_to(const SpdBuresWasserstein& next) const;
  SpdBuresWasserstein restored(const Vector& state) const;

  /// The tangent vector as the paper writes it, X = L_Σ(U), and back.
  Matrix tangent_x(const ConstVectorRef& v) const;
  Vector from_tangent_x(const ConstMatrixRef& X) const;
  const Spectrum& eigen() const { return eigen_; }

  Matrix pull_mean(const ConstMatrixRef& E) const { return E; }
  Vector push_mean(const ConstVectorRef& v) const { return v; }
  Vector lift_mean(const ConstVectorRef& u) const { return u; }

 private:
  explicit SpdBuresWasserstein(Reached reached);
  Spectrum eigen_;
  Matrix weight_;  // √((λᵢ+λⱼ)/2)
};

/// How SpdAffine steps, with A = L⁻¹UL⁻ᵀ; all agree to second order.
enum class SpdRetraction {
  second_order,  // L(I + A + ½A²)Lᵀ
  exponential,
  precision  // L(I − A + ½A²)⁻¹Lᵀ: the first, of the inverse; the rule of Lin et al. (2020)
};

/// Coordinates are svec(L⁻¹UL⁻ᵀ)·scale with Σ = LLᵀ. scale² multiplies the metric: 1 for the usual
/// affine-invariant one, ½ for the Fisher information of a Gaussian's covariance.
class SpdAffine : public SpdPoint {
 public:
  static std::string type_name() { return "spd-affine"; }
  explicit SpdAffine(const ConstMatrixRef& sigma,
                     SpdRetraction retraction = SpdRetraction::second_order, double scale = 1.0);

  Matrix pull(const ConstMatrixRef& E) const;
  Matrix pull_squares(const ConstMatrixRef& A) const;
  Vector push(const ConstVectorRef& v) const;
  Vector lift(const Vector& U) const;
  /// Σ + U + ½UΣ⁻¹U, always positive definite; or exp.
  SpdAffine retract(const Vector& v) const;
  /// Keeps ‖L⁻¹UL⁻ᵀ‖ ≤ 1, where the second-order retraction and exp part.
  double reach(const Vector& v) const;

  SpdAffine exp(const Vector& v) const;
  Vector log(const SpdAffine& other) const;
  double distance(const SpdAffine& other) const { return log(other).norm(); }
  /// Parallel transport along the geodesic: U ↦ EUEᵀ, E = (Σ'Σ⁻¹)^½.
  Transport transport_to(const SpdAffine& next) const;
  SpdAffine restored(const Vector& state) const;
  const Matrix& cholesky() const { return L_; }
  double scale() const { return scale_; }

  Matrix pull_mean(const ConstMatrixRef& E) const;
  Vector push_mean(const ConstVectorRef& v) const;
  Vector lift_mean(const ConstVectorRef& u) const;

 private:
  SpdAffine(Reached reached, SpdRetraction retraction, double scale);
  Matrix L_;
  SpdRetraction retraction_;
  double scale_;
};

/// Coordinates are svec of D log(Σ)[U]; the point is kept as its logarithm.
class SpdLogEuclidean : public SpdPoint {
 public:
  static std::string type_name() { return "spd-log-euclidean"; }
  explicit SpdLogEuclidean(const ConstMatrixRef& sigma);

  Matrix pull(const ConstMatrixRef& E) const;
  Vector push(const ConstVectorRef& v) const;
  Vector lift(const Vector& U) const;
  SpdLogEuclidean retract(const Vector& v) const;
  /// Keeps ‖D log[U]‖ ≤ 2: no eigenvalue changes by more than a factor e².
  double reach(const Vector& v) const;

  SpdLogEuclidean exp(const Vector& v) const { return retract(v); }
  Vector log(const SpdLogEuclidean& other) const;
  double distance(const SpdLogEuclidean& other) const { return log(other).norm(); }
  Transport transport_to(const SpdLogEuclidean&) const { return Transport::identity(); }
  Vector state() const { return as_vector(log_sigma_); }
  SpdLogEuclidean restored(const Vector& state) const;

 private:
  struct Logarithm {
    Matrix value;
  };
  explicit SpdLogEuclidean(Logarithm log_sigma);
  Matrix differential(const ConstMatrixRef& S) const;  // D exp(log Σ)[S], self-adjoint
  Matrix log_sigma_;
  Spectrum eigen_;  // of log Σ
  Matrix divided_;  // first divided differences of exp at its eigenvalues
};

}  // namespace fisherman
