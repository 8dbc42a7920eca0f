// Several files are read as the one that they make together, by any number of ranks, and errors name the file and its line.
#include "fisherman/io/joined_files.hpp"

#include <sys/resource.h>

#include "files.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/columns.hpp"
#include "fisherman/io/npy.hpp"
#include "ranks_in_threads.hpp"

namespace fisherman::io_joined_files_test {
namespace {

class JoinedFilesTest : public Files {
 protected:
  std::filesystem::path list(std::initializer_list<std::string> names) const {
    std::string out;
    for (const std::string& name : names)
      out += (out.empty() ? "" : ",") + (folder_ / name).string();
    return out;
  }
};

TEST_F(JoinedFilesTest, AreNamedByAPatternOrAList) {
  write("b.csv", ""), write("a.csv", ""), write("a,b.csv", "");
  using Paths = std::vector<std::filesystem::path>;
  EXPECT_EQ(files_named(folder_ / "?.csv"), (Paths{folder_ / "a.csv", folder_ / "b.csv"}));
  EXPECT_EQ(files_named(list({"b.csv", "a.csv"})), (Paths{folder_ / "b.csv", folder_ / "a.csv"}));
  EXPECT_EQ(files_named(folder_ / "a,b.csv"), (Paths{folder_ / "a,b.csv"}));  // it is one
  EXPECT_EQ(files_named("none,"), (Paths{"none,"}));
  EXPECT_EQ(files_named("-"), (Paths{"-"}));
  expect_file_error([&] { files_named(folder_ / "*.txt"); }, {"*.txt: no file has such a name"});
}

std::string rows_from(int first, int count) {
  std::string out;
  for (int i = first; i < first + count; ++i)
    out += std::to_string(i) + (i % 5 == 0 ? ",\"two\nlines\"," : ",red,") + std::to_string(i % 3) +
           "\n";
  return out;
}

TEST_F(JoinedFilesTest, AreTheTableOfTheirRows) {
  const std::string head = "\n\"the\nsize\",colour,y\n";
  std::string second = "\xEF\xBB\xBF" + head.substr(1) + rows_from(40, 30);
  second.pop_back();  // the last line does not end
  write("1.csv", head + rows_from(0, 40)), write("2.csv", second),
      write("3.csv", head + rows_from(70, 5));
  const auto one = write("all.csv", head + rows_from(0, 75));
  const Columns whole = *read_table(one, {.mixed = true}).mixed;
  for (int ranks = 1; ranks <= 4; ++ranks)
    on_ranks(ranks, [&](int) {
      const Columns parts = *read_table(folder_ / "?.csv", {.mixed = true, .in_parts = true}).mixed;
      const RowPart here = parts.rows_here();
      EXPECT_EQ(here.all, 75);
      ASSERT_EQ(parts.names(), whole.names());
      for (std::size_t j = 0; j < parts.all.size(); ++j)
        for (Index i = 0; i < parts.rows; ++i)
          EXPECT_EQ(parts.all[j].text(i), whole.all[j].text(here.first + i));
      // A row of the second file, by its line there: two of the head, and before row 52 three with two lines.
      if (here.has(52)) {
        EXPECT_EQ(parts.place(52 - here.first, "it"),
                  (folder_ / "2.csv").string() + ", line " + std::to_string(2 + 12 + 3 + 1));
      }
      if (here.has(7)) {
        EXPECT_EQ(parts.place(7 - here.first, "it"),
                  (folder_ / "1.csv").string() + ", line " + std::to_string(3 + 7 + 2 + 1));
      }
    });
}

TEST_F(JoinedFilesTest, MayBeSparseOrArrays) {
  write("a.libsvm", "1 1:2 30:-1.5\n-1 7:3"), write("b.libsvm", "1 2:1\n-1 31:4\n");
  const auto sparse = write("all.libsvm", "1 1:2 30:-1.5\n-1 7:3\n1 2:1\n-1 31:4\n");
  const Matrix x = Matrix::Random(9, 2);
  write("a.npy", npy_bytes(x.topRows(4))), write("b.npy", npy_bytes(x.bottomRows(5)));
  for (int ranks = 1; ranks <= 3; ++ranks)
    on_ranks(ranks, [&](int) {
      const Table whole = read_table(sparse, {.sparse = true, .in_parts = true}),
                  parts = read_table(folder_ / "[ab].libsvm", {.sparse = true, .in_parts = true});
      EXPECT_EQ(parts.labels, whole.labels);
      EXPECT_EQ(parts.sparse->dense(), whole.sparse->dense());
      const Table array =
          read_table(list({"a.npy", "b.npy"}), {.has_label = false, .in_parts = true});
      const RowPart here = array.rows_here();
      EXPECT_EQ(array.x, x.middleRows(here.first, here.count));
      const Table stored =
          read_table(list({"a.npy", "b.npy"}), {.has_label = false,
                                                .mixed = true,
                                                .from_disk = ReadOptions::FromDisk::always,
                                                .in_parts = true});
      EXPECT_EQ(stored.mixed->stored->block(2, 6), x.middleRows(2, 6));
      EXPECT_EQ(stored.mixed->stored->chosen({8, 3}), x(std::vector<int>{8, 3}, Eigen::all));
    });
  EXPECT_EQ(file_checksum(list({"a.npy", "b.npy"})),
            file_checksum(folder_ / "a.npy") + ", " + file_checksum(folder_ / "b.npy"));
}

TEST_F(JoinedFilesTest, MayBeMoreThanAProcessMayHaveOpen) {
  constexpr int count = 80;
  for (int k = 0; k < count; ++k) {
    const std::string name = "part-" + std::to_string(100 + k);
    write(name + ".csv", "x,y\n" + std::to_string(k) + ",0\n");
    write(name + ".npy", npy_bytes(Matrix::Constant(1, 2, k)));
  }
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit few{count, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const Table lines = read_table(folder_ / "part-*.csv");
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  const Table arrays = read_table(folder_ / "part-*.npy", {.has_label = false});
  ::setrlimit(RLIMIT_NOFILE, &before);
  const Vector expected = Vector::LinSpaced(count, 0.0, count - 1.0);
  EXPECT_EQ(lines.x.col(0), expected);
  EXPECT_EQ(arrays.x.col(1), expected);
}

TEST_F(JoinedFilesTest, AreRefusedInASentenceThatNamesTheFile) {
  write("a.csv", "x,y\n1,0\n2,1\n"), write("b.csv", "x,y\n3,0\nred,1\n"),
      write("c.csv", "x,z\n3,0\n");
  write("d.libsvm", "1 1:2\n"), write_gz("e.csv", "x,y\n3,0\n"), write("f.csv", "x,y\n3,0,7\n");
  write("a.npy", npy_bytes(Matrix::Ones(2, 2))), write("b.npy", npy_bytes(Matrix::Ones(2, 3)));
  const auto refused = [&](std::initializer_list<std::string> names,
                           std::initializer_list<std::string> parts) {
    expect_file_error([&] { read_table(list(names)); }, parts);
  };
  refused({"a.csv", "b.csv"}, {"b.csv, line 3, column 'x': ", "'red'"});
  refused({"a.csv", "f.csv"}, {"f.csv, line 2"});
  refused({"a.csv", "c.csv"}, {"c.csv: has another first line than ", "a.csv"});
  refused({"a.csv", "d.libsvm"}, {"d.libsvm: is of another format than ", "a.csv"});
  refused({"a.csv", "e.csv"}, {"e.csv: is packed"});
  refused({"a.csv", "none.csv"}, {"none.csv: cannot be opened"});
  refused({"a.npy", "b.npy"}, {"b.npy: has 3 columns, but ", "a.npy has 2"});
}

}  // namespace
}  // namespace fisherman::io_joined_files_test
