// The name that somebody may have meant.
#pragma once

#include <string>
#include <vector>

namespace fisherman {

/// The one of `names` with the fewest insertions, deletions, replacements and swaps of neighbours from `name`; the first
/// of several. Empty if none is near: more than a third of the longer one would change.
std::string nearest_name(const std::string& name, const std::vector<std::string>& names);

/// "; did you mean 'stiefel'?", or nothing if none of `names` is near; and `more`, how to see all of them, if it is not
/// empty.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& names,
                         const std::string& more = "");

}  // namespace fisherman
