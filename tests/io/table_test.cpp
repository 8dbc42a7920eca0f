// Files as a whole: which format, gzip, and large ones.
#include "fisherman/io/table.hpp"

#include <cmath>
#include <random>

#include "files.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman::io_table_test {
namespace {

using namespace std::string_literals;
using Texts = std::vector<std::string>;

const std::string csv = "a,y\n1,p\n2,q\n";
const std::string libsvm = "p 1:1\nq 1:2\n";
const std::string npy_vector = npy(npy_header("|u1", "(2,)"), "\1\2");
const std::string idx = "\0\0\10\2\0\0\0\2\0\0\0\1\1\2"s;
const Matrix one_two = (Matrix(2, 1) << 1, 2).finished();

using ReadTable = Files;

TEST_F(ReadTable, TellsTheFormat) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"t.csv", csv},        {"t.CSV", csv},
      {"t.txt", csv},        {"t", csv},
      {"t.libsvm", libsvm},  {"t.svm", libsvm},
      {"t.txt", libsvm},     {"t", "# hello\n\n" + libsvm},
      {"t.npy", npy_vector}, {"t.bin", npy_vector},
      {"t-idx2-ubyte", idx}, {"t.dat", idx}};
  for (const auto& [name, content] : files) {
    EXPECT_EQ(read_table(write(name, content)).x, one_two) << name;
    EXPECT_EQ(read_table(write_gz(name + ".gz", content)).x, one_two) << name;
    EXPECT_EQ(read_table(write_gz(name, content)).x, one_two) << name << ", packed";
  }
  EXPECT_EQ(read_table(write_gz("t.csv.gz", csv)).labels, (Texts{"p", "q"}));
}

TEST_F(ReadTable, OptionsThatDoNotFitTheFormatAreRefused) {
  expect_file_error([&] { read_table(write("t.npy", npy_vector), {.label = "y"}); },
                    {"t.npy: the columns have no names, so there is no label column 'y'"});
  expect_file_error([&] { read_table(write("t.csv", csv), {.columns = 7}); },
                    {"t.csv: there are 1 features, but 7 were asked for"});
  EXPECT_EQ(read_table(write("t.csv", csv), {.columns = 1}).x, one_two);
  EXPECT_EQ(read_table(write("t.svm", libsvm), {.columns = 7}).x.cols(), 7);
}

TEST_F(ReadTable, FilesThatCannotBeRead) {
  expect_file_error([&] { read_table(folder_ / "none.csv"); },
                    {"none.csv: cannot be opened: No such file"});
  expect_file_error([&] { read_table(folder_); }, {folder_.string() + ": is a folder"});
  expect_file_error([&] { read_table(write("t.npy", csv)); }, {"this is not a NumPy .npy file"});
  for (const std::string name : {"t.csv", "t.svm", "t.txt"})
    expect_file_error([&] { read_table(write(name, "")); }, {name + ": the file is empty"});
}

TEST_F(ReadTable, GzipThatIsCutOffOrDamaged) {
  std::string text = "a,y\n";
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 37 % 1009) + ",1\n";
  const std::string packed = bytes_of(write_gz("whole.csv.gz", text));
  EXPECT_EQ(read_table(folder_ / "whole.csv.gz").x.rows(), 20000);
  for (const std::size_t size : {std::size_t(5), packed.size() / 2, packed.size() - 1})
    expect_file_error([&] { read_table(write("t.csv.gz", packed.substr(0, size))); },
                      {"t.csv.gz: the gzip data ends too early; the file has been cut off"});
  std::string damaged = packed;
  damaged[damaged.size() - 6] ^= 1;  // in the checksum
  expect_file_error([&] { read_table(write("t.csv.gz", damaged)); },
                    {"t.csv.gz: the gzip data is damaged"});
  EXPECT_EQ(
      read_table(write("two.csv.gz", packed + bytes_of(write_gz("end.gz", "5,2\n")))).x.rows(),
      20001);  // gzip files may be joined
}

TEST_F(ReadTable, AGzipHeaderThatClaimsTooMuchIsRefused) {
  const std::string claims = npy(npy_header("|u1", "(999999,)"), "\1\2");
  expect_file_error([&] { read_table(write_gz("t.npy.gz", claims)); },
                    {"more than the file holds"});
}

TEST_F(ReadTable, DoublesComeBackBitForBit) {
  const Index rows = 3000, columns = 40;
  std::mt19937_64 random(7);
  Matrix x(rows, columns);
  for (Index i = 0; i < x.size(); ++i) {
    const double mantissa = double(std::int64_t(random())) * 0x1p-63;
    x.data()[i] = std::ldexp(mantissa, int(random() % 600) - 300);
  }
  std::string as_csv, as_libsvm;
  for (Index j = 0; j < columns; ++j) as_csv += "column " + std::to_string(j) + ",";
  as_csv += "label\n";
  for (Index i = 0; i < rows; ++i) {
    const std::string label = i % 3 == 0 ? "yes" : "no";
    as_libsvm += label;
    for (Index j = 0; j < columns; ++j) {
      as_csv += number_text(x(i, j)) + ",";
      as_libsvm += " " + std::to_string(j + 1) + ":" + number_text(x(i, j));
    }
    as_csv += label + "\n";
    as_libsvm += "\n";
  }
  for (const auto& path : {write("x.csv", as_csv), write_gz("x.csv.gz", as_csv),
                           write("x.svm", as_libsvm), write_gz("x.svm.gz", as_libsvm)}) {
    const Table t = read_table(path);
    EXPECT_EQ(t.x, x) << path;
    EXPECT_EQ(t.labels[2999], "no");
    EXPECT_EQ(t.labels[2997], "yes");
  }
}

using ReadLabels = Files;

TEST_F(ReadLabels, FromEveryFormat) {
  const Texts expected = {"1", "2"};
  EXPECT_EQ(read_labels(write("y.npy", npy_vector)), expected);
  EXPECT_EQ(read_labels(write_gz("y-idx1-ubyte.gz", "\0\0\10\1\0\0\0\2\1\2"s)), expected);
  EXPECT_EQ(read_labels(write("y.csv", "class\n1\n2\n")), expected);
  EXPECT_EQ(read_labels(write("y.csv", "1\n2\n"), {.header = false}), expected);
  EXPECT_EQ(read_labels(write_gz("y.txt.gz", "1\n2\n")), expected);
  EXPECT_EQ(read_labels(write("y.txt", "good\n\"very, very bad\"\n")),
            (Texts{"good", "very, very bad"}));
  EXPECT_EQ(read_labels(write("y.svm", libsvm)), (Texts{"p", "q"}));
}

TEST_F(ReadLabels, SayWhatIsWrong) {
  const auto expect = [&](const std::string& name, const std::string& content,
                          const std::string& part) {
    expect_file_error([&] { read_labels(write(name, content)); }, {name, part});
  };
  expect("y.csv", "1\n2\n", "line 1: the header holds numbers");
  expect("y.csv", "a,b\n1,2\n", "a file of labels has one column, but this has 2");
  expect("y.csv", "class\n1\n1,2\n", "line 3: the row has 2 fields");
  expect("y.csv", "class\n", "there is a header, but no label after it");
  expect("y.csv", "class\n1\n\n2\n", "line 3: the line is blank");
  expect("y.csv", "class\n1\nNA\n", "line 3, column 'class': the label is missing ('NA')");
  expect("y.txt", "", "the file is empty");
  expect("y", "\0\0\10\2\0\0\0\1\0\0\0\2\1\2"s, "one column, but this has 2");
}

}  // namespace
}  // namespace fisherman::io_table_test
