// The page of posteriors that a flow approximates.
#pragma once

#include <filesystem>
#include <vector>

#include "html.hpp"
#include "run.hpp"

namespace fisherman::cli::report {

/// `data` says where the data may be now, besides where they were.
Page flow_page(const std::vector<Run>& runs, const std::vector<std::filesystem::path>& data);

}  // namespace fisherman::cli::report
