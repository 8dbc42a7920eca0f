#include "fisherman/model/regression.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "fisherman/core/error.hpp"
#include "fisherman/core/row_parts.hpp"
#include "fisherman/model/design_rows.hpp"

namespace fisherman {
namespace {

/// So many draws at a time that a tile of linear predictors has 1 MB.
Index tile_draws(Index predictors) { return std::max<Index>(1, 256 / predictors); }

/// Values and gradients at draws.
struct Slopes {
  Vector values;
  Matrix gradients;  // without rows if nobody asks for them
  void operator+=(const Slopes& other) {
    values += other.values;
    gradients += other.gradients;
  }
  auto fields() { return std::tie(values, gradients); }
};

// How a sum's terms are grouped depends on where they lie in memory. Rows are copied before anything is summed over them, so
// that this is the same whatever part of the rows is here.

/// Where a Jet has the second derivative in ψₖ and η, and in ψₖ and ψₗ, l ≤ k.
Index with_eta(Index k) { return packed_at(k + 1, 0); }
Index with_extra(Index k, Index l) { return packed_at(k + 1, l + 1); }

}  // namespace

PredictorNormals predictor_normals(const ConstMatrixRef& x, Index predictors, const Vector& mean,
                                   const Matrix& covariance) {
  const Index p = x.cols(), m = predictors;
  PredictorNormals out;
  out.mean = x * Eigen::Map<const Matrix>(mean.data(), p, m);
  out.variance = Matrix::Zero(x.rows(), m * (m + 1) / 2);
  if (covariance.size() == 0) return out;
  for (Index k = 0; k < m; ++k)
    for (Index l = 0; l <= k; ++l) {
      auto variance = out.variance.col(packed_at(k, l));
      const Matrix xs = x * covariance.block(k * p, l * p, p, p);
      for (Index j = 0; j < p; ++j) variance += xs.col(j).cwiseProduct(x.col(j));
      if (k == l) variance = variance.cwiseMax(0.0);
    }
  return out;
}

/// Sums over rows of what depends on the data, for (β, ψ).
struct RegressionTarget::Derivatives {
  Vector gradient;  // Σ x ∂η for each predictor, and Σ ∂ψ
  Matrix gram, cross;  // lower triangle of Σ xxᵀ ∂ηη, a block for each two predictors; Σ x ∂ηψ
  Vector extra;  // Σ of second derivatives in ψ, packed
  void operator+=(const Derivatives& other) {
    gradient += other.gradient;
    gram += other.gram;
    cross += other.cross;
    extra += other.extra;
  }
  auto fields() { return std::tie(gradient, gram, cross, extra); }
};

/// The expected log likelihood of rows, with its derivatives: in one pass, for rows may have to be read.
struct RegressionTarget::Moments {
  double value = 0.0;
  Derivatives derivatives;
  void operator+=(const Moments& other) {
    value += other.value;
    derivatives += other.derivatives;
  }
  auto fields() { return std::tie(value, derivatives); }
};

/// A descent asks for the value where it may go, and for the gradient once it is there.
struct RegressionTarget::Last {
  std::mutex mutex;
  Vector mean;
  Matrix covariance;
  std::shared_ptr<const Moments> moments;
};

RegressionTarget::RegressionTarget(TargetRows rows, Outcomes outcomes,
                                   std::shared_ptr<const Likelihood> likelihood,
                                   RegressionPriors priors, Vector offset)
    : rows_(std::move(rows)),
      last_(std::make_shared<Last>()),
      outcomes_(std::move(outcomes)),
      offset_(std::move(offset)),
      likelihood_(std::move(likelihood)),
      priors_(std::move(priors)),
      predictors_(likelihood_->predictors()),
      extras_(Index(likelihood_->extra().size())) {
  check();
}

void require_spread(const Likelihood& likelihood, double least, double most) {
  const bool counts = !likelihood.trouble(0.5, 1.0).empty();
  require(least < most || likelihood.extra().empty() || counts, "all outcomes are ", least,
          ", so that the likelihood ", likelihood.name(), " has no spread to describe");
}

void RegressionTarget::check() const {
  const Index n = rows_.part().count, p = coefficients();
  require(predictors_ == 1 || (extras_ == 0 && offset_.size() == 0), "the likelihood ",
          likelihood_->name(), " has several linear predictors, which take no offset");
  require(rows() > 0 && p > 0, "a regression needs rows and columns, not ", rows(), " x ", p);
  require(outcomes_.rows() == n, "there are ", n, " rows, but ", outcomes_.rows(), " outcomes");
  require(outcomes_.trials.size() == 0 || outcomes_.trials.size() == n, "there are ", n,
          " rows, but ", outcomes_.trials.size(), " numbers of trials");
  require(outcomes_.weights.size() == 0 || outcomes_.weights.size() == n, "there are ", n,
          " rows, but ", outcomes_.weights.size(), " weights");
  require(offset_.size() == 0 || (offset_.size() == n && offset_.allFinite()),
          "the offset must have a finite number for each row");
  for (Index i = 0; i < n; ++i) {
    const std::string trouble = likelihood_->trouble(outcomes_.y(i), outcomes_.trials_of(i));
    require(trouble.empty(), "the outcome of row ", rows_.part().first + i + 1, " is ",
            outcomes_.y(i), ", but ", trouble);
    require(outcomes_.weight_of(i) >= 0.0 && std::isfinite(outcomes_.weight_of(i)),
            "the weight of row ", rows_.part().first + i + 1, " is ", outcomes_.weight_of(i),
            ", but must be finite and not negative");
  }
  if (rows_.part().is_whole() && n > 1)
    require_spread(*likelihood_, outcomes_.y.minCoeff(), outcomes_.y.maxCoeff());
  require(Index(priors_.coefficients.size()) == p, "there are ", p, " coefficients, but ",
          priors_.coefficients.size(), " priors");
  require(Index(priors_.extra.size()) == extras_, "the likelihood ", likelihood_->name(), " has ",
          extras_, " parameters besides the linear predictor, but there are ", priors_.extra.size(),
          " priors for them");
  for (const CoefficientPrior& prior : priors_.coefficients) prior.check();
  for (const ScalePrior& prior : priors_.extra) prior.check();
  for (const GroupEffects& effects : priors_.effects) {
    effects.prior.check();
    require(effects.first >= 0 && effects.count > 0 && effects.first + effects.count <= p,
            "group effects must be among the coefficients");
  }
}

double RegressionTarget::prior_at(const Eigen::Ref<const Vector>& theta,
                                  Eigen::Ref<Vector> gradient) const {
  const Index p = coefficients();
  std::vector<bool> grouped(std::size_t(p), false);
  double value = 0.0;
  const auto add = [&](const auto& prior, Index k) {
    const ScalarJet jet = prior.at(theta(k));
    value += jet.value;
    gradient(k) += jet.slope;
  };
  for (Index e = 0; e < effects(); ++e) {
    const GroupEffects& g = priors_.effects[std::size_t(e)];
    const CoefficientPrior prior{CoefficientPrior::Family::normal, 0.0, std::exp(theta(p + e))};
    for (Index j = g.first; j < g.first + g.count; ++j) {
      add(prior, j);
      const double u = theta(j) / prior.scale;
      gradient(p + e) += u * u - 1.0;
      grouped[std::size_t(j)] = true;
    }
    add(g.prior, p + e);
  }
  for (Index j = 0; j < p; ++j)
    if (!grouped[std::size_t(j)]) add(priors_.coefficients[std::size_t(j)], j);
  for (Index k = 0; k < extras_; ++k) add(priors_.extra[std::size_t(k)], p + effects() + k);
  return value;
}

double RegressionTarget::expected_prior(const Vector& mean, const Matrix& covariance,
                                        Vector* gradient, Matrix* hessian) const {
  const Index p = coefficients();
  const bool spread = covariance.size() > 0;
  std::vector<bool> grouped(std::size_t(p), false);
  double value = 0.0;
  const auto put = [&](Index j, Index k, double by) {
    if (hessian == nullptr) return;
    (*hessian)(j, k) += by;
    if (j != k) (*hessian)(k, j) += by;
  };
  const auto add = [&](const auto& prior, Index k) {
    const ScalarJet jet = prior.expected(mean(k), spread ? covariance(k, k) : 0.0);
    value += jet.value;
    if (gradient != nullptr) (*gradient)(k) += jet.slope;
    put(k, k, jet.curvature);
  };
  for (Index e = 0; e < effects(); ++e) {
    const GroupEffects& g = priors_.effects[std::size_t(e)];
    const Index t = p + e;
    // −t − ½e^(−2t)u²: weighting by e^(−2t) shifts the mean of u by −2cov(u, t).
    const double v_t = spread ? covariance(t, t) : 0.0, Q = std::exp(-2.0 * mean(t) + 2.0 * v_t);
    if (!std::isfinite(Q)) throw NotFinite("a standard deviation of group effects is 0");
    constexpr double half_log_2pi = 0.91893853320467274178;
    for (Index j = g.first; j < g.first + g.count; ++j) {
      grouped[std::size_t(j)] = true;
      const double r = mean(j) - (spread ? 2.0 * covariance(j, t) : 0.0);
      const double square = Q * (r * r + (spread ? covariance(j, j) : 0.0));
      value += -half_log_2pi - mean(t) - 0.5 * square;
      if (gradient != nullptr) {
        (*gradient)(j) -= Q * r;
        (*gradient)(t) += square - 1.0;
      }
      put(j, j, -Q);
      put(j, t, 2.0 * Q * r);
      put(t, t, -2.0 * square);
    }
    add(g.prior, t);
  }
  for (Index j = 0; j < p; ++j)
    if (!grouped[std::size_t(j)]) add(priors_.coefficients[std::size_t(j)], j);
  for (Index k = 0; k < extras_; ++k) add(priors_.extra[std::size_t(k)], p + effects() + k);
  return value;
}

Matrix RegressionTarget::by_predictor(const Matrix& thetas, Index from, Index draws) const {
  const Index p = features(), m = predictors_;
  if (m == 1) return thetas.block(0, from, p, draws);
  Matrix out(p, m * draws);
  for (Index s = 0; s < draws; ++s)
    for (Index k = 0; k < m; ++k) out.col(s * m + k) = thetas.col(from + s).segment(k * p, p);
  return out;
}

Vector RegressionTarget::evaluated(const Matrix& thetas, Matrix* gradients) const {
  require_size(thetas, dimension(), "the parameters of a regression");
  const Index draws = thetas.cols(), m = predictors_, p = features();
  const Index tail = coefficients() + effects(), tile = tile_draws(m);
  const auto sum = sum_over_rows<Slopes>(rows(), [&](Index first, Index count) {
    Slopes part{Vector(draws), Matrix::Zero(gradients != nullptr ? dimension() : 0, draws)};
    const Index here = rows_.part().at(first, count);
    const Matrix x = design_rows(first, count);
    const Outcomes outcomes = outcomes_.range(here, count);
    Vector extra_slope = Vector::Zero(extras_);
    for (Index from = 0; from < draws; from += tile) {
      const Index some = std::min(tile, draws - from);
      Matrix eta = x * by_predictor(thetas, from, some);  // and then the slopes
      if (offset_.size() > 0) eta.colwise() += offset_.segment(here, count);
      for (Index s = 0; s < some; ++s) {
        extra_slope.setZero();
        part.values(from + s) =
            likelihood_->sum(outcomes, 0, eta.middleCols(s * m, m),
                             thetas.col(from + s).data() + tail, extra_slope.data());
        if (gradients != nullptr && extras_ > 0)
          part.gradients.col(from + s).tail(extras_) = extra_slope;
      }
      if (gradients == nullptr) continue;
      if (m == 1) {
        part.gradients.block(0, from, p, some).noalias() = x.transpose() * eta;
        continue;
      }
      const Matrix slopes = x.transpose() * eta;
      for (Index s = 0; s < some; ++s)
        for (Index k = 0; k < m; ++k)
          part.gradients.col(from + s).segment(k * p, p) = slopes.col(s * m + k);
    }
    return part;
  });
  Vector values = weight_ * sum.values;
  if (gradients != nullptr) *gradients = weight_ * sum.gradients;
  Vector unused(dimension());
  for (Index k = 0; k < draws; ++k)
    values(k) += gradients != nullptr ? prior_at(thetas.col(k), gradients->col(k))
                                      : prior_at(thetas.col(k), unused);
  return values;
}

Vector RegressionTarget::log_density(const Matrix& thetas, Matrix& gradients) const {
  return evaluated(thetas, &gradients);
}
Vector RegressionTarget::log_density(const Matrix& thetas) const {
  return evaluated(thetas, nullptr);
}

Matrix RegressionTarget::mean_hessian(const Matrix& thetas) const {
  require_size(thetas, dimension(), "the parameters of a regression");
  const Index m = predictors_, tail = coefficients() + effects(), draws = thetas.cols();
  const Index firsts = 1 + m + extras_, tile = tile_draws(m);
  const auto sum = sum_over_rows<Derivatives>(rows(), [&](Index first, Index count) {
    const Index here = rows_.part().at(first, count);
    const Matrix x = design_rows(first, count);
    const Outcomes outcomes = outcomes_.range(here, count);
    Matrix sums = Matrix::Zero(count, likelihood_->columns() - firsts);
    for (Index from = 0; from < draws; from += tile) {
      const Index some = std::min(tile, draws - from);
      Matrix eta = x * by_predictor(thetas, from, some);
      if (offset_.size() > 0) eta.colwise() += offset_.segment(here, count);
      for (Index s = 0; s < some; ++s)
        likelihood_->add_curvature(outcomes, 0, eta.middleCols(s * m, m),
                                   thetas.col(from + s).data() + tail, sums);
    }
    Matrix moments = Matrix::Zero(count, likelihood_->columns());
    moments.rightCols(sums.cols()) = sums / double(draws);
    return derivatives(x, moments);
  });
  Matrix hessian = weighted(sum).hessian;
  Matrix of_prior = Matrix::Zero(dimension(), dimension());
  for (Index k = 0; k < draws; ++k) expected_prior(thetas.col(k), {}, nullptr, &of_prior);
  return hessian + of_prior / double(draws);
}

Matrix RegressionTarget::linear_predictors(const std::vector<Index>& rows,
                                           const Matrix& thetas) const {
  require_size(thetas, dimension(), "the parameters of a regression");
  Matrix eta =
      by_predictor(thetas, 0, thetas.cols()).transpose() * design()(rows, Eigen::all).transpose();
  if (offset_.size() > 0) eta.rowwise() += Vector(offset_(rows)).transpose();
  return eta;
}

Matrix RegressionTarget::linear_predictors(const Matrix& thetas) const {
  std::vector<Index> all(static_cast<std::size_t>(rows_.part().count));
  std::iota(all.begin(), all.end(), Index(0));
  return linear_predictors(all, thetas);
}

PredictorNormals RegressionTarget::predictor_normals(const Vector& mean, const Matrix& covariance,
                                                     Index first, Index count) const {
  return predictor_normals(design_rows(first, count), mean, covariance, first);
}

PredictorNormals RegressionTarget::predictor_normals(const Matrix& x, const Vector& mean,
                                                     const Matrix& covariance, Index first) const {
  const Index p = features(), tail = coefficients() + effects(), count = x.rows();
  const Index here = rows_.part().at(first, count);
  PredictorNormals out = fisherman::predictor_normals(x, predictors_, mean, covariance);
  if (offset_.size() > 0) out.mean.colwise() += offset_.segment(here, count);
  out.extra_mean = mean.segment(tail, extras_);
  if (covariance.size() == 0) {
    out.with_extra = Matrix::Zero(count, extras_);
    out.extra_covariance = Matrix::Zero(extras_, extras_);
    return out;
  }
  out.with_extra = x * covariance.block(0, tail, p, extras_);
  out.extra_covariance = covariance.block(tail, tail, extras_, extras_);
  return out;
}

Matrix RegressionTarget::row_moments(const Matrix& x, const Vector& mean, const Matrix& covariance,
                                     Index first) const {
  const Index here = rows_.part().at(first, x.rows()), count = x.rows();
  Matrix out(count, likelihood_->columns());
  likelihood_->expect(outcomes_.range(here, count), 0,
                      predictor_normals(x, mean, covariance, first), out);
  if (outcomes_.weights.size() > 0)
    out.array().colwise() *= outcomes_.weights.segment(here, count).array();
  return out;
}

std::shared_ptr<const RegressionTarget::Moments> RegressionTarget::remembered(
    const Vector& mean, const Matrix& covariance) const {
  const std::lock_guard lock(last_->mutex);
  const bool same = last_->moments && last_->mean == mean &&
                    last_->covariance.size() == covariance.size() &&
                    last_->covariance == covariance;
  return same ? last_->moments : nullptr;
}

std::shared_ptr<const RegressionTarget::Moments> RegressionTarget::moments(
    const Vector& mean, const Matrix& covariance) const {
  if (auto known = remembered(mean, covariance)) return known;
  auto out =
      std::make_shared<const Moments>(sum_over_rows<Moments>(rows(), [&](Index first, Index count) {
        const Matrix x = design_rows(first, count);
        const Matrix some = row_moments(x, mean, covariance, first);
        return Moments{some.col(0).sum(), derivatives(x, some)};
      }));
  const std::lock_guard lock(last_->mutex);
  last_->mean = mean;
  last_->covariance = covariance;
  last_->moments = out;
  return out;
}

double RegressionTarget::expected(const Vector& mean, const Matrix& covariance) const {
  const auto known = remembered(mean, covariance);
  const double value =
      known ? known->value : sum_over_rows<double>(rows(), [&](Index first, Index count) {
        return row_moments(design_rows(first, count), mean, covariance, first).col(0).sum();
      });
  return weight_ * value + expected_prior(mean, covariance, nullptr, nullptr);
}

RegressionTarget::Derivatives RegressionTarget::derivatives(const Matrix& x,
                                                            const Matrix& row) const {
  const Index p = features(), m = predictors_, all = coefficients(), seconds = 1 + m + extras_;
  Derivatives out{Vector(all + extras_), Matrix::Zero(all, all), Matrix(p, extras_),
                  Vector(extras_ * (extras_ + 1) / 2)};
  for (Index k = 0; k < m; ++k) {
    out.gradient.segment(k * p, p).noalias() = x.transpose() * row.col(1 + k);
    for (Index l = 0; l <= k; ++l) {
      auto gram = out.gram.block(k * p, l * p, p, p);
      const Vector curvature = row.col(seconds + packed_at(k, l));
      if (k == l && (curvature.array() <= 0.0).all()) {
        const Matrix scaled = (-curvature).cwiseSqrt().asDiagonal() * x;
        gram.selfadjointView<Eigen::Lower>().rankUpdate(scaled.transpose(), -1.0);
      } else {  // of two predictors, or log p is not concave everywhere
        const Matrix scaled = curvature.asDiagonal() * x;
        gram.noalias() = x.transpose() * scaled;
      }
    }
  }
  for (Index k = 0; k < extras_; ++k) {
    out.gradient(all + k) = row.col(2 + k).sum();
    out.cross.col(k).noalias() = x.transpose() * row.col(seconds + with_eta(k));
    for (Index l = 0; l <= k; ++l)
      out.extra(packed_at(k, l)) = row.col(seconds + with_extra(k, l)).sum();
  }
  return out;
}

Expectation RegressionTarget::weighted(const Derivatives& sum) const {
  const Index p = features(), all = coefficients(), tail = all + effects();
  Matrix gram = sum.gram;
  gram.triangularView<Eigen::StrictlyUpper>() = sum.gram.transpose();
  Expectation out{0.0, Vector::Zero(dimension()), Matrix::Zero(dimension(), dimension())};
  out.gradient.head(all) = weight_ * sum.gradient.head(all);
  out.gradient.tail(extras_) = weight_ * sum.gradient.tail(extras_);
  out.hessian.topLeftCorner(all, all) = weight_ * gram;
  for (Index k = 0; k < extras_; ++k) {
    out.hessian.block(0, tail + k, p, 1) = weight_ * sum.cross.col(k);
    out.hessian.block(tail + k, 0, 1, p) = weight_ * sum.cross.col(k).transpose();
    for (Index l = 0; l <= k; ++l)
      out.hessian(tail + k, tail + l) = out.hessian(tail + l, tail + k) =
          weight_ * sum.extra(packed_at(k, l));
  }
  return out;
}

Expectation RegressionTarget::expectation(const Vector& mean, const Matrix& covariance) const {
  const auto found = moments(mean, covariance);
  Expectation out = weighted(found->derivatives);
  out.value =
      weight_ * found->value + expected_prior(mean, covariance, &out.gradient, &out.hessian);
  return out;
}

RegressionTarget RegressionTarget::with(std::shared_ptr<const Likelihood> likelihood) const {
  RegressionTarget out = *this;
  out.last_ = std::make_shared<Last>();
  out.likelihood_ = std::move(likelihood);
  require(out.likelihood_->predictors() == predictors_ &&
              Index(out.likelihood_->extra().size()) == extras_,
          "the likelihood ", out.likelihood_->name(), " has another number of parameters than ",
          likelihood_->name());
  return out;
}

RegressionTarget RegressionTarget::subset(const std::vector<Index>& rows) const {
  require(!rows.empty(), "a minibatch needs at least one row");
  RegressionTarget out = *this;
  out.last_ = std::make_shared<Last>();
  out.rows_ = rows_.chosen(rows);
  Vector* const all[] = {&out.outcomes_.y, &out.outcomes_.trials, &out.outcomes_.weights,
                         &out.offset_};
  std::int64_t given = 0;
  for (int k = 0; k < 4; ++k) given |= std::int64_t(all[k]->size() > 0) << k;
  if (!part().is_whole()) given = largest_of_ranks(given);  // on a rank without rows all are empty
  for (int k = 0; k < 4; ++k)
    if ((given >> k & 1) != 0) *all[k] = collected(*all[k], part(), rows);
  out.weight_ = weight_ * double(this->rows()) / double(rows.size());
  return out;
}

RegressionTarget RegressionTarget::sample(Index most) const {
  return rows() <= most && rows_.part().is_whole() && in_memory()
             ? *this
             : subset(spread_rows(rows(), most));
}

}  // namespace fisherman
