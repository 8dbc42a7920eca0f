// A fuzzer on the LIBSVM reader: whatever the bytes, a table of finite numbers or a FileError.
#include <cstdlib>

#include "fisherman/io/libsvm.hpp"
#include "fuzz/fuzz.hpp"

std::vector<std::string> fuzz_corpus() {
  return {std::string(1, '\0') + "1 1:2 3:4.5 # note\n-1 2:1\n",
          "\1"
          "1:2 4:1\n",
          "\x10"
          "0 1:1\n1 4:2\n"};
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace fisherman;
  if (size == 0) return 0;
  ReadOptions options;  // the first byte chooses them
  options.has_label = (data[0] & 1) == 0;
  options.columns = data[0] >> 2;
  options.memory_limit = 1 << 22;
  try {
    MemorySource source("fuzz", {reinterpret_cast<const char*>(data) + 1, size - 1});
    const Table table = parse_libsvm(source, options);
    const Index labels = options.has_label ? table.x.rows() : 0;
    if (!table.x.allFinite() || table.x.size() == 0 ||
        Index(table.names.size()) != table.x.cols() || Index(table.labels.size()) != labels ||
        (options.columns > 0 && table.x.cols() != options.columns))
      std::abort();
  } catch (const FileError&) {
  }
  return 0;
}
