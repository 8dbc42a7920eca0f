// LIBSVM: what is read, and one sentence for everything that is not.
#include "fisherman/io/libsvm.hpp"

#include "files.hpp"

namespace fisherman::io_libsvm_test {
namespace {

using Texts = std::vector<std::string>;

Table parse(const std::string& text, const ReadOptions& options = {}) {
  MemorySource source("a1a", text);
  return parse_libsvm(source, options);
}

void expect_error(const std::string& text, const std::string& part,
                  const ReadOptions& options = {}) {
  expect_file_error([&] { parse(text, options); }, {"a1a", part});
}

TEST(Libsvm, ReadsRowsAndFillsInZeros) {
  const Table t = parse("+1 1:0.5 3:-2\n-1 2:1e3 # a comment 9:9\n");
  EXPECT_EQ(t.x, (Matrix(2, 3) << 0.5, 0, -2, 0, 1000, 0).finished());
  EXPECT_EQ(t.names, (Texts{"f1", "f2", "f3"}));
  EXPECT_EQ(t.labels, (Texts{"+1", "-1"}));
  EXPECT_EQ(t.label_name, "label");
}

TEST(Libsvm, SkipsBlankLinesAndComments) {
  const Table t = parse("# made by hand\n\n1 1:1\r\n   \n\t2\t2:1  \n3\n# the end");
  EXPECT_EQ(t.labels, (Texts{"1", "2", "3"}));
  EXPECT_EQ(t.x, (Matrix(3, 2) << 1, 0, 0, 1, 0, 0).finished());
}

TEST(Libsvm, FillsUpToTheColumnsAskedFor) {
  EXPECT_EQ(parse("1 2:1\n", {.columns = 5}).x, (Matrix(1, 5) << 0, 1, 0, 0, 0).finished());
  EXPECT_EQ(parse("1 2:1\n", {.columns = 5}).names.back(), "f5");
  EXPECT_EQ(parse("1\n", {.columns = 2}).x, Matrix::Zero(1, 2));
  EXPECT_EQ(parse("1 2:1\n", {.least_columns = 3}).x, (Matrix(1, 3) << 0, 1, 0).finished());
  EXPECT_EQ(parse("1 4:1\n", {.least_columns = 3}).x.cols(), 4);
  expect_error("1 2:1\n1 6:1\n", "line 2: index 6 is beyond the 5 columns asked for",
               {.columns = 5});
}

TEST(Libsvm, MayHaveNoLabels) {
  const Table t = parse("1:5 2:6\n0 1:7\n", {.has_label = false});
  EXPECT_EQ(t.x, (Matrix(2, 2) << 5, 6, 7, 0).finished());
  EXPECT_TRUE(t.labels.empty() && t.label_name.empty());
  expect_error("1 1:1\n1:5 2:6\n", "line 2: the row begins with '1:5', not with a label");
  expect_error("1 1:1\n? 1:2\n", "line 2: the label is missing ('?')");
  expect_error("\xFF 1:1\n", "the label '\\xff' is not UTF-8 text");
  expect_error("1 1:1\n", "no column 'y'", {.label = "y"});
}

TEST(Libsvm, NamesTheEntryThatIsWrong) {
  expect_error("1 1:1\n1 x\n", "line 2: 'x' is not index:value");
  expect_error("1 a:1\n", "line 1: 'a:1' is not index:value");
  expect_error("1 :1\n", "':1' is not index:value");
  expect_error("1 1.5:1\n", "'1.5:1' is not index:value");
  expect_error("1 qid:3 1:1\n", "'qid:3' is not index:value");
  expect_error("1 3:\n", "line 1, index 3: the value is missing");
  expect_error("1 3:x\n", "line 1, index 3: 'x' is not a number");
  expect_error("1 3:inf\n", "line 1, index 3: 'inf' is not a finite number");
  expect_error("1 3:1:2\n", "line 1, index 3: '1:2' is not a number");
  expect_error("1 " + std::string(2000, '1') + ":1", "is longer than 1000 bytes");
}

TEST(Libsvm, IndicesCountFromOneAndAscend) {
  expect_error("1 0:1\n", "line 1: '0:1': indices count from 1");
  expect_error("1 -3:1\n", "'-3:1': indices count from 1");
  expect_error("1 5:1 3:1\n", "line 1: index 3 comes after 5; indices must ascend");
  expect_error("1 5:1 5:1\n", "line 1: index 5 comes after 5; indices must ascend");
  expect_error("1 4294967296:1\n", "the index in '4294967296:1' is larger than 4294967295");
  expect_error("1 99999999999999999999:1\n", "is larger than 4294967295");
}

TEST(Libsvm, ForetellsTheMemoryAndRefuses) {
  expect_error("1 4000000000:1\n",
               "line 1: about 1 rows and 4000000000 columns take 150 GiB as a dense matrix with "
               "labels, more than the limit of 4 GiB",
               {.memory_limit = std::uint64_t(4) << 30});
}

TEST(Libsvm, SaysThatThereIsNothing) {
  expect_error("", "the file is empty");
  expect_error("\n# only a comment\n", "the file is empty");
  expect_error("1\n-1\n", "no row has a feature");
}

}  // namespace
}  // namespace fisherman::io_libsvm_test
