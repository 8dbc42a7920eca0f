// The kinds of fit that come with the library, each from its folder.
#pragma once

#include "fisherman/fit/fit_kind.hpp"

namespace fisherman {

FitKind regression_kind();
FitKind logistic_kind();
FitKind reduced_rank_kind();
FitKind flow_kind();
FitKind density_kind();
FitKind stan_kind();

}  // namespace fisherman
