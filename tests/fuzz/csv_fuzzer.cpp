// A fuzzer on the CSV readers: whatever the bytes, a table of finite numbers, columns that are whole, or a FileError.
#include <cmath>
#include <cstdlib>
#include <set>

#include "fisherman/io/columns.hpp"
#include "fisherman/io/csv.hpp"
#include "fuzz/fuzz.hpp"

std::vector<std::string> fuzz_corpus() {
  return {std::string(1, '\0') + "a,b,label\n1,2.5,x\n-3,4e2,\"y, z\"\n",
          "\2"
          "1,2,x\n3,4,y\n",
          "\x08"
          "y,b\r\n1,2\r\n",
          std::string(1, '\0') + "label\nx\ny\n",
          std::string(1, '\0') + "age;colour;when\n1,5;red;2024-03-01\nNA;\"blue\";\n7;;1/2/2024\n",
          std::string(1, '\0') + "a\tb\ty\n1\tinf\tx\n01\t?\t-0\nz\t2\tx\n"};
}

/// Each row has a number, a level that exists and is used, or nothing.
static bool is_whole(const fisherman::Columns& columns) {
  for (const fisherman::Column& c : columns.all) {
    if (c.rows() != columns.rows || (c.is_words() && c.numbers.size() > 0)) return false;
    if (std::set<std::string>(c.levels.begin(), c.levels.end()).size() != c.levels.size())
      return false;
    for (const double value : c.numbers)
      if (std::isinf(value)) return false;
    std::set<std::int32_t> used(c.codes.begin(), c.codes.end());
    used.erase(-1);
    if (used.size() != c.levels.size() ||
        (!used.empty() && (*used.begin() < 0 || *used.rbegin() >= std::int32_t(c.levels.size()))))
      return false;
  }
  return columns.rows > 0 && !columns.all.empty() &&
         (columns.label.empty() || columns.find(columns.label) != nullptr);
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace fisherman;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  ReadOptions options;  // the first byte chooses them
  options.has_label = (data[0] & 1) == 0;
  options.header = (data[0] & 2) == 0;
  options.label_optional = (data[0] & 4) != 0;
  if ((data[0] & 8) != 0) options.label = "y";
  options.memory_limit = 1 << 22;
  try {
    MemorySource source("fuzz", bytes);
    const Table table = parse_csv(source, options);
    const bool labelled = !table.labels.empty();
    if (!table.x.allFinite() || table.x.size() == 0 ||
        Index(table.names.size()) != table.x.cols() ||
        (labelled && Index(table.labels.size()) != table.x.rows()))
      std::abort();
  } catch (const FileError&) {
  }
  try {
    MemorySource source("fuzz", bytes);
    options.mixed = true;
    if (!is_whole(parse_columns(source, options))) std::abort();
  } catch (const FileError&) {
  }
  try {
    MemorySource source("fuzz", bytes);
    if (parse_csv_labels(source, options.header).empty()) std::abort();
  } catch (const FileError&) {
  }
  return 0;
}
