// The likelihood of a regression: log p(y | η, ψ), where η are the linear predictors of a row, one for most likelihoods, and ψ
// are at most two further parameters, such as the logarithm of a standard deviation, which all rows share.
//
// Under a Gaussian of all parameters (η, ψ) is normal too, so that a Gaussian posterior approximation needs nothing but the
// expectation of log p and of its derivatives under a normal of a few dimensions. What a regression asks of a likelihood is
// in Likelihood, by blocks of rows. One with a single linear predictor is a small class, a ScalarLikelihood: at() gives log p
// with its derivatives at a point, and all else follows. The default of expect() is quadrature of at(), for likelihoods
// without ψ; where there is a closed form, or a function that can be integrated once for all rows, a likelihood has its own.
// Tests hold every expect() against quadrature of at().
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "fisherman/core/random_sequence.hpp"
#include "fisherman/core/types.hpp"
#include "fisherman/model/normal_quadrature.hpp"
#include "fisherman/model/scalar_prior.hpp"

namespace fisherman {

/// What is observed: one number for each row. `trials` is empty unless outcomes are counts out of several trials, `weights`
/// unless rows count differently.
struct Outcomes {
  Vector y, trials, weights;

  Index rows() const { return y.size(); }
  double trials_of(Index i) const { return trials.size() > 0 ? trials(i) : 1.0; }
  double weight_of(Index i) const { return weights.size() > 0 ? weights(i) : 1.0; }
  Outcomes subset(const std::vector<Index>& rows) const;
  Outcomes range(Index first, Index count) const;
};

/// A function of (η, ψ₁, ψ₂) with its derivatives. Second derivatives are the lower triangle, row by row: ηη, ψ₁η, ψ₁ψ₁,
/// ψ₂η, ψ₂ψ₁, ψ₂ψ₂.
struct Jet {
  double value = 0.0;
  std::array<double, 3> d = {};
  std::array<double, 6> dd = {};
};

/// Where the lower triangle of a symmetric matrix, row by row, has the entry of row k and column l ≤ k.
constexpr Index packed_at(Index k, Index l) { return k * (k + 1) / 2 + l; }

/// The normal distribution of (η, ψ) for each of some rows.
struct PredictorNormals {
  Matrix mean,
      variance;  // of η: a column for each predictor, and one for each number of the lower triangle
  Matrix with_extra;  // covariance of η, if it is one number, and each ψ, one row each
  Vector extra_mean;
  Matrix extra_covariance;
};

/// How the linear predictor leads to the expected outcome; softmax: how several lead to the probabilities of classes.
enum class Link { logit, probit, cloglog, log, identity, softmax };

/// A parameter besides the linear predictor; what is fitted is its logarithm.
struct ExtraParameter {
  std::string name;  // of the parameter itself, such as "sigma"
  std::string meaning;
};

class Likelihood {
 public:
  Likelihood() = default;
  Likelihood(const Likelihood&) = delete;
  Likelihood& operator=(const Likelihood&) = delete;
  virtual ~Likelihood() = default;

  virtual std::string name() const = 0;
  virtual std::string help() const = 0;
  virtual Link link() const = 0;
  /// Outcomes are one of two classes, or counts out of trials.
  virtual bool binary() const { return false; }
  /// How many linear predictors a row has. With several, outcomes are classes, one more than there are predictors.
  virtual Index predictors() const { return 1; }
  /// Nothing, or the rule that the outcome of a row breaks, such as "must be a whole number that is not negative".
  virtual std::string trouble(double y, double trials) const = 0;

  virtual std::vector<ExtraParameter> extra() const { return {}; }
  /// The default priors of the extra parameters, for outcomes of such a spread.
  virtual std::vector<ScalePrior> extra_priors(double /*spread*/) const { return {}; }
  /// A rough guess of ψ when the linear predictors are known.
  virtual Vector guess(const Outcomes& /*outcomes*/, const Vector& /*eta*/) const { return {}; }

  /// log p(y | η, ψ), all constants included; η and ψ have as many numbers as there are predictors and extra parameters.
  virtual double log_p(double y, double trials, const double* eta, const double* psi) const = 0;
  /// A random outcome.
  virtual double sample(double trials, const double* eta, const double* psi,
                        RandomSequence& random) const = 0;

