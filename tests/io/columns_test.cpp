// Columns of numbers and words: what is read, what stands for nothing, and what is refused, and when.
#include "fisherman/io/columns.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "files.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman::io_columns_test {
namespace {

using Texts = std::vector<std::string>;
using Codes = std::vector<std::int32_t>;

Columns parse(const std::string& text, const ReadOptions& options = {}) {
  MemorySource source("people.csv", text);
  ReadOptions mixed = options;
  mixed.mixed = true;
  return parse_columns(source, mixed);
}

Column column(const std::string& text, const std::string& name) {
  const Columns all = parse(text);
  const Column* const found = all.find(name);
  EXPECT_NE(found, nullptr) << name;
  return found == nullptr ? Column() : *found;
}

void expect_error(const std::string& text, const std::string& part,
                  const ReadOptions& options = {}) {
  expect_file_error([&] { parse(text, options); }, {"people.csv", part});
}

/// Missing numbers as -999, to be compared.
std::vector<double> filled(const Column& c) {
  std::vector<double> out;
  for (const double v : c.numbers) out.push_back(std::isnan(v) ? -999.0 : v);
  return out;
}

const std::string people =
    "age,colour,label\n31,red,yes\nNA,\"blue\",no\n\"47.5\",,yes\n?,red,\"no\"\n";

TEST(ParseColumns, NumbersWordsAndWhatIsMissing) {
  const Columns c = parse(people);
  EXPECT_EQ(c.rows, 4);
  EXPECT_EQ(c.names(), (Texts{"age", "colour", "label"}));
  EXPECT_EQ(c.label, "label");
  const Column &age = *c.find("age"), &colour = *c.find("colour");
  EXPECT_FALSE(age.is_words());
  EXPECT_EQ(filled(age), (std::vector<double>{31, -999, 47.5, -999}));
  EXPECT_EQ(age.missing(), 2);
  EXPECT_TRUE(age.levels.empty());
  EXPECT_TRUE(colour.is_words());
  EXPECT_EQ(colour.levels, (Texts{"blue", "red"}));
  EXPECT_EQ(colour.codes, (Codes{1, 0, -1, 1}));
  EXPECT_EQ(colour.missing(), 1);
  EXPECT_EQ(colour.numbers.size(), 0);
  EXPECT_EQ(colour.text(0) + colour.text(2) + age.text(2), "red47.5");
  EXPECT_EQ(c.find("size"), nullptr);
}

TEST(ParseColumns, EverySpellingOfNothing) {
  for (const std::string cell :
       {"", " ", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "\"NA\""}) {
    const Column c = column("a,b,y\n1,2,3\n" + cell + ",4,5\n", "a");
    EXPECT_EQ(filled(c), (std::vector<double>{1, -999})) << cell;
    EXPECT_EQ(column("a,y\nred,1\n" + cell + ",2\n", "a").codes, (Codes{0, -1})) << cell;
  }
  EXPECT_EQ(column("a,y\nnone,1\nNone,2\n", "a").missing(), 0);  // "none" is an answer
  EXPECT_EQ(column("a,y\n,1\nNA,2\n", "a").missing(), 2);        // and of no words
  EXPECT_FALSE(column("a,y\n,1\nNA,2\n", "a").is_words());
}

TEST(ParseColumns, NumbersAmongWordsAreLevelsInTheirShortestSpelling) {
  const Column c =
      column("a,y\n10,1\n9.50,1\n+1,1\nx,1\n010,1\n-0,1\n 0 ,1\nb,1\n\" x \",1\n", "a");
  EXPECT_EQ(c.levels, (Texts{"0", "1", "9.5", "10", "b", "x"}));
  EXPECT_EQ(c.codes, (Codes{3, 2, 1, 5, 3, 0, 0, 4, 5}));
  EXPECT_EQ(level_text(" 1.0 "), "1");
  EXPECT_EQ(level_text("-0"), "0");
  EXPECT_EQ(level_text(" red "), "red");
}

TEST(ParseColumns, TheLabelIsFoundAsEverAndIsAColumnLikeOthers) {
  EXPECT_EQ(parse(people, {.label = "age"}).label, "age");
  EXPECT_EQ(parse("a,b\n1,x\n").label, "b");
  const Columns none = parse(people, {.label = "size", .label_optional = true});
  EXPECT_EQ(none.label, "");
  EXPECT_EQ(none.all.size(), 3U);
  EXPECT_EQ(parse(people, {.has_label = false}).label, "");
  expect_error(people, "there is no column 'size'", {.label = "size"});
  expect_error("a,y\nx,1\nx,y\n", "is also the header of its column");
  EXPECT_EQ(parse("a,y\nx,1\na,2\n").rows, 2);  // a level may be called as its column is
}

TEST(ParseColumns, WantedWelcomeAndDropped) {
  EXPECT_EQ(parse(people, {.wanted = {"colour"}}).names(), (Texts{"colour", "label"}));
  EXPECT_EQ(parse(people, {.label = "y", .label_optional = true, .wanted = {"age"}}).names(),
            Texts{"age"});
  EXPECT_EQ(parse(people, {.wanted = {"colour"}, .welcome = {"age", "size"}}).names(),
            (Texts{"age", "colour", "label"}));
  EXPECT_EQ(parse(people, {.dropped = {"age"}}).names(), (Texts{"colour", "label"}));
  EXPECT_EQ(parse(people, {.dropped = {"age", "colour"}}).names(), Texts{"label"});
  expect_error(people, "has no column 'size', which the fit was made with", {.wanted = {"size"}});
  expect_error(people, "has no column 'size' to leave out", {.dropped = {"size"}});
}

TEST(ParseColumns, WithoutAHeader) {
  const Columns c = parse("1,red\n2,blue\n", {.header = false});
  EXPECT_EQ(c.names(), (Texts{"f1", "f2"}));
  EXPECT_EQ(c.label, "f2");
  EXPECT_EQ(c.rows, 2);
}

TEST(ParseColumns, CommasSemicolonsAndTabs) {
  for (const std::string separator : {",", ";", "\t"}) {
    std::string text = "age|\"a,b;c\td\"|y\n1| \"x,;\t\"\"y\"\"\" |2\n3||4\n";
    for (std::size_t k; (k = text.find('|')) != std::string::npos;) text.replace(k, 1, separator);
    const Columns c = parse(text);
    EXPECT_EQ(c.names(), (Texts{"age", "a,b;c\td", "y"})) << text;
    EXPECT_EQ(c.find("a,b;c\td")->levels, Texts{"x,;\t\"y\""}) << text;
    EXPECT_EQ(c.find("a,b;c\td")->missing(), 1) << text;
    EXPECT_EQ(filled(*c.find("y")), (std::vector<double>{2, 4})) << text;
  }
  // The header decides, by the one that it has most often.
  EXPECT_EQ(parse("weight, kg;height, cm;y\n1;2;3\n").names(),
            (Texts{"weight, kg", "height, cm", "y"}));
  for (const std::string text : {"a,\tb,\ty\n1,\t2,\t3\n", "a\t,\t\"b\"\t,\ty\n1\t,\t2\t,\t3\n"})
    EXPECT_EQ(parse(text).names(), (Texts{"a", "b", "y"})) << text;  // tabs around commas
  EXPECT_EQ(parse("\xEF\xBB\xBF\"a\";y\n1;2\n").names(), (Texts{"a", "y"}));
  EXPECT_EQ(parse("\n  \na\ty\n1\t2\n").names(), (Texts{"a", "y"}));
  expect_error("a|b|y\n1|2|3\n", "separated by commas, semicolons or tabs?");
  expect_error("a\tb\ty\n1\t2\n", "line 2: the row has 2 fields, but the header has 3");
}

TEST(ParseColumns, DecimalCommasAreToldApartFromWords) {
  EXPECT_EQ(column("a;y\n1,5;2\n3;4\n", "a").refusal,
            "people.csv, line 2, column 'a': '1,5' is not a number: numbers have a decimal point, "
            "and no comma");
  EXPECT_NE(column("a\ty\n7\t2\n\"1,500\"\t4\n", "a").refusal.find("line 3"), std::string::npos);
  EXPECT_EQ(column("a;y\n1,5;2\nx;4\n", "a").refusal, "");  // words
  const Columns headless = parse("1,5;2\n3;4\n", {.header = false});
  EXPECT_NE(headless.find("f1")->refusal.find("'1,5' is not a number"), std::string::npos);
}

TEST(ParseColumns, DatesAndTimesAreNoWords) {
  for (const std::string cell :
       {"2024-03-01", "1/2/2024", "31/12/99", "12/31/1999", "1.2.2024", "2024/3/1", "12:30",
        "2024-03-01T12:30:15Z", "2024-03-01 12:30:15.25+01:00", "1/2/2024 1:30 PM", "23:59:59"}) {
    const Column c = column("a,when,y\n1,NA,1\n2," + cell + ",2\n", "when");
    EXPECT_NE(c.refusal.find("people.csv, line 3, column 'when': '" + cell + "' is a date"),
              std::string::npos)
        << cell << c.refusal;
    EXPECT_NE(c.refusal.find("--drop"), std::string::npos);
    EXPECT_TRUE(c.is_words());
    EXPECT_EQ(column("a,when,y\n1,never,1\n2," + cell + ",2\n", "when").refusal, "");
  }
  for (const std::string cell :
       {"2024-13-45", "192.168.1.1", "1.2.3", "10.1.12", "2020-21", "12-34", "3:1", "25:00",
        "1/2/345", "2024-03-01x", "2024-03-01 noon", "a"})
    EXPECT_FALSE(looks_like_date(cell)) << cell;
}

TEST(ParseColumns, NumbersThatAreNotFinite) {
  EXPECT_EQ(column("a,y\n1,1\n-inf,2\n", "a").refusal,
            "people.csv, line 3, column 'a': '-inf' is not a finite number");
  EXPECT_NE(column("a,y\n1e999,2\n", "a").refusal.find("outside the range"), std::string::npos);
  EXPECT_EQ(column("a,y\ninf,1\nsup,2\n", "a").refusal, "");  // words
}

TEST(ParseColumns, SaysWhatIsWrong) {
  expect_error("", "the file is empty");
  expect_error("a,y\n", "there is a header, but no row after it");
  expect_error("a,y\nx\xFF,1\n", "line 2, column 'a': the word 'x\\xff' is not UTF-8 text");
  expect_error("a,b,y\n1,2\n", "line 2: the row has 2 fields, but the header has 3");
  expect_error("1.5,2,x\n2,3,x\n", "the header holds numbers");
  expect_error("a,y\n1,\"2\n", "never closed");
}

TEST(ParseColumns, MemoryIsBounded) {
  std::string ids = "id,y\n", numbers = "id,y\n";
  for (int i = 0; i < 2000; ++i) {
    ids += "user number " + std::to_string(i) + ",1\n";
    numbers += std::to_string(i) + ".25,1\n";
  }
  EXPECT_EQ(parse(ids, {.memory_limit = 2'000'000}).all[0].levels.size(), 2000U);
  expect_error(ids, "more than the limit", {.memory_limit = 100'000});
  EXPECT_EQ(parse(numbers, {.memory_limit = 100'000}).rows, 2000);
  // One word at the end makes words of all the numbers.
  expect_error(numbers + "oops,1\n", "the different words of column 'id' take more than the limit",
               {.memory_limit = 100'000});
}

TEST(ColumnAt, KeepsTheLevelsThatAreLeft) {
  const Column c = column("a,y\nred,1\nblue,2\n,3\ngreen,4\n", "a").at({0, 2, 3, 0});
  EXPECT_EQ(c.levels, (Texts{"green", "red"}));
  EXPECT_EQ(c.codes, (Codes{1, -1, 0, 1}));
  EXPECT_EQ(filled(column(people, "age").at({1, 2})), (std::vector<double>{-999, 47.5}));
}

using ReadMixed = Files;

TEST_F(ReadMixed, EveryFormatGivesColumns) {
  const Table csv = read_table(write("t.csv", people), {.mixed = true});
  ASSERT_TRUE(csv.mixed);
  EXPECT_EQ(csv.rows(), 4);
  EXPECT_EQ(csv.columns(), 3);
  EXPECT_EQ(csv.label_name, "label");
  EXPECT_TRUE(csv.labels.empty());
  EXPECT_EQ(csv.names, (Texts{"age", "colour", "label"}));
  const Table tsv = read_table(write_gz("t.tsv", "a\ty\n1\tx\n"), {.mixed = true});
  EXPECT_EQ(tsv.mixed->names(), (Texts{"a", "y"}));
  const std::string svm = "yes 1:5\nno 2:7\n";
  const Table libsvm = read_table(write("t.svm", svm), {.sparse = true, .mixed = true});
  ASSERT_TRUE(libsvm.mixed);
  EXPECT_EQ(libsvm.mixed->names(), (Texts{"f1", "f2", "label"}));
  EXPECT_EQ(libsvm.mixed->find("label")->levels, (Texts{"no", "yes"}));
  EXPECT_EQ(filled(*libsvm.mixed->find("f2")), (std::vector<double>{0, 7}));
  const Table wide =
      read_table(write("t.svm", svm), {.label_optional = true, .wanted = {"f4"}, .mixed = true});
  EXPECT_EQ(wide.mixed->names(), (Texts{"f1", "f2", "f3", "f4", "label"}));
  const Table numpy = read_table(write("t.npy", npy(npy_header("|u1", "(2, 2)"), "\1\2\3\4")),
                                 {.dropped = {"f1"}, .mixed = true});
  EXPECT_EQ(numpy.mixed->names(), Texts{"f2"});
  EXPECT_EQ(numpy.label_name, "");
  expect_file_error([&] { read_table(write("t.csv", people), {.columns = 7, .mixed = true}); },
                    {"there are 2 features, but 7 were asked for"});
}

TEST_F(ReadMixed, TablesOfNumbersHaveSeparatorsToo) {
  for (const char separator : {',', ';', '\t'}) {
    std::string text = "a,b,label\n1,2.5,x\n3,4,y\n";
    std::replace(text.begin(), text.end(), ',', separator);
    for (const std::string name : {"t.csv", "t.tsv", "t.txt"}) {
      const Table t = read_table(write(name, text));
      EXPECT_EQ(t.x, (Matrix{{1, 2.5}, {3, 4}})) << text;
      EXPECT_EQ(t.labels, (Texts{"x", "y"})) << text;
    }
  }
  expect_file_error([&] { read_table(write("t.csv", "a;b;y\n1,5;2;x\n")); },
                    {"t.csv, line 2, column 'a': '1,5' is not a number: numbers have a decimal"});
}

TEST_F(ReadMixed, StandardInput) {
  const auto from = [&](const std::filesystem::path& file, const ReadOptions& options) {
    const int kept = ::dup(STDIN_FILENO);
    std::FILE* const opened = std::fopen(file.c_str(), "rb");
    ::dup2(::fileno(opened), STDIN_FILENO);
    std::fclose(opened);
    const auto restore = [&] {
      ::dup2(kept, STDIN_FILENO);
      ::close(kept);
    };
    try {
      Table table = read_table("-", options);
      restore();
      return table;
    } catch (...) {
      restore();
      throw;
    }
  };
  EXPECT_EQ(from(write("t", people), {.mixed = true}).rows(), 4);
  EXPECT_EQ(from(write_gz("t.gz", "a,y\n1,p\n2,q\n"), {}).x.rows(), 2);
  EXPECT_EQ(from(write("s", "x 1:2\ny 2:3\n"), {}).x.cols(), 2);
  expect_file_error([&] { from(write("empty", ""), {}); }, {"standard input: the file is empty"});
}

}  // namespace
}  // namespace fisherman::io_columns_test
