// CSV: what is read, and one sentence for everything that is not.
#include "fisherman/io/csv.hpp"

#include "files.hpp"

namespace fisherman::io_csv_test {
namespace {

using Texts = std::vector<std::string>;

Table parse(const std::string& text, const ReadOptions& options = {}) {
  MemorySource source("wdbc.csv", text);
  return parse_csv(source, options);
}

void expect_error(const std::string& text, const std::string& part,
                  const ReadOptions& options = {}) {
  expect_file_error([&] { parse(text, options); }, {"wdbc.csv", part});
}

TEST(Csv, ReadsNumbersNamesAndLabels) {
  const Table t = parse("radius,label,area\n1.5,M, -2e3 \n+.25,B,0\n");
  EXPECT_EQ(t.names, (Texts{"radius", "area"}));
  EXPECT_EQ(t.labels, (Texts{"M", "B"}));
  EXPECT_EQ(t.label_name, "label");
  EXPECT_EQ(t.x, (Matrix(2, 2) << 1.5, -2000, 0.25, 0).finished());
}

TEST(Csv, TakesEveryLineEndingAndByteOrderMark) {
  const Matrix expected = (Matrix(2, 1) << 1, 3).finished();
  for (const std::string text :
       {"a,y\n1,2\n3,4\n", "a,y\n1,2\n3,4", "a,y\r\n1,2\r\n3,4\r\n", "a,y\r1,2\r3,4\r",
        "\xEF\xBB\xBF"
        "a,y\n1,2\n3,4\n",
        "\n\na,y\n\n1,2\n  \n3,4\n\n\n"}) {
    const Table t = parse(text);
    EXPECT_EQ(t.x, expected) << text;
    EXPECT_EQ(t.names, Texts{"a"}) << text;
    EXPECT_EQ(t.labels, (Texts{"2", "4"})) << text;
  }
}

TEST(Csv, QuotedFieldsAreKeptToTheLetter) {
  const Table t = parse("\"a, \"\"b\"\"\n c\", \"x\" ,y\n\"1\",\" 2 \",\" yes, no \"\n3,4,maybe\n");
  EXPECT_EQ(t.names, (Texts{"a, \"b\"\n c", "x"}));
  EXPECT_EQ(t.x, (Matrix(2, 2) << 1, 2, 3, 4).finished());
  EXPECT_EQ(t.labels, (Texts{" yes, no ", "maybe"}));
}

TEST(Csv, LabelsStayAsTheyAreSpelled) {
  EXPECT_EQ(parse("a,y\n1,1.0\n2,+1\n3,-01\n4,größer\n").labels,
            (Texts{"1.0", "+1", "-01", "größer"}));
}

TEST(Csv, FindsTheLabelColumn) {
  const std::string text = "y,label,z\n1,2,3\n";
  EXPECT_EQ(parse(text).label_name, "label");
  EXPECT_EQ(parse(text, {.label = "y"}).names, (Texts{"label", "z"}));
  EXPECT_EQ(parse("a,b\n1,2\n").label_name, "b");
  const Table none = parse(text, {.has_label = false});
  EXPECT_EQ(none.x.cols(), 3);
  EXPECT_TRUE(none.labels.empty() && none.label_name.empty());
  EXPECT_EQ(parse("a,b\n1,2\n", {.label = "y", .label_optional = true}).x.cols(), 2);
  EXPECT_EQ(parse(text, {.label = "y", .label_optional = true}).label_name, "y");
  expect_error(text, "there is no column 'class'; the columns are 'y', 'label', 'z'",
               {.label = "class"});
  expect_error("a,b,c,d,e,f,g,h,i\n", "'h', …", {.label = "x"});
}

TEST(Csv, WithoutAHeaderTheColumnsAreNumbered) {
  const Table t = parse("1,2,x\n3,4,y\n", {.header = false});
  EXPECT_EQ(t.names, (Texts{"f1", "f2"}));
  EXPECT_EQ(t.label_name, "f3");
  EXPECT_EQ(t.x.rows(), 2);
  EXPECT_EQ(parse("x,1\ny,2\n", {.label = "f1", .header = false}).labels, (Texts{"x", "y"}));
  expect_error("1,2\n3\n", "line 2: the row has 1 field, but the first row has 2",
               {.header = false});
}

TEST(Csv, AHeaderOfNumbersIsALostRow) {
  expect_error("1.5,2,0\n2.5,3,1\n", "line 1: the header holds numbers ('1.5'), not names");
  EXPECT_EQ(parse("0,1,2\n5,6,7\n").names, (Texts{"0", "1"}));
  EXPECT_EQ(parse("1,2,3\n5,6,7\n").names, (Texts{"1", "2"}));
}

TEST(Csv, NamesTheCellThatIsNotANumber) {
  expect_file_error([] { parse("radius,label\n1,0\nabc,1\n"); },
                    {"wdbc.csv, line 3, column 'radius': 'abc' is not a number"});
  for (const std::string cell : {"1,5", "1 2", "0x10", "1e", "--1", "+-1", "1.2.3", "- 1", "٣"})
    expect_error("a,y\n\"" + cell + "\",1\n", "'" + cell + "' is not a number");
  for (const std::string cell : {"inf", "-inf", "infinity", "NAN", "-nan"})
    expect_error("a,y\n" + cell + ",1\n", "'" + cell + "' is not a finite number");
  expect_error("a,y\n1e999,1\n", "'1e999' is outside the range of a double");
}

TEST(Csv, NamesTheCellThatIsMissing) {
  for (const std::string cell : {"?", "NA", "NaN"}) {
    expect_error("a,y\n1,1\n" + cell + ",1\n",
                 "line 3, column 'a': the value is missing ('" + cell + "')");
    expect_error("a,y\n1," + cell + "\n",
                 "line 2, column 'y': the label is missing ('" + cell + "')");
  }
  expect_error("a,b,y\n1,,1\n", "line 2, column 'b': the value is missing");
  expect_error("a,y\n1,\n", "line 2, column 'y': the label is missing");
  expect_error("a\n1\n\n2\n", "line 3: the line is blank", {.has_label = false});
  EXPECT_EQ(parse("a\n1\n2\n\n\n", {.has_label = false}).x.rows(), 2);
}

TEST(Csv, CountsFieldsAndPhysicalLines) {
  expect_error("a,b,y\n1,2,3\n1,2\n", "line 3: the row has 2 fields, but the header has 3");
  expect_error("a,b,y\n1,2,3,4\n", "line 2: the row has 4 fields, but the header has 3");
  // The record that is wrong begins on line 5, after one that spans three lines.
  expect_error("a,y\n1,\"x\n\ny\"\noops,z\n", "line 5, column 'a'");
}

TEST(Csv, SaysWhatIsWrongWithAQuote) {
  expect_error("a,y\n1,2\n3,\"4\n5,6\n", "line 3: the quote that opens field 2 is never closed");
  expect_error("a,y\n\"1\"x,2\n", "line 2: field 1 goes on after its closing quote");
  expect_error("a,y\n1,\"" + std::string(2 << 20, 'x') + "\"\n", "not closed within a megabyte");
  expect_error("a,y\n1," + std::string(2 << 20, 'x') + "\n", "field 2 is longer than a megabyte");
}

TEST(Csv, SaysWhatIsWrongWithTheHeader) {
  expect_error("a,b,a,y\n1,2,3,4\n", "line 1: columns 1 and 3 are both named 'a'");
  expect_error(",a,y\n1,2,3\n", "line 1: column 1 has no name");
  expect_error("a\xE9,y\n1,2\n", "the name of column 1, 'a\\xe9', is not UTF-8 text");
  expect_error("a,y\n1,\xFF\n", "the label '\\xff' is not UTF-8 text");
  expect_error("a|b|y\n1|2|3\n", "one column only, 'a|b|y', and that is the label");
}

TEST(Csv, SaysThatThereIsNothing) {
  expect_error("", "wdbc.csv: the file is empty");
  expect_error("\xEF\xBB\xBF", "the file is empty");
  expect_error("\n\r\n \n", "the file is empty");
  expect_error("a,y\n", "there is a header, but no row after it");
  expect_error("a,y", "there is a header, but no row after it");
}

TEST(Csv, ErrorsAreFitForATerminal) {
  expect_error("a,y\n\"\x1B[31m\",1\n", "'\\x1b[31m' is not a number");
  expect_error("a,y\n" + std::string(39, 'x') + "éé,1\n", "'" + std::string(39, 'x') + "…'");
}

TEST(Csv, RefusesAMatrixBeyondTheLimitAndForetellsItsSize) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 100; ++i) text += "1,2,3\n";
  EXPECT_EQ(parse(text, {.memory_limit = 6000}).x.rows(), 100);
  expect_error(text, "2 columns take", {.memory_limit = 1000});
  expect_error(text, "as a dense matrix with labels, more than the limit of",
               {.memory_limit = 1000});
}

}  // namespace
}  // namespace fisherman::io_csv_test
