// The paper's appendix "Gaussian Variational Inference" (appx:bw-nat-grad), in coordinates.
#include <cmath>

#include "fisherman/core/packing.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/manifold/spd.hpp"

namespace fisherman {
namespace {

Matrix square_root(const Spectrum& s) {
  return s.map([](double x) { return std::sqrt(x); });
}

/// Columns v ↦ svec( sym( left · [ (Pᵀ smat(v) P) ∘ scale ] · right ) ∘ scale_out rotated by P_out
/// ): all four maps of the transport have this form.
struct TwoSided {
  Matrix P, scale, left, right, scale_out, P_out;

  Matrix operator()(const ConstMatrixRef& columns) const {
    const Index n = P.rows();
    Matrix out(columns.rows(), columns.cols());
    constexpr Index chunk = 64;
    const Index chunks = (columns.cols() + chunk - 1) / chunk;
    parallel_for(std::size_t(chunks), [&](std::size_t task) {
      const Index end = std::min(columns.cols(), (Index(task) + 1) * chunk);
      for (Index k = Index(task) * chunk; k < end; ++k) {
        Matrix m = P.transpose() * smat(columns.col(k), n) * P;
        m.array() *= scale.array();
        m = (left * m * right).eval();
        m = ((m + m.transpose()).array() * scale_out.array()).matrix().eval();
        out.col(k) = svec(P_out * m * P_out.transpose());
      }
    });
    return out;
  }
};

}  // namespace

SpdBuresWasserstein::SpdBuresWasserstein(const ConstMatrixRef& sigma)
    : SpdBuresWasserstein(checked(sigma, spd_floor)) {}

SpdBuresWasserstein::SpdBuresWasserstein(Reached reached)
    : SpdPoint(std::move(reached)), eigen_(spectrum(matrix())), weight_(order(), order()) {
  const Vector& lambda = eigen_.values;
  for (Index j = 0; j < order(); ++j)
    for (Index i = 0; i < order(); ++i) weight_(i, j) = std::sqrt(0.5 * (lambda(i) + lambda(j)));
}

SpdBuresWasserstein SpdBuresWasserstein::restored(const Vector& state) const {
  return SpdBuresWasserstein(from_state(state));
}

Matrix SpdBuresWasserstein::tangent_x(const ConstVectorRef& v) const {
  const Matrix& P = eigen_.P;
  const Matrix C = P.transpose() * coordinates(v) * P;
  return P * (C.array() / weight_.array()).matrix() * P.transpose();
}

Vector SpdBuresWasserstein::from_tangent_x(const ConstMatrixRef& X) const {
  const Matrix& P = eigen_.P;
  const Matrix C = P.transpose() * X * P;
  return svec(P * (C.array() * weight_.array()).matrix() * P.transpose());
}

// DL[U] = tr(E(XΣ+ΣX)), so in the eigenbasis the covector on X is eᵢⱼ(λᵢ+λⱼ), and on the
// coordinates x·w it is eᵢⱼ(λᵢ+λⱼ)/w = 2 eᵢⱼ w. The Riemannian gradient in X-coordinates is 2E: the
// paper's appendix omits this 2 in the score.
Matrix SpdBuresWasserstein::pull(const ConstMatrixRef& E) const {
  Matrix out(dimension(), E.cols());
  for (Index k = 0; k < E.cols(); ++k) {
    const auto G = gradient(E, k);
    out.col(k) = from_tangent_x(G + G.transpose());
  }
  return out;
}

Matrix SpdBuresWasserstein::pull_squares(const ConstMatrixRef& A) const {
  const Matrix& P = eigen_.P;
  const Matrix B = P.transpose() * A;
  Matrix out(dimension(), A.cols());
  for (Index k = 0; k < A.cols(); ++k) {
    const Matrix scaled =
        (2.0 * (B.col(k) * B.col(k).transpose()).array() * weight_.array()).matrix();
    out.col(k) = svec(P * scaled * P.transpose());
  }
  return out;
}

Vector SpdBuresWasserstein::push(const ConstVectorRef& v) const {
  const Matrix X = tangent_x(v);
  const Matrix U = X * matrix() + matrix() * X;
  return as_vector(U);
}

Vector SpdBuresWasserstein::lift(const Vector& U) const {
  return from_tangent_x(lyapunov(eigen_, gradient(U, 0)));
}

SpdBuresWasserstein SpdBuresWasserstein::retract(const Vector& v) const {
  const Matrix move = Matrix::Identity(order(), order()) + tangent_x(v);
  return SpdBuresWasserstein(clipped(move * matrix() * move));
}

double SpdBuresWasserstein::reach(const Vector& v) const {
  const Vector x = spectrum(tangent_x(v)).values;
  const double norm = x.cwiseAbs().maxCoeff();
  return norm > 0.5 ? 0.5 / norm : 1.0;
}

Vector SpdBuresWasserstein::log(const SpdBuresWasserstein& other) const {
  const Matrix inverse = eigen_.map([](double x) { return 1.0 / x; });
  return from_tangent_x(geometric_mean(inverse, other.matrix()) -
                        Matrix::Identity(order(), order()));
}

double SpdBuresWasserstein::distance(const SpdBuresWasserstein& other) const {
  return log(other).norm();
}

// T = D exp_Σ(log_Σ Σ') takes X to L_Σ'(MX + XMᵀ), M = CΣ, C = Σ⁻¹ # Σ'. With W the weights of a
// frame (X ↦ its coordinates), T = W'·L_Σ'·K·W⁻¹ and K(X) = MX + XMᵀ. K is inverted by the
// substitution X = C^½YC^½, which makes it a Lyapunov equation with S = C^½ΣC^½.
Transport SpdBuresWasserstein::transport_to(const SpdBuresWasserstein& next) const {
  const Matrix C = geometric_mean(eigen_.map([](double x) { return 1.0 / x; }), next.matrix());
  const Matrix M = C * matrix();
  const Matrix &P1 = eigen_.P, &P2 = next.eigen_.P;
  const Matrix& w1 = weight_;
  const Matrix& w2 = next.weight_;
  const Matrix one = Matrix::Ones(order(), order());
  const Matrix unweight1 = one.cwiseQuotient(w1);
  const Matrix lyapunov2 = (0.5 * one).cwiseQuotient(w2);  // w/(λᵢ+λⱼ) = 1/(2w)

  const TwoSided apply{P1, unweight1, P2.transpose() * M * P1, P1.transpose() * P2, lyapunov2, P2};
  const TwoSided adjoint{
      P2, lyapunov2, P1.transpose() * M.transpose() * P2, P2.transpose() * P1, unweight1, P1};

  // T⁻ᵀ = W'⁻¹·L_Σ'⁻¹·K⁻ᵀ·W, K⁻ᵀ(Y) = C^-½ L_S(C^½YC^½) C^-½
  const Spectrum c = spectrum(C);
  const Matrix root = square_root(c);
  const Matrix inverse_root = c.map([](double x) { return 1.0 / std::sqrt(x); });
  const Spectrum s = spectrum(root * matrix() * root);
  Matrix lyapunov_s(order(), order());
  for (Index j = 0; j < order(); ++j)
    for (Index i = 0; i < order(); ++i) lyapunov_s(i, j) = 0.5 / (s.values(i) + s.values(j));
  const Matrix in = s.P.transpose() * root * P1;
  const TwoSided first{P1, w1, in, in.transpose(), lyapunov_s, s.P};
  const Matrix out = P2.transpose() * inverse_root * s.P;
  const TwoSided second{s.P, one, out, out.transpose(), w2, P2};  // (λᵢ+λⱼ)/w /2 = w
  return {apply, adjoint, [first, second](const ConstMatrixRef& m) { return second(first(m)); }};
}

}  // namespace fisherman
