// A fuzzer on the CSV reader: whatever the bytes, a table of finite numbers or a FileError.
#include <cstdlib>

#include "fisherman/io/csv.hpp"
#include "fuzz/fuzz.hpp"

std::vector<std::string> fuzz_corpus() {
  return {std::string(1, '\0') + "a,b,label\n1,2.5,x\n-3,4e2,\"y, z\"\n",
          "\2"
          "1,2,x\n3,4,y\n",
          "\x08"
          "y,b\r\n1,2\r\n",
          std::string(1, '\0') + "label\nx\ny\n"};
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
    if (parse_csv_labels(source, options.header).empty()) std::abort();
  } catch (const FileError&) {
  }
  return 0;
}
