// Files that are parts of the program, as they were when it was built, and templates among them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fisherman::cli {

/// By file name; empty for a name that is not embedded.
std::string_view resource(std::string_view name);

/// Puts values into the {{names}} of a template, in one pass: what is put in is not looked at again.
std::string filled(std::string_view form,
                   const std::vector<std::pair<std::string_view, std::string>>& values);

}  // namespace fisherman::cli
