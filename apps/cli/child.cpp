#include "child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "fisherman/core/error.hpp"
#include "mpi_environment.hpp"

namespace fisherman::cli {
namespace {

/// As exec wants them.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<char*> out;
  for (const std::string& word : words) out.push_back(const_cast<char*>(word.data()));
  out.push_back(nullptr);
  return out;
}

}  // namespace

pid_t start_child(const std::string& program, const std::vector<std::string>& words, int errors) {
  const std::vector<std::string> variables = environment_without_mpi();
  const std::vector<char*> arguments = pointers_to(words), environment = pointers_to(variables);
  const pid_t parent = getpid(), pid = fork();
  if (pid < 0) throw FileError(sentence(words[0], " cannot be started: ", std::strerror(errno)));
  if (pid > 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(not_started);  // it was killed before we asked
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDIN_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  dup2(errors < 0 ? nowhere : errors, STDERR_FILENO);
  execvpe(program.c_str(), arguments.data(), environment.data());
  _exit(not_started);
}

}  // namespace fisherman::cli
