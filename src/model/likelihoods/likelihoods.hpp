// The likelihoods that there are, and what some of them share.
#pragma once

#include <cmath>
#include <memory>

#include "fisherman/model/likelihood.hpp"

namespace fisherman {

std::shared_ptr<const ScalarLikelihood> logistic_likelihood();
std::shared_ptr<const ScalarLikelihood> probit_likelihood();
std::shared_ptr<const ScalarLikelihood> cloglog_likelihood();
std::shared_ptr<const ScalarLikelihood> poisson_likelihood();
std::shared_ptr<const ScalarLikelihood> negative_binomial_likelihood();
std::shared_ptr<const ScalarLikelihood> gamma_likelihood();
std::shared_ptr<const ScalarLikelihood> exponential_likelihood();
std::shared_ptr<const ScalarLikelihood> gaussian_likelihood();
std::shared_ptr<const ScalarLikelihood> student_t_likelihood();

/// log of "trials choose y"; 0 for one trial.
double log_choose(double trials, double y);

/// Of likelihoods whose outcomes are 0 and 1, or counts out of trials.
class BinaryLikelihood : public ScalarLikelihood {
 public:
  bool binary() const override { return true; }
  std::string trouble(double y, double trials) const override;
  double draw(double trials, double eta, const double* psi, RandomSequence& random) const override;
};

/// The rules that outcomes of the others obey.
std::string trouble_unless_count(double y);
std::string trouble_unless_positive(double y);
std::string trouble_unless_finite(double y);

/// Throws NotFinite unless the normals are.
void require_finite_normals(const PredictorNormals& normals);

}  // namespace fisherman
