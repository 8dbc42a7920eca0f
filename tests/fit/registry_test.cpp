#include "fisherman/fit/registry.hpp"

#include <set>

#include "expect_laws.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/fit/gaussian.hpp"
#include "fisherman/fit/minimize.hpp"
#include "fisherman/fit/nearest.hpp"
#include "fisherman/manifold/sphere.hpp"

namespace fisherman::fit_registry_test {
namespace {

template <class Example>
void expect_lawful(const std::vector<Named<Example>>& entries, std::set<std::string>& names) {
  for (const auto& entry : entries) {
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name << " is there twice";
    EXPECT_FALSE(entry.help.empty()) << entry.name;
    const auto commas = std::count(entry.size_names.begin(), entry.size_names.end(), ',');
    EXPECT_EQ(entry.usual.size(), std::size_t(commas) + 1) << entry.name;
    const auto report = check_laws(entry.make(entry.usual, 1), 1);
    EXPECT_TRUE(report.ok()) << entry.name << '\n' << report;
  }
}

TEST(Registry, EverythingKeepsItsLaws) {
  std::set<std::string> names;
  expect_lawful(manifolds(), names);
  expect_lawful(fisher_approximations(), names);
  expect_lawful(models(), names);
}

TEST(Registry, ABrokenPromiseIsFound) {
  const Sphere sphere(Vector::Ones(3));
  EXPECT_TRUE(check_laws({sphere, {.embedded = true, .order = 2}, true}, 1).ok());
  const auto doubled = [](const Vector& a, const Vector& b) { return 2.0 * a.dot(b); };
  EXPECT_FALSE(check_laws(FrameExample{sphere, {.metric = doubled}}, 1).ok());
}

TEST(Registry, ApplicationsHaveOptionsWithExplainedChoices) {
  for (const FitKind& kind : fit_kinds()) {
    std::size_t explained = 0;
    for (const auto& option : kind.options().all())
      for (const auto& choice : option.choices) explained += choice.help.empty() ? 0 : 1;
    EXPECT_GT(explained, 2U) << kind.name;
  }
}

/// Every word is taken and given back, and no other is taken.
void expect_words_to_return(Options& options, const std::string& kind, std::size_t least) {
  std::size_t choices = 0;
  for (const auto& option : options.all()) {
    EXPECT_NE(option.help.find(' '), std::string::npos) << kind << " --" << option.name;
    if (option.choices.empty()) continue;
    ++choices;
    std::string words;
    for (const auto& choice : option.choices) {
      words += (words.empty() ? "" : "|") + choice.name;
      options.set(option.name, choice.name);
      EXPECT_EQ(option.text(), choice.name) << kind << " --" << option.name;
    }
    EXPECT_EQ(option.kind, words) << kind;
    expect_misuse([&] { options.set(option.name, "no-such-word"); },
                  "--" + option.name + " is 'no-such-word', but must be one of " + words);
    EXPECT_EQ(option.text(), option.choices.back().name) << kind << ": a bad word changes nothing";
    options.set(option.name, option.initial);
  }
  EXPECT_GE(choices, least) << kind;
}

template <class Settings>
void expect_words_to_return(const std::string& kind) {
  Settings settings;
  Options options;
  settings.describe(options);
  expect_words_to_return(options, kind, 3);
}

TEST(Registry, EveryWordOfEveryChoiceReturns) {
  for (const FitKind& kind : fit_kinds())
    expect_words_to_return(kind.settings()->options, kind.name, 5);
  expect_words_to_return<DensitySettings>("density");
  expect_words_to_return<MinimizeSettings>("minimize");
}

TEST(NearestName, CountsEdits) {
  EXPECT_EQ(nearest_name("stifel", {"sphere", "stiefel", "step"}), "stiefel");
  EXPECT_EQ(nearest_name("lgoistic", {"logistic", "flow"}), "logistic");
  EXPECT_EQ(nearest_name("x", {}), "");
  EXPECT_EQ(nearest_name("", {"b", "a"}), "");
  EXPECT_EQ(nearest_name("torus", {"product", "sphere"}), "");
  EXPECT_EQ(nearest_name("iris", {"mnist", "wdbc"}), "");
  EXPECT_EQ(did_you_mean("torus", {"product"}, "see list"), "; see list");
  EXPECT_EQ(did_you_mean("iri", {"iris"}, "See list."), "; did you mean 'iris'? See list.");
}

}  // namespace
}  // namespace fisherman::fit_registry_test
