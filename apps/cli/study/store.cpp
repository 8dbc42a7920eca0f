#include "store.hpp"

#include <fcntl.h>
#include <sqlite3.h>
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

[[noreturn]] void fail(sqlite3* database, const std::filesystem::path& folder) {
  throw FileError(sentence((folder / "study.sqlite").string(), ": ", sqlite3_errmsg(database)));
}

/// A prepared statement: bind(…), then step() while it gives rows.
class Statement {
 public:
  Statement(sqlite3* database, const std::filesystem::path& folder, const char* text)
      : database_(database), folder_(folder) {
    if (sqlite3_prepare_v2(database, text, -1, &statement_, nullptr) != SQLITE_OK)
      fail(database, folder);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  template <class... Values>
  Statement& bind(const Values&... values) {
    int at = 0;
    (bind_one(++at, values), ...);
    return *this;
  }
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) fail(database_, folder_);
    return code == SQLITE_ROW;
  }
  std::string text(int column) const {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
    return bytes == nullptr
               ? std::string()
               : std::string(bytes, std::size_t(sqlite3_column_bytes(statement_, column)));
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double number(int column) const {
    return sqlite3_column_type(statement_, column) == SQLITE_NULL
               ? std::numeric_limits<double>::quiet_NaN()
               : sqlite3_column_double(statement_, column);
  }

 private:
  void bind_one(int at, const std::string& value) {
    sqlite3_bind_text(statement_, at, value.c_str(), int(value.size()), SQLITE_TRANSIENT);
  }
  void bind_one(int at, std::int64_t value) { sqlite3_bind_int64(statement_, at, value); }
  void bind_one(int at, double value) {  // SQLite makes NULL of NaN
    sqlite3_bind_double(statement_, at, value);
  }

  sqlite3* database_;
  const std::filesystem::path& folder_;
  sqlite3_stmt* statement_ = nullptr;
};

Trial read(const Statement& row) {
  Trial trial;
  trial.id = row.integer(0);
  trial.command = nlohmann::json::parse(row.text(1)).get<Command>();
  trial.attempts = row.integer(2);
  trial.status = row.text(3);
  trial.sentence = row.text(4);
  trial.objective = row.number(5);
  trial.iterations = row.integer(6);
  trial.seconds = row.number(7);
  if (trial.ended()) {
    const nlohmann::json course = nlohmann::json::parse(row.text(8));
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
    open(settings);
  } catch (...) {
    sqlite3_close(database_);
    if (lock_ >= 0) close(lock_);
    throw;
  }
}

Store::~Store() {
  sqlite3_close(database_);
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
  if (sqlite3_open((folder_ / "study.sqlite").c_str(), &database_) != SQLITE_OK)
    fail(database_, folder_);
  const char* schema =
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
      "CREATE TABLE IF NOT EXISTS study (settings TEXT NOT NULL);"
      "CREATE TABLE IF NOT EXISTS trial (id INTEGER PRIMARY KEY, command TEXT NOT NULL UNIQUE,"
      " attempts INTEGER NOT NULL DEFAULT 0, status TEXT, sentence TEXT, objective REAL,"
      " iterations INTEGER, seconds REAL, course TEXT);";
  if (sqlite3_exec(database_, schema, nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(database_, folder_);
  Statement before(database_, folder_, "SELECT settings FROM study");
  if (before.step()) {
    const std::string difference =
        first_difference(nlohmann::json::parse(before.text(0)), settings);
    if (!difference.empty())
      throw FileError(sentence(folder_.string(), ": holds a study of other settings: ", difference,
                               "; choose another --out"));
  } else {
    Statement(database_, folder_, "INSERT INTO study VALUES (?)").bind(settings.dump()).step();
  }
}

Trial Store::trial(const Command& command) {
  const std::string name = nlohmann::json(command).dump();
  Statement(database_, folder_, "INSERT OR IGNORE INTO trial (command) VALUES (?)")
      .bind(name)
      .step();
  Statement found(database_, folder_, "SELECT * FROM trial WHERE command = ?");
  found.bind(name).step();
  return read(found);
}

std::vector<Trial> Store::all() {
  std::vector<Trial> out;
  Statement rows(database_, folder_, "SELECT * FROM trial ORDER BY id");
  while (rows.step()) out.push_back(read(rows));
  return out;
}

void Store::begin(Trial& trial) {
  ++trial.attempts;
  Statement(database_, folder_, "UPDATE trial SET attempts = ? WHERE id = ?")
      .bind(trial.attempts, trial.id)
      .step();
}

void Store::finish(const Trial& trial) {
  const nlohmann::json course = {{"iteration", trial.course.iterations},
                                 {"seconds", trial.course.seconds},
                                 {"objective", trial.course.objectives}};
  Statement(database_, folder_,
            "UPDATE trial SET status = ?, sentence = ?, objective = ?, iterations = ?, seconds = ?,"
            " course = ? WHERE id = ?")
      .bind(trial.status, trial.sentence, trial.objective, trial.iterations, trial.seconds,
            course.dump(), trial.id)
      .step();
}

}  // namespace fisherman::cli::study
