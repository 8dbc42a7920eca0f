// IDX, the format of MNIST: a big-endian header, then bytes.
#pragma once

#include "fisherman/io/byte_source.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman {

/// An array of unsigned bytes with 1 to 4 dimensions: the first counts the rows, the others are laid
/// out flat, so an image of 28 by 28 is a row of 784. The columns are named f1, f2, … Throws
/// FileError for anything else.
Table parse_idx(ByteSource& source, const ReadOptions& options = {});

}  // namespace fisherman
