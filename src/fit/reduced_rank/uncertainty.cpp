// Standard errors of a reduced-rank fit, from the Fisher information of all rows.
#include <Eigen/Cholesky>

#include "fisherman/fit/reduced_rank.hpp"

namespace fisherman {
namespace {

/// ridge·tr(dB C dBᵀ), with dB = (UM + U_p)Vᵀ + UV_pᵀ, as a quadratic form in the coordinates; like the information, it is
/// zero in those that no tangent vector has.
void add_prior(Matrix& F, const FixedRank& B, double ridge) {
  const Index r = B.rank(), p = B.rows(), k = B.cols(), up = r * r, vp = up + r * p;
  const Matrix C = Matrix::Identity(k, k).array() - 1.0 / double(k + 1);
  const Matrix VCV = B.V().transpose() * C * B.V();
  const Matrix across_u = Matrix::Identity(p, p) - B.U() * B.U().transpose(),
               across_v = Matrix::Identity(k, k) - B.V() * B.V().transpose();
  const Matrix CV = across_v * C * B.V(), across_C = across_v * C * across_v;
  for (Index a = 0; a < r; ++a) {
    for (Index b = 0; b < r; ++b) {
      F.block(a * r, b * r, r, r).diagonal().array() += ridge * VCV(a, b);
      F.block(up + a * p, up + b * p, p, p) += ridge * VCV(a, b) * across_u;
      // M(a, b) meets column a of V_p.
      F.block(vp + a * k, b * r + a, k, 1) += ridge * CV.col(b);
      F.block(b * r + a, vp + a * k, 1, k) += ridge * CV.col(b).transpose();
    }
    F.block(vp + a * k, vp + a * k, k, k) += ridge * across_C;
  }
}

}  // namespace

Uncertainty::Uncertainty(ReducedRank point, Matrix covariance)
    : point_(std::move(point)), covariance_(std::move(covariance)) {
  require(covariance_.rows() == point_.dimension() && covariance_.cols() == point_.dimension(),
          "the covariance is ", covariance_.rows(), " x ", covariance_.cols(), ", but must be ",
          point_.dimension(), " x ", point_.dimension());
}

std::optional<Uncertainty> Uncertainty::of(const std::shared_ptr<const ClassData>& data,
                                           const ReducedRank& point, double ridge) {
  const Multinomial model(data);
  Matrix F = double(data->rows()) * model.fisher_matrix(point);
  if (ridge > 0.0) add_prior(F, point.factor<0>(), ridge);
  // The frame has more coordinates than the manifold dimensions. In those that no tangent vector has
  // (UᵀU_p and VᵀV_p) the information is zero; anything positive there makes F invertible and does not
  // reach what is read off, because pulled covectors have no part in them.
  const FixedRank& B = point.factor<0>();
  const Index r = B.rank(), p = B.rows(), k = B.cols();
  const double typical = F.trace() / double(F.rows());
  const Matrix UU = B.U() * B.U().transpose(), VV = B.V() * B.V().transpose();
  for (Index j = 0; j < r; ++j) {
    F.block(r * r + j * p, r * r + j * p, p, p) += typical * UU;
    F.block(r * r + r * p + j * k, r * r + r * p + j * k, k, k) += typical * VV;
  }
  const Eigen::LLT<Matrix> factor(F);
  if (factor.info() != Eigen::Success || !(factor.rcond() > 1e-14)) return std::nullopt;
  return Uncertainty(point, factor.solve(Matrix::Identity(F.rows(), F.cols())));
}

Matrix Uncertainty::coefficients() const {
  const FixedRank& B = point_.factor<0>();
  const Index d = B.dimension();
  const auto C = covariance_.topLeftCorner(d, d);
  Matrix out(B.rows(), B.cols());
  for (Index j = 0; j < B.cols(); ++j) {
    const Matrix unit = Vector::Unit(B.cols(), j).replicate(1, B.rows());
    const Matrix L = B.pull_outer(Matrix::Identity(B.rows(), B.rows()), unit);
    out.col(j) = (L.array() * (C * L).array()).colwise().sum().max(0.0).sqrt().transpose();
  }
  return out;
}

Vector Uncertainty::intercepts() const {
  return covariance_.diagonal().tail(point_.factor<1>().dimension()).cwiseMax(0.0).cwiseSqrt();
}

Matrix Uncertainty::probabilities(const Matrix& x) const {
  const LinearScores s = Multinomial::linear(point_);
  const Matrix z = s.left.transpose() * x;
  const Matrix p = fisherman::probabilities((s.right * z).colwise() + s.intercepts);
  const Index K = p.rows();
  const FixedRank& B = point_.factor<0>();
  Matrix out(K, x.cols());
  for (Index i = 0; i < x.cols(); ++i) {
    // ∂p_k/∂η = p_k(e_k − p), and η = Bᵀx + α.
    Matrix slopes = -p.col(i).head(K - 1) * p.col(i).transpose();
    slopes.diagonal() += p.col(i).head(K - 1);
    Matrix g(point_.dimension(), K);
    B.pull_outer(x.col(i).replicate(1, K), slopes, g.topRows(B.dimension()));
    g.bottomRows(K - 1) = slopes;
    out.col(i) =
        (g.array() * (covariance_ * g).array()).colwise().sum().max(0.0).sqrt().transpose();
  }
  return out;
}

}  // namespace fisherman
