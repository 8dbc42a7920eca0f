#include "fisherman/io/libsvm.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include "fisherman/io/block_queue.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {
namespace {

/// The words of the file, line by line, without comments.
class LineWords {
 public:
  explicit LineWords(ByteSource& source) : source_(source) { source_.skip_byte_order_mark(); }

  /// The next word of the line, empty at its end.
  const std::string& next() {
    word_.clear();
    while (is_space(source_.peek())) source_.get();
    if (source_.peek() == '#')
      while (!ends_line(source_.peek())) source_.get();
    while (!ends_word(source_.peek())) {
      word_ += char(source_.get());
      if (word_.size() > longest_word)
        fail_at(source_, line_, ": the entry ", shown(word_), " is longer than ", longest_word,
                " bytes");
    }
    return word_;
  }
  /// Goes to the next line; false at the end of the file.
  bool next_line() {
    ++line_;
    return source_.get() >= 0 && source_.peek() >= 0;
  }
  Index line() const { return line_; }

 private:
  static constexpr std::size_t longest_word = 1000;
  static bool is_space(int byte) { return byte == ' ' || byte == '\t' || byte == '\r'; }
  static bool ends_line(int byte) { return byte < 0 || byte == '\n'; }
  static bool ends_word(int byte) { return is_space(byte) || ends_line(byte) || byte == '#'; }

  ByteSource& source_;
  std::string word_;
  Index line_ = 1;
};

/// The rows as they come, in no more than 12 bytes an entry, that is 1.5 times the dense matrix if
/// no entry is 0, and less if some are left out. With the matrix itself the peak is 2.5 times it.
struct QueuedRows {
  BlockQueue<std::uint32_t> columns;
  BlockQueue<double> values;
  BlockQueue<std::uint32_t> counts;  // entries in each row
  Index size = 0, width = 0;
  double entries = 0.0;

  void add(const LibsvmRow& row) {
    for (std::size_t k = 0; k < row.columns.size(); ++k) {
      columns.push(row.columns[k]);
      values.push(row.values[k]);
    }
    counts.push(std::uint32_t(row.columns.size()));
    entries += double(row.columns.size());
    if (!row.columns.empty()) width = std::max(width, Index(row.columns.back()) + 1);
    ++size;
  }
  bool is_sparse() const { return entries < 0.25 * double(size) * double(width); }
  SparseRows sparse() {
    SparseRows out;
    out.columns = width;
    out.column.reserve(std::size_t(entries));
    out.value.reserve(std::size_t(entries));
    out.begin.reserve(std::size_t(size) + 1);
    for (Index i = 0; i < size; ++i) {
      for (std::uint32_t k = counts.pop(); k > 0; --k) {
        out.column.push_back(std::int32_t(columns.pop()));
        out.value.push_back(values.pop());
      }
      out.close_row();
    }
    return out;
  }
  Matrix dense() {
    Matrix x = Matrix::Zero(size, width);
    for (Index i = 0; i < size; ++i)
      for (std::uint32_t k = counts.pop(); k > 0; --k) x(i, columns.pop()) = values.pop();
    return x;
  }
};

Index parse_index(const ByteSource& source, Index line, std::string_view text,
                  std::string_view entry, Index width) {
  constexpr Index largest = std::numeric_limits<std::uint32_t>::max();
  Index index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument)
    fail_at(source, line, ": ", shown(entry), " is not index:value");
  if (error != std::errc() || index > largest)
    fail_at(source, line, ": the index in ", shown(entry), " is larger than ", largest);
  if (index < 1) fail_at(source, line, ": ", shown(entry), ": indices count from 1");
  if (width > 0 && index > width)
    fail_at(source, line, ": index ", index, " is beyond the ", width, " columns asked for");
  return index;
}

/// One entry of a row whose last index so far is `last`; returns its own.
Index parse_entry(const ByteSource& source, Index line, std::string_view entry, Index last,
                  Index width, LibsvmRow& row) {
  const auto colon = entry.find(':');
  if (colon == std::string_view::npos)
    fail_at(source, line, ": ", shown(entry), " is not index:value");
  const Index index = parse_index(source, line, entry.substr(0, colon), entry, width);
  if (index <= last)
    fail_at(source, line, ": index ", index, " comes after ", last, "; indices must ascend");
  const auto value = parse_number(entry.substr(colon + 1));
  if (!value)
    fail_at(source, line, ", index ", index, ": ", number_trouble(entry.substr(colon + 1)));
  row.columns.push_back(std::uint32_t(index - 1));
  row.values.push_back(*value);
  return index;
}

