#include "fisherman/model/low_rank_gaussian.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "fisherman/core/error.hpp"

namespace fisherman {
namespace {

constexpr double least_information = 0.1;  // δ
constexpr double most_log_scale = 300.0;
const double root_two = std::sqrt(2.0);

Vector packed_low_rank(const Vector& mean, const Vector& log_s, const Matrix& F) {
  Vector out(mean.size() + log_s.size() + F.size());
  out << mean, log_s, F.reshaped();
  return out;
}

/// (I + GGᵀ)^½ or, with `invert`, its inverse, times the columns.
Matrix root_times(const Matrix& G, const Matrix& V, const Vector& squares, const Matrix& columns,
                  bool invert) {
  const Eigen::ArrayXd root = (1.0 + squares.array()).sqrt();
  // (√(1 + σ²) − 1)/σ² = 1/(√(1 + σ²) + 1), which is no 0/0 where σ is 0.
  Vector weights = 1.0 / (root + 1.0);
  if (invert) weights = -(weights.array() / root);
  const Matrix along = V.transpose() * (G.transpose() * columns);
  return columns + G * (V * (weights.asDiagonal() * along));
}

}  // namespace

LowRankFrame::LowRankFrame(const Vector& mean, const Vector& s, const Matrix& F)
    : LowRankFrame(packed_low_rank(mean, s.array().log(), F), mean.size(), F.cols()) {
  require(s.size() == mean.size() && F.rows() == mean.size(),
          "a mean, scales and factors have sizes that do not go together");
}

LowRankFrame::LowRankFrame(Vector point, Index order, Index rank)
    : point_(std::move(point)), order_(order), rank_(rank) {
  require(order > 0 && rank > 0, "a Gaussian of low rank needs coordinates and factors");
  require_size(point_, order * (2 + rank), "a mean, scales and factors");
  require(point_.allFinite(), "a Gaussian of low rank holds a NaN or an infinity");
  s_ = point_.segment(order, order).array().exp();
  require(s_.allFinite() && s_.minCoeff() > 0.0, "a scale is 0 or infinite");
  G_ = s_.cwiseInverse().asDiagonal() * factor();
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(Matrix(G_.transpose() * G_));
  V_ = eigen.eigenvectors();
  squares_ = eigen.eigenvalues().cwiseMax(0.0);
  const Vector roots = (squares_.array() / (1.0 + squares_.array()) + least_information).sqrt();
  T_ = V_ * roots.cwiseInverse().asDiagonal() * V_.transpose();
  undo_ = V_ * roots.asDiagonal() * V_.transpose();
}

Vector LowRankFrame::variances() const {
  return s_.cwiseAbs2().array() * (1.0 + G_.rowwise().squaredNorm().array());
}

Matrix LowRankFrame::pull(const ConstMatrixRef& E) const {
  require_size(E, dimension(), "a gradient of a Gaussian of low rank");
  Matrix out(E.rows(), E.cols());
  out.topRows(order_) = root_times(G_, V_, squares_, s_.asDiagonal() * E.topRows(order_), false);
  out.middleRows(order_, order_) = E.middleRows(order_, order_) / root_two;
  for (Index k = 0; k < E.cols(); ++k)
    out.col(k).tail(order_ * rank_).reshaped(order_, rank_) =
        s_.asDiagonal() * (E.col(k).tail(order_ * rank_).reshaped(order_, rank_) * T_);
  return out;
}

Vector LowRankFrame::push(const ConstVectorRef& v) const {
  require_size(v, dimension(), "a step of a Gaussian of low rank");
  return packed_low_rank(
      s_.cwiseProduct(root_times(G_, V_, squares_, v.head(order_), false).col(0)),
      v.segment(order_, order_) / root_two,
      s_.asDiagonal() * (v.tail(order_ * rank_).reshaped(order_, rank_) * T_));
}

Vector LowRankFrame::lift(const Vector& U) const {
  const Vector over = U.head(order_).cwiseQuotient(s_);
  return packed_low_rank(
      root_times(G_, V_, squares_, over, true).col(0), U.segment(order_, order_) * root_two,
      s_.cwiseInverse().asDiagonal() * U.tail(order_ * rank_).reshaped(order_, rank_) * undo_);
}

LowRankFrame LowRankFrame::retract(const Vector& v) const {
  require_finite(v, "a step of a Gaussian of low rank");
  Vector next = point_ + push(v);
  if (!next.allFinite() || next.segment(order_, order_).cwiseAbs().maxCoeff() > most_log_scale)
    throw NotFinite("a step has led to a scale that is no number");
  return {std::move(next), order_, rank_};
}

LowRankFrame LowRankFrame::restored(const Vector& state) const { return {state, order_, rank_}; }

Matrix LowRankFrame::precision_times(const Matrix& columns) const {
  const Matrix over = s_.cwiseInverse().asDiagonal() * columns;
  const Vector weights = (1.0 + squares_.array()).inverse();
  const Matrix along = weights.asDiagonal() * (V_.transpose() * (G_.transpose() * over));
  return s_.cwiseInverse().asDiagonal() * (over - G_ * (V_ * along));
}

Vector LowRankFrame::precision_diagonal() const {
  const Vector weights = (1.0 + squares_.array()).inverse().sqrt();
  const Matrix rows = G_ * V_ * weights.asDiagonal();
  return (1.0 - rows.rowwise().squaredNorm().array()) / s_.array().square();
}

double LowRankFrame::log_determinant() const {
  return 2.0 * point_.segment(order_, order_).sum() + squares_.array().log1p().sum();
}

LowRankGaussian::LowRankGaussian(Index dimension, Index rank) : dimension_(dimension), rank_(rank) {
  require(rank > 0 && rank < dimension, "the rank is ", rank, ", but must be positive and below ",
          dimension, ", the number of coordinates");
}

LowRankGaussian::Sample LowRankGaussian::sample(const Frame& frame, const Matrix& normals) const {
  require_size(normals, this->normals(), "the normals of a Gaussian of low rank");
  Sample out;
  out.z = normals.topRows(dimension_);
  out.w = normals.bottomRows(rank_);
  const Matrix apart = frame.scale().asDiagonal() * out.z + frame.factor() * out.w;
  out.ys = apart.colwise() + frame.mean();
  out.a = frame.precision_times(apart);
  const double constant =
      0.5 * (frame.log_determinant() + double(dimension_) * std::log(2.0 * std::numbers::pi));
  out.log_q = -0.5 * apart.cwiseProduct(out.a).colwise().sum().transpose().array() - constant;
  return out;
}

Vector LowRankGaussian::log_density(const Frame& frame, const Matrix& ys) const {
  require_size(ys, dimension_, "points");
  const Matrix apart = ys.colwise() - frame.mean();
  const double constant =
      0.5 * (frame.log_determinant() + double(dimension_) * std::log(2.0 * std::numbers::pi));
  return -0.5 *
             apart.cwiseProduct(frame.precision_times(apart)).colwise().sum().transpose().array() -
         constant;
}

/// ∂ log q/∂Σ = ½(aaᵀ − Σ⁻¹), and dΣ = 2s²∘d log s + dF Fᵀ + F dFᵀ.
Matrix LowRankGaussian::scores(const Frame& frame, const Sample& sample) const {
  const Index draws = sample.a.cols();
  const Matrix F = frame.factor(), precision_F = frame.precision_times(F);
  const Vector diagonal = frame.precision_diagonal(), squares = frame.scale().cwiseAbs2();
  const Matrix along = F.transpose() * sample.a;
  Matrix E(frame.dimension(), draws);
  E.topRows(dimension_) = sample.a;
  E.middleRows(dimension_, dimension_) =
      squares.asDiagonal() * (sample.a.cwiseAbs2().colwise() - diagonal);
  for (Index k = 0; k < draws; ++k)
    E.col(k).tail(F.size()).reshaped(dimension_, rank_) =
        sample.a.col(k) * along.col(k).transpose() - precision_F;
  return frame.pull(E);
}

/// Along the path of each draw, y = μ + s∘z + Fw, and by the parameters of log q.
Vector LowRankGaussian::gradient(const Frame& frame, const Sample& sample,
                                 const Matrix& slopes) const {
  const Matrix along = -sample.a - slopes;
  const double draws = double(along.cols());
  const Vector path =
      packed_low_rank(along.rowwise().mean(),
                      frame.scale().cwiseProduct(along.cwiseProduct(sample.z).rowwise().mean()),
                      along * sample.w.transpose() / draws);
  return frame.pull(path).col(0) + scores(frame, sample).rowwise().mean();
}

}  // namespace fisherman
