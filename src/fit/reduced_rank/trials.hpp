// What a cross-validation leaves: one entry for each rank and ridge.
#pragma once

#include <string>
#include <vector>

#include "fisherman/fit/fields.hpp"
#include "fisherman/fit/reduced_rank_path.hpp"

namespace fisherman {

std::vector<Fields> trials_of(const CrossValidation& cv);
/// cv.csv.
std::string trials_csv(const std::vector<Fields>& trials);
/// For the terminal, with a blank line behind; empty if there are none.
std::string trials_text(const std::vector<Fields>& trials);

}  // namespace fisherman
