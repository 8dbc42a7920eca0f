// A table that was converted is the one that its files are, and what cannot be converted leaves nothing behind.
#include "fisherman/io/table_folder.hpp"

#include <algorithm>

#include "files.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/columns.hpp"
#include "ranks_in_threads.hpp"

namespace fisherman::io_table_folder_test {
namespace {

class TableFolder : public Files {
 protected:
  std::filesystem::path convert(const std::vector<std::filesystem::path>& files,
                                const ReadOptions& options = {}) const {
    const auto folder = folder_ / "converted";
    std::filesystem::remove_all(folder);
    convert_table(files, folder, options);
    return folder;
  }
  std::size_t entries() const {
    return std::size_t(std::distance(std::filesystem::directory_iterator(folder_),
                                     std::filesystem::directory_iterator()));
  }
};

const std::string text = "a,\"b, c\",y,d\n1,2.5,no,3\n-4,5e-3,yes,6\n7,8,no,0.1\n";

void expect_same(const Table& a, const Table& b) {
  EXPECT_EQ(a.names, b.names);
  EXPECT_EQ(a.labels, b.labels);
  EXPECT_EQ(a.label_name, b.label_name);
  ASSERT_EQ(a.sparse == nullptr, b.sparse == nullptr);
  if (a.sparse)
    EXPECT_EQ(a.sparse->dense(), b.sparse->dense());
  else
    EXPECT_EQ(a.x, b.x);
}

/// The columns in any order.
void expect_same_columns(const Table& a, const Table& b) {
  EXPECT_EQ(a.mixed->label, b.mixed->label);
  ASSERT_EQ(a.mixed->all.size(), b.mixed->all.size());
  for (const Column& one : a.mixed->all) {
    const Column* const other = b.mixed->find(one.name);
    ASSERT_NE(other, nullptr) << one.name;
    EXPECT_EQ(one.numbers, other->numbers);
    EXPECT_EQ(one.levels, other->levels);
    EXPECT_EQ(one.codes, other->codes);
  }
}

TEST_F(TableFolder, IsTheTableOfItsFile) {
  for (const char* label : {"y", "d"}) {  // words, and numbers
    const ReadOptions options{.label = label, .dropped = {label[0] == 'y' ? "d" : "y"}};
    const auto file = write("rows.csv", text), folder = convert({file}, options);
    ReadOptions later = options;
    later.dropped.clear();
    expect_same(read_table(folder, later), read_table(file, options));
    ReadOptions mixed = options;
    mixed.mixed = later.mixed = true;
    expect_same_columns(read_table(folder, later), read_table(file, mixed));
  }
}

TEST_F(TableFolder, TakesSeveralFilesPackedOrNot) {
  const auto one = write("1.csv", text), two = write_gz("2.csv.gz", "a,\"b, c\",y,d\n9,10,no,11\n"),
             all = write("all.csv", text + "9,10,no,11\n");
  const ReadOptions options{.label = "y"};
  expect_same(read_table(convert({one, two}, options), options), read_table(all, options));
}

TEST_F(TableFolder, KeepsSparseRowsSparse) {
  const auto sparse = write("s.libsvm", "1 1:2 30:-1.5\n-1 7:3\n1 2:1\n-1\n"),
             dense = write("d.libsvm", "1 1:2 2:3\n2 1:4\n");
  ReadOptions options{.sparse = true};
  for (const auto& file : {sparse, dense})
    expect_same(read_table(convert({file}), options), read_table(file, options));
  options.sparse = false;
  expect_same(read_table(convert({sparse}), options), read_table(sparse, options));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "converted" / "begins.npy"));
}

TEST_F(TableFolder, IsReadInPartsAndFromDisk) {
  std::string many = "a,b,y\n";
  for (int i = 0; i < 3000; ++i)
    many += std::to_string(i) + "," + std::to_string(i * i % 77) + "," + (i % 3 == 0 ? "p" : "q") +
            "\n";
  const auto file = write("many.csv", many), folder = convert({file}),
             sparse = write("s.libsvm", "1 1:2 30:-1.5\n-1 7:3\n1 2:1\n-1\n");
  const Columns whole = *read_table(file, {.mixed = true}).mixed;
  std::filesystem::rename(folder, folder_ / "many");
  convert({sparse});
  for (const auto from_disk : {ReadOptions::FromDisk::never, ReadOptions::FromDisk::always})
    on_ranks(3, [&](int) {
      const Table table =
          read_table(folder_ / "many", {.mixed = true, .from_disk = from_disk, .in_parts = true});
      const RowPart part = RowPart::of_rank(3000);
      EXPECT_EQ(table.part.first, part.first);
      const Column &y = *table.mixed->find("y"), &all = *whole.find("y");
      EXPECT_EQ(y.levels, all.levels);
      EXPECT_TRUE(std::equal(y.codes.begin(), y.codes.end(), all.codes.begin() + part.first));
      EXPECT_EQ(Index(y.codes.size()), part.count);
      const Vector b = whole.find("b")->numbers.segment(part.first, part.count);
      if (from_disk == ReadOptions::FromDisk::never)
        EXPECT_EQ(table.mixed->find("b")->numbers, b);
      else
        EXPECT_EQ(table.mixed->stored->block(part.first, part.count).col(1), b);
      const Table entries = read_table(folder_ / "converted", {.sparse = true, .in_parts = true});
      EXPECT_EQ(entries.names.size(), 30U);
      EXPECT_EQ(sum_of_ranks(entries.rows()), 4);
    });
}

