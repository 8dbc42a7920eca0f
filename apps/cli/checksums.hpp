// SHA256SUMS in a run folder: what each file was when the fit left it, in the form of the program sha256sum. What is read
// back is held to it, so that a flipped bit or an edited number is told instead of predicted with.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace fisherman::cli {

class Checksums {
 public:
  static constexpr const char* file_name = "SHA256SUMS";

  /// Those of a folder. Throws FileError if there are none, or if the file is not of that form.
  static Checksums read(const std::filesystem::path& folder);
  /// Writes those of files as they are now.
  static void write(const std::filesystem::path& folder, const std::vector<std::string>& names);

  /// Whether the fit has left such a file: it is listed, or it is there and ought to be.
  bool has(const std::string& name) const {
    return sums_.count(name) > 0 || std::filesystem::exists(folder_ / name);
  }
  /// The path of a file that is as the fit left it; throws FileError unless it is.
  std::filesystem::path verified(const std::string& name) const;
  /// Of all files that are listed.
  std::vector<std::filesystem::path> paths() const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::string> sums_;  // by file name
};

}  // namespace fisherman::cli
