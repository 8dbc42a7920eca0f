#include "store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "../run_folder.hpp"
#include "fisherman/core/error.hpp"

namespace fisherman::cli::study {
namespace {

/// Runs `use`, with what SQLite complains of as an error of the study's file.
template <class Use>
auto with_file(const std::filesystem::path& folder, Use use) {
  try {
    return use();
  } catch (const SQLite::Exception& e) {
    throw FileError(sentence((folder / "study.sqlite").string(), ": ", e.what()));
  } catch (const nlohmann::json::exception&) {
    throw FileError((folder / "study.sqlite").string() + ": holds a trial that cannot be read");
  }
}

double number(const SQLite::Column& column) {
  return column.isNull() ? std::numeric_limits<double>::quiet_NaN() : column.getDouble();
}

Trial read(SQLite::Statement& row) {
  Trial trial;
  trial.id = row.getColumn(0).getInt64();
  trial.command = nlohmann::json::parse(row.getColumn(1).getString()).get<Command>();
  trial.attempts = row.getColumn(2).getInt64();
  trial.status = row.getColumn(3).getString();
  trial.sentence = row.getColumn(4).getString();
  trial.objective = number(row.getColumn(5));
  trial.iterations = row.getColumn(6).getInt64();
  trial.seconds = number(row.getColumn(7));
  if (trial.ended()) {
    const nlohmann::json course = nlohmann::json::parse(row.getColumn(8).getString());
    trial.course = {course.at("iteration").get<std::vector<double>>(),
                    course.at("seconds").get<std::vector<double>>(),
                    course.at("objective").get<std::vector<double>>()};
  }
  return trial;
}

}  // namespace

bool Trial::well() const {
  return ended() && status != "failed" && status != "crashed" && status != "diverged" &&
         std::isfinite(objective);
}

Store::Store(std::filesystem::path folder, const nlohmann::json& settings)
    : folder_(std::move(folder)) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw FileError(sentence(folder_.string(), ": cannot be made: ", error.message()));
  try {
    lock();
    with_file(folder_, [&] { open(settings); });
  } catch (...) {
    database_.reset();  // before the lock is given back
    if (lock_ >= 0) close(lock_);
    throw;
  }
}

Store::~Store() {
  database_.reset();
  close(lock_);
}

// Trials inherit the lock, so it is held until the last of them is gone: after a kill, nobody begins a trial
// again while the old one still writes.
void Store::lock() {
  const std::filesystem::path path = folder_ / "lock";
  lock_ = ::open(path.c_str(), O_RDWR | O_CREAT, 0644);
  if (lock_ < 0) throw FileError(path.string() + ": cannot be written");
  for (int tries = 0; flock(lock_, LOCK_EX | LOCK_NB) != 0; ++tries) {
    if (tries == 200)
      throw FileError(folder_.string() + ": another fisherman is at work in this folder");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

void Store::open(const nlohmann::json& settings) {
  database_ = std::make_unique<SQLite::Database>((folder_ / "study.sqlite").string(),
                                                 SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database_->exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
      "CREATE TABLE IF NOT EXISTS study (settings TEXT NOT NULL);"
      "CREATE TABLE IF NOT EXISTS trial (id INTEGER PRIMARY KEY, command TEXT NOT NULL UNIQUE,"
      " attempts INTEGER NOT NULL DEFAULT 0, status TEXT, sentence TEXT, objective REAL,"
      " iterations INTEGER, seconds REAL, course TEXT);");
  SQLite::Statement before(*database_, "SELECT settings FROM study");
  if (before.executeStep()) {
    const std::string difference =
        first_difference(nlohmann::json::parse(before.getColumn(0).getString()), settings);
    if (!difference.empty())
      throw FileError(sentence(folder_.string(), ": holds a study of other settings: ", difference,
                               "; choose another --out"));
  } else {
    SQLite::Statement insert(*database_, "INSERT INTO study VALUES (?)");
    SQLite::bind(insert, settings.dump());
    insert.exec();
  }
}

Trial Store::trial(const Command& command) {
  return with_file(folder_, [&] {
    const std::string name = nlohmann::json(command).dump();
    SQLite::Statement insert(*database_, "INSERT OR IGNORE INTO trial (command) VALUES (?)");
    SQLite::bind(insert, name);
    insert.exec();
    SQLite::Statement found(*database_, "SELECT * FROM trial WHERE command = ?");
    SQLite::bind(found, name);
    found.executeStep();
    return read(found);
  });
}

std::vector<Trial> Store::all() {
  return with_file(folder_, [&] {
    std::vector<Trial> out;
    SQLite::Statement rows(*database_, "SELECT * FROM trial ORDER BY id");
    while (rows.executeStep()) out.push_back(read(rows));
    return out;
  });
}

void Store::begin(Trial& trial) {
  with_file(folder_, [&] {
    SQLite::Statement update(*database_, "UPDATE trial SET attempts = ? WHERE id = ?");
    SQLite::bind(update, ++trial.attempts, trial.id);
    update.exec();
  });
}

void Store::finish(const Trial& trial) {
  with_file(folder_, [&] {
    const nlohmann::json course = {{"iteration", trial.course.iterations},
                                   {"seconds", trial.course.seconds},
                                   {"objective", trial.course.objectives}};
    SQLite::Statement update(
        *database_,
        "UPDATE trial SET status = ?, sentence = ?, objective = ?, iterations = ?, seconds = ?,"
        " course = ? WHERE id = ?");
    // SQLite makes NULL of NaN.
    SQLite::bind(update, trial.status, trial.sentence, trial.objective, trial.iterations,
                 trial.seconds, course.dump(), trial.id);
    update.exec();
  });
}

}  // namespace fisherman::cli::study
