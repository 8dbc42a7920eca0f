#include "store.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "../run_folder.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/io/checksum.hpp"

namespace fisherman::cli::study {
namespace {

std::string file_of(const std::filesystem::path& folder) {
  return (folder / "study.sqlite").string();
}

/// Runs `use`, with what SQLite complains of as an error of the study's file.
template <class Use>
auto with_file(const std::filesystem::path& folder, Use use) {
  try {
    return use();
  } catch (const SQLite::Exception& e) {
    throw FileError(sentence(file_of(folder), ": ", e.what()));
  }
}

/// What has to be UTF-8 text, so that it can be kept.
std::string kept_text(const Json& value) {
  try {
    return value.dump();
  } catch (const Json::exception&) {
    throw Misuse("a path or an option of the study is not UTF-8 text, which studies are kept as");
  }
}

Json json_of(const Trial::Course& course) {
  return {{"iteration", course.iterations},
          {"seconds", course.seconds},
          {"objective", course.objectives}};
}

/// Of all that is read back of a trial that has ended: SQLite has no checksums of its own.
std::string sum_of(const Trial& trial) {
  const Json all = {trial.command,    trial.status,  trial.sentence,       trial.objective,
                    trial.iterations, trial.seconds, json_of(trial.course)};
  const std::string text = all.dump(-1, ' ', false, Json::error_handler_t::replace);
  MemorySource source("", text);
  return sha256(source);
}

double number(const SQLite::Column& column) {
  return column.isNull() ? std::numeric_limits<double>::quiet_NaN() : column.getDouble();
}

Trial read(SQLite::Statement& row, const std::filesystem::path& folder) {
  Trial trial;
  trial.id = row.getColumn(0).getInt64();
  const auto damaged = [&] {
    return FileError(sentence(file_of(folder), ": is damaged (trial ", trial.id, ")"));
  };
  std::string sum;
  try {
    trial.command = Json::parse(row.getColumn(1).getString()).get<Command>();
    trial.attempts = row.getColumn(2).getInt64();
    trial.status = row.getColumn(3).getString();
    trial.sentence = row.getColumn(4).getString();
    trial.objective = number(row.getColumn(5));
    trial.iterations = row.getColumn(6).getInt64();
    trial.seconds = number(row.getColumn(7));
    if (!trial.ended()) return trial;
    const Json course = Json::parse(row.getColumn(8).getString());
    course.at("iteration").get_to(trial.course.iterations);
    course.at("seconds").get_to(trial.course.seconds);
    course.at("objective").get_to(trial.course.objectives);
    course.at("sum").get_to(sum);
  } catch (const Json::exception&) {
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
Store::Store(std::filesystem::path folder, const Json& settings)
    : folder_((kept_text(settings), std::move(folder))),  // before anything is made
      own_(
          folder_, [&] { return std::filesystem::exists(folder_ / "study.sqlite"); },
          Owner::children_too) {
  with_file(folder_, [&] { open(settings); });
}

Store::~Store() = default;

void Store::open(const Json& settings) {
  database_ = std::make_unique<SQLite::Database>(file_of(folder_),
                                                 SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  database_->exec(
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
      "CREATE TABLE IF NOT EXISTS study (settings TEXT NOT NULL);"
      "CREATE TABLE IF NOT EXISTS trial (id INTEGER PRIMARY KEY, command TEXT NOT NULL UNIQUE,"
      " attempts INTEGER NOT NULL DEFAULT 0, status TEXT, sentence TEXT, objective REAL,"
      " iterations INTEGER, seconds REAL, course TEXT);");
  SQLite::Statement before(*database_, "SELECT settings FROM study");
  if (before.executeStep()) {
    const auto kept = Json::parse(before.getColumn(0).getString(), nullptr, false);
    if (!kept.is_object()) throw FileError(file_of(folder_) + ": is damaged");
    const std::string difference = first_difference(kept, settings);
    if (!difference.empty())
      throw FileError(sentence(folder_.string(), ": holds a study of other settings: ", difference,
                               "; choose another --out"));
  } else {
    SQLite::Statement insert(*database_, "INSERT INTO study VALUES (?)");
    SQLite::bind(insert, kept_text(settings));
    insert.exec();
  }
}

Trial Store::trial(const Command& command) {
  return with_file(folder_, [&] {
    const std::string name = kept_text(command);
    SQLite::Statement insert(*database_, "INSERT OR IGNORE INTO trial (command) VALUES (?)");
    SQLite::bind(insert, name);
    insert.exec();
    SQLite::Statement found(*database_, "SELECT * FROM trial WHERE command = ?");
    SQLite::bind(found, name);
    found.executeStep();
    return read(found, folder_);
  });
}

std::vector<Trial> Store::all() {
  return with_file(folder_, [&] {
    std::vector<Trial> out;
    SQLite::Statement rows(*database_, "SELECT * FROM trial ORDER BY id");
    while (rows.executeStep()) out.push_back(read(rows, folder_));
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
    Json course = json_of(trial.course);
    course["sum"] = sum_of(trial);
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
