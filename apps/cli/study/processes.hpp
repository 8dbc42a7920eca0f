// Trials at work on this machine, each in a process of its own: a trial that crashes takes nothing with it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <tuple>
#include <vector>

#include "store.hpp"

namespace fisherman::cli::study {

/// A trial, the folder that it leaves its files in, and its number of threads.
struct Task {
  Trial trial;
  std::string folder;
  std::int64_t threads = 1;
  auto fields() { return std::tie(trial, folder, threads); }
};

/// What a process has left in its folder, into the trial. False if it has not ended.
bool read_result(const std::filesystem::path& folder, Trial& trial);
/// Removes what a process has left.
void clear(const std::filesystem::path& folder);

class Processes {
 public:
  /// Goes on from a checkpoint, if there is one.
  void begin(Task task);
  /// Tells all of them to stop, with a checkpoint.
  void stop();
  /// The trials whose processes have ended since the last call. Those that have no status were cut short.
  std::vector<Trial> ended();
  std::size_t count() const { return running_.size(); }

 private:
  struct Child {
    pid_t pid;
    Task task;
  };
  void collect(Task& task, int wait_status) const;

  std::vector<Child> running_;
  bool stopping_ = false;
};

}  // namespace fisherman::cli::study
