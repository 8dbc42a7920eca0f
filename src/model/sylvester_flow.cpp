#include "fisherman/model/sylvester_flow.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <numbers>

#include "fisherman/core/random.hpp"
#include "fisherman/core/spectral.hpp"

namespace fisherman {
namespace {

using Layer = SylvesterFlow::Layer;
using Pass = SylvesterFlow::Pass;

/// The base at its parameters.
struct Base {
  Vector mean;
  Matrix L;

  explicit Base(const GaussianAffine& q) : mean(q.mean()) {
    const Eigen::LLT<Matrix> llt(q.covariance());
    if (llt.info() != Eigen::Success)
      throw NotFinite("the covariance of the base is no longer positive definite");
    L = llt.matrixL();
  }
  double log_constant() const {
    return -0.5 * double(mean.size()) * std::log(2.0 * std::numbers::pi) -
           L.diagonal().array().log().sum();
  }
  Matrix inverse() const {
    const Matrix I = Matrix::Identity(L.rows(), L.rows());
    const Matrix half = L.triangularView<Eigen::Lower>().solve(I);
    return half.transpose() * half;
  }
};

Vector ambient(const Vector& by_mean, const Matrix& by_sigma) {
  Vector out(by_mean.size() + by_sigma.size());
  out << by_mean, as_vector(by_sigma);
  return out;
}

/// y becomes the layer's output, log det is subtracted from log q.
Pass forward(const Layer& layer, Matrix& y, Vector& log_q) {
  Pass pass;
  pass.y = y;
  pass.t = layer.Q.transpose() * y;
  pass.h = ((layer.R_tilde * pass.t).colwise() + layer.b).array().tanh();
  pass.slope = 1.0 - pass.h.array().square();
  const Matrix Dh = layer.D.asDiagonal() * pass.slope;
  log_q -= Dh.array().log1p().colwise().sum().transpose().matrix();
  // h″ = −2hh′, so that −D h″/(1 + h′D) = 2h·Dh′/(1 + Dh′)
  pass.log_det_by_a = 2.0 * pass.h.array() * Dh.array() / (1.0 + Dh.array());
  y += layer.Q * (layer.R * pass.h);
  return pass;
}

/// The derivative of ȳ·(output) − log det in what a layer is made of; the columns stand for samples.
struct Backward {
  Matrix w, by_a, by_t;  // Qᵀȳ, ā, t̄ = R̃ᵀā

  Backward(const Layer& layer, const Pass& pass, Matrix w_in) : w(std::move(w_in)) {
    by_a = pass.slope.cwiseProduct(layer.R.transpose() * w) + pass.log_det_by_a;
    by_t = layer.R_tilde.transpose() * by_a;
  }

