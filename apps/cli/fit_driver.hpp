// How the command line drives a fit: a trace and checkpoints in the folder, progress on the terminal, an end at Ctrl-C.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fisherman/fit/fit_kind.hpp"
#include "run_folder.hpp"

namespace fisherman::cli {

class FitDriver final : public Driver {
 public:
  struct Options {
    double checkpoint_every;
    bool resume, quiet;
  };
  /// `folder` may be null, and nothing is written then.
  FitDriver(const RunFolder* folder, const Options& options);

  void say(const std::string& line) override;
  void warn(const std::string& line) override;
  bool interrupted() const override;
  void begin_part(const std::string& name) override;
  void end_part(const Fields& result) override;
  void require_fresh(const std::string& why) const override;
  FitSummary drive(ErasedRun& run) override;

  // What a page shows: of the fit, or of its parts.
  TraceColumns trace;
  std::vector<std::pair<std::string, TraceColumns>> parts;

 private:
  const RunFolder* here() const { return part_ ? part_.get() : folder_; }
  void keep(const Record& record);

  const RunFolder* folder_;
  Options options_;
  std::unique_ptr<RunFolder> part_;
  std::ofstream file_;
  TraceColumns* course_ = &trace;
};

}  // namespace fisherman::cli
