// The folder of a fit, read back: for predictions, pages and studies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "checksums.hpp"
#include "fisherman/fit/fit_kind.hpp"

namespace fisherman::cli {

struct SavedRun {
  std::filesystem::path folder;
  Checksums sums;
  const FitKind* kind;
  std::shared_ptr<const Fitted> fit;
};

/// Throws FileError for a folder that no fit has left, one whose fit has not ended, and files that are not as it left them.
SavedRun read_run(const std::filesystem::path& folder);

/// The columns of a trace.csv by name, NaN where there is no value.
TraceColumns read_trace(const std::filesystem::path& file);

/// The last part of a folder's name, whether it ends with a slash or not.
std::string run_name(const std::filesystem::path& folder);

/// Runs as a page shows them, under names that differ. Their data are looked for, by checksum, in `places` and where they
/// were at the time of the fit, and read when a page asks for them. Throws FileError for runs of different kinds.
struct ReportedRuns {
  const FitKind* kind;
  std::vector<ReportedFit> fits;
  std::vector<std::filesystem::path> inputs;  // all files that are read
};
ReportedRuns read_runs(const std::vector<std::filesystem::path>& folders,
                       const std::vector<std::filesystem::path>& places);

/// What a page says of its making.
std::string made_from(const std::vector<std::filesystem::path>& folders);

}  // namespace fisherman::cli
