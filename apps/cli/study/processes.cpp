#include "processes.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>

#include "../checksums.hpp"
#include "../child.hpp"
#include "../command.hpp"
#include "../own_folder.hpp"
#include "../saved_run.hpp"
#include "fisherman/core/error.hpp"

namespace fisherman::cli::study {
namespace {

namespace fs = std::filesystem;

fs::path errors_of(const fs::path& folder) { return fs::path(folder) += ".errors"; }

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

bool read_result(const fs::path& folder, Trial& trial) {
  if (!fs::exists(folder / Checksums::file_name)) return false;
  const Checksums sums = Checksums::read(folder);
  const fs::path file = sums.verified("result.json");
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

void clear(const fs::path& folder) {
  fs::remove_all(folder);
  fs::remove(errors_of(folder));
}

void Processes::begin(Task task) {
  const fs::path folder = task.folder;
  // A process of a rank that was killed may be at work there for another moment, which this waits for.
  if (fs::exists(folder))
    OwnFolder(
        folder, [] { return true; }, Owner::children_too);
  std::vector<std::string> arguments = {"fisherman", "fit"};
  arguments.insert(arguments.end(), task.trial.command.begin(), task.trial.command.end());
  for (const std::string& word :
       {std::string("--threads"), std::to_string(task.threads), std::string("--out"), task.folder,
        std::string("--checkpoint-every"), std::string("30"), std::string("--json"),
        std::string("--quiet"), std::string("--no-report")})
    arguments.push_back(word);
  if (fs::exists(folder / "checkpoint"))
    arguments.emplace_back("--resume");
  else
    fs::remove_all(folder);
  const pid_t pid = start_again(arguments, errors_of(folder));
  running_.push_back({pid, std::move(task)});
}

void Processes::stop() {
  stopping_ = true;
  for (const Child& child : running_) kill(child.pid, SIGTERM);
}

std::vector<Trial> Processes::ended() {
  std::vector<Trial> out;
  for (std::size_t k = 0; k < running_.size();) {
    int status = 0;
    if (waitpid(running_[k].pid, &status, WNOHANG) == running_[k].pid) {
      Task task = std::move(running_[k].task);
      running_.erase(running_.begin() + std::ptrdiff_t(k));
      collect(task, status);
      out.push_back(std::move(task.trial));
    } else {
      ++k;
    }
  }
  return out;
}

void Processes::collect(Task& task, int wait_status) const {
  Trial& trial = task.trial;
  const bool exited = WIFEXITED(wait_status);
  const int code = exited ? WEXITSTATUS(wait_status) : -1;
  if (exited && (code == done || code == not_converged) && read_result(task.folder, trial)) return;
  if (stopping_ || interrupted().load()) return;  // it was told to stop, and goes on next time
  trial.status = exited ? "failed" : "crashed";
  trial.sentence = exited ? last_line(errors_of(task.folder))
                          : sentence("ended by signal ", WTERMSIG(wait_status), " (",
                                     strsignal(WTERMSIG(wait_status)), ")");
}

}  // namespace fisherman::cli::study
