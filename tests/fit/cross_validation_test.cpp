// Which rank and ridge a cross-validation chooses.
#include "expect_laws.hpp"
#include "fisherman/core/parallel.hpp"
#include "reduced_rank_toy.hpp"

namespace fisherman::fit_cross_validation_test {
using namespace reduced_rank_toy;  // NOLINT: the problems of all these files
namespace {

TEST(ReducedRank, CrossValidationChoosesTheSimplestThatIsGoodEnough) {
  ReducedRankSettings s;
  s.cv = 4;
  PlainDriver driver;
  const auto cv = cross_validate(*data(2000), s, {1, 2, 3}, {0.1, 1.0, 1e6}, driver);
  ASSERT_TRUE(cv);
  ASSERT_EQ(cv->trials.size(), 9U);
  const auto& best = cv->trials[cv->best];
  const auto& chosen = cv->trials[cv->chosen];
  EXPECT_EQ(chosen.rank, 2);  // the labels were drawn from a model of rank 2
  EXPECT_LE(chosen.loss, best.loss + best.error);
  for (const auto& one : cv->trials) {
    EXPECT_GE(one.loss, best.loss);
    const bool simpler =
        one.rank < chosen.rank || (one.rank == chosen.rank && one.ridge > chosen.ridge);
    if (simpler) {
      EXPECT_GT(one.loss, best.loss + best.error);
    }
    // A prior of variance 1e-6 leaves the classes' shares alone.
    if (one.ridge == 1e6) {
      EXPECT_GT(one.loss, best.loss + 0.1);
    }
  }
  set_threads(2);
  const auto again = cross_validate(*data(2000), s, {1, 2, 3}, {1e6, 1.0, 0.1}, driver);
  set_threads(1);
  for (std::size_t k = 0; k < 9; ++k) EXPECT_EQ(again->trials[k].loss, cv->trials[k].loss);
  s.cv = 1;
  expect_misuse([&] { cross_validate(*data(), s, {1}, {1.0}, driver); }, "between 2 and 600");
}

}  // namespace
}  // namespace fisherman::fit_cross_validation_test
