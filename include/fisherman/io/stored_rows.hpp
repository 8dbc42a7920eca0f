// The rows of an .npy file that stay in the file: each block is read when somebody asks for it. The kernel keeps in memory
// what has room there.
//
// Blocks are read rather than mapped: of a file that somebody cuts short, a map would kill the program, and a read says so.
#pragma once

#include <filesystem>
#include <memory>
#include <vector>

#include "fisherman/core/row_blocks.hpp"
#include "fisherman/io/file_bytes.hpp"
#include "fisherman/io/npy.hpp"

namespace fisherman {

class StoredRows final : public RowBlocks {
 public:
  /// Opens the file, which must not be packed. Throws FileError for what parse_npy() would refuse, but for values that are
  /// not finite: those are found when they are read.
  explicit StoredRows(const std::filesystem::path& path);

  Index rows() const override { return size_.rows; }
  Index columns() const override { return size_.columns; }
  Matrix block(Index first, Index count) const override;
  Matrix chosen(const std::vector<Index>& rows) const override;
  /// Of a row that is going to be read.
  void announce(Index row) const;

 private:
  template <class T>
  Matrix read(Index first, Index count) const;

  FileBytes file_;
  NpyHeader header_;
  NpySize size_{};
  std::uint64_t begin_ = 0;  // of the values
};

/// The rows of several such files, one's behind the other's.
class JoinedRows final : public RowBlocks {
 public:
  /// Throws FileError unless they have the same number of columns.
  explicit JoinedRows(const std::vector<std::filesystem::path>& files);
  Index rows() const override { return first_.back(); }
  Index columns() const override { return files_[0]->columns(); }
  Matrix block(Index first, Index count) const override;
  Matrix chosen(const std::vector<Index>& rows) const override;

 private:
  std::size_t file_of(Index row) const;

  std::vector<std::unique_ptr<const StoredRows>> files_;
  std::vector<Index> first_ = {0};  // of each file, and the number of all
};

}  // namespace fisherman
