#include "fit_driver.hpp"

#include <unistd.h>

#include <iostream>

#include "command.hpp"
#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/ranks.hpp"
#include "fisherman/solve/observers.hpp"
#include "saved_run.hpp"

namespace fisherman::cli {

FitDriver::FitDriver(const RunFolder* folder, const Options& options)
    : folder_(folder), options_(options) {
  cli::interrupted();  // from now on
}

void FitDriver::say(const std::string& line) {
  if (!options_.quiet) std::cerr << line << '\n';
}

void FitDriver::warn(const std::string& line) { say("warning: " + line); }

bool FitDriver::interrupted() const {
  return largest_of_ranks(cli::interrupted().load() ? 1 : 0) > 0;
}

void FitDriver::begin_part(const std::string& name) {
  course_ = &parts.emplace_back(name, TraceColumns()).second;
  if (folder_ == nullptr) return;
  folder_->begin();
  part_ = std::make_unique<RunFolder>(folder_->part(name));
}

void FitDriver::end_part(const Fields& result) {
  file_.close();
  if (!part_) return;
  part_->write("result.json", json_of(result));
  part_->finish();
  part_.reset();
}

void FitDriver::require_fresh(const std::string& why) const {
  require(!options_.resume, why, " and has nothing to resume");
}

void FitDriver::keep(const Record& record) {
  record.for_each_column(
      [&](const char* name, auto value) { (*course_)[name].push_back(double(value)); });
  if (here() == nullptr) return;
  file_ << Trace::csv_line(record) << std::flush;
  if (!file_) throw FileError(here()->file("trace.csv").string() + ": cannot be written");
}

FitSummary FitDriver::drive(ErasedRun& run) {
  const RunFolder* const folder = here();  // of the first rank; others have none
  std::vector<Observer<ErasedState>> observers;
  std::string checkpoint = from_first_rank(on_first_rank([&] {
    return options_.resume && folder != nullptr && folder->has("checkpoint")
               ? read_checkpoint(folder->file("checkpoint"))
               : std::string();
  }));
  const bool resumed = !checkpoint.empty();
  if (resumed) {
    try {
      restore(run.state, std::move(checkpoint));  // it is as large as the operator
    } catch (const FileError& e) {
      throw FileError(sentence(
          folder != nullptr ? folder->file("checkpoint").string() : "checkpoint", ": ", e.what()));
    }
  }
  if (folder != nullptr) {
    const std::filesystem::path table = folder->file("trace.csv");
    if (resumed) {
      folder->cut_trace(run.state.iteration);
      *course_ = read_trace(table);
    } else {  // from the beginning
      folder->write("trace.csv", Trace::csv_header());
    }
    file_.open(table, std::ios::app);
  }
  observers.emplace_back([this](const Record& record, const ErasedState&) { keep(record); });
  if (from_first_rank(folder != nullptr))
    observers.emplace_back(
        Checkpoint(folder != nullptr ? folder->file("checkpoint") : std::filesystem::path(),
                   options_.checkpoint_every));
  if (!options_.quiet && isatty(STDERR_FILENO) != 0)
    observers.emplace_back(  // nobody knows how many iterations a descent takes
        Progress(std::cerr, run.descent ? 0 : run.planned));
  FitSummary end = fisherman::drive(run, when_set(cli::interrupted()), observers);
  file_.close();
  return end;
}

}  // namespace fisherman::cli
