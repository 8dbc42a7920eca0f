// Who watches a run: a trace for later, a progress bar for now, a checkpoint for the worst case.
// Each is called as observer(record, state) and changes nothing.
#pragma once

#include <chrono>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "fisherman/core/ranks.hpp"
#include "fisherman/solve/record.hpp"
#include "fisherman/solve/state.hpp"

namespace fisherman {

/// Keeps the records. Pass it as trace.observer(), since observers are copied and a trace is not.
class Trace {
 public:
  const std::vector<Record>& records() const { return records_; }
  auto observer() {
    return [this](const Record& record, const auto&) { records_.push_back(record); };
  }
  /// One line a record; unknown values are empty.
  void write_csv(std::ostream& out) const;
  static std::string csv_header();
  static std::string csv_line(const Record& record);

 private:
  std::vector<Record> records_;
};

/// "  120/500  24% | 310.2 it/s | 1.2 s left | objective 58.1 | to gain 0.02", redrawn in place on
/// a terminal a few times a second, and with a newline when the last iteration is there.
class Progress {
 public:
  Progress(std::ostream& out, std::int64_t total) : out_(&out), total_(total) {}
  template <class S>
  void operator()(const Record& record, const S&) {
    show(record);
  }

 private:
  void show(const Record& record);
  std::ostream* out_;
  std::int64_t total_;
  std::int64_t first_ = -1;
  double first_seconds_ = 0.0, shown_seconds_ = -1.0;
  double objective_ = Record::unknown;
};

/// Saves the state every so many seconds, and at the end of the run; kill -9 loses no more than the work since. Throws
/// FileError when the file cannot be written; the old one is then still whole. Each rank has one, and the first writes: of an
/// operator that ranks share, the others send it their parts when its clock says so.
class Checkpoint {
 public:
  explicit Checkpoint(std::filesystem::path path, double every_seconds = 30.0)
      : path_(std::move(path)), every_(every_seconds) {}

  template <class S>
  void operator()(const Record& record, const S& state) {
    const bool shared = is_spread(state.fisher);
    if (!shared && this_rank() != 0) return;
    bool due = record.last || record.seconds - last_ >= every_;
    if (shared && !record.last) due = from_first_rank(due);
    if (!due) return;
    last_ = record.seconds;
    const std::string bytes = saved(state);
    if (this_rank() == 0) write_checkpoint(path_, bytes);
  }

 private:
  std::filesystem::path path_;
  double every_;
  double last_ = 0.0;
};

}  // namespace fisherman
