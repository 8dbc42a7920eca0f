// Sources that never end, as a small gzip file may be: each reader says so before its memory is full.
#include <functional>

#include "fisherman/io/columns.hpp"
#include "fisherman/io/csv.hpp"
#include "fisherman/io/idx.hpp"
#include "fisherman/io/libsvm.hpp"
#include "fisherman/io/npy.hpp"
#include "io/files.hpp"

namespace fisherman::io_endless_test {
namespace {

/// `start`, then `again` for ever. Reading more than 64 MB of it fails the test.
class Endless : public ByteSource {
 public:
  Endless(std::string start, std::string again)
      : ByteSource("endless"), next_(std::move(start)), again_(std::move(again)) {}
  std::uint64_t at_most() const override { return std::uint64_t(1) << 60; }
  double fraction_read() const override { return 0.5; }

 private:
  std::size_t fill(char* to, std::size_t size) override {
    if (delivered_ > (std::size_t(64) << 20)) throw std::runtime_error("it was read on and on");
    for (std::size_t k = 0; k < size; ++k) {
      if (at_ == next_.size()) next_ = again_, at_ = 0;
      to[k] = next_[at_++];
    }
    delivered_ += size;
    return size;
  }
  std::string next_, again_;
  std::size_t at_ = 0, delivered_ = 0;
};

const ReadOptions small{.memory_limit = 1 << 20};

void expect_refused(const std::function<void(ByteSource&)>& parse, const std::string& start,
                    const std::string& again, std::initializer_list<std::string> parts) {
  Endless source(start, again);
  expect_file_error([&] { parse(source); }, parts);
}

TEST(Endless, BlankLinesAreBounded) {
  expect_refused([](ByteSource& s) { parse_csv(s, small); }, "a,label\n1,x\n", "\n",
                 {"endless, line 3: more than 1000000 blank lines begin here"});
  expect_refused([](ByteSource& s) { parse_csv_labels(s, false, small); }, "x\n", "\n",
                 {"endless, line 2: more than 1000000 blank lines begin here"});
  expect_refused([](ByteSource& s) { parse_libsvm(s, small); }, "1 1:2\n", "\n",
                 {"endless, line 2: more than 1000000 blank lines begin here"});
}

TEST(Endless, LinesOfACsvFileAreBounded) {
  const auto table = [](ByteSource& s) { parse_csv(s, small); };
  const auto rows = [](ByteSource& s) { parse_csv(s, {.header = false, .memory_limit = 1 << 20}); };
  for (const auto& parse : {std::function<void(ByteSource&)>(table), {rows}}) {
    expect_refused(parse, "", ",", {"endless, line 1: ", "fields", "limit of"});
    expect_refused(parse, "", "a,", {"endless, line 1: ", "fields", "limit of"});
  }
  expect_refused(table, "a,y\n", "1,", {"endless, line 2: ", "limit of"});
}

TEST(Endless, RowsOfACsvFileAreBounded) {
  const auto parse = [](ByteSource& s) { parse_csv(s, small); };
  expect_refused(parse, "a,y\n", "1,yes\n", {"endless, line ", "1 columns take", "limit of"});
}

TEST(Endless, ColumnsOfWordsAreBounded) {
  const auto parse = [](ByteSource& s) { parse_columns(s, small); };
  expect_refused(parse, "a,y\n1,x\n", "\n", {"line 3: more than 1000000 blank lines begin here"});
  expect_refused(parse, "", "a;", {"endless, line 1: ", "fields", "limit of"});
  expect_refused(parse, "a\ty\n", "1\t", {"endless, line 2: ", "limit of"});
  expect_refused(parse, "a,y\n", "NA,\n", {"endless, line ", "2 columns take", "limit of"});
  expect_refused(parse, "a,y\n", "red,yes\n", {"endless, line ", "2 columns take", "limit of"});
}

TEST(Endless, LabelsAreBounded) {
  const auto parse = [](ByteSource& s) { parse_csv_labels(s, false, small); };
  expect_refused(parse, "", "1\n", {"endless, line ", "labels take more than the limit of"});
  expect_refused(parse, "", ",", {"endless, line 1: ", "limit of"});
}

TEST(Endless, LibsvmRowsWithoutEntriesAreBounded) {
  const auto parse = [](ByteSource& s) { parse_libsvm(s, small); };
  expect_refused(parse, "", "1\n", {"endless, line ", "limit of"});
  expect_refused(parse, "", "a", {"longer than 1000 bytes"});
  expect_refused(parse, "1 2147483648:1\n", "x ", {"endless, line 1: ", "2147483648 columns"});
}

TEST(Endless, BinaryFilesAreHeldAgainstTheirHeader) {
  const auto numpy = [](ByteSource& s) { parse_npy(s, small); };
  const std::string zeros(1, '\0');
  expect_refused(numpy, npy(npy_header("|u1", "(1000000000, 10)"), ""), zeros, {"limit of"});
  expect_refused(numpy, npy(npy_header("|u1", "(10, 10)"), ""), zeros, {"more bytes than"});
  const auto idx = [](ByteSource& s) { parse_idx(s, small); };
  expect_refused(idx, std::string("\0\0\x08\x02\x7F\xFF\xFF\xFF\0\0\0\x10", 12), zeros,
                 {"limit of"});
  expect_refused(idx, std::string("\0\0\x08\x01\0\0\0\x10", 8), zeros, {"more bytes than"});
}

TEST(Csv, OnlyWantedColumnsAreParsed) {
  MemorySource source("new.csv", "id,b,when,a,y\nx1,2,now,1,yes\nx2,4,then,3,no\n");
  const Table table =
      parse_csv(source, {.label = "y", .label_optional = true, .wanted = {"a", "b"}});
  EXPECT_EQ(table.names, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(table.x, (Matrix{{2.0, 1.0}, {4.0, 3.0}}));
  EXPECT_EQ(table.labels, (std::vector<std::string>{"yes", "no"}));
  MemorySource without("new.csv", "id,b\nx1,2\n");
  expect_file_error([&] { parse_csv(without, {.label_optional = true, .wanted = {"a"}}); },
                    {"new.csv: has no column 'a'"});
}

TEST(Csv, AFirstRowOfDataIsNotTakenForAHeader) {
  const auto refused = [](const std::string& text) {
    MemorySource source("iris.csv", text);
    expect_file_error([&] { parse_csv(source); }, {"iris.csv, line", "--no-header"});
  };
  refused("5.1,3.5,setosa\n4.9,3.0,setosa\n6.0,3.0,virginica\n");
  refused("5.1,3.5,setosa\n6.0,3.0,virginica\n");
  refused("setosa,5.1\nvirginica,4.9\n");
  MemorySource headless("iris.csv", "5.1,3.5,setosa\n4.9,3.0,virginica\n");
  EXPECT_EQ(parse_csv(headless, {.header = false}).x.rows(), 2);
  MemorySource years("years.csv", "2019,2020,label\n1,2,a\n");
  EXPECT_EQ(parse_csv(years).names, (std::vector<std::string>{"2019", "2020"}));
  MemorySource labels("labels.csv", "setosa\nvirginica\nsetosa\n");
  expect_file_error([&] { parse_csv_labels(labels, true); },
                    {"labels.csv, line 3: the label 'setosa' is also the header"});
}

}  // namespace
}  // namespace fisherman::io_endless_test
