#include <Eigen/Cholesky>
#include <cmath>

#include "fisherman/core/packing.hpp"
#include "fisherman/manifold/spd.hpp"

namespace fisherman {

SpdAffine::SpdAffine(const ConstMatrixRef& sigma, SpdRetraction retraction, double scale)
    : SpdAffine(checked(sigma), retraction, scale) {}

SpdAffine::SpdAffine(Reached reached, SpdRetraction retraction, double scale)
    : SpdPoint(std::move(reached)), retraction_(retraction), scale_(scale) {
  const Eigen::LLT<Matrix> llt(matrix());
  if (llt.info() != Eigen::Success) throw NotFinite("a covariance after a step is singular");
  L_ = llt.matrixL();
}

SpdAffine SpdAffine::restored(const Vector& state) const {
  return SpdAffine(from_state(state), retraction_, scale_);
}

Matrix SpdAffine::pull(const ConstMatrixRef& E) const {
  Matrix out(dimension(), E.cols());
  for (Index k = 0; k < E.cols(); ++k)
    out.col(k) = svec(L_.transpose() * gradient(E, k) * L_) / scale_;
  return out;
}

Matrix SpdAffine::pull_squares(const ConstMatrixRef& A) const {
  const Matrix B = L_.transpose() * A;
  Matrix out(dimension(), A.cols());
  for (Index k = 0; k < A.cols(); ++k) out.col(k) = svec(B.col(k) * B.col(k).transpose()) / scale_;
  return out;
}

Vector SpdAffine::push(const ConstVectorRef& v) const {
  const Matrix U = L_ * (coordinates(v) / scale_) * L_.transpose();
  return as_vector(U);
}

Vector SpdAffine::lift(const Vector& U) const {
  const auto L = L_.triangularView<Eigen::Lower>();
  const Matrix half = L.solve(gradient(U, 0));
  return svec(L.solve(half.transpose())) * scale_;
}

SpdAffine SpdAffine::retract(const Vector& v) const {
  if (retraction_ == SpdRetraction::exponential) return exp(v);
  const Matrix S = coordinates(v) / scale_, I = Matrix::Identity(order(), order());
  const bool inverse = retraction_ == SpdRetraction::precision;
  const double sign = inverse ? -1.0 : 1.0;
  Matrix step = I + sign * S + 0.5 * S * S;
  if (inverse) step = Eigen::LLT<Matrix>(step).solve(I);
  return SpdAffine(Reached{L_ * step * L_.transpose()}, retraction_, scale_);
}

double SpdAffine::reach(const Vector& v) const {
  const double norm = spectrum(coordinates(v) / scale_).values.cwiseAbs().maxCoeff();
  return norm > 1.0 ? 1.0 / norm : 1.0;
}

SpdAffine SpdAffine::exp(const Vector& v) const {
  const Matrix step = spectrum(coordinates(v) / scale_).map([](double x) { return std::exp(x); });
  return SpdAffine(Reached{L_ * step * L_.transpose()}, retraction_, scale_);
}

Vector SpdAffine::log(const SpdAffine& other) const {
  const Matrix K = L_.triangularView<Eigen::Lower>().solve(other.L_);
  return svec(spectrum(K * K.transpose()).map([](double x) { return std::log(x); })) * scale_;
}

// In coordinates U ↦ EUEᵀ becomes S ↦ OSOᵀ with O = L'⁻¹EL orthogonal, and E = L(L⁻¹Σ'L⁻ᵀ)^½L⁻¹.
Transport SpdAffine::transport_to(const SpdAffine& next) const {
  const Matrix K = L_.triangularView<Eigen::Lower>().solve(next.L_);
  const Matrix root = spectrum(K * K.transpose()).map([](double x) { return std::sqrt(x); });
  const Matrix O = K.triangularView<Eigen::Lower>().solve(root);
  const auto rotate = [n = order()](const Matrix& R) {
    return [n, R](const ConstMatrixRef& columns) {
      Matrix out(columns.rows(), columns.cols());
      for (Index k = 0; k < columns.cols(); ++k)
        out.col(k) = svec(R * smat(columns.col(k), n) * R.transpose());
      return out;
    };
  };
  return Transport::isometry(rotate(O), rotate(O.transpose()));
}

Matrix SpdAffine::pull_mean(const ConstMatrixRef& E) const { return L_.transpose() * E; }
Vector SpdAffine::push_mean(const ConstVectorRef& v) const { return L_ * v; }

Vector SpdAffine::lift_mean(const ConstVectorRef& u) const {
  return L_.triangularView<Eigen::Lower>().solve(u);
}

}  // namespace fisherman
