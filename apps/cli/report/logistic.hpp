// The page of Bayesian logistic regressions.
#pragma once

#include <vector>

#include "html.hpp"
#include "logistic_problem.hpp"
#include "run.hpp"

namespace fisherman::cli::report {

Page logistic_page(const std::vector<Run>& runs, const LogisticSources& sources);

}  // namespace fisherman::cli::report
