// Priors as people write them.
#pragma once

#include <string>

#include "fisherman/model/scalar_prior.hpp"

namespace fisherman {

/// normal(location,scale), student_t(df,location,scale), laplace(location,scale) or flat.
std::string words(const CoefficientPrior& prior);
/// half_normal(scale), half_t(df,scale), exponential(scale), gamma(shape,scale) or lognormal(median,sd).
std::string words(const ScalePrior& prior);

/// And back. Throws Misuse for anything else, with the rule; `where` is what the sentence begins with.
CoefficientPrior coefficient_prior(const std::string& text, const std::string& where);
ScalePrior scale_prior(const std::string& text, const std::string& where);

}  // namespace fisherman
