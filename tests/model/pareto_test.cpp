#include "fisherman/model/pareto.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "fisherman/core/random.hpp"
#include "fisherman/model/target.hpp"

namespace fisherman::model_pareto_test {
namespace {

// Ratios with an exact Pareto tail of shape k: (1−u)^-k. The tail has 3√n = 424 of 20,000 draws, so the
// standard error of its shape is about (1+k)/√424 = 0.07 at k = ½; the prior pulls by at most 0.02.
TEST(ParetoK, FindsTheShapeOfAParetoTail) {
  const Matrix u = Draws(3, 1).uniforms(0, 20000, 1);
  for (const double k : {0.2, 0.5, 0.9})
    EXPECT_NEAR(pareto_k(-k * (1.0 - u.array()).log().matrix()), k, 0.2) << k;
}

TEST(ParetoK, IsSmallForBoundedRatiosAndUnknownForNone) {
  EXPECT_LT(pareto_k(Draws(3, 1).uniforms(0, 4000, 1)), 0.3);
  EXPECT_TRUE(std::isnan(pareto_k(Vector::Zero(1000))));
  EXPECT_TRUE(std::isnan(pareto_k(Vector::Zero(3))));
  EXPECT_EQ(pareto_verdict(0.1).substr(0, 4), "good");
  EXPECT_EQ(pareto_verdict(0.6).substr(0, 6), "usable");
  EXPECT_EQ(pareto_verdict(2.0).substr(0, 4), "poor");
}

// Where the ratios hardly vary the shape of their tail says nothing, and the verdict is good whatever it is.
TEST(Pareto, TheVerdictLooksAtTheVariationFirst) {
  Vector heavy = Draws(4, 0).normals(0, 4000, 1);
  heavy = 1.5 * heavy.array().square();  // log ratios with a tail that no moment survives
  const RatioCheck wide = ratio_check(heavy), narrow = ratio_check(1e-3 * heavy);
  EXPECT_GT(wide.k, 0.7);
  EXPECT_EQ(wide.verdict().substr(0, 4), "poor");
  EXPECT_LT(narrow.variation, 0.01);
  EXPECT_EQ(narrow.verdict().substr(0, 4), "good");
  const RatioCheck odd{1.3, 0.05}, corrected{1.3, 0.2}, poor{1.3, 0.4}, plain{0.55, 0.3}, unknown{};
  EXPECT_EQ(odd.judged(), 0.0);
  EXPECT_EQ(odd.verdict().substr(0, 4), "good");
  EXPECT_EQ(odd.told().substr(0, 50), "Pareto k 1.30, but the ratios vary by only 5%; goo");
  EXPECT_EQ(corrected.verdict().substr(0, 6), "usable");
  EXPECT_EQ(poor.judged(), 1.3);
  EXPECT_FALSE(poor.decided_by_variation());
  const RatioCheck far{0.48, 1.02};
  EXPECT_EQ(far.told().substr(0, 53), "Pareto k 0.48, but the ratios vary by 102%; usable: m")
      << far.told();
  EXPECT_EQ(plain.told().substr(0, 22), "Pareto k 0.55, usable:");
  EXPECT_EQ(unknown.verdict(), "not known");
  // One draw of 4,000 that counts as 400: a log ratio of 6 among zeros.
  Vector one = Vector::Zero(4000);
  one(17) = 6.0;
  EXPECT_FALSE(ratio_check(one).hardly_vary());
  EXPECT_EQ(ratio_check(Vector::Constant(100, 2.0)).verdict().substr(0, 4), "good");
}

struct ManyRows {
  Index count;
  Index dimension() const { return 1; }
  Index rows() const { return count; }
  ManyRows subset(const std::vector<Index>& some) const { return {Index(some.size())}; }
  Vector log_density(const Matrix& betas, Matrix&) const { return Vector::Zero(betas.cols()); }
};

TEST(ParetoK, TakesFewerDrawsOfMoreRows) {
  const auto draws = [](Index rows) { return draws_for_khat(ManyRows{rows}); };
  EXPECT_EQ(draws(10'000), 4000);
  EXPECT_EQ(draws(10'001), 1000);
  EXPECT_EQ(draws(1'000'000), 1000);
  EXPECT_EQ(draws(2'000'000), 500);
  EXPECT_EQ(draws(1'000'000'000), 200);
}

}  // namespace
}  // namespace fisherman::model_pareto_test
