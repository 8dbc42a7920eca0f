#include "fisherman/fisher/factored.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "blas.hpp"
#include "fisherman/core/spectral.hpp"

namespace fisherman {
namespace {

// Added to variances, as shares of their mean: minibatches are noisy, and a feature that is rarely seen has a small variance
// and large steps. And to the diagonal of the correlation, which is estimated from some thousand rows.
constexpr double minibatch_damping = 0.27, damping = 0.01, correlation_damping = 0.003;
constexpr double least_variance = 1e-8;
constexpr double least_share = 1e-4;   // of an eigenvalue of W or zzᵀ, of their mean
constexpr double memory_share = 0.02;  // of a minibatch in a running mean, at least

Matrix damped_inverse(const Matrix& m) {
  const double mean = m.trace() / double(m.rows());
  if (!(mean > 0.0)) return Matrix::Identity(m.rows(), m.cols());
  return spectrum(m).map([&](double v) { return 1.0 / (std::max(v, 0.0) + least_share * mean); });
}

Matrix inverse_root(const Matrix& m) {
  const double mean = m.trace() / double(m.rows());
  if (!(mean > 0.0)) return Matrix::Identity(m.rows(), m.cols());
  return spectrum(m).map(
      [&](double v) { return 1.0 / std::sqrt(std::max(v, 0.0) + least_share * mean); });
}

}  // namespace

FactoredFisher::FactoredFisher(std::shared_ptr<const FeatureMoments> features, Index classes,
                               Index rank, Options options)
    : features_(std::move(features)),
      p_(features_->features()),
      k_(classes - 1),
      r_(rank),
      options_(options) {
  require(classes >= 2 && rank >= 1, "factors of rank ", rank, " for ", classes, " classes");
  require(options.stochastic >= 0, "a stochastic phase of ", options.stochastic, " iterations");
}

void FactoredFisher::absorb(const ConstMatrixRef&) { throw Misuse(FactorMoments::unavailable); }

void FactoredFisher::absorb(const FactorMoments& m) {
  for (const Matrix* part : {&m.W, &m.RWR, &m.zz}) require_finite(*part, "moments of scores");
  ++count_;
  if (stage_ == Stage::nothing) {
    means_ = m;
  } else {
    const double share = std::max(1.0 / double(count_), memory_share);
    means_.W += share * (m.W - means_.W);
    means_.RWR += share * (m.RWR - means_.RWR);
    means_.zz += share * (m.zz - means_.zz);
  }
  stage_ = Stage::minibatches;
  follow();
}

void FactoredFisher::take(const FactorInformation& information) {
  for (const Matrix* part : {&information.means.W, &information.features, &information.classes})
    require_finite(*part, "the Fisher information");
  means_ = information.means;
  own_ = information.features;
  classes_ = information.classes;
  ridge_ = information.ridge;
  gauge_ = information.gauge;
  stage_ = Stage::information;
  follow();
}

void FactoredFisher::follow() {
  const Vector& variance = features_->variance;
  const double mean = variance.mean();
  const bool minibatches = stage_ == Stage::minibatches;
  const double more = (minibatches ? minibatch_damping : damping) * mean;
  W_inverse_ = damped_inverse(means_.W);
  zz_inverse_ = damped_inverse(means_.zz);

  if (factored_ != stage_ && features_->covariance.size() > 0) {
    auto rho = std::make_shared<Matrix>(features_->covariance.cast<double>());
    rho->diagonal().array() += more;
    const Vector root = rho->diagonal().cwiseSqrt().cwiseInverse();
    *rho = root.asDiagonal() * *rho * root.asDiagonal();
    if (!minibatches) rho->diagonal().array() += correlation_damping;
    if (!blas::cholesky(blas::view(*rho)))
      throw NotFinite("the correlation of the features is not positive definite");
    factor_ = std::move(rho);
    factored_ = stage_;
  }

  const double across = means_.RWR.trace();
  common_ = inverse_root(means_.RWR);
  // A ridge is to the variance of a feature what it is to the mean information.
  const double ridge = ridge_.size() > 0 && across > 0.0 ? ridge_.trace() / across : 0.0;
  // Only minibatches are too noisy for what a feature that is rarely seen tells of itself.
  scale_ =
      (variance.array() + (minibatches ? more : least_variance * mean) + ridge).sqrt().inverse();
  each_.resize(0, 0);
  if (own_.size() > 0) {
    constexpr double floor = 0.1;  // of what unsaturated rows would tell
    each_.resize(r_ * r_, p_);
    for (Index j = 0; j < p_; ++j) {
      const Matrix information = as_matrix(own_.col(j).data(), r_, r_) +
                                 (floor * variance(j) + least_variance * mean) * means_.RWR;
      const Matrix root = inverse_root(information);
      each_.col(j) = as_vector(root);
    }
  }

  turns_.resize(0, 0);
  if (classes_.size() > 0) {
    turns_ = classes_;
    const double typical = turns_.trace() / double(turns_.rows());
    const Matrix RR = gauge_ * gauge_.transpose();  // where no gradient has a part
    for (Index a = 0; a < r_; ++a) turns_.block(a * k_, a * k_, k_, k_) += typical * RR;
    turns_.diagonal() += 1e-6 * turns_.diagonal();
    turns_.diagonal().array() += 1e-9 * typical;
    if (!blas::cholesky(blas::view(turns_)))
      throw NotFinite("the Fisher information of the classes is not positive definite");
  }
}

Vector FactoredFisher::solve(const ConstVectorRef& g) const {
  require_size(g, dimension(), "a gradient");
  if (stage_ == Stage::nothing) return g;
  const Index features = p_ * r_, turns = k_ * r_;
  Vector out(dimension());
  const auto whitened = [&](Matrix D) {
    if (each_.size() > 0) {
      for (Index j = 0; j < p_; ++j) D.row(j) = D.row(j) * as_matrix(each_.col(j).data(), r_, r_);
      return D;
    }
    return Matrix(scale_.asDiagonal() * D * common_);
  };
  Matrix D = whitened(as_matrix(g.data(), p_, r_));
  if (factor_) {
    factor_->triangularView<Eigen::Lower>().solveInPlace(D);
    factor_->triangularView<Eigen::Lower>().transpose().solveInPlace(D);
  }
  D = whitened(std::move(D));
  out.head(features) = as_vector(D);
  if (turns_.size() > 0) {
    out.tail(turns + k_) = g.tail(turns + k_);
    blas::solve_cholesky({turns_.data(), turns_.rows(), turns_.cols(), turns_.rows()},
                         out.data() + features);
  } else {
    const Matrix E = W_inverse_ * as_matrix(g.data() + features, k_, r_) * zz_inverse_;
    out.segment(features, turns) = as_vector(E);
    out.tail(k_) = W_inverse_ * g.tail(k_);
  }
  return out;
}

double FactoredFisher::memory(Index features, Index classes, Index rank, bool correlated) {
  const double p = double(features), k = double(classes - 1), r = double(rank);
  const double order = k * (r + 1.0);
  return (correlated ? p * p * (sizeof(float) + 2.0 * sizeof(double)) : 0.0) +
         sizeof(double) * (3.0 * p * r * r + 3.0 * std::min(order * order, 2048.0 * 2048.0));
}

void FactoredFisher::save(Writer& out) const {
  out.put(std::int64_t(stage_));
  out.put(count_);
  for (const Matrix* part :
       {&means_.W, &means_.RWR, &means_.zz, &own_, &classes_, &ridge_, &gauge_})
    out.put(*part);
}

void FactoredFisher::load(Reader& in) {
  const std::int64_t stage = in.get_count(), count = in.get_count();
  Reader::expect(stage <= std::int64_t(Stage::information));
  Matrix parts[7];
  for (Matrix& part : parts) {
    part = in.get_matrix<Matrix>();
    Reader::expect(part.allFinite());
  }
  const auto sized = [](const Matrix& m, Index rows, Index cols) {
    return m.rows() == rows && m.cols() == cols;
  };
  const Index order = (r_ + 1) * k_;
  if (stage > 0)
    Reader::expect(sized(parts[0], k_, k_) && sized(parts[1], r_, r_) && sized(parts[2], r_, r_));
  Reader::expect(parts[3].size() == 0 || sized(parts[3], r_ * r_, p_));
  Reader::expect(parts[4].size() == 0 || sized(parts[4], order, order));
  if (stage == std::int64_t(Stage::information))
    Reader::expect(sized(parts[5], r_, r_) && sized(parts[6], k_, r_));
  stage_ = Stage(stage);
  count_ = count;
  means_ = {std::move(parts[0]), std::move(parts[1]), std::move(parts[2])};
  own_ = std::move(parts[3]);
  classes_ = std::move(parts[4]);
  ridge_ = std::move(parts[5]);
  gauge_ = std::move(parts[6]);
  if (stage_ != Stage::nothing) follow();
}

}  // namespace fisherman
