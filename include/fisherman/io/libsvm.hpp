// LIBSVM's sparse text: `label index:value index:value …`, one row a line.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "fisherman/io/byte_source.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman {

/// Indices count from 1 and ascend; what is not listed is 0; `#` begins a comment; blank lines are
/// skipped. The columns are named f1, f2, … Throws FileError for anything else.
Table parse_libsvm(ByteSource& source, const ReadOptions& options = {});

struct LibsvmRow {
  Index line = 0;
  std::string label;                   ///< empty without labels
  std::vector<std::uint32_t> columns;  ///< from 0, ascending
  std::vector<double> values;
};

/// Goes through the rows of such a file. Nothing is kept, so that a file may have any length.
void for_libsvm_rows(ByteSource& source, const ReadOptions& options,
                     const std::function<void(const LibsvmRow&)>& use);

inline constexpr Index most_sparse_columns = std::numeric_limits<std::int32_t>::max();
/// The refusal of more.
std::string too_many_columns(Index largest_index);

}  // namespace fisherman
