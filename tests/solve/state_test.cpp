// What a state keeps for stopping, and the names that its parts have in files.
#include "fisherman/solve/state.hpp"

#include <cmath>

#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/exact.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/manifold/product.hpp"
#include "fisherman/manifold/sphere.hpp"

namespace fisherman::solve_state_test {
namespace {

TEST(History, GainsAreThoseOfAllValuesAndMemoryIsBounded) {
  ObjectiveHistory history;
  EXPECT_TRUE(std::isnan(history.gained_by_doubling()));
  std::vector<double> all;
  for (int k = 0; k < 40000; ++k) {
    all.push_back(1.0 / (1.0 + k));
    history.add(all.back());
    const double exact = all[(all.size() - 1) / 2] - all.back();
    if (k < 4095) {
      ASSERT_EQ(history.gained_by_doubling(), exact) << k;
    } else {  // the value of up to 15 evaluations before the middle stands for it
      ASSERT_GE(history.gained_by_doubling(), exact) << k;
      ASSERT_LE(history.gained_by_doubling(), all[(all.size() - 1) / 2 - 15] - all.back()) << k;
    }
  }
  Writer out;
  history.save(out);
  EXPECT_LT(out.bytes().size(), 4096 * sizeof(double) + 64);
  ObjectiveHistory again;
  Reader in(out.bytes());
  again.load(in);
  for (int k = 0; k < 5000; ++k) {
    history.add(k);
    again.add(k);
    ASSERT_EQ(history.gained_by_doubling(), again.gained_by_doubling());
  }
}

TEST(Names, OfTypesInFilesAreOurOwn) {
  const Vector x = Vector::Ones(2);
  const Matrix I = Matrix::Identity(2, 2);
  EXPECT_EQ(AnyFrame(gaussian_affine(x, I)).kind(), "gaussian spd-affine");
  EXPECT_EQ(AnyFrame(Product(Euclidean(x), Sphere(Vector::Unit(3, 0)))).kind(),
            "product euclidean oblique");
  EXPECT_EQ(AnyFisher(BlockDiagonal<AnyFisher>({Dense(2), DenseSingle(3)})).kind(),
            "block-diagonal any");
  // The blocks inside are told apart too.
  State<AnyFrame, AnyFisher> a{Euclidean(x), BlockDiagonal<AnyFisher>({Identity(1), Identity(1)})};
  State<AnyFrame, AnyFisher> b{Euclidean(x), BlockDiagonal<AnyFisher>({Identity(1), Exact(1)})};
  EXPECT_THROW(restore(b, saved(a)), FileError);
}

}  // namespace
}  // namespace fisherman::solve_state_test