std::string_view checked_label(const ByteSource& source, Index line, const std::string& word) {
  if (word.find(':') != std::string::npos)
    fail_at(source, line, ": the row begins with ", shown(word), ", not with a label");
  if (is_missing(word)) fail_at(source, line, ": the label is missing (", shown(word), ")");
  if (!is_utf8(word)) fail_at(source, line, ": the label ", shown(word), " is not UTF-8 text");
  return word;
}

}  // namespace

void for_libsvm_rows(ByteSource& source, const ReadOptions& given,
                     const std::function<void(const LibsvmRow&)>& use) {
  const ReadOptions options = given.bounded();
  if (!options.label.empty() && options.label != "label")
    fail(source, "a LIBSVM file has one label, the first entry, and no column ",
         shown(options.label));
  LineWords words(source);
  LibsvmRow row;
  do {
    const std::string* word = &words.next();
    if (word->empty()) {  // a blank line, or a comment
      if (words.line() - row.line >
          most_blank_lines)  // a small gzip file may hold them without end
        fail_at(source, row.line + 1, ": more than ", most_blank_lines, " blank lines begin here");
      continue;
    }
    row.line = words.line();
    row.columns.clear();
    row.values.clear();
    if (options.has_label) row.label = checked_label(source, row.line, *word);
    // Without labels the first entry of the row may still be one, to be passed over.
    if (options.has_label || word->find(':') == std::string::npos) word = &words.next();
    for (Index last = 0; !word->empty(); word = &words.next()) {
      last = parse_entry(source, row.line, *word, last, options.columns, row);
      const double bytes = 24.0 * double(row.columns.size());  // twice while it grows
      if (bytes > double(options.memory_limit))
        fail_at(source, row.line, ": ", row.columns.size(), " entries take ", gibibytes(bytes),
                ", more than the limit of ", gibibytes(double(options.memory_limit)));
    }
    use(row);
  } while (words.next_line());
  if (row.line == 0 && !source.is_part()) fail(source, "the file is empty");
}

std::string too_many_columns(Index largest_index) {
  return sentence("index ", largest_index, " is beyond ", most_sparse_columns,
                  ", the largest number of columns of a sparse table");
}

Table parse_libsvm(ByteSource& source, const ReadOptions& given) {
  const ReadOptions options = given.bounded();
  Table table;
  QueuedRows rows;
  TextQueue labels;
  double beside = 0.0;  // bytes of labels, and of the rows' numbers of entries
  rows.width = std::max(options.columns, options.least_columns);
  for_libsvm_rows(source, options, [&](const LibsvmRow& row) {
    rows.add(row);
    beside += sizeof(std::uint32_t);
    if (options.has_label) {
      labels.push(row.label);
      beside += label_bytes(row.label);
    }
    if (!options.sparse)
      return require_fits(source, double(rows.size), double(rows.width), options, row.line, beside);
    const double bytes = 24.0 * rows.entries + beside;  // twice while the queue is emptied
    if (bytes > double(options.memory_limit))
      fail_at(source, row.line, ": ", std::uint64_t(rows.entries), " entries take ",
              gibibytes(bytes), ", more than the limit of ",
              gibibytes(double(options.memory_limit)));
  });
  if (rows.width == 0 && !source.is_part()) fail(source, "no row has a feature");
  if (options.sparse && rows.width > most_sparse_columns)
    fail(source, too_many_columns(rows.width));
  if (source.is_part() || (options.sparse && rows.is_sparse())) {
    table.sparse = std::make_shared<const SparseRows>(rows.sparse());
  } else {
    require_fits(source, double(rows.size), double(rows.width), options, 0, beside);
    table.x = rows.dense();
  }
  table.names = numbered_names(rows.width);
  if (options.has_label) {
    table.labels = labels.pop(std::size_t(rows.size));
    table.label_name = "label";
  }
  return table;
}

}  // namespace fisherman
