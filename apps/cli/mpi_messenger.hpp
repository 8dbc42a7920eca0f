// Ranks started by mpirun or srun, if the program was built with MPI.
#pragma once

#include <memory>

#include "fisherman/core/ranks.hpp"

namespace fisherman::cli {

/// All ranks of a job from its beginning to its end; nothing where this process was started by itself.
class Job {
 public:
  Job();
  ~Job();
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  /// The end of a rank that failed: if all of them fail, as they do for bad input, it returns and the first of them says
  /// why. If others are still at work, this one says why, and the job is over.
  void fail(const std::string& words) const;

 private:
  std::unique_ptr<Messenger> messenger_;
};

}  // namespace fisherman::cli
