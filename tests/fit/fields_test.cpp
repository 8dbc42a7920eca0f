// Named values to JSON and back: what a fit is saved as must come back to the last bit.
#include "fisherman/fit/fields.hpp"

#include <cmath>

#include "expect_laws.hpp"
#include "toy.hpp"

namespace fisherman::fit_fields_test {
namespace {

TEST(Fields, ComeBackFromJsonToTheLastBit) {
  const Vector v = toy::random_vector(20, 1) * 1e-7;
  const Matrix m = toy::random_matrix(3, 4, 2) * 1e9;
  Fields saved;
  saved.set("word", "größe \"x\"").set("flag", true).set("count", 7).set("number", 0.1);
  saved.set("v", v).set("m", m).set("at", std::vector<Index>{0, 5, 2});
  saved.set("names", std::vector<std::string>{"a", "b"}).set("inner", Fields().set("seed", 3));
  saved.set("list", std::vector<Fields>{Fields().set("rank", 1), Fields().set("rank", 2)});
  const Fields read = fields_of_json(json_text(saved), "a test");
  EXPECT_EQ(read.need_text("word"), "größe \"x\"");
  EXPECT_TRUE(read.need_flag("flag"));
  EXPECT_EQ(read.need_count("count"), 7);
  EXPECT_EQ(read.number("number"), 0.1);
  EXPECT_EQ(read.need_vector("v"), v);
  EXPECT_EQ(read.need_matrix("m"), m);
  EXPECT_EQ(read.need_counts("at"), (std::vector<Index>{0, 5, 2}));
  EXPECT_EQ(read.need_texts("names"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read.need_fields("inner").need_count("seed"), 3);
  EXPECT_EQ(read.need_list("list")[1].need_count("rank"), 2);
}

TEST(Fields, WhatIsUnknownIsNullAndBackAgain) {
  const Fields read =
      fields_of_json(json_text(Fields().set("khat", std::nan("")).set("none", Value())), "a test");
  EXPECT_TRUE(std::isnan(read.number("khat")));
  EXPECT_TRUE(read.has("none"));
  EXPECT_TRUE(std::isnan(read.number("missing")));
  EXPECT_EQ(read.text("missing"), "");
  EXPECT_FALSE(read.flag("missing"));
}

TEST(Fields, WhatIsMissingOrOfAnotherTypeIsNamed) {
  const Fields read = fields_of_json(R"({"a": "text", "n": [1, 2.5], "empty": []})", "a test");
  expect_misuse([&] { read.need_vector("b"); }, "'b' is missing");
  expect_misuse([&] { read.need_vector("a"); }, "'a' is not a list of numbers");
  expect_misuse([&] { read.need_counts("n"); }, "2.5");
  EXPECT_EQ(read.need_vector("empty").size(), 0);
  EXPECT_TRUE(read.need_texts("empty").empty());
  EXPECT_EQ(read.need_matrix("empty").size(), 0);
  for (const char* bad : {"[1]", "{\"m\": [[1, 2], [3]]}", "{\"l\": [1, \"a\"]}", "{"})
    EXPECT_THROW(fields_of_json(bad, "a test"), FileError) << bad;
}

}  // namespace
}  // namespace fisherman::fit_fields_test