  /// Expectations for rows `first` and on, as many as the normals are: out has one row each, with the value, the first and
  /// the second derivatives in (η, ψ), these as the lower triangle row by row; not weighted. Second derivatives are twice the
  /// derivative in the covariance, which is the same thing where expectations are exact.
  virtual void expect(const Outcomes& outcomes, Index first, const PredictorNormals& normals,
                      Eigen::Ref<Matrix> out) const = 0;
  /// How expect() approximates, in a sentence, and the same likelihood with smaller errors, to measure them. Nothing where
  /// expectations are exact.
  virtual std::string approximation() const { return {}; }
  virtual std::shared_ptr<const Likelihood> finer() const { return {}; }
  Index columns() const { return columns_for(predictors() + Index(extra().size())); }
  /// `variables`: the number of predictors and extra parameters.
  static Index columns_for(Index variables) {
    return 1 + variables + variables * (variables + 1) / 2;
  }

  /// Σ weight·log p over rows `first` and on; `eta`, a column for each predictor, becomes weight·∂/∂η, and `psi_slope` (as
  /// long as ψ) grows by the others.
  virtual double sum(const Outcomes& outcomes, Index first, Eigen::Ref<Matrix> eta,
                     const double* psi, double* psi_slope) const = 0;

  /// Adds weight times the second derivatives at η, as expect() has them, to the columns of `sums`.
  virtual void add_curvature(const Outcomes& outcomes, Index first, const ConstMatrixRef& eta,
                             const double* psi, Eigen::Ref<Matrix> sums) const = 0;
};

/// A likelihood with one linear predictor.
class ScalarLikelihood : public Likelihood {
 public:
  /// log p(y | η, ψ), all constants included, with its derivatives.
  virtual Jet at(double y, double trials, double eta, const double* psi) const = 0;
  /// How far the nearest singularity of at() is from the real axis of η: what quadrature needs to know.
  virtual double strip() const { return 1.0; }
  /// A random outcome.
  virtual double draw(double trials, double eta, const double* psi,
                      RandomSequence& random) const = 0;
  /// The expected outcome (of one trial).
  double mean(double eta) const;

  double log_p(double y, double trials, const double* eta, const double* psi) const final {
    return at(y, trials, *eta, psi).value;
  }
  double sample(double trials, const double* eta, const double* psi,
                RandomSequence& random) const final {
    return draw(trials, *eta, psi, random);
  }
  void expect(const Outcomes& outcomes, Index first, const PredictorNormals& normals,
              Eigen::Ref<Matrix> out) const override;
  double sum(const Outcomes& outcomes, Index first, Eigen::Ref<Matrix> eta, const double* psi,
             double* psi_slope) const override;
  void add_curvature(const Outcomes& outcomes, Index first, const ConstMatrixRef& eta,
                     const double* psi, Eigen::Ref<Matrix> sums) const override;
};

/// The tables: those with one linear predictor, and all. That of several classes is there as one of two.
const std::vector<std::shared_ptr<const ScalarLikelihood>>& scalar_likelihoods();
const std::vector<std::shared_ptr<const Likelihood>>& likelihoods();
/// Throws Misuse, naming those that there are, if there is none of this name. Only one for several classes asks how many
/// there are.
std::shared_ptr<const Likelihood> likelihood(const std::string& name, Index classes = 2);

/// y is one of `classes` classes, numbered from 0, with probabilities ∝ (1, e^η₁, e^η₂, …). With more than two, expectations
/// are sums over about `nodes` nodes of the normal (normal_nodes()).
std::shared_ptr<const Likelihood> multinomial_likelihood(Index classes, Index nodes = usual_nodes);

/// Means and standard deviations of the probabilities of all classes, a column each, for such normals of the linear
/// predictors: by the same nodes.
struct ClassProbabilities {
  Matrix mean, deviation;
};
ClassProbabilities class_probabilities(const PredictorNormals& normals);

/// The inverse of a link of one predictor, and its derivative.
double inverse_link(Link link, double eta);
double inverse_link_slope(Link link, double eta);

}  // namespace fisherman
