// Two classes from labels, and the checksum of a file.
#include "fisherman/io/labels.hpp"

#include "files.hpp"
#include "fisherman/io/checksum.hpp"

namespace fisherman {
namespace {

using Classes = std::array<std::string, 2>;

void expect_error(const std::vector<std::string>& labels, const std::string& part) {
  expect_file_error([&] { binary_labels(labels, "wdbc.csv"); }, {"wdbc.csv: ", part});
}

TEST(BinaryLabels, TheLargerValueIsClassOne) {
  EXPECT_EQ(binary_labels({"0", "1", "0"}, "").y, Vector({{0, 1, 0}}));
  EXPECT_EQ(binary_labels({"+1", "-1"}, "").classes, (Classes{"-1", "+1"}));
  EXPECT_EQ(binary_labels({"2", "1"}, "").classes, (Classes{"1", "2"}));
  EXPECT_EQ(binary_labels({"10", "9"}, "").classes, (Classes{"9", "10"}));  // not by the alphabet
  EXPECT_EQ(binary_labels({"M", "B"}, "").classes, (Classes{"B", "M"}));
  EXPECT_EQ(binary_labels({"yes", "1"}, "").classes, (Classes{"1", "yes"}));
  EXPECT_EQ(binary_labels({"5", "-"}, "").classes, (Classes{"-", "5"}));
}

TEST(BinaryLabels, OneNumberInTwoSpellingsIsOneClass) {
  const BinaryLabels labels = binary_labels({"1", "0", "1.0", "+1"}, "");
  EXPECT_EQ(labels.classes, (Classes{"0", "1"}));
  EXPECT_EQ(labels.y, Vector({{1, 0, 1, 1}}));
}

TEST(BinaryLabels, MustBeTwo) {
  expect_error({}, "there are no labels");
  expect_error({"M", "M"}, "all labels are 'M', but two classes are needed");
  expect_error({"1", "1.0"}, "all labels are '1'");
  expect_error({"3", "1", "2"}, "the labels have 3 values ('1', '2', '3'), but must have two");
  expect_error({"1", "2", "3", "4", "5", "6", "7"}, "'6', …)");
}

TEST(BinaryLabels, OfNewDataGoByTheKnownClasses) {
  const Classes classes = {"-1", "+1"};
  EXPECT_EQ(binary_labels({"1", "1.0"}, classes, ""), Vector::Ones(2));
  EXPECT_EQ(binary_labels({"-1", "+1"}, classes, ""), Vector({{0, 1}}));
  expect_file_error(
      [&] {
        binary_labels({"-1", "2"}, classes, "new.csv");
      },
      {"new.csv, row 2: the label '2' is neither '-1' nor '+1'"});
}

using Checksum = Files;

TEST_F(Checksum, IsTheCrcAndTheSize) {
  EXPECT_EQ(file_checksum(write("a", "123456789")), "crc32:cbf43926 bytes:9");
  EXPECT_EQ(file_checksum(write("a", "")), "crc32:00000000 bytes:0");
  const std::string large(200000, 'x');
  const std::string before = file_checksum(write("b", large));
  EXPECT_NE(file_checksum(write("b", large.substr(1) + "y")), before);
  EXPECT_NE(file_checksum(write("b", large + "x")), before);
  expect_file_error([&] { file_checksum(folder_ / "none"); }, {"none: cannot be opened"});
  expect_file_error([&] { file_checksum(folder_); }, {folder_.string()});
}

}  // namespace
}  // namespace fisherman
