#include "run_program.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "fisherman/core/error.hpp"

namespace fisherman {
namespace {

constexpr int program_not_started = 127;

/// Only what is safe between fork and exec in a process with threads.
[[noreturn]] void become_program(char* const* words, const char* folder, int output, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(program_not_started);  // it was killed before we asked
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  if (*folder && chdir(folder) != 0) _exit(program_not_started);
  execvp(words[0], words);
  _exit(program_not_started);
}

std::string all_that_comes(int from) {
  std::string out;
  for (char buffer[4096];;) {
    const ssize_t size = read(from, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return out;
    out.append(buffer, std::size_t(size));
  }
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& words,
                          const std::filesystem::path& folder) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.data()));
  arguments.push_back(nullptr);
  const std::string where = folder.string();
  int ends[2];
  const pid_t parent = getpid();
  const pid_t pid = pipe2(ends, O_CLOEXEC) == 0 ? fork() : -1;
  if (pid == 0) become_program(arguments.data(), where.c_str(), ends[1], parent);
  if (pid < 0) throw FileError(sentence(words[0], " cannot be started: ", std::strerror(errno)));
  close(ends[1]);
  ProgramResult out;
  out.messages = all_that_comes(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) out.signal = WTERMSIG(status);
  if (WIFEXITED(status)) out.code = WEXITSTATUS(status);
  out.started = out.code != program_not_started;
  return out;
}

}  // namespace fisherman
