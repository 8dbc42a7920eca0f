// Runs the trials of a study, each in a process of its own: a trial that crashes takes nothing with it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

#include "store.hpp"

namespace fisherman::cli::study {

class Runner {
 public:
  /// Up to `jobs` trials at a time, 0 meaning one a core; the cores are shared among them.
  Runner(Store& store, int jobs);

  /// Called with every trial that has ended.
  std::function<void(const Trial&)> watch;
  /// When it says so, no further trial is begun.
  std::function<bool()> enough;

  /// Runs those of the trials that have not ended, and reads all of them back. A signal ends it early: the trials
  /// are told to stop, and go on from where they were next time. Returns whether all have ended.
  bool run(std::vector<Trial>& trials);

 private:
  struct Child {
    pid_t pid;
    Trial* trial;
  };
  std::filesystem::path folder_of(const Trial& trial) const;
  std::filesystem::path errors_of(const Trial& trial) const;
  void begin(Trial& trial);
  /// What the process has left, into the store.
  void collect(Trial& trial, int wait_status);
  bool collect_result(Trial& trial) const;
  void keep(Trial& trial);
  /// Removes what the process has left.
  void clear(const Trial& trial) const;

  Store& store_;
  int jobs_, threads_;
  std::vector<Child> running_;
};

}  // namespace fisherman::cli::study
