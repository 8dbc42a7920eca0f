// Runs the trials of a study, and keeps what comes of them.
#pragma once

#include <functional>
#include <vector>

#include "crew.hpp"
#include "store.hpp"

namespace fisherman::cli::study {

class Runner {
 public:
  /// Up to `jobs` trials at a time on each rank, 0 meaning one per core; the cores are shared among them.
  Runner(Store& store, int jobs) : store_(store), crew_(jobs) {}

  /// Called with every trial that has ended.
  std::function<void(const Trial&)> watch;
  /// When it says so, no further trial is begun.
  std::function<bool()> enough;

  /// Runs those of the trials that have not ended, and reads all of them back. A signal ends it early: the trials
  /// are told to stop, and go on from where they were next time. Returns whether all have ended.
  bool run(std::vector<Trial>& trials);
  /// A signal has come, to any rank.
  bool interrupted() const { return crew_.interrupted(); }

 private:
  std::filesystem::path folder_of(const Trial& trial) const;
  void begin(Trial& trial);
  void keep(const Trial& trial);

  Store& store_;
  Crew crew_;
};

}  // namespace fisherman::cli::study
