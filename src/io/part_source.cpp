#include "fisherman/io/part_source.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <vector>

#include "fisherman/core/ranks.hpp"

namespace fisherman {

/// What one rank's range holds, for whichever of two cases it begins in: outside of quotes, or inside.
struct PartSource::Found {
  std::int64_t quotes = 0, lines = 0;
  std::array<std::uint64_t, 2> line_begins = {0, 0};  // after the first end of a line; 0: nowhere
  std::array<std::int64_t, 2> lines_before = {0, 0};  // ends of lines up to there
  auto fields() {
    return std::tie(quotes, lines, line_begins[0], line_begins[1], lines_before[0],
                    lines_before[1]);
  }
};

bool can_be_cut(const std::filesystem::path& path) {
  std::error_code none;
  if (path == standard_input || !std::filesystem::is_regular_file(path, none)) return false;
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<unsigned char, 2> start{};
  const bool packed = ::read(file, start.data(), start.size()) == ssize_t(start.size()) &&
                      start[0] == 0x1F && start[1] == 0x8B;
  ::close(file);
  return !packed;
}

PartSource::PartSource(const std::vector<std::filesystem::path>& files, const std::string& name,
                       bool head, bool quotes)
    : ByteSource(name), borrowed_(this_rank() != 0) {
  const Found mine = together([&] {
    bytes_ = std::make_shared<const JoinedFiles>(files, head);
    size_ = bytes_->size();
    head_end_ = bytes_->head_end();
    head_lines_ = bytes_->head_lines();
    const auto cut = [&](int rank) {
      const std::uint64_t all = size_ - head_end_, ranks = std::uint64_t(rank_count());
      return head_end_ + all / ranks * std::uint64_t(rank) +
             all % ranks * std::uint64_t(rank) / ranks;
    };
    begin_ = cut(this_rank()), end_ = cut(this_rank() + 1);
    return scanned(begin_, end_, quotes);
  });
  const std::vector<Found> all = from_each_rank(mine);
  // A part begins after the first end of a line in its range. A range without one belongs to the part before it.
  std::int64_t seen_quotes = 0, seen_lines = 0;
  begin_ = end_ = size_;
  bool begun = false;
  for (std::size_t r = 0; r < all.size(); ++r) {
    const auto inside = std::size_t(seen_quotes % 2);
    const std::uint64_t begins = r == 0 ? head_end_ : all[r].line_begins[inside];
    const bool is_ours = r == std::size_t(this_rank());
    if (begins > 0 || r == 0) {
      if (begun) {
        end_ = begins;
        begun = false;
      }
      if (is_ours) {
        begin_ = begins;
        begun = true;
        lines_before_ = seen_lines + (r == 0 ? 0 : all[r].lines_before[inside]);
      }
    }
    seen_quotes += all[r].quotes;
    seen_lines += all[r].lines;
  }
  if (begin_ >= end_) begin_ = end_ = size_;
}

PartSource::Found PartSource::scanned(std::uint64_t from, std::uint64_t to, bool quotes) const {
  Found out;
  bytes_->each_byte(from, to, [&](char c, std::uint64_t at) {
    if (quotes && c == '"') ++out.quotes;
    if (c != '\n') return true;
    ++out.lines;
    const auto outside_if_began = std::size_t(out.quotes % 2);  // inside, as a 1
    if (out.line_begins[outside_if_began] == 0) {
      out.line_begins[outside_if_began] = at + 1;
      out.lines_before[outside_if_began] = out.lines;
    }
    return true;
  });
  return out;
}

double PartSource::fraction_read() const {
  return at_most() == 0 ? 1.0 : std::max(1e-3, double(at_) / double(at_most()));
}

Index PartSource::line_in_file(Index line) const {
  return line <= head_lines_ ? line : line + Index(lines_before_);
}

std::size_t PartSource::fill(char* to, std::size_t size) {
  const bool in_head = at_ < head_end_;
  const std::uint64_t from = in_head ? at_ : begin_ + (at_ - head_end_);
  const std::uint64_t left = (in_head ? head_end_ : end_) - from;
  const auto count = std::size_t(std::min<std::uint64_t>(size, left));
  if (count > 0) bytes_->read_at(from, to, count);
  at_ += count;
  return count;
}

}  // namespace fisherman
