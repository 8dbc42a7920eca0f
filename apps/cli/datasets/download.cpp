#include "download.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <thread>

#include "../child.hpp"
#include "../command.hpp"
#include "fisherman/core/archive.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/path_kind.hpp"
#include "fisherman/io/checksum.hpp"
#include "make.hpp"

namespace fisherman::cli::datasets {
namespace {

namespace fs = std::filesystem;

/// Throws FileError for what is neither a regular file nor nothing yet.
void require_file(const fs::path& path) {
  if (path_kind(path) == PathKind::stream) throw FileError(path.string() + ": is not a file");
}

/// The file that a download grows in. It is locked, so that no two processes write into it.
class Part {
 public:
  explicit Part(const fs::path& target) : path_(fs::path(target) += ".part") {
    require_file(target);
    require_file(path_);
    descriptor_ = open(path_.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor_ < 0)
      throw FileError(sentence(path_.string(), ": cannot be opened: ", std::strerror(errno)));
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 || !is_still_there()) {
      close(descriptor_);
      throw FileError(path_.string() + ": is being written by another process");
    }
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;
  ~Part() {
    if (size() == 0) remove();
    close(descriptor_);
  }

  const fs::path& path() const { return path_; }
  std::int64_t size() const {
    struct stat here = {};
    return fstat(descriptor_, &here) == 0 ? std::int64_t(here.st_size) : 0;
  }
  void remove() const {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  void begin_again() const {
    if (ftruncate(descriptor_, 0) != 0)
      throw FileError(sentence(path_.string(), ": cannot be written: ", std::strerror(errno)));
  }
  /// Gives it its name, when it is on the disk.
  void become(const fs::path& target) const {
    std::error_code error;
    if (fsync(descriptor_) != 0) error = std::error_code(errno, std::generic_category());
    if (!error) fs::rename(path_, target, error);
    if (error)
      throw FileError(sentence(target.string(), ": cannot be put there: ", error.message()));
  }

 private:
  /// Another process may have given it its name between our opening and locking it.
  bool is_still_there() const {
    struct stat ours = {}, there = {};
    return fstat(descriptor_, &ours) == 0 && stat(path_.c_str(), &there) == 0 &&
           ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
  }

  fs::path path_;
  int descriptor_;
};

/// A line on the terminal that tells how much has come; nothing if there is no terminal.
class Meter {
 public:
  explicit Meter(const DataFile& file) : file_(file) {}
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  ~Meter() {
    if (shown_) std::cerr << "\r\033[K" << std::flush;
  }
  void show(std::int64_t size) {
    if (!terminal_) return;
    std::cerr << '\r' << file_.file << ": " << size_words(size);
    if (file_.bytes > 0) std::cerr << " of " << size_words(file_.bytes);
    std::cerr << "\033[K" << std::flush;
    shown_ = true;
  }

