// The formats of tables, for those who read them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fisherman/io/table.hpp"

namespace fisherman {

enum class Format { csv, libsvm, npy, idx };

/// As read_table() tells it.
Format format_of(const std::filesystem::path& path, ByteSource& source);

/// The table without some of its columns. Throws FileError, naming the source, for those that it has not.
Table without(const ByteSource& source, Table table, const std::vector<std::string>& dropped);

/// Of a format that has no names for its columns: those of the options, if there are any, otherwise f1, f2, …
std::vector<std::string> names_of_columns(Index count, const ReadOptions& options,
                                          const std::string& where);

}  // namespace fisherman
