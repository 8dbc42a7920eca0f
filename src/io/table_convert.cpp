// From text to a folder of NumPy's files.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "fisherman/core/version.hpp"
#include "fisherman/io/block_queue.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/csv.hpp"
#include "fisherman/io/json.hpp"
#include "fisherman/io/libsvm.hpp"
#include "fisherman/io/npy.hpp"
#include "fisherman/io/table_folder.hpp"
#include "fisherman/io/text.hpp"
#include "growing_column.hpp"
#include "table_format.hpp"

namespace fisherman {
namespace {

namespace fs = std::filesystem;

/// A folder under another name until it is complete, and removed if it never is.
class UnfinishedFolder {
 public:
  explicit UnfinishedFolder(const fs::path& path) : path_(path) {
    if (fs::exists(fs::symlink_status(path)))
      throw FileError(path.string() + ": exists already; name another folder by --out");
    std::string name = path.string() + ".part-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr)
      throw FileError(sentence(path.string(), ": cannot be made: ", std::strerror(errno)));
    unfinished_ = name;
  }
  ~UnfinishedFolder() {
    std::error_code ignored;
    if (!unfinished_.empty()) fs::remove_all(unfinished_, ignored);
  }
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;

  fs::path file(const std::string& name) const { return unfinished_ / name; }
  void finish() {
    fs::permissions(unfinished_, fs::perms(0755));  // mkdtemp's is for us alone
    if (std::rename(unfinished_.c_str(), path_.c_str()) != 0)
      throw FileError(sentence(path_.string(), ": cannot be made: ", std::strerror(errno)));
    unfinished_.clear();
  }

 private:
  fs::path path_, unfinished_;
};

class TableWriter {
 public:
  TableWriter(const fs::path& folder, const std::vector<fs::path>& files,
              const ReadOptions& options, const std::function<void(double)>& watch)
      : folder_(folder), files_(files), options_(options), watch_(watch) {}

  ConvertedTable write() {
    bool text = true;
    for (std::size_t k = 0; k < files_.size(); ++k) {
      FileSource source(files_[k]);
      const Format format = format_of(files_[k], source);
      if (format != Format::csv && format != Format::libsvm)
        fail(source, "is binary already; only CSV and LIBSVM files are converted");
      if (k > 0 && text != (format == Format::csv))
        fail(source, "is of another format than ", name_of_file(files_[0]));
      text = format == Format::csv;
      text ? add_csv(source, k) : add_libsvm(source);
      told(double(k + 1) / double(files_.size()));
    }
    text ? rows_->finish(out_.rows) : write_entries();
    if (!out_.label.empty()) write_labels();
    describe();
    folder_.finish();
    return out_;
  }

 private:
  void told(double share) const {
    if (watch_) watch_(share);
  }

  void add_csv(ByteSource& source, std::size_t file) {
    for_csv_rows(source, options_,
                 [&](const CsvNames& names, const std::vector<double>& values,
                     std::string_view label, Index line) {
                   if (!rows_) begin(names, source.name());
                   if (line_of_file_ != file) {
                     line_of_file_ = file;
                     if (names.features != names_ || names.label != out_.label)
                       fail(source, "has other columns than ", name_of_file(files_[0]));
                   }
                   rows_->add(values.data(), values.size());
                   if (labels_) codes_.push(labels_->add(label, line));
                   if (++out_.rows % 4096 == 0)
                     told((double(file) + source.fraction_read()) / double(files_.size()));
                 });
  }

  void begin(const CsvNames& names, const std::string& where) {
    names_ = names.features;
    out_.columns = Index(names_.size());
    rows_.emplace(folder_.file("rows.npy"), "<f8", out_.columns);
    begin_labels(names.label, where);
  }
  void begin_labels(const std::string& name, const std::string& where) {
    out_.label = name;
    if (!name.empty())
      labels_.emplace(name, [where](Index line) { return sentence(where, ", line ", line); });
  }

