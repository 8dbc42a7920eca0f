// Rows that stay in their file are those that the reader of whole tables has, and a file that is not right is refused.
#include "fisherman/io/stored_rows.hpp"

#include <cmath>

#include "files.hpp"
#include "fisherman/core/random.hpp"
#include "fisherman/io/columns.hpp"

namespace fisherman::io_stored_rows_test {
namespace {

class StoredRowsTest : public Files {};

template <class T>
std::string values(const Matrix& x, bool by_columns) {
  std::string out;
  const Matrix order = by_columns ? x : Matrix(x.transpose());  // as it lies in memory
  for (Index k = 0; k < order.size(); ++k) {
    const T value = T(order.data()[k]);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return out;
}

TEST_F(StoredRowsTest, AreThoseOfTheWholeTableForEveryTypeAndOrder) {
  const Matrix x = (10.0 * Draws(1, 0).normals(0, 30, 4)).array().abs().floor();
  const auto check = [&](const std::string& type, bool by_columns, const std::string& bytes) {
    const auto path = write("x.npy", npy(npy_header(type, "(30, 4)", by_columns), bytes));
    const StoredRows rows(path);
    EXPECT_EQ(rows.rows(), 30);
    EXPECT_EQ(rows.columns(), 4);
    EXPECT_EQ(rows.block(0, 30), read_table(path, {.has_label = false}).x) << type << by_columns;
    EXPECT_EQ(rows.block(0, 30), x);
    EXPECT_EQ(rows.block(7, 9), x.middleRows(7, 9));
    EXPECT_EQ(rows.block(30, 0).rows(), 0);
    EXPECT_EQ(rows.chosen({29, 3, 3}), x(std::vector<int>{29, 3, 3}, Eigen::all));
  };
  for (const bool by_columns : {false, true}) {
    check("<f8", by_columns, values<double>(x, by_columns));
    check("<f4", by_columns, values<float>(x, by_columns));
    check("<i8", by_columns, values<std::int64_t>(x, by_columns));
    check("<i4", by_columns, values<std::int32_t>(x, by_columns));
    check("|u1", by_columns, values<std::uint8_t>(x, by_columns));
  }
}

TEST_F(StoredRowsTest, AreRefusedWhereTheFileIsNotRight) {
  Matrix x = Matrix::Ones(3, 2);
  const std::string good = npy(npy_header("<f8", "(3, 2)"), values<double>(x, false));
  const auto opened = [&](const std::string& bytes) { StoredRows rows(write("x.npy", bytes)); };
  expect_file_error([&] { opened(good.substr(0, good.size() - 1)); },
                    {"x.npy: the file ends before the 3 rows and 2 columns"});
  expect_file_error([&] { opened(good + "x"); }, {"more bytes than the header claims"});
  expect_file_error([&] { StoredRows rows(folder_ / "none.npy"); }, {"none.npy: cannot be opened"});
  x(1, 1) = std::nan("");
  const StoredRows odd(
      write("odd.npy", npy(npy_header("<f8", "(3, 2)"), values<double>(x, false))));
  EXPECT_EQ(odd.block(0, 1), Matrix::Ones(1, 2));
  expect_file_error([&] { odd.block(0, 3); },
                    {"odd.npy: row 2, column 2: the value is not a finite number"});
  const StoredRows cut(write("cut.npy", good));
  std::filesystem::resize_file(folder_ / "cut.npy", good.size() - 8);
  EXPECT_EQ(cut.block(0, 2), Matrix::Ones(2, 2));
  expect_file_error([&] { cut.block(2, 1); }, {"cut.npy: is shorter than it was"});
  EXPECT_THROW(odd.block(2, 2), Misuse);
}

TEST_F(StoredRowsTest, StayOnDiskOnlyWhereTheyAreWelcomeAndHaveNoRoom) {
  const Matrix x = Draws(2, 0).normals(0, 50, 3);
  const auto path = write("x.npy", npy(npy_header("<f8", "(50, 3)"), values<double>(x, false)));
  using FromDisk = ReadOptions::FromDisk;
  const auto read = [&](FromDisk from_disk, std::uint64_t limit) {
    return read_table(
        path, {.has_label = false, .mixed = true, .from_disk = from_disk, .memory_limit = limit});
  };
  EXPECT_EQ(read(FromDisk::always, 1'000'000).mixed->stored->block(0, 50), x);
  EXPECT_EQ(read(FromDisk::beyond_limit, 1'000'000).mixed->stored, nullptr);
  EXPECT_NE(read(FromDisk::beyond_limit, 1000).mixed->stored, nullptr);
  expect_file_error([&] { read(FromDisk::never, 1000); }, {"more than the limit of"});
  const Table some = read_table(
      path, {.has_label = false, .dropped = {"f2"}, .mixed = true, .from_disk = FromDisk::always});
  EXPECT_EQ(some.names, (std::vector<std::string>{"f1", "f3"}));
  EXPECT_EQ(some.mixed->stored->block(10, 3).col(some.mixed->all[1].stored),
            x.col(2).segment(10, 3));
  expect_file_error(
      [&] {
        read_table(
            path,
            {.has_label = false, .dropped = {"f4"}, .mixed = true, .from_disk = FromDisk::always});
      },
      {"has no column 'f4' to leave out"});
}

}  // namespace
}  // namespace fisherman::io_stored_rows_test
