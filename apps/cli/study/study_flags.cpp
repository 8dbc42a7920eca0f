#include "study_flags.hpp"

#include <iomanip>
#include <iostream>
#include <sstream>

#include "../report/html.hpp"
#include "fisherman/core/error.hpp"

namespace fisherman::cli::study {

void StudyFlags::add_to(CLI::App& command) {
  command
      .add_option("--out", out, "the study's folder; the same command again goes on where it was")
      ->required(out.empty())
      ->capture_default_str()
      ->type_name("DIR");
  add_number(command, "jobs", jobs,
             "number of trials at the same time, on each rank (0: one per core)",
             Options::Rule::not_negative)
      ->capture_default_str();
  command.add_flag("--quiet", quiet, "no line for every trial");
}

void StudyFlags::check() const {
  require(jobs >= 0 && jobs <= 1024, "--jobs is ", jobs, ", but must be from 0 to 1024");
}

std::string status_words(const Trial& trial) {
  if (trial.well()) return "well";
  return trial.status + (trial.sentence.empty() ? "" : ": " + trial.sentence);
}

void ProgressLine::say(const std::string& line) const {
  if (!quiet_) std::cerr << line << '\n';
}

void ProgressLine::tell(const Trial& trial, const std::string& what) {
  ++told_;
  std::ostringstream line;
  line << std::setw(4) << told_ << '/' << planned_ << "  " << std::setw(12)
       << (trial.well() ? report::figure(trial.objective, 7) : trial.status) << std::setw(9)
       << report::fixed(trial.seconds, 2) << " s  " << what;
  if (!trial.well() && trial.status != "diverged") line << "  (" << trial.sentence << ')';
  say(line.str());
}

}  // namespace fisherman::cli::study
