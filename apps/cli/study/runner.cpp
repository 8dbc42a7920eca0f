#include "runner.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

#include "../checksums.hpp"
#include "../child.hpp"
#include "../command.hpp"
#include "../saved_run.hpp"
#include "fisherman/core/error.hpp"

namespace fisherman::cli::study {
namespace {

namespace fs = std::filesystem;

/// Starts this program again with other arguments, its errors to a file.
pid_t start_again(const std::vector<std::string>& arguments, const fs::path& errors) {
  const int log = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
  const pid_t pid = start_child("/proc/self/exe", arguments, log);
  if (log >= 0) close(log);
  return pid;
}

std::string last_line(const fs::path& path) {
  std::ifstream in(path);
  std::string line, last;
  while (std::getline(in, line))
    if (!line.empty()) last = line;
  return last;
}

}  // namespace

Runner::Runner(Store& store, int jobs) : store_(store) {
  const int cores = std::max(1, int(std::thread::hardware_concurrency()));
  jobs_ = jobs > 0 ? jobs : cores;
  threads_ = std::max(1, cores / jobs_);
}

fs::path Runner::folder_of(const Trial& trial) const {
  return store_.folder() / "trials" / std::to_string(trial.id);
}

fs::path Runner::errors_of(const Trial& trial) const {
  return fs::path(folder_of(trial)) += ".errors";
}

bool Runner::run(std::vector<Trial>& trials) {
  std::error_code error;
  fs::create_directories(store_.folder() / "trials", error);
  if (error)
    throw FileError(
        sentence((store_.folder() / "trials").string(), ": cannot be made: ", error.message()));
  std::size_t next = 0;
  bool told = false;
  for (;;) {
    const bool stopping = interrupted().load();
    while (!stopping && next < trials.size() && int(running_.size()) < jobs_) {
      Trial& trial = trials[next];
      if (!trial.ended() && enough && enough()) break;
      ++next;
      if (trial.ended())
        clear(trial);  // a kill may have come between the two
      else
        begin(trial);
    }
    if (stopping && !told)
      for (const Child& child : running_) kill(child.pid, SIGTERM);
    told = stopping;
    if (running_.empty()) break;
    for (std::size_t k = 0; k < running_.size();) {
      int status = 0;
      if (waitpid(running_[k].pid, &status, WNOHANG) == running_[k].pid) {
        Trial& trial = *running_[k].trial;
        running_.erase(running_.begin() + std::ptrdiff_t(k));
        collect(trial, status);
      } else {
        ++k;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::error_code ignored;
  fs::remove(store_.folder() / "trials", ignored);  // if it is empty
  return std::all_of(trials.begin(), trials.end(), [](const Trial& t) { return t.ended(); });
}

void Runner::begin(Trial& trial) {
  const fs::path folder = folder_of(trial);
  if (collect_result(trial)) return keep(trial);  // it had ended when its study was killed
  std::vector<std::string> arguments = {"fisherman", "fit"};
  arguments.insert(arguments.end(), trial.command.begin(), trial.command.end());
  for (const std::string& word :
       {std::string("--threads"), std::to_string(threads_), std::string("--out"), folder.string(),
        std::string("--checkpoint-every"), std::string("30"), std::string("--json"),
        std::string("--quiet"), std::string("--no-report")})
    arguments.push_back(word);
  if (fs::exists(folder / "checkpoint"))
    arguments.emplace_back("--resume");
  else
    fs::remove_all(folder);
  store_.begin(trial);
  running_.push_back({start_again(arguments, errors_of(trial)), &trial});
}

bool Runner::collect_result(Trial& trial) const {
  const fs::path folder = folder_of(trial);
  if (!fs::exists(folder / Checksums::file_name)) return false;
  const Checksums sums = Checksums::read(folder);
  const std::filesystem::path file = sums.verified("result.json");
  const Fields result = fields_of(read_json(file), file.string());
  const FitSummary summary = summary_of(result);
  if (summary.status == Status::interrupted) return false;
  trial.status = result.text("status");
  trial.sentence = summary.sentence;
  trial.objective = summary.objective;
  if (!std::isfinite(trial.objective)) trial.status = name(Status::diverged);
  trial.iterations = summary.iterations;
  trial.seconds = summary.seconds;
  if (!sums.has("trace.csv")) return true;
  const TraceColumns trace = read_trace(sums.verified("trace.csv"));
  if (trace.empty()) return true;
  const std::vector<double>& values = trace.at("objective");
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (!std::isfinite(values[k])) continue;
    trial.course.iterations.push_back(trace.at("iteration")[k]);
    trial.course.seconds.push_back(trace.at("seconds")[k]);
    trial.course.objectives.push_back(values[k]);
  }
  return true;
}

void Runner::collect(Trial& trial, int wait_status) {
  const bool exited = WIFEXITED(wait_status);
  const int code = exited ? WEXITSTATUS(wait_status) : -1;
  if (exited && (code == done || code == not_converged) && collect_result(trial))
    return keep(trial);
  if (interrupted().load()) return;  // it was told to stop, and goes on next time
  trial.status = exited ? "failed" : "crashed";
  trial.sentence = exited ? last_line(errors_of(trial))
                          : sentence("ended by signal ", WTERMSIG(wait_status), " (",
                                     strsignal(WTERMSIG(wait_status)), ")");
  keep(trial);
}

void Runner::clear(const Trial& trial) const {
  fs::remove_all(folder_of(trial));
  fs::remove(errors_of(trial));
}

void Runner::keep(Trial& trial) {
  store_.finish(trial);
  clear(trial);
  if (watch) watch(trial);
}

}  // namespace fisherman::cli::study
