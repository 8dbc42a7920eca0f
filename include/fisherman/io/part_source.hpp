// One rank's part of a file of text, or of several: the first line, if that is a header, and a range of whole lines.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "fisherman/io/byte_source.hpp"
#include "fisherman/io/joined_files.hpp"

namespace fisherman {

class PartSource final : public ByteSource {
 public:
  /// Together: the file is cut at line ends into as many parts as there are ranks, of about the same size, and this is ours.
  /// With `quotes` a line does not end inside them; two quotes more or less on the way make no difference, so that it is
  /// enough for each rank to count its own. With `head`, the first line that is not blank stands before every part.
  PartSource(const std::vector<std::filesystem::path>& files, const std::string& name, bool head,
             bool quotes);

  std::uint64_t at_most() const override { return head_end_ + end_ - begin_; }
  double fraction_read() const override;
  Index line_in_file(Index line) const override;
  std::string place_in_file(Index line) const override { return bytes_->place(line); }
  std::shared_ptr<const JoinedFiles> files() const override {
    return bytes_->count() > 1 ? bytes_ : nullptr;
  }
  bool is_part() const override { return true; }
  bool has_borrowed_head() const override { return borrowed_; }

 private:
  struct Found;
  std::size_t fill(char* to, std::size_t size) override;
  Found scanned(std::uint64_t from, std::uint64_t to, bool quotes) const;

  std::shared_ptr<const JoinedFiles> bytes_;
  bool borrowed_ = false;
  std::uint64_t size_ = 0, head_end_ = 0, begin_ = 0, end_ = 0;
  Index head_lines_ = 0, lines_before_ = 0;
  std::uint64_t at_ = 0;  // in the head, and then from `begin_` on
};

/// Whether the file can be cut: it is a file, and not packed.
bool can_be_cut(const std::filesystem::path& path);

}  // namespace fisherman
