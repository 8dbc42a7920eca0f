// Who runs the trials of a study: the ranks of MPI, or this process if there are none. The first rank keeps the study, and
// hands out trials one by one as a rank becomes free. Every rank, the first one too, runs its trials as processes of its
// machine, reads what they leave, and removes it once the study has it.
//
// No rank sends anything long unless the other waits for it, or both might wait for each other: a rank with news rings,
// which is an empty message, and the first rank asks it and receives its news. Waiting is polling with pauses, because
// MPI's way to wait takes a core from the trials.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "fisherman/core/ranks.hpp"
#include "processes.hpp"

namespace fisherman::cli::study {

/// The cores that a rank may run on, by number.
struct Machine {
  std::string name;
  std::vector<int> cores;
  auto fields() { return std::tie(name, cores); }
};

/// How many cores are a rank's, at least one: those that several ranks of a machine may run on are shared among them.
int cores_of(std::size_t rank, const std::vector<Machine>& ranks);

/// Together, on all ranks but the first: runs trials for it until its Helpers are gone.
void help_first_rank();

/// Together, on the first rank: the others run trials for it while this lives.
class Helpers {
 public:
  Helpers();
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;
};

class Crew {
 public:
  /// Up to `jobs` trials at a time on each rank, 0 meaning one per core; its cores are shared among them.
  explicit Crew(int jobs);

  bool has_room() const;
  bool is_idle() const;
  /// Any rank received a signal.
  bool interrupted() const;

  /// On the rank with the most room.
  void begin(const Trial& trial, const std::filesystem::path& folder);
  /// Tells all trials to stop.
  void stop();
  /// The trials that have ended since the last call, or were cut short, which then have no status.
  std::vector<Trial> back();
  /// Removes what a trial has left, on the rank that ran it.
  void clear(const Trial& trial, const std::filesystem::path& folder);
  /// Returns when all ranks have done what they were told so far.
  void settle();

 private:
  struct Place {
    int jobs, threads, busy;
  };
  void take(int rank, std::vector<Trial>& out);

  std::vector<Place> places_;        // of the ranks
  std::map<std::int64_t, int> ran_;  // the rank of each trial that has not been cleared
  Processes here_;
  bool interrupted_elsewhere_ = false;
};

}  // namespace fisherman::cli::study
