// The folder that --out names: everything a fit leaves behind, each file replaced whole. The kinds of fit
// name their files, and no other of the folder is ever touched.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fisherman/io/json.hpp"
#include "own_folder.hpp"

namespace fisherman::cli {

/// "NAME was OLD and is now NEW" of the first member that differs, in any part; empty if none does. What may differ between a
/// run and its resume is left out: the number of threads, and what is made from the result.
std::string first_difference(const Json& old_config, const Json& new_config);

class RunFolder {
 public:
  /// fresh: in a new folder or an empty one. resumed: in the folder of a run. replaced: in either; the files of a run that
  /// is there are removed, and others stay. part: one of several parts, inside the folder of a run.
  enum class Begin { fresh, resumed, replaced, part };

  /// Throws FileError if the folder is not as it has to be, if another process owns it, if it is of a run with another
  /// `config` that is to be resumed, or if one of the `inputs` would be removed. Nothing in it is touched until begin().
  RunFolder(std::filesystem::path path, Begin how, const Json& config,
            const std::vector<std::filesystem::path>& inputs = {});

  /// A part, which has no settings of its own.
  explicit RunFolder(std::filesystem::path path);

  std::filesystem::path file(const std::string& name) const { return path_ / name; }
  bool has(const std::string& name) const { return std::filesystem::exists(file(name)); }
  /// One of the files that are listed.
  void write(const std::string& name, const std::string& content) const;
  void write(const std::string& name, const Json& value) const;
  /// The folder of a part, and those that there are.
  std::filesystem::path part(const std::string& name) const;
  static std::vector<std::filesystem::path> parts(const std::filesystem::path& folder);

  /// The run begins, or goes on: its settings are known to be good. A run that is to be replaced is removed, config.json is
  /// written, and what an earlier run has left is not to be relied on from now on. The first write() begins, too.
  void begin() const;
  /// The run has ended, and all but the page is there: leaves the checksums of the files that are read back.
  void finish() const;

  /// Keeps the lines of trace.csv up to an iteration: the checkpoint's. A line that a crash or a full
  /// disk cut short is dropped, and so is whatever comes later.
  void cut_trace(std::int64_t iteration) const;

 private:
  bool is_ours() const;
  /// Throws FileError, naming what differs, unless config.json says the same as ours.
  void require_same() const;

  std::filesystem::path path_;
  Begin how_;
  std::string config_;  // as JSON
  OwnFolder own_;
  mutable bool begun_ = false;
};

}  // namespace fisherman::cli