TEST_F(TableFolder, RefusesWhatItCannotKeepAndLeavesNothingBehind) {
  const auto refused = [&](const std::vector<std::filesystem::path>& files,
                           std::initializer_list<std::string> parts,
                           const ReadOptions& options = {.label = "y"}) {
    const std::size_t before = entries();
    expect_file_error([&] { convert(files, options); }, parts);
    EXPECT_EQ(entries(), before);
  };
  const auto good = write("good.csv", text), odd = write("odd.csv", "a,y\n1,no\nred,yes\n"),
             other = write("other.csv", "a,y,d\n1,no,2\n"),
             gap = write("gap.csv", "a,y\n1,no\n,yes\n"),
             array = write("x.npy", npy(npy_header("|u1", "(1,)"), "\1"));
  refused({odd}, {"odd.csv, line 3, column 'a': ", "'red'"});
  refused({gap}, {"gap.csv, line 3, column 'a'"});
  refused({good, other}, {"other.csv: has other columns than ", "good.csv"});
  refused({array}, {"x.npy: is binary already"});
  refused({good, folder_ / "none.csv"}, {"none.csv: cannot be opened"});
  const auto comma = write("comma.csv", "a,\"b, c\",y,d\n1,2,maybe,3\n"),
             numbers = write("numbers.csv", "a,y\n1,2.5\n3,1e9\n"),
             word = write("word.csv", "a,y\n1,2\n2,\"3,5\"\n"),
             wide = write("wide.libsvm", "1 1:2\n1 3000000000:1\n");
  refused({numbers, word}, {"word.csv, line 3", "3,5"});
  refused({wide}, {"wide.libsvm, line 2: index 3000000000 is beyond 2147483647"}, {});
  EXPECT_NO_THROW(convert({good, comma}, {.label = "y"}));
  std::filesystem::remove_all(folder_ / "converted");
  const std::size_t before = entries();
  struct Enough {};
  EXPECT_THROW(convert_table({good}, folder_ / "x", {.label = "y"}, [](double) { throw Enough(); }),
               Enough);
  EXPECT_EQ(entries(), before);
  convert({good}, {.label = "y"});
  expect_file_error([&] { convert_table({good}, folder_ / "converted", {.label = "y"}); },
                    {"exists already"});
}

TEST_F(TableFolder, IsRefusedWhereItIsNotWhatItWas) {
  const auto folder = convert({write("rows.csv", text)}, {.label = "y"});
  expect_file_error([&] { read_table(folder, {.label = "a"}); },
                    {"was converted with the label 'y'", "--label a"});
  EXPECT_TRUE(read_table(folder, {.label = "a", .label_optional = true}).labels.empty());
  expect_file_error([&] { read_table(folder_); }, {"is a folder, but no table"});
  const std::string sum = file_checksum(folder);
  const std::string labels = bytes_of(folder / "labels.npy");
  write("converted/labels.npy", labels.substr(1));
  expect_file_error([&] { read_table(folder); }, {"labels.npy: is not there, or has another size"});
  write("converted/labels.npy", labels.substr(0, labels.size() - 1) + "\x7F");
  expect_file_error([&] { read_table(folder); }, {"is none of the 2 classes"});
  write("converted/table.json", "{\"format\": 2}");
  EXPECT_NE(file_checksum(folder), sum);
  expect_file_error([&] { read_table(folder); }, {"has format 2, but this version reads format 1"});
  write("converted/table.json", "{\"format\": 1}");
  expect_file_error([&] { read_table(folder); }, {"is no table.json of fisherman data convert"});
}

}  // namespace
}  // namespace fisherman::io_table_folder_test
