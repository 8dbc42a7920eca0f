#include "run_folder.hpp"

#include <fstream>
#include <sstream>

#include "command.hpp"
#include "fisherman/core/archive.hpp"

namespace fisherman::cli {

std::string first_difference(const nlohmann::json& before, const nlohmann::json& now) {
  const auto said = [](const nlohmann::json& in, const std::string& name) {
    return in.contains(name) ? in[name].dump() : "not set";
  };
  nlohmann::json all = before;
  all.update(now);
  for (const auto& [name, value] : all.items())
    if (name != "threads" && said(before, name) != said(now, name))
      return sentence(name, " was ", said(before, name), " and is now ", said(now, name));
  return "";
}

RunFolder::RunFolder(std::filesystem::path path, bool resume) : path_(std::move(path)) {
  if (resume && !has("config.json")) throw FileError(path_.string() + ": holds no run to resume");
  std::error_code error;
  std::filesystem::create_directories(path_, error);
  if (error) throw FileError(sentence(path_.string(), ": cannot be made: ", error.message()));
  if (!resume && has("config.json"))
    throw FileError(path_.string() + ": holds a run already; --resume goes on with it");
}

void RunFolder::write(const char* name, const std::string& content) const {
  write_file(file(name), content);
}

void RunFolder::write(const char* name, const nlohmann::ordered_json& value) const {
  write(name, value.dump(2) + "\n");
}

void RunFolder::require_same(const nlohmann::ordered_json& config) const {
  const std::string difference = first_difference(read_json(file("config.json")), config);
  if (!difference.empty())
    throw FileError(sentence(path_.string(), ": cannot be resumed, because ", difference));
}

void RunFolder::cut_trace(std::int64_t iteration) const {
  std::ifstream in(file("trace.csv"));
  std::ostringstream kept;
  std::string line;
  for (bool header = true; std::getline(in, line) && !in.eof(); header = false)
    if (header || std::stoll(line) <= iteration) kept << line << '\n';
  write("trace.csv", kept.str());
}

}  // namespace fisherman::cli
