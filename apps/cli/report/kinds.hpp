// Which page belongs to which kind of fit. A new kind adds a line to kinds.cpp.
#pragma once

#include <filesystem>
#include <vector>

#include "html.hpp"
#include "run.hpp"

namespace fisherman::cli::report {

/// Throws FileError for runs of different kinds, and for a kind that has no page. `data` are places to
/// look for the runs' data, besides those they name themselves.
Page page_of(const std::vector<Run>& runs, const std::vector<std::filesystem::path>& data);

}  // namespace fisherman::cli::report
