#include "fisherman/core/archive.hpp"

#include <fcntl.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <utility>

namespace fisherman {
namespace {

constexpr std::array<char, 8> magic = {'F', 'I', 'S', 'H', 'E', 'R', 'M', 'N'};
constexpr std::uint32_t version = 2;

std::uint32_t checksum(const std::string& bytes) {
  return std::uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& what) {
  throw FileError(path.string() + ": " + what);
}

/// A file descriptor that closes itself.
class File {
 public:
  File(const std::filesystem::path& path, int flags)
      : path_(path), descriptor_(::open(path.c_str(), flags, 0644)) {
    if (descriptor_ < 0) trouble("cannot be opened");
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  void write(const char* data, std::size_t size) {
    while (size > 0) {
      const ssize_t done = ::write(descriptor_, data, size);
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) trouble("cannot be written");
      data += done;
      size -= std::size_t(done);
    }
  }
  void sync() {
    if (::fsync(descriptor_) != 0) trouble("cannot be synced to disk");
  }
  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) trouble("cannot be closed");
  }

 private:
  [[noreturn]] void trouble(const char* what) {
    fail(path_, sentence(what, ": ", std::strerror(errno)));
  }
  std::filesystem::path path_;
  int descriptor_;
};

}  // namespace

void Writer::put(const std::string& text) {
  put(std::int64_t(text.size()));
  raw(text.data(), text.size());
}

std::string Reader::get_string() {
  const auto size = get<std::int64_t>();
  expect(size >= 0 && std::size_t(size) <= left());
  std::string text = bytes_.substr(at_, std::size_t(size));
  at_ += std::size_t(size);
  return text;
}

void Reader::expect(bool holds) {
  if (!holds) throw FileError("the checkpoint belongs to another kind of run, or to another size");
}

void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  try {
    File file(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC);
    file.write(bytes.data(), bytes.size());
    file.sync();
    file.close();
    std::filesystem::rename(temporary, path);
  } catch (const std::filesystem::filesystem_error& e) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    fail(path, "cannot be replaced: " + e.code().message());
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  File(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC).sync();
}

void write_checkpoint(const std::filesystem::path& path, const std::string& bytes) {
  Writer head;
  head.put(version);
  head.put(checksum(bytes));
  head.put(std::uint64_t(bytes.size()));
  write_file(path, std::string(magic.begin(), magic.end()) + head.bytes() + bytes);
}

std::string read_checkpoint(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) fail(path, "cannot be opened");
  std::ostringstream all;
  all << in.rdbuf();
  const std::string bytes = all.str();
  constexpr std::size_t head_size = magic.size() + 4 + 4 + 8;
  if (bytes.size() < head_size || !std::equal(magic.begin(), magic.end(), bytes.begin()))
    fail(path, "is not a checkpoint of Fisherman");
  Reader head(bytes.substr(magic.size(), head_size - magic.size()));
  if (const auto found = head.get<std::uint32_t>(); found != version)
    fail(path,
         sentence("has format version ", found, ", but this program reads version ", version));
  const auto sum = head.get<std::uint32_t>();
  const auto size = head.get<std::uint64_t>();
  std::string body = bytes.substr(head_size);
  if (body.size() != size || checksum(body) != sum)
    fail(path, "is damaged: its checksum does not match");
  return body;
}

}  // namespace fisherman
