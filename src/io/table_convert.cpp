// From text to a folder of NumPy's files.
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/version.hpp"
#include "fisherman/io/block_queue.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/csv.hpp"
#include "fisherman/io/json.hpp"
#include "fisherman/io/libsvm.hpp"
#include "fisherman/io/npy.hpp"
#include "fisherman/io/stored_rows.hpp"
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
    sync_folder(path_.has_parent_path() ? path_.parent_path() : ".");
  }

 private:
  fs::path path_, unfinished_;
};

/// The entries of sparse rows on their way into files, and out again.
class EntryFiles {
 public:
  explicit EntryFiles(const UnfinishedFolder& folder)
      : paths_{folder.file("begins.npy"), folder.file("entry_columns.npy"),
               folder.file("values.npy")},
        begins_(paths_[0], "<i8", 0),
        columns_(paths_[1], "<i4", 0),
        values_(paths_[2], "<f8", 0) {
    begins_.add(&count_, 1);
  }
  void add(Index column, double value) {
    const auto place = std::int32_t(column);
    columns_.add(&place, 1);
    values_.add(&value, 1);
    ++count_;
  }
  void close_row() {
    begins_.add(&count_, 1);
    ++rows_;
  }
  Index count() const { return count_; }
  void finish() {
    begins_.finish(rows_ + 1);
    columns_.finish(count_);
    values_.finish(count_);
  }

  /// use(columns, values) for each row, from the finished files.
  template <class Use>
  void each_row(const Use& use) const {
    constexpr Index at_once = 4096;
    const StoredRows begins(paths_[0]), columns(paths_[1]), values(paths_[2]);
    std::vector<Index> of_row;
    std::vector<double> numbers;
    for (Index first = 0; first < rows_; first += at_once) {
      const Index count = std::min(at_once, rows_ - first);
      const Vector begin = begins.block(first, count + 1).col(0);
      const auto from = Index(begin(0)), all = Index(begin(count)) - from;
      const Vector column = columns.block(from, all).col(0), value = values.block(from, all).col(0);
      for (Index i = 0; i < count; ++i) {
        const auto at = Index(begin(i)) - from, end = Index(begin(i + 1)) - from;
        of_row.assign(column.begin() + at, column.begin() + end);
        numbers.assign(value.begin() + at, value.begin() + end);
        use(of_row, numbers);
      }
    }
  }
  void remove() const {
    for (const fs::path& path : paths_) fs::remove(path);
  }

