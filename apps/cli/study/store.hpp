// A study is a list of trials: fits, each with its settings and its seed. The list is kept in an SQLite
// file, study.sqlite in the study's folder. A trial that has ended is committed there, whole, in one transaction, so that
// kill -9 at any moment loses none that has ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "../own_folder.hpp"
#include "fisherman/io/json.hpp"

namespace SQLite {
class Database;
}

namespace fisherman::cli::study {

/// The words after `fisherman fit`: a model, its options, the seed. They say all that a trial's result depends
/// on, and so they are its name.
using Command = std::vector<std::string>;

struct Trial {
  std::int64_t id = 0;
  Command command;
  std::int64_t attempts = 0;  // how often it was begun; more than once if it was cut short
  std::string status;         // as in result.json, or failed, or crashed; empty until it has ended
  std::string sentence;
  double objective = std::numeric_limits<double>::quiet_NaN();
  std::int64_t iterations = 0;
  double seconds = 0.0;
  /// The way there, where the objective was evaluated.
  struct Course {
    std::vector<double> iterations, seconds, objectives;
    auto fields() { return std::tie(iterations, seconds, objectives); }
  } course;

  bool ended() const { return !status.empty(); }
  /// It ended with an objective: neither bad input nor a crash nor divergence.
  bool well() const;
  auto fields() {
    return std::tie(id, command, attempts, status, sentence, objective, iterations, seconds,
                    course);
  }
};

class Store {
 public:
  /// Opens the study in a folder, or makes one of these settings. Throws FileError if the folder's is of other
  /// settings, naming what differs, or if another process is at work in it.
  Store(std::filesystem::path folder, const Json& settings);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// The trial of this command; a new one if there is none.
  Trial trial(const Command& command);
  std::vector<Trial> all();
  void begin(Trial& trial);
  void finish(const Trial& trial);

  const std::filesystem::path& folder() const { return folder_; }

 private:
  void open(const Json& settings);

  std::filesystem::path folder_;
  OwnFolder own_;
  std::unique_ptr<SQLite::Database> database_;
};

}  // namespace fisherman::cli::study
