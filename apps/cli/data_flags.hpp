// Which data, and where their labels are: options of every fit to a table.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fisherman/fit/fitted.hpp"

namespace fisherman::cli {

struct DataFlags {
  std::string data, labels, label, drop;
  std::string test_data, test_labels;
  std::int64_t columns = 0;
  bool no_header = false, from_disk = false;
  bool sparse = false;  // LIBSVM files may stay sparse
  bool mixed = false;   // columns of words, and missing values
  bool stored = false;  // rows may stay in their file
  bool parts = false;   // each rank reads a part of the rows
  bool rows = true;     // otherwise a program, with data of its own
  std::string program;

  /// The names in --drop.
  static std::vector<std::string> dropped(const std::string& drop);

  /// With --test-data and --test-labels, or without.
  void describe(Options& options, bool tested = false);
  /// Throws Misuse for flags that do not go together.
  void check() const;
  /// The rows with their labels, from --data or from --labels; and how to read those to test on.
  FitData read() const;
  /// All files that are named.
  std::vector<std::filesystem::path> files() const;

 private:
  FitData read(const std::string& data_file, const std::string& labels_file) const;
};

}  // namespace fisherman::cli
