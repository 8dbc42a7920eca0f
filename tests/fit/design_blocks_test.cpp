// A design of rows that stay in a file: plan, rows, and the regression's sums have the bits of one in memory.
#include <numeric>

#include "fisherman/core/error.hpp"
#include "fisherman/core/random.hpp"
#include "fisherman/fit/regression.hpp"
#include "memory_blocks.hpp"
#include "ranks_in_threads.hpp"

namespace fisherman::fit_design_blocks_test {
namespace {

constexpr Index n = 3000;

struct Data {
  Matrix x = Draws(3, 0).normals(0, n, 3).array().exp();
  Vector y = Draws(3, 1).normals(0, n, 1).array().abs().floor(),
         weight = Draws(3, 2).normals(0, n, 1).array().abs();

  /// With y and the weights as columns in memory.
  Columns columns(bool stored, const RowPart& part = RowPart::whole(n)) const {
    Columns out;
    out.rows = part.count;
    if (part.shared) out.part = part;
    for (Index j = 0; j < 3; ++j) {
      Column& column = out.all.emplace_back();
      column.name = "abc"[j];
      if (stored)
        column.stored = j;
      else
        column.numbers = x.col(j).segment(part.first, part.count);
    }
    out.all.push_back({"y", y.segment(part.first, part.count), {}, {}});
    out.all.push_back({"w", weight.segment(part.first, part.count), {}, {}});
    if (stored) out.stored = std::make_shared<const MemoryBlocks>(x);
    return out;
  }
};

const DesignSettings settings[] = {{.terms = "a, b, c"},
                                   {.terms = "c, a^2, a:b", .weights = "w"},
                                   {.terms = "b", .intercept = false},
                                   {.terms = "a, b", .no_standardize = true}};

TEST(DesignBlocks, HaveTheBitsOfADesignInMemory) {
  const Data data;
  for (const DesignSettings& s : settings) {
    const Columns memory = data.columns(false), stored = data.columns(true);
    const DesignPlan plan = DesignPlan::of(memory, "y", s, "it"),
                     other = DesignPlan::of(stored, "y", s, "it");
    EXPECT_EQ(plan.names, other.names);
    EXPECT_EQ(plan.shift, other.shift) << s.terms;
    EXPECT_EQ(plan.scale, other.scale) << s.terms;
    const DesignedRows rows = plan.rows(memory, "it", RowsFor::fit),
                       blocks = other.rows(stored, "it", RowsFor::fit);
    ASSERT_NE(blocks.blocks, nullptr);
    EXPECT_EQ(blocks.x.size(), 0);
    EXPECT_EQ(blocks.blocks->block(0, n), rows.x);
    EXPECT_EQ(blocks.blocks->block(100, 7), rows.x.middleRows(100, 7));
    EXPECT_EQ(blocks.blocks->chosen({2999, 5}), rows.x(std::vector<int>{2999, 5}, Eigen::all));
    EXPECT_EQ(blocks.weights, rows.weights);
  }
}

TEST(DesignBlocks, MakeTheSameRegressionOnAnyNumberOfRanks) {
  const Data data;
  const DesignSettings s{.terms = "a, b:c"};
  const auto target_of = [&](bool stored, const RowPart& part) {
    const Columns columns = data.columns(stored, part);
    DesignedRows rows = DesignPlan::of(columns, "y", s, "it").rows(columns, "it", RowsFor::fit);
    RegressionPriors priors;
    priors.coefficients.assign(3, {});
    const Outcomes outcomes{data.y.segment(part.first, part.count), {}, {}};
    const auto of = part.shared ? std::optional(part) : std::nullopt;
    return RegressionTarget(stored ? TargetRows(rows.blocks, of) : TargetRows(rows.x, of), outcomes,
                            likelihood("poisson"), priors);
  };
  const Vector mean = Vector::LinSpaced(3, -0.3, 0.2);
  const Matrix covariance = 0.01 * Matrix::Identity(3, 3), thetas = Draws(4, 0).normals(0, 3, 5);
  const RegressionTarget memory = target_of(false, RowPart::whole(n));
  const Expectation expected = memory.expectation(mean, covariance);
  Matrix gradients;
  const Vector values = memory.log_density(thetas, gradients);
  std::vector<Index> some(64);
  std::iota(some.begin(), some.end(), Index(900));
  for (int ranks = 1; ranks <= 3; ++ranks)
    on_ranks(ranks, [&](int) {
      const RegressionTarget stored = target_of(true, RowPart::of_rank(n));
      EXPECT_FALSE(stored.in_memory());
      EXPECT_THROW(stored.design(), Misuse);
      const Expectation found = stored.expectation(mean, covariance);
      EXPECT_EQ(found.value, expected.value);
      EXPECT_EQ(found.gradient, expected.gradient);
      EXPECT_EQ(found.hessian, expected.hessian);
      Matrix slopes;
      EXPECT_EQ(stored.log_density(thetas, slopes), values);
      EXPECT_EQ(slopes, gradients);
      EXPECT_EQ(stored.mean_hessian(thetas), memory.mean_hessian(thetas));
      const RegressionTarget batch = stored.subset(some), same = memory.subset(some);
      EXPECT_TRUE(batch.in_memory());
      EXPECT_EQ(batch.design(), same.design());
      EXPECT_EQ(batch.outcomes().y, same.outcomes().y);
      EXPECT_TRUE(stored.sample(n).in_memory());
    });
}

TEST(DesignBlocks, RefuseWhatNeedsRowsInMemory) {
  const Data data;
  const auto refused = [&](const Columns& columns, const DesignSettings& s,
                           const std::string& part) {
    std::string said = "nothing";
    try {
      DesignPlan::of(columns, "y", s, "rows.npy");
    } catch (const FileError& e) {
      said = e.what();
    }
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  refused(data.columns(true), {.group = "a"}, "rows.npy: groups (--group) need rows in memory");
  refused(data.columns(true), {.reference = "b=2"},
          "levels (--reference names column 'b') need rows");
  Columns gap = data.columns(true);
  gap.all[4].numbers(7) = std::numeric_limits<double>::quiet_NaN();
  refused(gap, {.weights = "w", .missing = MissingValues::drop},
          "rows that stay in their file cannot be left out, but 1 of them");
}

}  // namespace
}  // namespace fisherman::fit_design_blocks_test
