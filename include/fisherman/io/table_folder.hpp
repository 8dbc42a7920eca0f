// A table as a folder of NumPy's files, which is read much faster than text, and of which rows may stay on disk:
//
//     table.json    names, classes, what it was made from, and the size and SHA-256 of the other files
//     rows.npy      one row for each row, in double precision; or, of sparse rows, where each row begins among the
//                   entries (begins.npy), and of each entry its column and its value (entry_columns.npy, values.npy)
//     labels.npy    numbers, or which of the classes
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fisherman/io/table.hpp"

namespace fisherman {

struct ConvertedTable {
  Index rows = 0, columns = 0;
  bool sparse = false;
  std::string label;  // empty without labels
};

/// Makes such a folder of CSV or LIBSVM files, whose rows follow each other. CSV files must have the same columns, of numbers.
/// It takes no memory but 8 bytes for the label of each row. The folder appears when it is complete. `watch` is told now and
/// then which share of the files has been read; what it throws ends the work. Throws
/// FileError for what cannot be read or written, and if there is such a folder already.
ConvertedTable convert_table(const std::vector<std::filesystem::path>& files,
                             const std::filesystem::path& folder, const ReadOptions& options,
                             const std::function<void(double)>& watch = {});

/// The file of a folder by which it is known.
inline constexpr const char* table_description = "table.json";

/// For read_table(). Sizes are held against table.json; SHA-256 sums are for whoever wants to check them.
Table read_table_folder(const std::filesystem::path& folder, const ReadOptions& options);

}  // namespace fisherman
