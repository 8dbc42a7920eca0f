// A file that is open, and read at any place, by any number of threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace fisherman {

/// Raises the process's soft limit of open files, often 1,024, so that this many can be open, as far as the hard limit allows.
void allow_open_files(std::size_t count);

class FileBytes {
 public:
  /// Throws FileError.
  explicit FileBytes(const std::filesystem::path& path);
  ~FileBytes();
  FileBytes(FileBytes&& other) noexcept;
  FileBytes& operator=(FileBytes&&) = delete;

  const std::string& name() const { return name_; }
  /// When it was opened.
  std::uint64_t size() const { return size_; }
  /// Throws FileError if the file is shorter than it was.
  void read_at(std::uint64_t at, void* to, std::size_t size) const;
  /// Tells the system to begin reading, without waiting: of many places that lie apart a disk reads several at a time.
  void announce(std::uint64_t at, std::uint64_t size) const;

 private:
  std::string name_;
  int descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace fisherman
