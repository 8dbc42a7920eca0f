#include "fisherman/model/orthogonal_flow.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "fisherman/core/packing.hpp"
#include "fisherman/core/spectral.hpp"
#include "sigmoid.hpp"

namespace fisherman {
namespace {

double log_normal_constant(Index d) { return -0.5 * double(d) * std::log(2.0 * std::numbers::pi); }

/// Expectations over r ~ N(0, 1) of z = σ(r + b) and ã = −(r + 1 − 2z)/(z(1−z)), centred at E z:
/// E z, Var z, E ã², and the second moments of the scores (r + m′ã, −ã, −1 − (z−E z)ã) of (b₁, centre, λ),
/// m′ = dE z/db. The trapezoidal rule; ã² grows like e^(2|r|), so the integrand's mass ends before |r| = 14.
struct Moments {
  double mean = 0.0, slope = 0.0, variance = 0.0, a_squared = 0.0;
  Eigen::Matrix3d block = Eigen::Matrix3d::Zero();

  explicit Moments(double b) {
    constexpr double end = 14.0, step = 1.0 / 32.0;
    const auto each = [&](auto body) {
      for (double r = -end; r <= end; r += step)
        body(r, step * std::exp(-0.5 * r * r) / std::sqrt(2.0 * std::numbers::pi), sigmoid(r + b),
             sigmoid_slope(r + b));
    };
    each([&](double, double w, double z, double dz) { mean += w * z, slope += w * dz; });
    each([&](double r, double w, double z, double dz) {
      const double a = -(r + 1.0 - 2.0 * z) / dz, centred = z - mean;
      variance += w * centred * centred;
      a_squared += w * a * a;
      const Eigen::Vector3d score(r + slope * a, -a, -1.0 - centred * a);
      block += w * score * score.transpose();
    });
  }
};

}  // namespace

OrthogonalFlow::OrthogonalFlow(Index dimension, OrthogonalFlowOptions options)
    : dimension_(dimension), options_(options) {
  require(dimension >= 2, "a flow with a rotation needs at least 2 dimensions, not ", dimension);
}

OrthogonalFlow::Frame OrthogonalFlow::start(const Vector& centre, double side) const {
  require_size(centre, dimension_, "the centre of a flow");
  require(side > 0.0 && std::isfinite(side), "the side of the cube is ", side,
          ", but must be positive and finite");
  require(options_.scaled || side == 1.0, "the side of the cube is ", side,
          ", but the printed family's is 1");
  const Index d = dimension_;
  const Stiefel I(Matrix::Identity(d, d));
  Vector rest = Vector::Zero((options_.scaled ? 3 : 2) * d);
  rest.segment(d, d) = centre.array() - 0.5 * side;
  if (options_.scaled) rest.tail(d).setConstant(std::log(side));
  return Frame(Power<Stiefel>(options_.free_w1 ? std::vector{I, I} : std::vector{I}),
               Euclidean(rest));
}

OrthogonalFlow::Frame OrthogonalFlow::start(const Vector& mean, const Matrix& covariance) const {
  require_size(mean, dimension_, "the mean of a flow");
  require(options_.scaled, "the printed family has no scale to match a covariance with");
  const Index d = dimension_;
  const Spectrum axes = spectrum(covariance);
  const Moments moments(0.0);
  const Vector s = (axes.values / moments.variance).cwiseSqrt();
  const Matrix I = Matrix::Identity(d, d);
  Vector rest(3 * d);
  rest << Vector::Zero(d), mean - moments.mean * axes.P * s, s.array().log().matrix();
  const Stiefel W2(axes.P);
  return Frame(Power<Stiefel>(options_.free_w1 ? std::vector{W2, Stiefel(I)} : std::vector{W2}),
               Euclidean(rest));
}

OrthogonalFlow::Parts OrthogonalFlow::parts(const Frame& frame) const {
  const Vector& x = frame.factor<1>().point();
  const Index d = dimension_;
  Vector s = Vector::Ones(d);
  if (options_.scaled) s = x.tail(d).array().exp();
  return {frame.factor<0>()[0].matrix(), x.head(d), x.segment(d, d), s};
}

OrthogonalFlow::Sample OrthogonalFlow::sample(const Frame& frame, const Matrix& normals) const {
  const Parts t = parts(frame);
  Sample out;
  out.eps = normals;
  out.r = options_.free_w1 ? Matrix(frame.factor<0>()[1].matrix() * normals) : normals;
  const Matrix x = out.r.colwise() + t.b1;
  out.z = x.unaryExpr(&sigmoid);
  const Matrix dz = x.unaryExpr(&sigmoid_slope);
  out.p = t.s.asDiagonal() * out.z;
  out.a = t.s.cwiseInverse().asDiagonal() *
          (-(out.r.array() + 1.0 - 2.0 * out.z.array()) / dz.array()).matrix();
  out.ys = (t.W2 * out.p).colwise() + t.b2;
  out.log_q = (-0.5 * out.r.colwise().squaredNorm().array() - dz.array().log().colwise().sum())
                  .transpose() +
              (log_normal_constant(dimension_) - t.s.array().log().sum());
  return out;
}

Vector OrthogonalFlow::log_density(const Frame& frame, const Matrix& ys) const {
  const Parts t = parts(frame);
  const Matrix z = t.s.cwiseInverse().asDiagonal() * (t.W2.transpose() * (ys.colwise() - t.b2));
  Vector out(ys.cols());
  for (Index k = 0; k < ys.cols(); ++k) {
    const auto zk = z.col(k).array();
    if (!(zk.minCoeff() > 0.0 && zk.maxCoeff() < 1.0)) {
      out(k) = -std::numeric_limits<double>::infinity();
      continue;
    }
    const Eigen::ArrayXd r = zk.log() - (-zk).log1p() - t.b1.array();
    out(k) = log_normal_constant(dimension_) - 0.5 * r.square().sum() -
             (zk * (1.0 - zk)).log().sum() - t.s.array().log().sum();
  }
  return out;
}

FactoredScores::Shape OrthogonalFlow::score_shape() const {
  return {dimension_, options_.free_w1 ? skew_size(dimension_) : 0,
          (options_.scaled ? 3 : 2) * dimension_};
}

ScoreFactors OrthogonalFlow::scores(const Frame& frame, const Sample& sample,
                                    As<ScoreFactors>) const {
  const Index d = dimension_;
  ScoreFactors out{sample.p, sample.a, score_shape().zeros,
                   Matrix(score_shape().rest, sample.ys.cols())};
  out.rest.topRows(d) = sample.r;
  out.rest.middleRows(d, d).noalias() = -(frame.factor<0>()[0].matrix() * sample.a);
  if (options_.scaled) out.rest.bottomRows(d) = -1.0 - (sample.p.array() * sample.a.array());
  return out;
}

// With u = W₂ᵀ∇log π̄(y), which a step of y = W₂p + b₂ meets: W₂: −skew(u pᵀ); λ: −1 − u∘p; and
// t = −(1−2z) − s∘z(1−z)∘u for b₁, which W₁ turns into skew(W₁ᵀt εᵀ).
Vector OrthogonalFlow::gradient(const Frame& frame, const Sample& sample,
                                const Matrix& slopes) const {
  const Parts t = parts(frame);
  const Index d = dimension_, skew = skew_size(d);
  const double n = double(sample.ys.cols());
  const Matrix u = t.W2.transpose() * slopes;
  const Matrix by_b1 =
      (2.0 * sample.z.array() - 1.0 - sample.p.array() * (1.0 - sample.z.array()) * u.array())
          .matrix();
  Vector g(frame.dimension());
  g.head(skew) = skew_vec(u * sample.p.transpose() * (-1.0 / n));
  if (options_.free_w1)
    g.segment(skew, skew) = skew_vec(frame.factor<0>()[1].matrix().transpose() * by_b1 *
                                     sample.eps.transpose() * (1.0 / n));
  auto rest = g.tail(score_shape().rest);
  rest.head(d) = by_b1.rowwise().mean();
  rest.segment(d, d) = -slopes.rowwise().mean();
  if (options_.scaled) rest.tail(d) = -1.0 - (u.array() * sample.p.array()).rowwise().mean();
  return g;
}

// In the coordinates (Ω, β₁, γ, λ̇), γ = W₂ᵀβ₂ + Ωm + s∘m₁∘β₁ + m∘λ̇ the movement of the centre seen from W₂,
// with m = s∘E z and m₁ = dE z/db₁, the coordinates of z are independent and centred, so all moments
// but those within a coordinate, and of a rotation with itself, vanish. v ↦ J v is that change.
FisherOperator OrthogonalFlow::fisher(const Frame& frame) const {
  require(!options_.free_w1, "the Fisher operator is singular where W1 is free: freeze it");
  struct Closed {
    Index d, skew;
    bool scaled;
    Parts t;
    Vector m, m1;
    Vector rotations;                     // diagonal
    std::vector<Eigen::Matrix3d> blocks;  // (b₁, γ, λ) for each coordinate

    Vector seen(const Vector& v) const {  // J v
      Vector out = v;
      auto gamma = out.segment(skew + d, d);
      gamma = t.W2.transpose() * v.segment(skew + d, d) + skew_mat(v.head(skew), d) * m +
              m1.cwiseProduct(v.segment(skew, d));
      if (scaled) gamma += m.cwiseProduct(v.tail(d));
      return out;
    }
    Vector unseen(const Vector& v) const {  // J⁻¹v
      Vector gamma = v.segment(skew + d, d) - skew_mat(v.head(skew), d) * m -
                     m1.cwiseProduct(v.segment(skew, d));
      if (scaled) gamma -= m.cwiseProduct(v.tail(d));
      Vector out = v;
      out.segment(skew + d, d) = t.W2 * gamma;
      return out;
    }
    Vector seen_transposed(const Vector& u, double sign) const {  // the transposed of either
      Vector out = u;
      const Vector c = u.segment(skew + d, d);
      const Vector gamma = sign > 0.0 ? c : Vector(t.W2.transpose() * c);
      out.head(skew) += sign * skew_vec(gamma * m.transpose());
      out.segment(skew, d) += sign * m1.cwiseProduct(gamma);
      if (scaled) out.tail(d) += sign * m.cwiseProduct(gamma);
      out.segment(skew + d, d) = sign > 0.0 ? Vector(t.W2 * c) : gamma;
      return out;
    }
    Vector block_diagonal(const Vector& u, bool inverse) const {
      Vector out = u;
      if (inverse)
        out.head(skew).array() /= rotations.array();
      else
        out.head(skew).array() *= rotations.array();
      const Index size = scaled ? 3 : 2;
      for (Index i = 0; i < d; ++i) {
        Eigen::Vector3d x(u(skew + i), u(skew + d + i), scaled ? u(skew + 2 * d + i) : 0.0);
        const auto F = blocks[std::size_t(i)].topLeftCorner(size, size);
        const Vector y =
            inverse ? Vector(Matrix(F).llt().solve(x.head(size))) : Vector(F * x.head(size));
        for (Index k = 0; k < size; ++k) out(skew + k * d + i) = y(k);
      }
      return out;
    }
  };
  const Index d = dimension_;
  auto closed = std::make_shared<Closed>();
  Closed& c = *closed;
  c.d = d, c.skew = skew_size(d), c.scaled = options_.scaled, c.t = parts(frame);
  c.m.resize(d), c.m1.resize(d), c.rotations.resize(c.skew);
  Vector variance(d), a_squared(d);
  for (Index i = 0; i < d; ++i) {
    const Moments moments(c.t.b1(i));
    const double s = c.t.s(i);
    c.m(i) = s * moments.mean;
    c.m1(i) = s * moments.slope;
    variance(i) = s * s * moments.variance;
    a_squared(i) = moments.a_squared / (s * s);
    const Eigen::Vector3d unit(1.0, 1.0 / s, 1.0);
    c.blocks.emplace_back(unit.asDiagonal() * moments.block * unit.asDiagonal());
  }
  Index k = 0;  // E[pᵢaᵢ] = −1 for every coordinate
  for (Index j = 0; j < d; ++j)
    for (Index i = j + 1; i < d; ++i)
      c.rotations(k++) = 0.5 * (variance(i) * a_squared(j) + variance(j) * a_squared(i)) - 1.0;
  return {[closed](const Vector& v) {
            return closed->seen_transposed(closed->block_diagonal(closed->seen(v), false), 1.0);
          },
          [closed](const Vector& g) {
            return closed->unseen(closed->block_diagonal(closed->seen_transposed(g, -1.0), true));
          }};
}

}  // namespace fisherman
