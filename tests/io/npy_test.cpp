// NumPy arrays and IDX files: what is read, and one sentence for everything that is not.
#include "fisherman/io/npy.hpp"

#include <cmath>

#include "files.hpp"
#include "fisherman/io/idx.hpp"

namespace fisherman::io_npy_test {
namespace {

using namespace std::string_literals;

template <class T>
std::string raw(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

Table parse(const std::string& bytes, const ReadOptions& options = {}) {
  MemorySource source("x.npy", bytes);
  return parse_npy(source, options);
}

void expect_error(const std::string& bytes, const std::string& part) {
  expect_file_error([&] { parse(bytes); }, {"x.npy: ", part});
}

TEST(Npy, ReadsEveryTypeAndOrder) {
  const Matrix expected = (Matrix(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  const auto check = [&](const std::string& type, const std::string& rows_first,
                         const std::string& columns_first) {
    EXPECT_EQ(parse(npy(npy_header(type, "(2, 3)"), rows_first)).x, expected) << type;
    EXPECT_EQ(parse(npy(npy_header(type, "(2, 3)", true), columns_first)).x, expected) << type;
  };
  check("<f8", raw<double>({1, 2, 3, 4, 5, 6}), raw<double>({1, 4, 2, 5, 3, 6}));
  check("<f4", raw<float>({1, 2, 3, 4, 5, 6}), raw<float>({1, 4, 2, 5, 3, 6}));
  check("<i8", raw<std::int64_t>({1, 2, 3, 4, 5, 6}), raw<std::int64_t>({1, 4, 2, 5, 3, 6}));
  check("<i4", raw<std::int32_t>({1, 2, 3, 4, 5, 6}), raw<std::int32_t>({1, 4, 2, 5, 3, 6}));
  check("|u1", "\1\2\3\4\5\6", "\1\4\2\5\3\6");
  EXPECT_EQ(parse(npy(npy_header("<i4", "(1, 1)"), raw<std::int32_t>({-7}))).x(0, 0), -7.0);
  EXPECT_EQ(parse(npy(npy_header("|b1", "(2,)"), "\1\0"s)).x, (Matrix(2, 1) << 1, 0).finished());
}

TEST(Npy, ReadsEveryVersionAndLayoutOfTheHeader) {
  const Matrix expected = (Matrix(2, 1) << 1.5, -2).finished();
  const std::string values = raw<double>({1.5, -2});
  for (const int version : {1, 2, 3})
    EXPECT_EQ(parse(npy(npy_header("<f8", "(2,)"), values, version)).x, expected);
  EXPECT_EQ(parse(npy("{\"shape\":(2,1),\"fortran_order\":True,\"descr\":\"<f8\"}", values)).x,
            expected);
  const Table t = parse(npy(npy_header("<f8", "(1, 2)"), values));
  EXPECT_EQ(t.names, (std::vector<std::string>{"f1", "f2"}));
  EXPECT_TRUE(t.labels.empty() && t.label_name.empty());
}

TEST(Npy, IsLargerThanABuffer) {
  const Index rows = 500, columns = 70;  // 280 kB, read 64 kB at a time
  Matrix x(rows, columns);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = std::sin(double(i));
  const std::string values(reinterpret_cast<const char*>(x.data()),
                           std::size_t(x.size()) * sizeof(double));
  EXPECT_EQ(parse(npy(npy_header("<f8", "(500, 70)", true), values)).x, x);
  EXPECT_EQ(parse(npy(npy_header("<f8", "(70, 500)"), values)).x, Matrix(x.transpose()));
}

TEST(Npy, SaysWhatIsWrongWithTheHeader) {
  expect_error("", "this is not a NumPy .npy file");
  expect_error("\x93NUMPX\1\0\2\0{}"s, "this is not a NumPy .npy file");
  expect_error("\x93NUMPY\1\0"s, "the .npy header is cut off");
  expect_error("\x93NUMPY\1\0\x70\0{"s, "the .npy header is cut off");
  expect_error(npy("{}", "", 4), "format version 4 of .npy is not known");
  expect_error("\x93NUMPY\2\0\xFF\xFF\xFF\xFF{}"s, "the .npy header claims 4294967295 bytes");
  expect_error(npy("hello", ""), "has 'hello\\x0a' where '{' belongs");
  expect_error(npy("{'descr' '<f8'}", ""), "where ':' belongs");
  expect_error(npy("{'descr': '<f8", ""), "a string in the .npy header has no end");
  expect_error(npy("{'descr': [('a', '<f8')]}", ""), "arrays of records are not read");
  expect_error(npy("{'fortran_order': 1}", ""), "where 'False' belongs");
  expect_error(npy("{'shape': (-1, 2)}", ""), "where a size belongs");
  expect_error(npy("{'shape': (99999999999999999999,)}", ""), "where a size belongs");
  expect_error(npy("{'colour': 1}", ""), "unknown key 'colour'");
  expect_error(npy("{'shape': (1,), 'fortran_order': False}", ""), "lacks 'descr'");
  expect_error(npy("{'shape': (1,), 'descr': '<f8'}", ""), "lacks 'fortran_order'");
  expect_error(npy("{'descr': '<f8', 'fortran_order': False}", ""), "lacks 'shape'");
  expect_error(npy("{'descr': '<f8' 'shape': (1,)}", ""), "where '}' belongs");
}

TEST(Npy, SaysWhatItCannotRead) {
  expect_error(npy(npy_header(">f8", "(1,)"), std::string(8, '\0')), "of type '>f8'; <f8, <f4");
  expect_error(npy(npy_header("|O", "(1,)"), ""), "of type '|O'");
  expect_error(npy(npy_header("<f8", "()"), std::string(8, '\0')), "the array has 0 dimensions");
  expect_error(npy(npy_header("<f8", "(1, 1, 1)"), std::string(8, '\0')),
               "the array has 3 dimensions");
  expect_error(npy(npy_header("<f8", "(0, 3)"), ""), "the array is empty: 0 rows, 3 columns");
  expect_error(npy(npy_header("<f8", "(1, 2)"), raw<double>({1, NAN})),
               "row 1, column 2: the value is not a finite number");
  expect_error(npy(npy_header("<f4", "(2, 1)"), raw<float>({1, INFINITY})), "row 2, column 1");
}

TEST(Npy, HoldsTheHeaderAgainstTheFileBeforeItAllocates) {
  expect_error(npy(npy_header("<f8", "(1000000000000, 1000)"), raw<double>({1})),
               "more than the file holds");
  expect_error(npy(npy_header("<f8", "(4294967296, 4294967296)"), raw<double>({1})),
               "more than the file holds");  // the product is 0 in 64 bits
  expect_error(npy(npy_header("<f8", "(2,)"), raw<double>({1})), "the file ends before the 2 rows");
  expect_error(npy(npy_header("<f8", "(1,)"), raw<double>({1, 2})),
               "more bytes than the header claims");
  expect_file_error(
      [] {
        parse(npy(npy_header("|u1", "(1000,)"), std::string(1000, 'x')), {.memory_limit = 1000});
      },
      {"about 1000 rows and 1 columns take"});
}

Table parse_idx_bytes(const std::string& bytes, const ReadOptions& options = {}) {
  MemorySource source("images", bytes);
  return parse_idx(source, options);
}

TEST(Idx, LaysImagesOutFlat) {
  const Table t = parse_idx_bytes("\0\0\10\3\0\0\0\2\0\0\0\1\0\0\0\3\1\2\3\4\5\xFF"s);
  EXPECT_EQ(t.x, (Matrix(2, 3) << 1, 2, 3, 4, 5, 255).finished());
  EXPECT_EQ(t.names, (std::vector<std::string>{"f1", "f2", "f3"}));
  EXPECT_EQ(parse_idx_bytes("\0\0\10\1\0\0\0\2\7\11"s).x, (Matrix(2, 1) << 7, 9).finished());
}

TEST(Idx, SaysWhatIsWrong) {
  const auto expect = [](const std::string& bytes, const std::string& part) {
    expect_file_error([&] { parse_idx_bytes(bytes, {.memory_limit = 1 << 20}); },
                      {"images: ", part});
  };
  expect("", "this is not an IDX file");
  expect("abcd", "this is not an IDX file");
  expect("\0\0\15\1\0\0\0\1\0\0\0\0"s, "of type 13; only unsigned bytes");
  expect("\0\0\10\0"s, "0 dimensions");
  expect("\0\0\10\2\0\0\0\1\0"s, "the IDX header is cut off");
  expect("\0\0\10\1\0\0\0\0"s, "the IDX array is empty");
  expect("\0\0\10\2\0\0\0\1\0\0\0\0"s, "the IDX array is empty");
  expect("\0\0\10\4\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s,
         "more bytes than the file holds");
  expect("\0\0\10\1\0\1\0\0abc"s, "the header claims 65536 rows of 1 bytes, more than the file");
  expect("\0\0\10\2\0\0\0\2\0\0\0\3abcd"s, "the file ends in row 2 of the 2");
  expect("\0\0\10\1\0\0\0\1abc"s, "more bytes than the header claims");
}

TEST(Npy, WhatIsWrittenIsReadBack) {
  const Matrix x{{1.5, -2.0}, {0.1, 1e300}, {3.0, 0.0}};
  const std::string bytes = npy_bytes(x);
  MemorySource source("memory", bytes);
  EXPECT_EQ(parse_npy(source).x, x);
}

}  // namespace
}  // namespace fisherman::io_npy_test
