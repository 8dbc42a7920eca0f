// From columns to a design matrix: coding, products, missing values, groups, units, and the same again for new rows.
#include "fisherman/fit/design.hpp"

#include <cmath>
#include <functional>

#include "fisherman/core/error.hpp"
#include "io/files.hpp"
#include "toy.hpp"

namespace fisherman::fit_design_test {
namespace {

using Texts = std::vector<std::string>;

Columns columns(const std::string& text) {
  MemorySource source("people.csv", text);
  return parse_columns(source, {.has_label = false, .mixed = true});
}

const std::string people =
    "age,sex,colour,school,y\n"
    "20,f,red,7,1\n30,m,blue,7,0\n40,f,green,9,1\n50,m,red,9,0\n60,f,blue,12,1\n70,m,red,12,1\n";

DesignPlan plan_of(const std::string& text, const DesignSettings& settings) {
  return DesignPlan::of(columns(text), "y", settings, "people.csv");
}
Texts names(const std::string& terms) { return plan_of(people, {.terms = terms}).names; }

DesignedRows fitted(const std::string& text, const DesignSettings& settings) {
  return plan_of(text, settings).rows(columns(text), "people.csv", RowsFor::fit);
}

/// The sentence of a Misuse or a FileError has each of the parts.
void expect_refused(const std::function<void()>& body, std::initializer_list<std::string> parts) {
  std::string said = "nothing";
  try {
    body();
  } catch (const Misuse& e) {
    said = e.what();
  } catch (const FileError& e) {
    said = e.what();
  }
  for (const std::string& part : parts)
    EXPECT_NE(said.find(part), std::string::npos) << "'" << part << "' is not in: " << said;
}
void expect_refused(const std::string& text, const DesignSettings& settings,
                    std::initializer_list<std::string> parts) {
  expect_refused([&] { plan_of(text, settings); }, parts);
}

TEST(DesignTerms, AreEveryOtherColumnUnlessNamed) {
  EXPECT_EQ(names(""),
            (Texts{"age", "sex=m", "colour=green", "colour=red", "school", "(intercept)"}));
  EXPECT_EQ(names("age"), (Texts{"age", "(intercept)"}));
  EXPECT_EQ(names(" age ,age^2, age:sex"), (Texts{"age", "age^2", "age:sex=m", "(intercept)"}));
  EXPECT_EQ(names("sex:colour"), (Texts{"sex=m:colour=green", "sex=m:colour=red", "(intercept)"}));
  EXPECT_EQ(names("age:school^3:sex"), (Texts{"age:school^3:sex=m", "(intercept)"}));
  EXPECT_EQ(names("age^2, ."), (Texts{"age^2", "age", "sex=m", "colour=green", "colour=red",
                                      "school", "(intercept)"}));
  EXPECT_EQ(names("., age:sex").size(), 7U);
  EXPECT_EQ(names("sex, .")[0], "sex=m");
  EXPECT_EQ(names("1"), Texts{"(intercept)"});
  const DesignPlan bare = plan_of(people, {.terms = "age", .intercept = false});
  EXPECT_EQ(bare.names, Texts{"age"});
  EXPECT_EQ(bare.terms, 1);
  EXPECT_FALSE(bare.intercept);
}

TEST(DesignTerms, NamesMayHoldAnythingInBackquotes) {
  const std::string odd = "\"a, b\",c:d,e^2,g=h,y\n1,2,3,p,0\n4,6,5,q,1\n2,1,7,p,0\n";
  EXPECT_EQ(plan_of(odd, {.terms = "`a, b`, c:d, `a, b`^2:`c:d`, e^2, `e^2`^3, g=h",
                          .reference = "`g=h`=q"})
                .names,
            (Texts{"a, b", "c:d", "a, b^2:c:d", "e^2", "e^2^3", "g=h=p", "(intercept)"}));
  expect_refused(odd, {.terms = "`a, b"}, {"--terms", "backquote", "not closed"});
  expect_refused(odd, {.terms = "a`b"}, {"--terms", "backquote"});
  expect_refused(odd, {.terms = "x`a, b`"}, {"around a whole name"});
}

TEST(DesignTerms, SayWhatIsWrong) {
  expect_refused(people, {.terms = "aeg"},
                 {"people.csv: has no column 'aeg', which --terms names; did you mean 'age'?"});
  expect_refused(people, {.terms = "age, age"}, {"--terms has 'age' twice"});
  expect_refused(people, {.terms = "age:sex, sex:age"}, {"--terms has 'sex:age' twice"});
  expect_refused(people, {.terms = "age:age"}, {"'age'", "twice", "age^2"});
  expect_refused(people, {.terms = "y"}, {"--terms names 'y', which is the outcome"});
  expect_refused(people, {.terms = "age:y"}, {"which is the outcome"});
  expect_refused(people, {.terms = "sex^2"}, {"power of 'sex'", "column of words"});
  for (const std::string power : {"age^1", "age^10", "age^x", "age^", "age^2.5", "age^-1"})
    expect_refused(people, {.terms = power}, {"from 2 to 9"});
  expect_refused(people, {.terms = "age,,sex"}, {"--terms", "empty place"});
  expect_refused(people, {.terms = "age:"}, {"--terms", "empty place"});
  expect_refused(people, {.terms = "1", .intercept = false}, {"nothing to fit"});
  expect_refused([] { DesignPlan::of(columns(people), "x", {}, "people.csv"); },
                 {"has no column 'x', which --label names"});
  expect_refused([] { DesignPlan::of(columns(people), "", {}, "people.csv"); }, {"no outcome"});
}

TEST(DesignTerms, ValuesAreProductsThenStandardised) {
  const DesignSettings settings{.terms = "age, age^2, sex, age:sex, sex:colour"};
  const DesignPlan plan = plan_of(people, settings);
  const Matrix x = plan.rows(columns(people), "people.csv").x;
  Matrix raw(6, 6);
  raw.col(0) << 20, 30, 40, 50, 60, 70;
  raw.col(1) = raw.col(0).array().square();
  raw.col(2) << 0, 1, 0, 1, 0, 1;
  raw.col(3) = raw.col(0).array() * raw.col(2).array();
  raw.col(4).setZero();
  raw.col(5) << 0, 0, 0, 1, 0, 1;
  EXPECT_EQ(plan.names[4], "sex=m:colour=green");
  for (Index j : {0, 1, 2, 3, 5}) {
    const Vector centred = raw.col(j).array() - raw.col(j).mean();
    const double sd = std::sqrt(centred.squaredNorm() / 6.0);
    EXPECT_LT((x.col(j) - centred / sd).norm(), 1e-13) << j;
    EXPECT_NEAR(plan.shift(j), raw.col(j).mean(), 1e-12);
    EXPECT_NEAR(plan.scale(j), sd, 1e-10);
  }
  EXPECT_TRUE(x.col(4).isZero(0.0));  // nobody is both
  ASSERT_EQ(plan.warnings.size(), 1U);
  EXPECT_NE(plan.warnings[0].find("'sex=m:colour=green' is constant"), std::string::npos);
  EXPECT_TRUE((x.col(6).array() == 1.0).all());
  DesignSettings plain = settings;
  plain.no_standardize = true;
  EXPECT_EQ(plan_of(people, plain).rows(columns(people), "people.csv").x.leftCols(6), raw);
}

TEST(DesignTerms, NewRowsMayHaveOtherColumnsInAnyOrder) {
  const DesignPlan plan = plan_of(people, {.terms = "age, colour"});
  EXPECT_EQ(plan.needed(), (Texts{"age", "colour"}));
  const Columns once = columns("colour,hat,age\ngreen,big,40\nred,small,55\n");
  const DesignedRows rows = plan.rows(once, "new.csv");
  const DesignedRows before = plan.rows(columns(people), "people.csv");
  EXPECT_EQ(rows.x.row(0), before.x.row(2));
  EXPECT_EQ(rows.kept, (std::vector<Index>{0, 1}));
  EXPECT_NEAR(rows.x(1, 0), (55.0 - plan.shift(0)) / plan.scale(0), 1e-15);
  expect_refused([&] { plan.rows(columns("age\n1\n"), "new.csv"); },
                 {"new.csv: has no column 'colour', which the fit was made with"});
  expect_refused([&] { plan.rows(columns("age,colour\n1,red\n2,pink\n"), "new.csv"); },
                 {"new.csv, line 3, column 'colour': the level 'pink' did not occur"});
  expect_refused([&] { plan.rows(columns("age,colour\n1,red\nold,red\n"), "new.csv"); },
                 {"new.csv, line 3, column 'age': 'old' is not a number"});
  expect_refused([&] { plan.rows(columns("age;colour\n1,5;red\n2;red\n"), "new.csv"); },
                 {"column 'age': '1,5' is not a number", "decimal point"});
}

TEST(DesignReference, IsTheFirstLevelUnlessNamed) {
  const DesignPlan plain = plan_of(people, {.terms = "colour"});
  ASSERT_EQ(plain.notes.size(), 1U);
  EXPECT_EQ(plain.notes[0], "column 'colour': levels are compared with 'blue'");
  EXPECT_EQ(plan_of(people, {.terms = "colour, sex", .reference = "colour=green, sex = m"}).names,
            (Texts{"colour=blue", "colour=red", "sex=f", "(intercept)"}));
  // A column of numbers is coded by levels, however they are spelled.
  const DesignPlan coded = plan_of(people, {.terms = "school", .reference = "school=9.0"});
  EXPECT_EQ(coded.names, (Texts{"school=7", "school=12", "(intercept)"}));
  EXPECT_EQ(coded.rows(columns("school\n7\n9\n12.0\n"), "new.csv").x.row(2),
            coded.rows(columns(people), "people.csv").x.row(4));
  expect_refused([&] { coded.rows(columns("school\n8\n"), "new.csv"); }, {"the level '8'"});
  expect_refused(people, {.terms = "colour", .reference = "colour=gren"},
                 {"people.csv: column 'colour' has no level 'gren'", "did you mean 'green'?"});
  expect_refused(people, {.terms = "age", .reference = "colour=red"}, {"which is in no term"});
  expect_refused(people, {.reference = "color=red"}, {"did you mean 'colour'?"});
  expect_refused(people, {.reference = "colour"}, {"--reference", "colour=red"});
  expect_refused(people, {.reference = "sex=m, sex=f"}, {"'sex' twice"});
}

TEST(DesignColumns, ThatTellNothingOrTooMuch) {
  std::string ids = "id,code,when,word,none,y\n";
  for (int i = 0; i < 50; ++i)
    ids += "u" + std::to_string(i) + "," + (i == 20 ? "n.a." : std::to_string(i)) +
           (i < 30 ? ",2024-03-01" : ",2024-03-02") + ",same,," + std::to_string(i % 2) + "\n";
  expect_refused(ids, {.terms = "id"},
                 {"people.csv: column 'id' has 50 different values in 50 rows", "no category",
                  "--drop", "--group"});
  expect_refused(ids, {.terms = "code"}, {"'code' would be of numbers but for 'n.a.'", "write NA"});
  expect_refused(ids, {.terms = "when"}, {"line 2, column 'when': '2024-03-01' is a date"});
  expect_refused(ids, {.terms = "none"}, {"column 'none' has no value at all", "--drop"});
  expect_refused(ids, {.terms = "word", .reference = "word=other"}, {"no level 'other'"});
  const DesignPlan plan = plan_of(ids, {.terms = "word"});
  EXPECT_EQ(plan.names, Texts{"(intercept)"});
  EXPECT_EQ(plan.warnings, Texts{"column 'word' is 'same' in all rows, so it is left out"});
  EXPECT_TRUE(plan.needed().empty());
  expect_refused(ids, {.terms = "word", .intercept = false}, {"no term is left"});
  EXPECT_EQ(plan_of(ids, {.terms = "1", .group = "id; when"}).names.size(), 53U);
}

TEST(DesignMissing, IsRefusedWithTheCounts) {
  const std::string text = "age,sex,hat,y\n1,f,big,0\nNA,,big,1\n3,m,,1\n,m,big,0\n4,f,big,NA\n";
  expect_refused(text, {.terms = "age, sex"},
                 {"a value is missing, as in 3 of 5 rows", "('age': 2, 'sex': 1, 'y': 1)",
                  "--missing drop leaves those rows out", "mean or indicator"});
  expect_refused(text, {.terms = "age", .missing = MissingValues::mean},
                 {"1 of 5 rows", "('y': 1)", "--missing drop leaves that row out"});
  expect_refused("age,y\n1,\n,2\n", {.missing = MissingValues::drop}, {"every row"});
}

TEST(DesignMissing, RowsMayBeDropped) {
  const std::string text = "age,sex,hat,y\n1,f,big,0\nNA,,big,1\n3,m,,1\n,m,big,0\n4,x,big,NA\n";
  const DesignSettings drop{.terms = "age, sex", .missing = MissingValues::drop};
  const DesignPlan plan = plan_of(text, drop);
  EXPECT_EQ(plan.names, (Texts{"age", "sex=m", "(intercept)"}));  // x went with its row
  const DesignedRows rows = plan.rows(columns(text), "people.csv", RowsFor::fit);
  EXPECT_EQ(rows.kept, (std::vector<Index>{0, 2}));
  EXPECT_EQ(rows.x.rows(), 2);
  EXPECT_EQ(plan.shift(0), 2.0);
  EXPECT_EQ(plan.notes.back(), "3 of 5 rows are left out: they have missing values");
  // To predict, every row counts.
  expect_refused([&] { plan.rows(columns(text), "new.csv"); },
                 {"new.csv, line 3, column 'age': the value is missing", "--missing mean"});
  EXPECT_EQ(plan.rows(columns("age,sex\n5,m\n"), "new.csv").x.rows(), 1);
}

TEST(DesignMissing, NumbersTakeTheMeanAndWordsALevel) {
  const std::string text = "age,sex,y\n1,f,0\nNA,,1\n5,m,1\n";
  DesignSettings settings{.terms = "age, sex, age^2", .missing = MissingValues::mean};
  settings.no_standardize = true;
  const DesignPlan mean = plan_of(text, settings);
  EXPECT_EQ(mean.names, (Texts{"age", "sex=m", "sex=(missing)", "age^2", "(intercept)"}));
  EXPECT_EQ(mean.rows(columns(text), "people.csv", RowsFor::fit).x,
            (Matrix{{1, 0, 0, 1, 1}, {3, 0, 1, 9, 1}, {5, 1, 0, 25, 1}}));
  EXPECT_EQ(mean.notes[0], "column 'age': 1 missing value takes the mean, 3");
  // Rows to predict take the mean of the rows of the fit.
  EXPECT_EQ(mean.rows(columns("age,sex\n?,m\n"), "new.csv").x, (Matrix{{3, 1, 0, 9, 1}}));
  EXPECT_EQ(mean.rows(columns("age,sex\n7,NA\n"), "new.csv").x, (Matrix{{7, 0, 1, 49, 1}}));
  settings.missing = MissingValues::indicator;
  const DesignPlan marked = plan_of(text, settings);
  EXPECT_EQ(marked.names,
            (Texts{"age", "sex=m", "sex=(missing)", "age^2", "age=(missing)", "(intercept)"}));
  EXPECT_EQ(marked.rows(columns(text), "people.csv", RowsFor::fit).x.col(4),
            (Vector{{0.0, 1.0, 0.0}}));
  EXPECT_EQ(marked.rows(columns("age,sex\n?,m\n2,m\n"), "new.csv").x.col(4), (Vector{{1.0, 0.0}}));
  // A level for missing words exists only if there were any.
  const DesignPlan full = plan_of(people, {.terms = "colour", .missing = MissingValues::mean});
  expect_refused([&] { full.rows(columns("colour,b\nNA,1\n"), "new.csv"); },
                 {"line 2, column 'colour': the value is missing, which it never was"});
}

TEST(DesignParts, WeightsOffsetsAndTrials) {
  const std::string text = "age,w,e,n,y\n1,2,0.5,3,1\n2,0,-1,1,0\n3,1.5,0,10,4\n";
  const DesignSettings settings{.weights = "w", .offset = "e", .trials = "n"};
  const DesignPlan plan = plan_of(text, settings);
  EXPECT_EQ(plan.names, (Texts{"age", "(intercept)"}));
  EXPECT_EQ(plan.needed(), (Texts{"age", "e"}));
  EXPECT_EQ(plan.welcome(), Texts{"n"});
  const DesignedRows rows = plan.rows(columns(text), "people.csv", RowsFor::fit);
  EXPECT_EQ(rows.weights, (Vector{{2.0, 0.0, 1.5}}));
  EXPECT_EQ(rows.offset, (Vector{{0.5, -1.0, 0.0}}));
  EXPECT_EQ(rows.trials, (Vector{{3.0, 1.0, 10.0}}));
  const DesignedRows once = plan.rows(columns("age,e\n1,2\n"), "new.csv");
  EXPECT_EQ(once.offset, (Vector{{2.0}}));
  EXPECT_EQ(once.trials.size() + once.weights.size(), 0);
  EXPECT_EQ(plan.rows(columns("age,e,n\n1,2,7\n"), "new.csv").trials, (Vector{{7.0}}));
  expect_refused([&] { plan.rows(columns("age,e\n1,2\n2,\n"), "new.csv"); },
                 {"line 3, column 'e': the value is missing"});
  EXPECT_EQ(fitted(people, {}).weights.size(), 0);

  const auto refused = [&](const std::string& from, const std::string& to,
                           std::initializer_list<std::string> parts) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    expect_refused([&] { fitted(changed, settings); }, parts);
  };
  refused("3,1.5", "3,-1", {"people.csv, line 4, column 'w': the weight is -1", "not be negative"});
  refused("3,1.5", "3,heavy", {"line 4, column 'w': 'heavy' is not a number"});
  refused("0,10,4", "0,1.5,4", {"line 4, column 'n': the number of trials is 1.5", "whole number"});
  refused("0,10,4", "0,0,4", {"line 4, column 'n': the number of trials is 0"});
  refused("0,10,4", "NA,10,4", {"1 of 3 rows", "'e': 1"});
  expect_refused([] { fitted("a,w,y\n1,0,1\n2,0,3\n", {.weights = "w"}); },
                 {"all weights, column 'w', are 0"});
  expect_refused(text, {.weights = "y"}, {"--weights names 'y', which is the outcome"});
  expect_refused(text, {.offset = "ee"}, {"has no column 'ee', which --offset names"});
}

TEST(DesignGroups, HaveInterceptsAndSlopes) {
  const DesignPlan plan = plan_of(people, {.terms = "age, sex", .group = "school: age; colour"});
  EXPECT_EQ(plan.names, (Texts{"age", "sex=m", "(intercept)", "school=7", "school=9", "school=12",
                               "school=7:age", "school=9:age", "school=12:age", "colour=blue",
                               "colour=green", "colour=red"}));
  ASSERT_EQ(plan.effects.size(), 3U);
  EXPECT_EQ(plan.effects[0].name, "school");
  EXPECT_EQ(plan.effects[1].name, "school:age");
  EXPECT_EQ(plan.effects[1].first, 6);
  EXPECT_EQ(plan.effects[1].count, 3);
  EXPECT_EQ(plan.effects[1].intercepts, 0);
  EXPECT_EQ(plan.effects[2].intercepts, 2);
  EXPECT_EQ(plan.effects[0].scale, 1.0);
  EXPECT_EQ(plan.effects[1].scale, plan.scale(0));
  EXPECT_EQ(plan.terms, 2);
  const DesignedRows rows = plan.rows(columns(people), "people.csv", RowsFor::fit);
  EXPECT_TRUE(rows.unseen.isZero(0.0));
  EXPECT_EQ(rows.x.row(2).segment(3, 3), (Eigen::RowVector3d(0, 1, 0)));
  EXPECT_EQ(rows.x.row(2).segment(6, 3), (Eigen::RowVector3d(0, rows.x(2, 0), 0)));
  EXPECT_EQ(rows.x.row(2).segment(9, 3), (Eigen::RowVector3d(0, 1, 0)));
  const DesignedRows news =
      plan.rows(columns("age,sex,school,colour\n31,f,8,red\n31,f,9.0,pink\n"), "new.csv");
  EXPECT_TRUE(news.x.row(0).segment(3, 6).isZero(0.0));
  const double z = (31.0 - plan.shift(0)) / plan.scale(0);
  EXPECT_EQ(news.unseen, (Matrix{{1.0, z * z, 0.0}, {0.0, 0.0, 1.0}}));
  EXPECT_EQ(news.x(1, 7), z);
  // Without terms of their own, and all terms but the group.
  EXPECT_EQ(plan_of(people, {.terms = "1", .group = "school: sex"}).names[4], "school=7:sex=m");
  const Texts others = plan_of(people, {.group = "school"}).names;
  EXPECT_EQ(std::count(others.begin(), others.end(), "school"), 0);
}

TEST(DesignGroups, SayWhatIsWrong) {
  expect_refused(people, {.group = "schol"}, {"'schol', which --group names", "'school'?"});
  expect_refused(people, {.group = "school: aeg"}, {"'aeg', which --group names", "'age'?"});
  expect_refused(people, {.group = "school; school"}, {"'school' twice"});
  expect_refused(people, {.group = "y"}, {"which is the outcome"});
  expect_refused(people, {.group = "school:"}, {"--group", "empty place"});
  expect_refused(people, {.group = ": age"}, {"no group before the colon"});
  expect_refused("g,x,y\na,1,2\na,2,3\n", {.group = "g"}, {"one value only", "no groups"});
  expect_refused(people, {.terms = "colour", .group = "colour"}, {"two coefficients", "colour="});
}

TEST(DesignGroups, MissingOnesAreAGroupIfTheyAreFilledIn) {
  const std::string text = "g,x,y\na,1,2\nb,2,3\n,4,5\n";
  expect_refused(text, {.group = "g"}, {"1 of 3 rows", "'g': 1"});
  const DesignPlan plan = plan_of(text, {.group = "g", .missing = MissingValues::mean});
  EXPECT_EQ(plan.names.back(), "g=(missing)");
  EXPECT_EQ(plan.rows(columns("g,x\nNA,1\n"), "new.csv").x(0, 4), 1.0);
}

/// The columns as they were given, in the plan's order, and constants: what own units are for.
TEST(DesignUnits, LeaveTheLinearPredictorAsItIs) {
  const Columns data = columns(people);
  for (const bool intercept : {true, false})
    for (const bool plain : {true, false}) {
      DesignSettings settings{.terms = "age, age:sex, age^2", .group = "school: age, sex; colour"};
      settings.intercept = intercept;
      settings.no_standardize = plain;
      const DesignPlan plan = DesignPlan::of(data, "y", settings, "people.csv");
      settings.no_standardize = true;
      const DesignPlan raw = DesignPlan::of(data, "y", settings, "people.csv");
      ASSERT_EQ(raw.names, plan.names);
      const Matrix betas = toy::random_matrix(Index(plan.names.size()), 5, 71);
      const Matrix own = plan.in_own_units(betas);
      ASSERT_EQ(own.rows(), Index(plan.own_names().size()));
      const bool constant = !intercept && !plain;
      ASSERT_EQ(plan.own_names().back() == "(constant)", constant);
      const Matrix x = raw.rows(data, "people.csv").x;
      Matrix eta = x * own.topRows(x.cols());
      if (constant) eta.rowwise() += own.row(own.rows() - 1);
      const Matrix expected = plan.rows(data, "people.csv").x * betas;
      EXPECT_LT((eta - expected).norm(), 1e-10 * expected.norm()) << intercept << plain;
      if (plain) {
        EXPECT_EQ(own, betas);
      }

      const Index d = betas.rows();
      const GaussianPoint q{toy::random_vector(d, 72), toy::random_spd(d, 73)};
      const GaussianPoint moved = plan.in_own_units(q);
      const Matrix map = plan.in_own_units(Matrix(Matrix::Identity(d, d)));
      EXPECT_LT((moved.mean - map * q.mean).norm(), 1e-9 * moved.mean.norm());
      const Matrix covariance = map * q.covariance * map.transpose();
      EXPECT_LT((moved.covariance - covariance).norm(), 1e-10 * covariance.norm());
    }
  EXPECT_THROW(plan_of(people, {}).in_own_units(Matrix::Zero(2, 1)), Misuse);
}

const std::string gaps = "age,sex,e,w,n,school,y\n1,f,.1,1,2,a,0\nNA,,.2,2,3,a,1\n5,m,.3,3,4,b,1\n";
const DesignSettings everything{.terms = "age, sex, age:sex, age^2",
                                .reference = "sex=m",
                                .weights = "w",
                                .offset = "e",
                                .trials = "n",
                                .group = "school: age, sex",
                                .missing = MissingValues::indicator};

TEST(DesignSaved, ComesBackAsItWas) {
  for (const DesignSettings& settings :
       {everything, DesignSettings{.terms = "1", .missing = MissingValues::drop}}) {
    const DesignPlan plan = plan_of(gaps, settings);
    const std::string text = json_text(plan.saved());
    const DesignPlan again = DesignPlan::loaded(fields_of_json(text, "model.json"));
    EXPECT_EQ(json_text(again.saved()), text);
    EXPECT_EQ(json_text(DesignPlan::loaded(plan.saved()).saved()), text);
    EXPECT_EQ(again.names, plan.names);
    EXPECT_EQ(again.notes, plan.notes);
    EXPECT_EQ(again.needed(), plan.needed());
    EXPECT_EQ(again.outcome(), "y");
    for (const RowsFor purpose : {RowsFor::fit, RowsFor::prediction}) {
      const DesignedRows a = plan.rows(columns(gaps), "x", purpose),
                         b = again.rows(columns(gaps), "x", purpose);
      EXPECT_EQ(a.x, b.x);
      EXPECT_EQ(a.offset, b.offset);
      EXPECT_EQ(a.weights, b.weights);
      EXPECT_EQ(a.trials, b.trials);
      EXPECT_EQ(a.kept, b.kept);
    }
    const Matrix betas = toy::random_matrix(Index(plan.names.size()), 2, 5);
    EXPECT_EQ(plan.in_own_units(betas), again.in_own_units(betas));
  }
}

TEST(DesignSaved, RefusesWhatNoPlanLeaves) {
  const std::string text = json_text(plan_of(gaps, everything).saved());
  EXPECT_NO_THROW(DesignPlan::loaded(fields_of_json(text, "m")));
  const std::vector<std::pair<std::string, std::string>> damages = {
      {"\"outcome\":", "\"income\":"},
      {"\"missing\":\"indicator\"", "\"missing\":\"guess\""},
      {"\"intercept\":true", "\"intercept\":1"},
      {"\"reference\":1", "\"reference\":3"},
      {"\"reference\":1", "\"reference\":-1"},
      {"[\"f\",\"m\",\"(missing)\"]", "[\"f\",\"f\",\"(missing)\"]"},
      {"[\"f\",\"m\",\"(missing)\"]", "[\"f\"]"},
      {"[\"f\",\"m\",\"(missing)\"]", "[\"f\",\"m\"]"},
      {"\"mean\":4.0", "\"mean\":null"},
      {"\"indicator\":true", "\"indicator\":false"},
      {"\"columns\":[0]", "\"columns\":[2]"},
      {"\"columns\":[0]", "\"columns\":[-1]"},
      {"\"columns\":[0]", "\"columns\":[]"},
      {"\"powers\":[1]", "\"powers\":[0]"},
      {"\"powers\":[1]", "\"powers\":[1,1]"},
      {"\"powers\":[2]", "\"powers\":[10]"},
      {"\"scale\":[", "\"scale\":[1.0,"},
      {"\"shift\":[", "\"shift\":[null,"},
      {"[\"a\",\"b\"]", "[]"},
      {"\"notes\"", "\"noted\""}};
  for (const auto& [from, to] : damages) {
    std::string changed = text;
    const auto at = changed.find(from);
    ASSERT_NE(at, std::string::npos) << from << " is not in " << text;
    changed.replace(at, from.size(), to);
    EXPECT_THROW(DesignPlan::loaded(fields_of_json(changed, "m")), Misuse) << from << " " << to;
  }
}

TEST(DesignSettingsWords, AreOptions) {
  DesignSettings settings;
  Options options;
  settings.describe_design(options);
  options.set("missing", "indicator");
  options.set("terms", "age, age^2");
  options.set("no-intercept", "true");
  EXPECT_EQ(settings.missing, MissingValues::indicator);
  EXPECT_EQ(settings.terms, "age, age^2");
  EXPECT_FALSE(settings.intercept);
  EXPECT_THROW(options.set("missing", "guess"), Misuse);
}

// The same bits for the same data, and products of many levels are refused before they are made.
TEST(DesignSize, IsForetold) {
  std::string wide = "a,b,c,d,y\n";
  for (int i = 0; i < 4000; ++i) {
    for (const int step : {1, 3, 7, 11}) wide += "v" + std::to_string(i * step % 900) + ",";
    wide += "1\n";
  }
  expect_refused(wide, {.terms = "a:b:c:d"}, {"the design matrix would take", "4000 rows with"});
}

}  // namespace
}  // namespace fisherman::fit_design_test