 private:
  std::array<fs::path, 3> paths_;
  NpyWriter begins_, columns_, values_;
  Index count_ = 0, rows_ = 0;
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
      begins_.push_back({lines_, source.name()});
      const Format format = format_of(files_[k], source);
      if (format != Format::csv && format != Format::libsvm)
        fail(source, "is binary already; only CSV and LIBSVM files are converted");
      if (k > 0 && text != (format == Format::csv))
        fail(source, "is of another format than ", name_of_file(files_[0]));
      text = format == Format::csv;
      text ? add_csv(source, k) : add_libsvm(source, k);
      told(double(k + 1) / double(files_.size()));
    }
    text ? rows_->finish(out_.rows) : finish_entries();
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
                   if (!rows_) begin(names);
                   if (line_of_file_ != file) {
                     line_of_file_ = file;
                     if (names.features != names_ || names.label != out_.label)
                       fail(source, "has other columns than ", name_of_file(files_[0]));
                   }
                   rows_->add(values.data(), values.size());
                   add_label(label, line);
                   if (++out_.rows % 4096 == 0)
                     told((double(file) + source.fraction_read()) / double(files_.size()));
                 });
  }

  void begin(const CsvNames& names) {
    names_ = names.features;
    out_.columns = Index(names_.size());
    rows_.emplace(folder_.file("rows.npy"), "<f8", out_.columns);
    begin_labels(names.label);
  }
  void begin_labels(const std::string& name) {
    out_.label = name;
    if (!name.empty()) labels_.emplace(name, [this](Index line) { return place_of_line(line); });
  }
  void add_label(std::string_view label, Index line) {
    lines_ = begins_.back().first + line;
    if (labels_) codes_.push(labels_->add(label, lines_));
  }
  /// Of a line, counted through all files.
  std::string place_of_line(Index line) const {
    auto file = begins_.rbegin();
    while (file->first >= line) ++file;
    return sentence(file->second, ", line ", line - file->first);
  }

  void add_libsvm(ByteSource& source, std::size_t file) {
    if (!entries_) {
      entries_.emplace(folder_);
      width_ = options_.columns;
      if (options_.has_label) begin_labels("label");
      for (const std::string& name : options_.dropped)
        left_out_.insert(column_of_name(source, name));
    }
    for_libsvm_rows(source, options_, [&](const LibsvmRow& row) {
      for (std::size_t k = 0; k < row.columns.size(); ++k) {
        const auto column = Index(row.columns[k]);
        if (column >= most_sparse_columns)
          fail_at(source, row.line, ": ", too_many_columns(column + 1));
        width_ = std::max(width_, column + 1);
        if (left_out_.count(column) == 0) entries_->add(place_of(column), row.values[k]);
      }
      entries_->close_row();
      add_label(row.label, row.line);
      if (++out_.rows % 4096 == 0)
        told((double(file) + source.fraction_read()) / double(files_.size()));
    });
  }
  static Index column_of_name(const ByteSource& source, const std::string& name) {
    const auto number =
        name.size() > 1 && name[0] == 'f' ? parse_number(name.substr(1)) : std::nullopt;
    if (!number || numbered(Index(*number)) != name)
      fail(source, "has no column ", shown(name), " to leave out");
    return Index(*number) - 1;
  }
  static std::string numbered(Index number) { return sentence("f", number); }
  /// Of a column, without those that are left out.
  Index place_of(Index column) const {
    return column - std::distance(left_out_.begin(), left_out_.lower_bound(column));
  }

  void finish_entries() {
    const MemorySource source(name_of_file(files_[0]), "");
    if (!left_out_.empty() && *left_out_.rbegin() >= width_)
      fail(source, "has no column ", shown(numbered(*left_out_.rbegin() + 1)), " to leave out");
    for (Index j = 0; j < width_; ++j)
      if (left_out_.count(j) == 0) names_.push_back(numbered(j + 1));
    if (names_.empty()) fail(source, width_ == 0 ? "no row has a feature" : "no column is left");
    out_.columns = Index(names_.size());
    entries_->finish();
    out_.sparse = double(entries_->count()) < 0.25 * double(out_.rows) * double(out_.columns);
    if (out_.sparse) return;
    rows_.emplace(folder_.file("rows.npy"), "<f8", out_.columns);
    entries_->each_row([&](const std::vector<Index>& columns, const std::vector<double>& values) {
      Vector row = Vector::Zero(out_.columns);
      for (std::size_t k = 0; k < columns.size(); ++k) row(columns[k]) = values[k];
      rows_->add(row.data(), std::size_t(row.size()));
    });
    rows_->finish(out_.rows);
    entries_->remove();
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
          {{"file", fs::absolute(from).string()}, {"sha256", sum_of(source)}});
    }
    for (const char* name :
         {"rows.npy", "begins.npy", "entry_columns.npy", "values.npy", "labels.npy"}) {
      const fs::path path = folder_.file(name);
      if (!fs::exists(path)) continue;
      FileSource source(path);
      out["files"][name] = {{"bytes", fs::file_size(path)}, {"sha256", sum_of(source)}};
    }
    write_file(folder_.file(table_description), out.dump(2) + '\n');
  }
  std::string sum_of(ByteSource& source) const {
    return sha256(source, [this] { told(1.0); });  // signals are heard here too
  }

  UnfinishedFolder folder_;
  const std::vector<fs::path>& files_;
  const ReadOptions& options_;
  const std::function<void(double)>& watch_;
  ConvertedTable out_;
  std::vector<std::pair<Index, std::string>> begins_;  // lines before each file, and its name
  Index lines_ = 0;
  std::vector<std::string> names_, classes_;
  std::optional<NpyWriter> rows_;
  std::size_t line_of_file_ = 0;  // the file whose columns were compared with the first one's
  std::optional<GrowingColumn> labels_;
  BlockQueue<double> codes_;
  std::optional<EntryFiles> entries_;  // of LIBSVM files
  Index width_ = 0;                    // with what is left out
  std::set<Index> left_out_;
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
