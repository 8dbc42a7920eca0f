// report.html, which a fit leaves in its folder.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fisherman/model/logistic.hpp"

namespace fisherman::cli {

/// Writes report.html about the one fit in the folder, from data that are in memory. What is too costly is
/// left out, and the page says so. Throws FileError if the page cannot be written.
void leave_report(const std::filesystem::path& folder, const LogisticTarget& target,
                  const std::vector<std::string>& warnings);

/// The same from what the folder holds, and the data where its config.json has them.
void leave_report(const std::filesystem::path& folder);

}  // namespace fisherman::cli
