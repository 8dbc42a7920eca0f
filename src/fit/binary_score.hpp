// How good probabilities of classes are for rows whose class is known.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "fisherman/core/types.hpp"
#include "fisherman/fit/fields.hpp"

namespace fisherman {

/// Log loss and accuracy, if there are labels. `p` are the probabilities of the second class.
Fields binary_score(const ConstVectorRef& p, const std::vector<std::string>& labels,
                    const std::array<std::string, 2>& classes, const std::string& labels_where);

/// The same for several classes, a column of `p` for each.
Fields class_score(const ConstMatrixRef& p, const std::vector<std::string>& labels,
                   const std::vector<std::string>& classes, const std::string& labels_where);

}  // namespace fisherman
