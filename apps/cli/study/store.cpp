#include "store.hpp"

#include <sqlite3.h>

#include <cmath>
#include <optional>

#include "../run_folder.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/io/checksum.hpp"

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

/// What has to be UTF-8 text, so that it can be kept.
std::string kept_text(const nlohmann::json& value) {
  try {
    return value.dump();
  } catch (const nlohmann::json::exception&) {
    throw Misuse("a path or an option of the study is not UTF-8 text, which studies are kept as");
  }
}

nlohmann::json json_of(const Trial::Course& course) {
  return {{"iteration", course.iterations},
          {"seconds", course.seconds},
          {"objective", course.objectives}};
}

/// Of all that is read back of a trial that has ended: SQLite has no checksums of its own.
std::string sum_of(const Trial& trial) {
  const nlohmann::json all = {trial.command,        trial.status,     trial.sentence,
                              trial.objective,      trial.iterations, trial.seconds,
                              json_of(trial.course)};
  const std::string text = all.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  MemorySource source("", text);
  return sha256(source);
}

Trial read(const Statement& row, const std::filesystem::path& folder) {
  const auto damaged = [&] {
    return FileError(
        sentence((folder / "study.sqlite").string(), ": is damaged (trial ", row.integer(0), ")"));
  };
  Trial trial;
  std::string sum;
  try {
    trial.id = row.integer(0);
    trial.command = nlohmann::json::parse(row.text(1)).get<Command>();
    trial.attempts = row.integer(2);
    trial.status = row.text(3);
    trial.sentence = row.text(4);
    trial.objective = row.number(5);
    trial.iterations = row.integer(6);
    trial.seconds = row.number(7);
    if (!trial.ended()) return trial;
    const nlohmann::json course = nlohmann::json::parse(row.text(8));
    course.at("iteration").get_to(trial.course.iterations);
    course.at("seconds").get_to(trial.course.seconds);
    course.at("objective").get_to(trial.course.objectives);
    course.at("sum").get_to(sum);
  } catch (const nlohmann::json::exception&) {
    throw damaged();
  }
  if (sum_of(trial) != sum) throw damaged();
  return trial;
}

}  // namespace

bool Trial::well() const {
  return ended() && status != "failed" && status != "crashed" && status != "diverged" &&
         std::isfinite(objective);
}

// Trials own the folder too, until the last of them is gone: after a kill, nobody begins a trial again while the old
// one still writes.
Store::Store(std::filesystem::path folder, const nlohmann::json& settings)
    : folder_((kept_text(settings), std::move(folder))),  // before anything is made
      own_(
          folder_, [&] { return std::filesystem::exists(folder_ / "study.sqlite"); },
          Owner::children_too) {
  try {
    open(settings);
  } catch (...) {
    sqlite3_close(database_);
    throw;
  }
}

Store::~Store() { sqlite3_close(database_); }

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
    const auto kept = nlohmann::json::parse(before.text(0), nullptr, false);
    if (!kept.is_object()) throw FileError((folder_ / "study.sqlite").string() + ": is damaged");
    const std::string difference = first_difference(kept, settings);
    if (!difference.empty())
      throw FileError(sentence(folder_.string(), ": holds a study of other settings: ", difference,
                               "; choose another --out"));
  } else {
    Statement(database_, folder_, "INSERT INTO study VALUES (?)").bind(kept_text(settings)).step();
  }
}

Trial Store::trial(const Command& command) {
  const std::string name = kept_text(command);
  Statement(database_, folder_, "INSERT OR IGNORE INTO trial (command) VALUES (?)")
      .bind(name)
      .step();
  Statement found(database_, folder_, "SELECT * FROM trial WHERE command = ?");
  found.bind(name).step();
  return read(found, folder_);
}

std::vector<Trial> Store::all() {
  std::vector<Trial> out;
  Statement rows(database_, folder_, "SELECT * FROM trial ORDER BY id");
  while (rows.step()) out.push_back(read(rows, folder_));
  return out;
}

void Store::begin(Trial& trial) {
  ++trial.attempts;
  Statement(database_, folder_, "UPDATE trial SET attempts = ? WHERE id = ?")
      .bind(trial.attempts, trial.id)
      .step();
}

void Store::finish(const Trial& trial) {
  nlohmann::json course = json_of(trial.course);
  course["sum"] = sum_of(trial);
  Statement(database_, folder_,
            "UPDATE trial SET status = ?, sentence = ?, objective = ?, iterations = ?, seconds = ?,"
            " course = ? WHERE id = ?")
      .bind(trial.status, trial.sentence, trial.objective, trial.iterations, trial.seconds,
            course.dump(), trial.id)
      .step();
}

}  // namespace fisherman::cli::study
