#include "child.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "fisherman/core/error.hpp"

namespace fisherman::cli {

pid_t start_child(const std::string& program, const std::vector<std::string>& words, int errors) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.data()));
  arguments.push_back(nullptr);
  const pid_t parent = getpid(), pid = fork();
  if (pid < 0) throw FileError(sentence(words[0], " cannot be started: ", std::strerror(errno)));
  if (pid > 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(not_started);  // it was killed before we asked
  const int nowhere = open("/dev/null", O_RDWR);
  dup2(nowhere, STDIN_FILENO);
  dup2(nowhere, STDOUT_FILENO);
  dup2(errors < 0 ? nowhere : errors, STDERR_FILENO);
  execvp(program.c_str(), arguments.data());
  _exit(not_started);
}

}  // namespace fisherman::cli
