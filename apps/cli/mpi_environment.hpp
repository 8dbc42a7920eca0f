// What mpirun, mpiexec and srun leave in the environment of a rank.
#pragma once

#include <string>
#include <vector>

namespace fisherman::cli {

/// Whether one of them started this process: without them MPI is not even set up, which takes its time.
bool is_started_by_mpi();

/// The environment, as NAME=VALUE, without what would make a child of a rank believe that it is a rank itself.
std::vector<std::string> environment_without_mpi();

}  // namespace fisherman::cli