 private:
  const DataFile& file_;
  bool terminal_ = isatty(STDERR_FILENO) != 0, shown_ = false;
};

struct FitSummary {
  int code;
  std::string words;  // the last that it said
};

std::string last_line_of(std::FILE* file) {
  std::rewind(file);
  std::string last;
  char line[1000];
  while (std::fgets(line, sizeof line, file) != nullptr) last = line;
  last = last.substr(0, last.find('\n'));
  const std::size_t bracket = last.starts_with("curl: (") ? last.find(") ") : std::string::npos;
  return bracket == std::string::npos ? last : last.substr(bracket + 2);
}

/// Runs curl once, from the end of what is there. Nothing if a signal ended it.
std::optional<FitSummary> run_curl(const std::string& url, const Part& part, Meter& meter) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> errors(std::tmpfile(), std::fclose);
  if (!errors) throw FileError(sentence("no temporary file can be made: ", std::strerror(errno)));
  const std::vector<std::string> words = {
      "curl",          "--silent",  "--show-error",      "--fail",
      "--location",    "--globoff", "--connect-timeout", "60",
      "--speed-limit", "1",         "--speed-time",      "60",
      "--output",      part.path(), "--continue-at",     "-",
      "--url",         url};
  const pid_t pid = start_child(words[0], words, fileno(errors.get()));
  int status = 0;
  while (waitpid(pid, &status, WNOHANG) == 0) {
    if (interrupted().load()) kill(pid, SIGTERM);
    meter.show(part.size());
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  if (interrupted().load()) return {};
  if (!WIFEXITED(status)) return FitSummary{-1, "curl was ended by a signal"};
  return FitSummary{WEXITSTATUS(status), last_line_of(errors.get())};
}

/// Until all is there. A connection that breaks is made again as long as something comes through it.
bool download(const DataFile& file, const std::string& url, const Part& part) {
  constexpr int no_ranges = 33;  // of curl: the server cannot begin in the middle
  Meter meter(file);
  for (bool from_the_start = false;;) {
    const std::int64_t before = part.size();
    const std::optional<FitSummary> ended = run_curl(url, part, meter);
    if (!ended) return false;
    if (ended->code == 0) return true;
    if (ended->code == not_started)
      throw FileError(
          "curl cannot be started; fisherman downloads with it, so please install it (Debian's "
          "packages curl and ca-certificates)");
    if (ended->code == no_ranges && !from_the_start) {
      from_the_start = true;
      part.begin_again();
    } else if (from_the_start || part.size() <= before) {
      throw FileError(
          sentence(file.file, ": could not be fetched from ", url, ": ", ended->words,
                   part.size() > 0 ? "; what has come is kept, and the same command goes on" : ""));
    }
  }
}

void expect_sum(const std::string& expected, ByteSource& source, const std::string& what) {
  const std::string sum = sha256(source);
  if (sum != expected)
    throw FileError(sentence(what, ": its SHA-256 is ", sum, ", but must be ", expected));
}

/// What is made from the download.
std::string made_from(const Part& part, const DataFile& file) {
  if (!file.download_sha256.empty()) {
    FileSource again(part.path());
    expect_sum(file.download_sha256, again, "the download for " + file.file);
  }
  FileSource source(part.path());
  std::string out = converted(file.make, source);
  MemorySource result(file.file, out);
  expect_sum(file.sha256, result, file.file);
  return out;
}

std::string file_address(const fs::path& path) {
  constexpr std::string_view plain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
  std::string out = "file://";
  for (const char c : fs::absolute(path).string()) {
    char code[4] = {c, '\0'};
    if (plain.find(c) == std::string_view::npos)
      std::snprintf(code, sizeof code, "%%%02X", unsigned(static_cast<unsigned char>(c)));
    out += code;
  }
  return out;
}

}  // namespace

Found found(const DataFile& file, const fs::path& folder) {
  std::error_code none;
  if (!fs::exists(folder / file.file, none)) return {Found::nothing, ""};
  try {
    FileSource source(folder / file.file);
    expect_sum(file.sha256, source, (folder / file.file).string());
    return {Found::right, ""};
  } catch (const FileError& e) {
    return {Found::different, e.what()};
  }
}

std::string address(const DataFile& file, const std::string& base) {
  if (base.empty()) return file.url;
  const std::string name = file.url.substr(file.url.rfind('/') + 1);
  if (base.find("://") == std::string::npos) return file_address(fs::path(base) / name);
  return base + (base.ends_with('/') ? "" : "/") + name;
}

bool fetch(const DataFile& file, const std::string& url, const fs::path& folder) {
  const fs::path target = folder / file.file;
  const Part part(target);
  if (!download(file, url, part)) return false;
  std::string result;
  try {
    if (file.make.empty()) {
      FileSource source(part.path());
      expect_sum(file.sha256, source, file.file);
    } else {
      result = made_from(part, file);
    }
  } catch (const FileError& e) {
    part.remove();
    throw FileError(sentence(e.what(), "; it came from ", url, " and is not kept"));
  }
  if (file.make.empty()) {
    part.become(target);
  } else {
    write_file(target, result);
    part.remove();
  }
  return true;
}

}  // namespace fisherman::cli::datasets
