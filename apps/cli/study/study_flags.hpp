// What compare, tune and reproduce have in common on the command line and on a terminal.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../command.hpp"
#include "runner.hpp"
#include "store.hpp"

namespace fisherman::cli::study {

struct StudyFlags {
  std::string out;
  std::int64_t jobs = 0;
  bool quiet = false;

  void add_to(CLI::App& command);
  void check() const;
};

/// A line on standard error for every trial that ends, unless the study is to be quiet.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet) : quiet_(quiet) {}

  /// So many trials, of which some have ended already.
  void restart(std::size_t planned, std::size_t ended) { planned_ = planned, told_ = ended; }
  /// `what` is a few words about the trial.
  void tell(const Trial& trial, const std::string& what);
  void say(const std::string& line) const;

 private:
  bool quiet_;
  std::size_t planned_ = 0, told_ = 0;
};

/// "iterations_done" as people say it.
std::string status_words(const Trial& trial);

}  // namespace fisherman::cli::study
