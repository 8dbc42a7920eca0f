// How much memory there is, and the one refusal of work that would take more.
#pragma once

#include <string>
#include <vector>

namespace fisherman {

struct Memory {
  double total;  ///< bytes that this process may have in all, if nobody else had any
  double left;   ///< bytes that it can still take now
  double taken;  ///< bytes that it has
  std::string
      words;  ///< whose limit that is, as the end of a sentence: "this machine has 16 GB, …"
};

/// The least of what the machine, its control group and `ulimit -v` allow.
Memory memory_now();

/// From now on this process takes what is free on the machine, or in its control group, for that of so many processes alike:
/// ranks that work there together.
void share_memory_among(int processes);

/// In gigabytes, rounded up to one decimal: "1.8 GB".
std::string gigabytes(double bytes);

struct MemoryPart {
  std::string what;
  double bytes;
};

/// Throws Misuse unless `parts` fit together into the memory there is; what the process has already counts as free, so
/// the parts name the data too. The sentence begins with `what` ("the fit"), gives each part, and ends with `less`:
/// what would take less.
void require_memory(const std::string& what, const std::vector<MemoryPart>& parts,
                    const std::string& less);

/// From now on this process, and those that it starts, get no more than nine tenths of what is free now. For programs of
/// others: one that takes memory without end is to run out of it before the machine does.
void limit_memory();

/// What to say when memory ran out after all, while doing `what`.
std::string out_of_memory(const std::string& what);

}  // namespace fisherman
