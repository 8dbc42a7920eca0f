// The likelihood of a regression: log p(y | η, ψ), where η is the linear predictor of a row and ψ are at most two further
// parameters, such as the logarithm of a standard deviation, which all rows share.
//
// Under a Gaussian of all parameters (η, ψ) is normal too, so that a Gaussian posterior approximation needs nothing but the
// expectation of log p and of its derivatives under a normal of one to three dimensions. A likelihood is a small class: at()
// gives log p with its derivatives at a point, and expect() the expectations. The default of expect() is quadrature of at(),
// for likelihoods without ψ; where there is a closed form, or a function that can be integrated once for all rows, a
// likelihood has its own. Tests hold every expect() against quadrature of at().
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "fisherman/core/random_sequence.hpp"
#include "fisherman/core/types.hpp"
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
};

/// A function of (η, ψ₁, ψ₂) with its derivatives. Second derivatives are the lower triangle, row by row: ηη, ψ₁η, ψ₁ψ₁,
/// ψ₂η, ψ₂ψ₁, ψ₂ψ₂.
struct Jet {
  double value = 0.0;
  std::array<double, 3> d = {};
  std::array<double, 6> dd = {};
};

/// The normal distribution of (η, ψ) for each of some rows.
struct PredictorNormals {
  Vector mean, variance;  // of η
  Matrix with_extra;      // covariance of η and each ψ, one row each
  Vector extra_mean;
  Matrix extra_covariance;
};

/// How the linear predictor leads to the expected outcome.
enum class Link { logit, probit, cloglog, log, identity };

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
  /// Nothing, or the rule that the outcome of a row breaks, such as "must be a whole number that is not negative".
  virtual std::string trouble(double y, double trials) const = 0;

  virtual std::vector<ExtraParameter> extra() const { return {}; }
  /// The default priors of the extra parameters, for outcomes of such a spread.
  virtual std::vector<ScalePrior> extra_priors(double /*spread*/) const { return {}; }
  /// A rough guess of ψ when the linear predictors are known.
  virtual Vector guess(const Outcomes& /*outcomes*/, const Vector& /*eta*/) const { return {}; }

  /// log p(y | η, ψ), all constants included, with its derivatives.
  virtual Jet at(double y, double trials, double eta, const double* psi) const = 0;
  /// How far the nearest singularity of at() is from the real axis of η: what quadrature needs to know.
  virtual double strip() const { return 1.0; }

  /// Expectations for rows `first` and on, as many as the normals are: out has one row each, with the value, the first and
  /// the second derivatives as a Jet has them, without those of parameters that do not exist; not weighted.
  virtual void expect(const Outcomes& outcomes, Index first, const PredictorNormals& normals,
                      Eigen::Ref<Matrix> out) const;
  Index columns() const { return columns_for(Index(extra().size())); }
  static Index columns_for(Index extras) {
    return 1 + (1 + extras) + (1 + extras) * (2 + extras) / 2;
  }

  /// Σ weight·log p over rows `first` and on; `eta` becomes weight·∂/∂η, and `psi_slope` (as long as ψ) grows by the others.
  virtual double sum(const Outcomes& outcomes, Index first, Eigen::Ref<Vector> eta,
                     const double* psi, double* psi_slope) const;

  /// Adds weight times the second derivatives at η, as a Jet has them, to the columns of `sums`.
  virtual void add_curvature(const Outcomes& outcomes, Index first, const ConstVectorRef& eta,
                             const double* psi, Eigen::Ref<Matrix> sums) const;

  /// The expected outcome (of one trial).
  double mean(double eta) const;
  /// A random outcome.
  virtual double draw(double trials, double eta, const double* psi,
                      RandomSequence& random) const = 0;
};

/// The table: all likelihoods by name.
const std::vector<std::shared_ptr<const Likelihood>>& likelihoods();
/// Throws Misuse, naming those that there are, if there is none of this name.
std::shared_ptr<const Likelihood> likelihood(const std::string& name);

/// The inverse of a link, and its derivative.
double inverse_link(Link link, double eta);
double inverse_link_slope(Link link, double eta);

}  // namespace fisherman