  void add_libsvm(ByteSource& source) {
    ReadOptions options = options_;
    options.sparse = true;
    const Table table = without(source, parse_libsvm(source, options), options.dropped);
    if (out_.rows == 0 && !table.label_name.empty()) begin_labels(table.label_name, source.name());
    for (Index i = 0; i < table.rows(); ++i) {
      if (table.sparse) {
        entries_.append(*table.sparse, i);
      } else {
        for (Index j = 0; j < table.x.cols(); ++j)
          if (table.x(i, j) != 0.0) {
            entries_.column.push_back(std::int32_t(j));
            entries_.value.push_back(table.x(i, j));
          }
        entries_.close_row();
      }
      if (labels_) codes_.push(labels_->add(table.labels[std::size_t(i)], i + 1));
    }
    entries_.columns = std::max(entries_.columns, table.columns());
    if (names_.size() < table.names.size()) names_ = table.names;
    out_.rows += table.rows();
  }

  void write_entries() {
    out_.columns = entries_.columns;
    out_.sparse = double(entries_.entries()) < 0.25 * double(out_.rows) * double(out_.columns);
    if (!out_.sparse) {
      rows_.emplace(folder_.file("rows.npy"), "<f8", out_.columns);
      for (Index i = 0; i < out_.rows; ++i) {
        Vector row = Vector::Zero(out_.columns);
        entries_.each(i, [&](Index j, double v) { row(j) = v; });
        rows_->add(row.data(), std::size_t(row.size()));
      }
      rows_->finish(out_.rows);
      return;
    }
    write_array("begins.npy", "<i8", entries_.begin);
    write_array("entry_columns.npy", "<i4", entries_.column);
    write_array("values.npy", "<f8", entries_.value);
  }

  template <class T>
  void write_array(const std::string& name, const std::string& type, const std::vector<T>& values) {
    NpyWriter file(folder_.file(name), type, 0);
    file.add(values.data(), values.size());
    file.finish(Index(values.size()));
  }

  void write_labels() {
    labels_->begin(out_.rows);
    for (Index i = 0; i < out_.rows; ++i) labels_->put(codes_.pop());
    const Column column = labels_->end();
    if (!column.refusal.empty()) throw FileError(column.refusal);
    classes_ = column.levels;
    if (column.is_words())
      write_array("labels.npy", "<i4", column.codes);
    else
      write_array("labels.npy", "<f8",
                  std::vector<double>(column.numbers.begin(), column.numbers.end()));
  }

  void describe() {
    Json out;
    out["format"] = 1;
    out["version"] = version();
    out["rows"] = out_.rows;
    out["columns"] = names_;
    if (!out_.label.empty()) out["label"] = out_.label;
    if (!classes_.empty()) out["classes"] = classes_;
    out["sparse"] = out_.sparse;
    for (const fs::path& from : files_) {
      FileSource source(from);
      out["made_from"].push_back(
          {{"file", fs::absolute(from).string()}, {"sha256", sha256(source)}});
    }
    for (const char* name :
         {"rows.npy", "begins.npy", "entry_columns.npy", "values.npy", "labels.npy"}) {
      const fs::path path = folder_.file(name);
      if (!fs::exists(path)) continue;
      FileSource source(path);
      out["files"][name] = {{"bytes", fs::file_size(path)}, {"sha256", sha256(source)}};
    }
    std::ofstream file(folder_.file(table_description));
    file << out.dump(2) << '\n';
    file.close();
    if (!file) throw FileError(folder_.file(table_description).string() + ": cannot be written");
  }

  UnfinishedFolder folder_;
  const std::vector<fs::path>& files_;
  const ReadOptions& options_;
  const std::function<void(double)>& watch_;
  ConvertedTable out_;
  std::vector<std::string> names_, classes_;
  std::optional<NpyWriter> rows_;
  std::size_t line_of_file_ = 0;  // the file whose columns were compared with the first one's
  std::optional<GrowingColumn> labels_;
  BlockQueue<double> codes_;
  SparseRows entries_;
};

}  // namespace

ConvertedTable convert_table(const std::vector<fs::path>& files, const fs::path& folder,
                             const ReadOptions& given, const std::function<void(double)>& watch) {
  require(!files.empty(), "there is no file to convert");
  const ReadOptions options = given.bounded();
  for (const fs::path& file : files)
    if (std::error_code none; fs::exists(file) && !fs::is_regular_file(file, none))
      throw FileError(name_of_file(file) + ": is no regular file, so that it cannot be read twice");
  return TableWriter(folder, files, options, watch).write();
}

}  // namespace fisherman
