#include "catalogue.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <set>
#include <sstream>

#include "../command.hpp"
#include "../resources.hpp"
#include "fisherman/core/error.hpp"
#include "make.hpp"

namespace fisherman::cli::datasets {
namespace {

using json = Json;

/// A JSON object whose fields are asked for one by one; `where` begins the sentences of errors.
class Entry {
 public:
  Entry(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object.is_object()) fail("is not a JSON object");
  }

  std::string text(const char* field, bool needed = true) {
    const json* const value = find(field, needed);
    if (value == nullptr) return "";
    if (!value->is_string() || value->get_ref<const std::string&>().empty())
      fail(sentence("has a ", field, " that is no text"));
    return value->get<std::string>();
  }

  std::string sum(const char* field, bool needed = true) {
    const std::string out = text(field, needed);
    const bool digits = out.find_first_not_of("0123456789abcdef") == std::string::npos;
    if (!out.empty() && (out.size() != 64 || !digits))
      fail(sentence("has a ", field, " that is not 64 digits from 0 to f: '", out, "'"));
    return out;
  }

  std::int64_t count(const char* field) {
    const json* const value = find(field, false);
    if (value == nullptr) return 0;
    if (!value->is_number_unsigned()) fail(sentence("has a ", field, " that is no whole number"));
    return value->get<std::int64_t>();
  }

  const json& list(const char* field) {
    const json* const value = find(field, true);
    if (!value->is_array() || value->empty()) fail(sentence("has no list of ", field));
    return *value;
  }

  /// To be called when all fields have been asked for.
  void end() const {
    for (const auto& [name, value] : object_.items())
      if (!asked_.contains(name)) fail(sentence("has a field '", name, "', which is not known"));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw FileError(sentence(where_, " ", what));
  }

 private:
  const json* find(const char* field, bool needed) {
    asked_.insert(field);
    const auto at = object_.find(field);
    if (at != object_.end()) return &*at;
    if (needed) fail(sentence("has no ", field));
    return nullptr;
  }

  const json& object_;
  std::string where_;
  std::set<std::string> asked_;
};

DataFile file_of(const json& object, const std::string& where) {
  Entry entry(object, where);
  DataFile out;
  out.file = entry.text("file");
  if (out.file.find('/') != std::string::npos || out.file.starts_with('.'))
    entry.fail(sentence("has a file '", out.file, "', which is not a plain name"));
  out.url = entry.text("url");
  if (out.url.find("://") == std::string::npos || out.url.ends_with('/'))
    entry.fail(sentence("has a url '", out.url, "', which is not the address of a file"));
  out.make = entry.text("make", false);
  if (!out.make.empty() && !can_make(out.make))
    entry.fail(sentence("has a make '", out.make, "', which is none of ", makes_words()));
  out.download_sha256 = entry.sum("download_sha256", false);
  out.sha256 = entry.sum("sha256");
  out.bytes = entry.count("bytes");
  entry.end();
  return out;
}

Catalogue catalogue_of(const json& object, const std::string& name) {
  Entry top(object, name + ":");
  Catalogue out;
  std::set<std::string> names, files;
  for (const json& one : top.list("data_sets")) {
    Entry entry(one, sentence(name, ": data set ", out.size() + 1));
    DataSet set;
    set.name = entry.text("name");
    set.help = entry.text("help", false);
    set.source = entry.text("source", false);
    set.licence = entry.text("licence");
    if (!names.insert(set.name).second) entry.fail("has the name of another, " + set.name);
    for (const json& file : entry.list("files")) {
      set.files.push_back(
          file_of(file, sentence(name, ": file ", set.files.size() + 1, " of ", set.name)));
      if (!files.insert(set.files.back().file).second)
        entry.fail("has a file of another, " + set.files.back().file);
    }
    entry.end();
    out.push_back(std::move(set));
  }
  top.end();
  return out;
}

}  // namespace

std::int64_t DataSet::bytes() const {
  std::int64_t sum = 0;
  for (const DataFile& file : files) sum += file.bytes;
  return sum;
}

const Catalogue& public_catalogue() {
  static const Catalogue all =
      catalogue_of(json::parse(resource("catalogue.json")), "catalogue.json");
  return all;
}

Catalogue read_catalogue(const std::filesystem::path& path) {
  return catalogue_of(read_json(path), path.string());
}

std::string set_with(const std::string& file) {
  for (const DataSet& set : public_catalogue())
    for (const DataFile& known : set.files)
      if (known.file == file) return set.name;
  return "";
}

std::string size_words(std::int64_t bytes) {
  std::ostringstream out;
  if (bytes < 1000000)
    out << std::lround(double(bytes) / 1e3) << " kB";
  else
    out << std::fixed << std::setprecision(1) << double(bytes) / 1e6 << " MB";
  return out.str();
}

}  // namespace fisherman::cli::datasets
