// A fuzzer on files as they lie on disk: gzip or not, of any format.
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include <cstdlib>

#include "fisherman/io/table.hpp"
#include "fuzz/fuzz.hpp"

namespace {

std::string packed(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);  // 16: gzip's header
  std::string out(text.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = uInt(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = uInt(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace

std::vector<std::string> fuzz_corpus() {
  const std::string csv = "a,b,label\n1,2,x\n3,4,y\n", libsvm = "1 1:2 3:4\n-1 2:1\n";
  const std::string idx("\0\0\x08\x02\0\0\0\x02\0\0\0\x02\1\2\3\4", 16);
  return {csv,
          packed(csv),
          packed(csv) + packed("5,6,x\n"),
          packed(libsvm),
          packed(idx),
          packed(std::string(100000, ','))};
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace fisherman;
  const int file = ::memfd_create("fuzz", 0);
  if (file < 0 || ::write(file, data, size) != ssize_t(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  ReadOptions options;
  options.memory_limit = 1 << 20;
  try {
    const Table table = read_table(path, options);
    if (!table.x.allFinite() || table.x.size() == 0) std::abort();
  } catch (const FileError&) {
  }
  try {
    if (read_labels(path, options).empty()) std::abort();
  } catch (const FileError&) {
  }
  ::close(file);
  return 0;
}
