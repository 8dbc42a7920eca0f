// fisherman fit KIND: reads the data, keeps the run folder, shows progress, heeds Ctrl-C, resumes. What is fitted is the
// kind's own matter.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "data_flags.hpp"
#include "fisherman/core/ranks.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "run_folder.hpp"

namespace fisherman::cli {

class FitCommand {
 public:
  explicit FitCommand(const FitKind& kind);

  /// The common flags, and one for every option.
  void add_to(CLI::App& command);
  int run();

 private:
  void apply();
  using DataSums =
      std::map<std::string, std::string>;  // checksums of files, by the options that name them
  /// Together. Nothing without --out.
  DataSums data_sums() const;
  /// All options, and for --out the data and their checksums and the version: what must not change before a resume.
  Json config_of(const FitData& data, const DataSums& sums) const;
  /// Nothing without --out.
  std::unique_ptr<RunFolder> folder_for(const Json& config_json) const;
  /// What the folder holds of a fit, besides its page.
  std::vector<NamedFile> files_of(const Fitted& fit) const;

  const FitKind* kind_;
  std::unique_ptr<FitSettings> settings_;
  Output output_;
  DataFlags data_;
  Options output_options_, data_options_;
  Flags flags_, output_flags_, data_flags_;
  std::string config_, out_;
  double checkpoint_every_ = 2.0;
  std::optional<Alone> alone_;  // of a kind that has no rows to share
  bool resume_ = false, overwrite_ = false, json_ = false, quiet_ = false, no_report_ = false;
};

}  // namespace fisherman::cli
