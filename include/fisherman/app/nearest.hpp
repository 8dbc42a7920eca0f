// The name that somebody may have meant.
#pragma once

#include <string>
#include <vector>

namespace fisherman {

/// The one of `names` with the fewest insertions, deletions and replacements from `name`; the first of
/// several. Empty if there are no names.
std::string nearest_name(const std::string& name, const std::vector<std::string>& names);

}  // namespace fisherman
