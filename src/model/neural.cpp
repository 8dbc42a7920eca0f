#include "fisherman/model/neural.hpp"

#include <cmath>
#include <numbers>
#include <utility>

#include "elementwise.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/row_parts.hpp"

namespace fisherman {
namespace {

// A tile of rows and draws fits into the cache.
constexpr Index rows_a_tile = 256, draws_a_tile = 8;

Matrix with_ones(const Matrix& X) {
  Matrix out(X.rows(), X.cols() + 1);
  out << X, Vector::Ones(X.rows());
  return out;
}

void activate(Activation kind, Matrix& a) {
  if (kind == Activation::tanh)
    apply_tanh(a.reshaped());
  else if (kind == Activation::sigmoid)
    apply_sigmoid(a.reshaped());
  else
    a = a.cwiseMax(0.0);
}

/// g ← g∘h′, h′ from the value of h.
void times_slope(Activation kind, const ConstMatrixRef& h, Eigen::Ref<Matrix> g) {
  if (kind == Activation::tanh)
    g.array() *= 1.0 - h.array().square();
  else if (kind == Activation::sigmoid)
    g.array() *= h.array() * (1.0 - h.array());
  else
    g.array() *= (h.array() > 0.0).cast<double>();
}

/// The network on a tile: hidden values of all draws side by side, and linear predictors.
struct Forward {
  Matrix hidden, eta;

  Forward(const ConstMatrixRef& X, const ConstMatrixRef& betas, Index units, Activation kind)
      : hidden(X.rows(), units * betas.cols()), eta(X.rows(), betas.cols()) {
    Matrix W(X.cols(), units * betas.cols());
    for (Index k = 0; k < betas.cols(); ++k)
      W.middleCols(k * units, units) = as_matrix(betas.col(k).data(), X.cols(), units);
    hidden.noalias() = X * W;
    activate(kind, hidden);
    for (Index k = 0; k < betas.cols(); ++k) {
      const auto out = betas.col(k).tail(units + 1);
      eta.col(k).noalias() = hidden.middleCols(k * units, units) * out.head(units);
      eta.col(k).array() += out(units);
    }
  }
};

}  // namespace

NeuralTarget::NeuralTarget(TargetRows rows, Vector y, NeuralOptions options)
    : rows_(std::move(rows)), y_(std::move(y)), options_(options) {
  require(this->rows() > 0 && features() > 0, "a neural network needs rows and columns, not ",
          this->rows(), " x ", features());
  require(y_.size() == rows_.part().count, "there are ", rows_.part().count, " rows, but ",
          y_.size(), " outcomes");
  require((y_.array() == 0.0 || y_.array() == 1.0).all(), "outcomes must be 0 or 1");
  require(options.hidden > 0, "hidden is ", options.hidden, ", but must be positive");
  require(options.prior_variance > 0.0 && std::isfinite(options.prior_variance),
          "prior_variance is ", options.prior_variance, ", but must be positive and finite");
}

Index NeuralTarget::dimension() const { return options_.hidden * (features() + 2) + 1; }

// Backwards: with δ = y − σ(η), the gradient is Hᵀδ in v, Σδ in c, and Xᵀ((δvᵀ)∘h′) in (W, b).
Vector NeuralTarget::log_density(const Matrix& betas, Matrix& gradients) const {
  require_size(betas, dimension(), "the weights of a neural network");
  const Index p = features() + 1, h = options_.hidden, draws = betas.cols();
  // Gradients, and the value below them.
  const auto total = sum_over_rows<Matrix>(this->rows(), [&](Index begin, Index length) {
    Matrix part = Matrix::Zero(betas.rows() + 1, draws);
    for (Index first = begin; first < begin + length; first += rows_a_tile) {
      const Index rows = std::min(rows_a_tile, begin + length - first);
      const Matrix x = with_ones(rows_.block(first, rows));
      const auto labels = y_.segment(rows_.part().at(first), rows);
      for (Index from = 0; from < draws; from += draws_a_tile) {
        const Index count = std::min(draws_a_tile, draws - from);
        Forward net(x, betas.middleCols(from, count), h, options_.activation);
        Matrix back(rows, h * count);
        for (Index k = 0; k < count; ++k) {
          auto out = part.col(from + k);
          out(betas.rows()) += bernoulli(labels, net.eta.col(k));
          const auto delta = net.eta.col(k);
          out(betas.rows() - 1) += delta.sum();
          out.segment(p * h, h).noalias() += net.hidden.middleCols(k * h, h).transpose() * delta;
          back.middleCols(k * h, h).noalias() =
              delta * betas.col(from + k).segment(p * h, h).transpose();
        }
        times_slope(options_.activation, net.hidden, back);
        const Matrix by_input = x.transpose() * back;
        for (Index k = 0; k < count; ++k)
          part.col(from + k).head(p * h) +=
              Eigen::Map<const Vector>(by_input.data() + k * p * h, p * h);
      }
    }
    return part;
  });
  gradients = weight_ * total.topRows(betas.rows()) - betas / options_.prior_variance;
  const double constant =
      -0.5 * double(dimension()) * std::log(2.0 * std::numbers::pi * options_.prior_variance);
  return (weight_ * total.bottomRows(1) -
          0.5 / options_.prior_variance * betas.colwise().squaredNorm())
             .transpose()
             .array() +
         constant;
}

NeuralTarget NeuralTarget::subset(const std::vector<Index>& rows) const {
  require(!rows.empty(), "a minibatch needs at least one row");
  NeuralTarget out = *this;
  out.rows_ = rows_.chosen(rows);
  out.y_ = collected(y_, rows_.part(), rows);
  out.weight_ = weight_ * double(this->rows()) / double(rows.size());
  return out;
}

std::vector<std::string> NeuralTarget::names(const std::vector<std::string>& features) const {
  require(Index(features.size()) == this->features(), "there are ", features.size(), " names, but ",
          this->features(), " features");
  std::vector<std::string> out;
  for (Index j = 1; j <= options_.hidden; ++j) {
    for (const std::string& feature : features) out.push_back(sentence("unit", j, ".", feature));
    out.push_back(sentence("unit", j, ".bias"));
  }
  for (Index j = 1; j <= options_.hidden; ++j) out.push_back(sentence("out.unit", j));
  out.emplace_back("out.bias");
  return out;
}

Matrix neural_predictors(const Matrix& X, const Matrix& betas, Index hidden,
                         Activation activation) {
  require_size(betas, hidden * (X.cols() + 2) + 1, "the weights of a neural network");
  Matrix out(X.rows(), betas.cols());
  for_row_groups(X.rows(), [&](Index first, Index rows) {
    const Matrix x = with_ones(X.middleRows(first, rows));
    for (Index from = 0; from < betas.cols(); from += draws_a_tile) {
      const Index count = std::min(draws_a_tile, betas.cols() - from);
      out.block(first, from, rows, count) =
          Forward(x, betas.middleCols(from, count), hidden, activation).eta;
    }
  });
  return out;
}

}  // namespace fisherman
