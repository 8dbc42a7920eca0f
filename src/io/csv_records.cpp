#include <algorithm>

#include "fisherman/io/csv.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {
namespace {

// One quote left open would otherwise pull the rest of the file into memory.
constexpr std::size_t longest_field = std::size_t(1) << 20;

// Its end here, and as the name of a column a string and an entry in a map.
constexpr std::uint64_t bytes_per_field = 128;

}  // namespace

char separator_of(ByteSource& source, bool header) {
  Index commas = 0, semicolons = 0, tabs = 0;
  Index tabs_now = 0;           // since the last character that is not blank
  bool after_separator = true;  // which tabs may surround
  bool blank = true, begins = true, quoted = false, open = false;
  source.skip_byte_order_mark();
  for (const char c : source.window()) {
    const bool is_separator = c == ',' || c == ';', is_blank = c == ' ' || c == '\t';
    const bool ends_line = c == '\n' || c == '\r';
    if (begins && !is_blank) quoted = c == '"';
    if (quoted && c == '"') open = !open;  // two quotes for one close and open again
    if (open) {
      begins = blank = false;
    } else if (ends_line && !blank) {
      break;
    } else {
      commas += c == ',';
      semicolons += c == ';';
      tabs_now += c == '\t';
      begins = is_separator || ends_line || c == '\t' || (begins && is_blank);
      blank = blank && (is_blank || ends_line);
    }
    if (is_blank && !open) continue;
    if (!is_separator && !after_separator) tabs += tabs_now;
    tabs_now = 0;
    after_separator = is_separator || ends_line;
  }
  if (!header && semicolons > 0) return ';';
  if (tabs > std::max(commas, semicolons)) return '\t';
  return semicolons > 0 && semicolons >= commas ? ';' : ',';
}

void CsvRecords::skip_spaces() {
  while (source_.peek() == ' ' || (source_.peek() == '\t' && separator_ != '\t')) source_.get();
}

bool CsvRecords::next() {
  text_.clear();
  ends_.clear();
  record_line_ = line_;
  if (source_.peek() < 0) return false;
  bool any_quoted = false;
  do {
    skip_spaces();
    const bool quoted = source_.peek() == '"';
    any_quoted |= quoted;
    quoted ? read_quoted() : read_plain();
    ends_.push_back(text_.size());
    if (text_.size() + bytes_per_field * ends_.size() > limit_)
      fail_at(source_, record_line_, ": the line has more than ", ends_.size() - 1, " fields and ",
              text_.size(), " bytes, which take more than the limit of ",
              gibibytes(double(limit_)));
  } while (another_field());
  blank_ = size() == 1 && text_.empty() && !any_quoted;
  return true;
}

void CsvRecords::read_plain() {
  const std::size_t begin = text_.size();
  for (auto window = source_.window(); !window.empty(); window = source_.window()) {
    std::size_t count = 0;
    while (count < window.size() && !ends_field(window[count])) ++count;
    text_.append(window.substr(0, count));
    source_.consume(count);
    if (count < window.size()) break;
    if (text_.size() - begin > longest_field)
      fail_at(source_, record_line_, ": field ", size() + 1, " is longer than a megabyte");
  }
  while (text_.size() > begin && (text_.back() == ' ' || text_.back() == '\t')) text_.pop_back();
}

void CsvRecords::read_quoted() {
  const std::size_t begin = text_.size();
  const Index opened = line_;
  source_.get();
  for (;;) {
    const int byte = source_.get();
    if (byte < 0 || text_.size() - begin > longest_field)
      fail_at(source_, opened, ": the quote that opens field ", size() + 1,
              byte < 0 ? " is never closed" : " is not closed within a megabyte");
    if (byte == '\n') ++line_;
    if (byte == '"') {
      if (source_.peek() != '"') break;
      source_.get();  // two quotes stand for one
    }
    text_ += char(byte);
  }
  skip_spaces();
  const int after = source_.peek();
  if (after >= 0 && !ends_field(char(after)))
    fail_at(source_, line_, ": field ", size() + 1, " goes on after its closing quote");
}

bool CsvRecords::another_field() {
  const int byte = source_.get();
  if (byte == separator_) return true;
  if (byte == '\r' && source_.peek() == '\n') source_.get();
  ++line_;
  return false;
}

}  // namespace fisherman
