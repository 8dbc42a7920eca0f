// A fuzzer on the readers of binary files, NumPy's and IDX: whatever the bytes, a table of finite
// numbers or a FileError.
#include <cstdlib>

#include "fisherman/io/idx.hpp"
#include "fisherman/io/npy.hpp"
#include "fuzz/fuzz.hpp"

std::vector<std::string> fuzz_corpus() {
  const std::string head = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2), }\n";
  return {std::string("\x93NUMPY\x01\0", 8) + char(head.size()) + std::string(1, '\0') + head +
              "\1\2\3\4",
          std::string("\0\0\x08\x02\0\0\0\x02\0\0\0\x02\1\2\3\4", 16)};
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace fisherman;
  ReadOptions options;
  options.memory_limit = 1 << 22;
  for (const auto parse : {parse_npy, parse_idx}) {
    try {
      MemorySource source("fuzz", {reinterpret_cast<const char*>(data), size});
      const Table table = parse(source, options);
      if (!table.x.allFinite() || table.x.size() == 0 ||
          Index(table.names.size()) != table.x.cols())
        std::abort();
    } catch (const FileError&) {
    }
  }
  return 0;
}
