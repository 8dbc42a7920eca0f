// The page of reduced-rank regressions.
#pragma once

#include <vector>

#include "html.hpp"
#include "run.hpp"

namespace fisherman::cli::report {

Page reduced_rank_page(const std::vector<Run>& runs);

}  // namespace fisherman::cli::report
