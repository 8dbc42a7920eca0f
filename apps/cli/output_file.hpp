// --out FILE of a command: nothing is replaced unless --overwrite says so, and never what is read.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace fisherman::cli {

struct OutputFile {
  std::string path;  // empty: none
  bool overwrite = false;

  /// --overwrite; --out is the command's own.
  void add_to(CLI::App& command);
  /// To be called before any work. Throws FileError if there is a file already, unless it may be replaced, or if it is
  /// one of the inputs by whatever name.
  void check(const std::vector<std::filesystem::path>& inputs) const;
  void write(const std::string& content) const;
  /// Piece by piece, an empty one last.
  void write(const std::function<std::string()>& next_piece) const;
};

/// Throws FileError if an existing file is one of the inputs, by whatever name.
void require_no_input(const std::filesystem::path& output,
                      const std::vector<std::filesystem::path>& inputs);

}  // namespace fisherman::cli
