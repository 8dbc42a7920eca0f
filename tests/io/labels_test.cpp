// Two classes from labels, and the checksum of a file.
#include "fisherman/io/labels.hpp"

#include "files.hpp"
#include "fisherman/io/checksum.hpp"

namespace fisherman::io_labels_test {
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

std::string sha256_of(const std::string& message) {
  MemorySource source("memory", message);
  return sha256(source);
}

TEST(Sha256, HasTheStandardsExamples) {  // of FIPS 180-4, as NIST publishes them with it
  EXPECT_EQ(sha256_of(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256_of("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                      "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"),
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  EXPECT_EQ(sha256_of(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_F(Checksum, OfAPackedFileIsThatOfItsContent) {
  FileSource packed(write_gz("packed", "abc")), plain(write("plain", "abc"));
  EXPECT_EQ(sha256(packed), sha256(plain));
}

TEST(ClassLabels, AreOrderedByValueAndKnownAgain) {
  const auto [y, names] = class_labels({"10", "9", "x", "9.0", "10"}, "file");
  EXPECT_EQ(names, (std::vector<std::string>{"9", "10", "x"}));
  EXPECT_EQ(y, (std::vector<int>{1, 0, 2, 0, 1}));
  EXPECT_EQ(class_labels({"x", "9"}, names, "file"), (std::vector<int>{2, 0}));
  const auto fails = [](const auto& body, const std::string& part) {
    try {
      body();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const FileError& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  fails([&] { class_labels({"9", "y"}, names, "file"); }, "row 2: the label 'y' is none of the 3");
  fails([] { class_labels({"1", "1.0"}, "file"); }, "two classes are needed");
  fails([] { class_labels({}, "file"); }, "no labels");
}

}  // namespace
}  // namespace fisherman::io_labels_test
