// Files as CmdStan has them. Names of quantities are as Stan prints them: beta[2,1].
#pragma once

#include <string>
#include <vector>

#include "fisherman/fit/fitted.hpp"

namespace fisherman {

/// A dense inverse metric on the unconstrained scale, for CmdStan's metric_file.
std::string stan_metric(const Matrix& covariance);
/// A diagonal one.
std::string stan_diagonal_metric(const Vector& variances);

/// Values of parameters by name, arrays and matrices as nested lists: an init file. Names that are not of the form name or
/// name[2,1] are left as they are.
std::string stan_inits(const std::vector<std::string>& names, const Vector& values);

/// beta[2,1] as a column of CmdStan's files: beta.2.1.
std::string stan_column(const std::string& name);

/// As CmdStan writes variational draws: comments, lp__, log_p__, log_g__, and the quantities; one draw per row.
std::string stan_draws(const std::string& model, bool weighted, const FittedDraws& draws);

}  // namespace fisherman
