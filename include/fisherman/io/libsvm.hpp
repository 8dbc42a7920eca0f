// LIBSVM's sparse text: `label index:value index:value …`, one row a line.
#pragma once

#include "fisherman/io/byte_source.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman {

/// Indices count from 1 and ascend; what is not listed is 0; `#` begins a comment; blank lines are
/// skipped. The columns are named f1, f2, … Throws FileError for anything else.
Table parse_libsvm(ByteSource& source, const ReadOptions& options = {});

}  // namespace fisherman
