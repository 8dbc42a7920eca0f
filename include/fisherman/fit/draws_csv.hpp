// Draws of a posterior as a file that Stan's tools read.
#pragma once

#include <string>
#include <vector>

#include "fisherman/fit/fitted.hpp"

namespace fisherman {

/// Names that CmdStan's readers, ArviZ and R take as they are, from names of any kind. A run of characters that are not
/// ASCII letters, digits or underscores becomes one underscore; underscores at either end are left out; a name that then
/// is empty or begins with a digit gets an x before it; and one that is taken gets _2, _3, … after it.
std::vector<std::string> stan_names(const std::vector<std::string>& names);

/// As CmdStan writes variational draws: comments, lp__, log_p__, log_g__, then a column for each of the names; one draw a
/// row.
std::string draws_csv(const std::string& model, Units units, const FittedDraws& draws);

}  // namespace fisherman
