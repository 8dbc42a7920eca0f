#include "fisherman/fit/options.hpp"

#include "expect_laws.hpp"

namespace fisherman::fit_options_test {
namespace {

enum class Colour { red, blue, green };

TEST(Options, AreSetByNameAndCheckedByTheirRule) {
  double step = 0.5;
  std::int64_t count = 3;
  bool flag = false;
  std::string title = "none";
  Colour colour = Colour::red;
  Options options;
  options.add("step-size", step, "a step", Options::Rule::positive);
  options.add("count", count, "how many");
  options.add("flag", flag, "or not");
  options.add("colour", colour, "which",
              {{Colour::red, "red", "like a rose"}, {Colour::blue, "blue"}});
  options.add("title", title, "any text");
  options.set("step-size", "1e-3");
  options.set("count", "7");
  options.set("flag", "true");
  options.set("colour", "blue");
  EXPECT_EQ(step, 1e-3);
  EXPECT_EQ(count, 7);
  EXPECT_TRUE(flag);
  EXPECT_EQ(colour, Colour::blue);
  options.set("title", "a|b");
  EXPECT_EQ(title, "a|b");
  EXPECT_EQ(options.all()[0].initial, "0.5");
  EXPECT_EQ(options.all()[0].text(), "0.001");
  EXPECT_EQ(options.all()[3].kind, "red|blue");
  EXPECT_EQ(options.all()[3].initial, "red");
  EXPECT_EQ(options.all()[3].text(), "blue");
  EXPECT_EQ(options.all()[3].choices[0].help, "like a rose");
  expect_misuse([&] { options.set("step-size", "0"); }, "--step-size is 0, but must be positive");
  expect_misuse([&] { options.set("step-size", "1x"); }, "must be a number");
  expect_misuse([&] { options.set("step-size", "inf"); }, "must be finite");
  expect_misuse([&] { options.set("count", "2.5"); }, "must be a whole number");
  expect_misuse([&] { options.set("count", "-1"); }, "must not be negative");
  expect_misuse([&] { options.set("flag", "maybe"); }, "true or false");
  expect_misuse([&] { options.set("colour", "green"); },
                "--colour is 'green', but must be one of red|blue");
  expect_misuse([&] { options.set("color", "red"); }, "did you mean 'colour'?");
  EXPECT_EQ(step, 1e-3);  // a bad value changes nothing
}

TEST(Options, LeaveNumbersToTheMethodByOneValueOnly) {
  double radius = -1.0, decay = -1.0;
  std::int64_t count = 0, seed = 1;
  Options options;
  options.add("kl-radius", radius, "", Options::Rule::not_negative_or_auto);
  options.add("decay", decay, "", Options::Rule::fraction_or_auto);
  options.add("count", count, "");
  options.add("seed", seed, "", Options::Rule::seed);
  for (const char* good : {"-1", "0", "3"}) options.set("kl-radius", good);
  for (const char* good : {"-1", "0", "1"}) options.set("decay", good);
  expect_misuse([&] { options.set("kl-radius", "-2"); }, "--kl-radius is -2, but must not be");
  expect_misuse([&] { options.set("decay", "7"); }, "--decay is 7, but must lie between 0 and 1");
  for (const char* bad : {"nan", "inf", "-inf", "1e999"})
    expect_misuse([&] { options.set("kl-radius", bad); }, "--kl-radius is ");
  options.set("seed", "9223372036854775807");
  expect_misuse([&] { options.set("count", "2147483648"); }, "not be larger than 2147483647");
  expect_misuse([&] { options.set("seed", std::string(100000, '[')); }, "…', but must be a whole");
}

TEST(Options, HaveNoWordForAValueThatTheyDoNotOffer) {
  Colour colour = Colour::red;
  const Words<Colour> words = {{Colour::red, "red"}, {Colour::blue, "blue"}};
  Options options;
  options.add("colour", colour, "which", words);
  colour = Colour::green;
  expect_misuse([&] { options.all()[0].text(); },
                "--colour has a value for which there is no word");
  EXPECT_EQ(name_of(Colour::blue, words), "blue");
}

}  // namespace
}  // namespace fisherman::fit_options_test