  /// In R and R̃ above the diagonal, ρ, κ, b; for one sample.
  void numbers(const Layer& layer, const Pass& pass, Index k, Eigen::Ref<Vector> out) const {
    const Index p = w.rows();
    Index at = 0;
    for (Index j = 1; j < p; ++j)
      for (Index i = 0; i < j; ++i) out(at++) = w(i, k) * pass.h(j, k);
    for (Index j = 1; j < p; ++j)
      for (Index i = 0; i < j; ++i) out(at++) = by_a(i, k) * pass.t(j, k);
    for (Index i = 0; i < p; ++i) {
      const double by_r = w(i, k) * pass.h(i, k), by_r_tilde = by_a(i, k) * pass.t(i, k);
      const double by_D = -pass.slope(i, k) / (1.0 + pass.slope(i, k) * layer.D(i));
      out(at + i) = (layer.D(i) + 1.0) * (by_D + by_r / layer.R_tilde(i, i));
      out(at + p + i) = by_r_tilde * layer.R_tilde(i, i) - by_r * layer.R(i, i);
      out(at + 2 * p + i) = by_a(i, k);
    }
  }
};

/// t with t + r·tanh(r̃t + c) = rhs: the left side increases, and t is within |r| of rhs. Newton's steps,
/// kept in the bracket by bisection.
double inverted(double r, double r_tilde, double c, double rhs) {
  double low = rhs - std::abs(r), high = rhs + std::abs(r), t = rhs;
  for (int k = 0; k < 200; ++k) {
    const double h = std::tanh(r_tilde * t + c), over = t + r * h - rhs;
    (over > 0.0 ? high : low) = t;
    double next = t - over / (1.0 + r * r_tilde * (1.0 - h * h));
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    if (std::abs(next - t) <= 1e-16 * (1.0 + std::abs(t))) return next;
    t = next;
  }
  return t;
}

/// What came into a layer, from what came out.
Matrix inverted(const Layer& layer, const Matrix& y) {
  const Index p = layer.b.size();
  const Matrix out = layer.Q.transpose() * y;
  Matrix h(p, y.cols());
  for (Index k = 0; k < y.cols(); ++k) {
    Vector t(p);
    for (Index i = p - 1; i >= 0; --i) {
      double c = layer.b(i), rhs = out(i, k);
      for (Index j = i + 1; j < p; ++j) {
        c += layer.R_tilde(i, j) * t(j);
        rhs -= layer.R(i, j) * h(j, k);
      }
      t(i) = inverted(layer.R(i, i), layer.R_tilde(i, i), c, rhs);
      h(i, k) = std::tanh(layer.R_tilde(i, i) * t(i) + c);
    }
  }
  return y - layer.Q * (layer.R * h);
}

}  // namespace

SylvesterFlow::SylvesterFlow(Index dimension, SylvesterOptions options)
    : dimension_(dimension), options_(options) {
  require(dimension > 0, "a flow needs a positive dimension, not ", dimension);
  require(options.layers >= 0, "layers is ", options.layers, ", but must not be negative");
  require(options.rank >= 1 && options.rank <= dimension, "rank is ", options.rank,
          ", but must lie between 1 and the dimension, ", dimension);
}

Vector SylvesterFlow::packed(const Layer& layer) const {
  const Index p = options_.rank;
  Vector out(layer_size());
  Index at = 0;
  for (const Matrix* m : {&layer.R, &layer.R_tilde})
    for (Index j = 1; j < p; ++j)
      for (Index i = 0; i < j; ++i) out(at++) = (*m)(i, j);
  out.tail(3 * p) << layer.rho, layer.kappa, layer.b;
  return out;
}

std::vector<Layer> SylvesterFlow::layers(const Frame& frame) const {
  const Index p = options_.rank;
  std::vector<Layer> out;
  for (Index l = 0; l < options_.layers; ++l) {
    const Vector x = frame.factor<2>().point().segment(l * layer_size(), layer_size());
    Layer layer;
    layer.Q = frame.factor<1>()[std::size_t(l)].matrix();
    layer.R = layer.R_tilde = Matrix::Zero(p, p);
    Index at = 0;
    for (Matrix* m : {&layer.R, &layer.R_tilde})
      for (Index j = 1; j < p; ++j)
        for (Index i = 0; i < j; ++i) (*m)(i, j) = x(at++);
    layer.rho = x.segment(at, p);
    layer.kappa = x.segment(at + p, p);
    layer.b = x.tail(p);
    layer.D = layer.rho.array().expm1();
    layer.R_tilde.diagonal() = layer.kappa.array().exp();
    layer.R.diagonal() = layer.D.cwiseQuotient(layer.R_tilde.diagonal());
    out.push_back(std::move(layer));
  }
  return out;
}

SylvesterFlow::Frame SylvesterFlow::start(const Vector& mean, double sd, std::uint64_t seed) const {
  require(sd > 0.0 && std::isfinite(sd), "the standard deviation of the start is ", sd,
          ", but must be positive and finite");
  return start(mean, sd * sd * Matrix::Identity(dimension_, dimension_), seed);
}

SylvesterFlow::Frame SylvesterFlow::start(const Vector& mean, const Matrix& covariance,
                                          std::uint64_t seed) const {
  require_size(mean, dimension_, "the mean of the base");
  const Index p = options_.rank;
  const Draws draws(seed, ~std::uint64_t(0));
  std::vector<Stiefel> rotations;
  Vector numbers(options_.layers * layer_size());
  for (Index l = 0; l < options_.layers; ++l) {
    const auto stream = std::uint32_t(3 * l);
    Layer layer;
    layer.Q = thin_qr(draws.normals(stream, dimension_, p)).Q;
    const Matrix small = draws.normals(stream + 1, p, p + 2);
    // In units of the base's spread along Q: h sees standard numbers, and moves them by about a tenth.
    const Vector sd = (layer.Q.transpose() * covariance * layer.Q).diagonal().cwiseSqrt();
    layer.R = layer.R_tilde = Matrix::Zero(p, p);
    layer.rho = 0.1 * small.col(p);
    layer.kappa = -sd.array().log();
    layer.b = small.col(p + 1) - sd.cwiseInverse().cwiseProduct(layer.Q.transpose() * mean);
    rotations.emplace_back(layer.Q);
    numbers.segment(l * layer_size(), layer_size()) = packed(layer);
  }
  return Frame(gaussian_affine(mean, covariance), Power<Stiefel>(std::move(rotations)),
               Euclidean(numbers));
}

SylvesterFlow::Sample SylvesterFlow::sample(const Frame& frame, const Matrix& normals) const {
  const Base base(frame.factor<0>());
  Sample out;
  out.ys = (base.L * normals).colwise() + base.mean;
  out.a0 = base.L.transpose().triangularView<Eigen::Upper>().solve(normals);
  out.log_q = -0.5 * normals.colwise().squaredNorm().transpose().array() + base.log_constant();
  out.layers = layers(frame);
  for (const Layer& layer : out.layers) out.passes.push_back(forward(layer, out.ys, out.log_q));
  return out;
}

Vector SylvesterFlow::log_density(const Frame& frame, const Matrix& ys) const {
  const Base base(frame.factor<0>());
  const std::vector<Layer> all = layers(frame);
  Matrix y = ys;
  Vector log_q = Vector::Zero(ys.cols());
  for (auto layer = all.rbegin(); layer != all.rend(); ++layer) {
    y = inverted(*layer, y);
    Matrix again = y;
    forward(*layer, again, log_q);
  }
  const Matrix centred = y.colwise() - base.mean;
  const Matrix z = base.L.triangularView<Eigen::Lower>().solve(centred);
  return log_q.array() - 0.5 * z.colwise().squaredNorm().transpose().array() + base.log_constant();
}

// With the adjoint c of a layer's input at fixed output: e = c − ∂ log det/∂y, and the adjoint of its
// output is J⁻ᵀe with J = I + Q R diag(h′) R̃ Qᵀ; the layer's own numbers see −J⁻ᵀe.
Matrix SylvesterFlow::scores(const Frame& frame, const Sample& s) const {
  const Index count = s.ys.cols(), p = options_.rank;
  const GaussianAffine& q = frame.factor<0>();
  const Power<Stiefel>& rotations = frame.factor<1>();
  Matrix out(frame.dimension(), count);
  const Vector constant = q.pull(ambient(Vector::Zero(dimension_), 0.5 * Base(q).inverse()));
  out.topRows(q.dimension()) = q.pull_scores(s.a0).colwise() - constant;
  Index at_q = q.dimension(), at = q.dimension() + rotations.dimension();
  Matrix c = -s.a0;
  for (std::size_t l = 0; l < s.layers.size(); ++l) {
    const Layer& layer = s.layers[l];
    const Pass& pass = s.passes[l];
    c += layer.Q * (layer.R_tilde.transpose() * pass.log_det_by_a);
    const Matrix before = layer.Q.transpose() * c;
    Matrix w(p, count);
    for (Index k = 0; k < count; ++k) {
      const Matrix J_transposed = Matrix::Identity(p, p) + layer.R_tilde.transpose() *
                                                               pass.slope.col(k).asDiagonal() *
                                                               layer.R.transpose();
      w.col(k) = J_transposed.triangularView<Eigen::Lower>().solve(before.col(k));
    }
    c += layer.Q * (w - before);
    const Backward back(layer, pass, -w);
    const Matrix Rh = layer.R * pass.h;
    Matrix by_Q(dimension_ * p, count);
    for (Index k = 0; k < count; ++k) {
      Eigen::Map<Matrix>(by_Q.col(k).data(), dimension_, p).noalias() =
          pass.y.col(k) * back.by_t.col(k).transpose() - c.col(k) * Rh.col(k).transpose();
      back.numbers(layer, pass, k, out.col(k).segment(at, layer_size()));
    }
    out.middleRows(at_q, rotations[l].dimension()) = rotations[l].pull(by_Q);
    at_q += rotations[l].dimension();
    at += layer_size();
  }
  return out;
}

Vector SylvesterFlow::gradient(const Frame& frame, const Sample& s, const Matrix& slopes) const {
  const Index count = s.ys.cols();
  const double n = double(count);
  const GaussianAffine& q = frame.factor<0>();
  const Power<Stiefel>& rotations = frame.factor<1>();
  Vector g(frame.dimension());
  Matrix y_bar = -slopes;
  Index at_q = q.dimension() + rotations.dimension(), at = frame.dimension();
  for (std::size_t l = s.layers.size(); l-- > 0;) {
    const Layer& layer = s.layers[l];
    const Pass& pass = s.passes[l];
    const Backward back(layer, pass, layer.Q.transpose() * y_bar);
    const Matrix by_Q =
        (y_bar * (layer.R * pass.h).transpose() + pass.y * back.by_t.transpose()) / n;
    at_q -= rotations[l].dimension();
    at -= layer_size();
    g.segment(at_q, rotations[l].dimension()) = rotations[l].pull(as_vector(by_Q));
    Vector numbers(layer_size()), sum = Vector::Zero(layer_size());
    for (Index k = 0; k < count; ++k) {
      back.numbers(layer, pass, k, numbers);
      sum += numbers;
    }
    g.segment(at, layer_size()) = sum / n;
    y_bar += layer.Q * back.by_t;
  }
  const Matrix by_sigma = 0.5 / n * (y_bar * s.a0.transpose()) -
                          0.5 * Base(q).inverse();  // pull takes the symmetric part
  g.head(q.dimension()) = q.pull(ambient(y_bar.rowwise().mean(), by_sigma));
  return g;
}

}  // namespace fisherman
