// What is done to the features before a reduced-rank fit, and what is known of them.
#include <cmath>

#include "expect_laws.hpp"
#include "fisherman/core/parallel.hpp"
#include "reduced_rank_toy.hpp"

namespace fisherman::fit_feature_map_test {
using namespace reduced_rank_toy;  // NOLINT: the problems of all these files
namespace {

TEST(FeatureMap, DropsConstantsAndRestoresThem) {
  Matrix x(3, 4);
  x << 0, 1, 255, 7, 0, 3, 0, 7, 0, 5, 10, 7;
  const Table table = table_of(x, {"a", "b", "c", "d"});
  const FeatureMap pixels = FeatureMap::of(table, FeatureScale::pixel, false);
  EXPECT_EQ(pixels.kept, (std::vector<Index>{1, 2, 3}));
  const Matrix design = pixels.design(table, {2, 0}, false).columns({0, 2});
  EXPECT_DOUBLE_EQ(design(0, 0), 5.0 / 255.0);
  EXPECT_DOUBLE_EQ(design(1, 1), 1.0);
  EXPECT_EQ(pixels.restored(Matrix::Ones(3, 2)).rowwise().sum(), (Vector{{0.0, 2.0, 2.0, 2.0}}));
  const FeatureMap standard =
      FeatureMap::of(table, FeatureScale::standardize, false);  // the constant 7 goes too
  EXPECT_EQ(standard.kept, (std::vector<Index>{1, 2}));
  EXPECT_EQ(FeatureMap::of(table, FeatureScale::pixel, true).kept, standard.kept);
  const Matrix z = standard.design(table, {0, 1, 2}, false).columns({0, 3});
  EXPECT_LT(z.rowwise().sum().norm(), 1e-14);
  EXPECT_NEAR(z.row(0).squaredNorm(), 3.0, 1e-13);
  expect_misuse(
      [&] {
        standard.design(table_of(x.leftCols(2), {"a", "b"}), {0}, false);
      },
      "2 columns");
  expect_misuse(
      [] {
        FeatureMap::of(table_of(Matrix::Ones(3, 2), {"a", "b"}), FeatureScale::standardize, false);
      },
      "nothing to fit");
}

TEST(FeatureMap, OfSparseRowsIsTheSame) {
  const auto [dense, sparse] = thinned(40, 6);
  for (const FeatureScale how : {FeatureScale::standardize, FeatureScale::none})
    for (const bool centred : {false, true}) {
      const FeatureMap a = FeatureMap::of(dense, how, centred),
                       b = FeatureMap::of(sparse, how, centred);
      EXPECT_EQ(a.kept, b.kept);
      EXPECT_LT((a.shift - b.shift).norm() + (a.scale - b.scale).norm(), 1e-14);
      const DesignRows x = a.design(dense, {3, 1, 7}, false),
                       y = b.design(sparse, {3, 1, 7}, false);
      EXPECT_TRUE(y.sparse());
      EXPECT_LT((x.columns({0, 3}) - y.columns({0, 3})).norm(), 1e-13);
    }
}

// Whole numbers up to 255 are not pixels: only an image is divided by 255 unasked.
TEST(FeatureMap, IsOfPixelsForImagesOnly) {
  ReducedRankSettings some;
  Table table = table_of(Matrix::Identity(2, 2), {"a", "b"}), images = table;
  images.images = true;
  EXPECT_EQ(some.scaling(table), FeatureScale::standardize);
  EXPECT_EQ(some.scaling(images), FeatureScale::pixel);
  EXPECT_EQ(some.scaling(thinned(4, 3).second), FeatureScale::none);
  some.scale = FeatureScale::pixel;
  EXPECT_EQ(some.scaling(table), FeatureScale::pixel);
  some.scale = FeatureScale::none;
  EXPECT_EQ(some.scaling(images), FeatureScale::none);
  expect_misuse([&] { FeatureMap::of(table, FeatureScale::automatic, false); },
                "pixel|standardize|none");
}

// Rows that the caller keeps, in either order or with gaps: the same bits as a table's own.
TEST(FeatureMap, OfLentRowsIsTheSame) {
  const Matrix x = toy::random_matrix(700, 5, 1);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> by_rows = x;
  Matrix gaps(1400, 5);
  for (Index i = 0; i < 700; ++i) gaps.row(2 * i) = x.row(i);
  const std::vector<std::string> names = {"a", "b", "c", "d", "e"};
  const Table own = table_of(x, names);
  const FeatureMap map = FeatureMap::of(own, FeatureScale::standardize, true);
  const Matrix design = map.design(own, {5, 3, 699}, false).columns({0, 3});
  for (const LentRows& lent :
       {LentRows(x.data(), 700, 5, {700, 1}), LentRows(by_rows.data(), 700, 5, {1, 5}),
        LentRows(gaps.data(), 700, 5, {1400, 2})}) {
    Table table = table_of(Matrix(), names);
    table.lent = std::make_shared<const LentRows>(lent);
    EXPECT_EQ(table.rows(), 700);
    EXPECT_EQ(table.columns(), 5);
    set_threads(2);
    const FeatureMap found = FeatureMap::of(table, FeatureScale::standardize, true);
    EXPECT_EQ(found.shift, map.shift);
    EXPECT_EQ(found.scale, map.scale);
    EXPECT_EQ(found.design(table, {5, 3, 699}, false).columns({0, 3}), design);
    set_threads(1);
  }
}

// Far from zero, and with a first row that is far from the others.
TEST(FeatureMap, KnowsTheSpreadOfColumnsFarFromZero) {
  Matrix x = toy::random_matrix(300, 2, 1);
  x.col(0).array() += 1e8;
  x(0, 1) = 1e6;
  const FeatureMap map = FeatureMap::of(table_of(x, {"a", "b"}), FeatureScale::standardize, false);
  for (Index j = 0; j < 2; ++j) {
    const double mean = x.col(j).mean(), sd = std::sqrt((x.col(j).array() - mean).square().mean());
    EXPECT_NEAR(map.shift(j), mean, 1e-13 * (std::abs(mean) + sd));
    EXPECT_NEAR(map.scale(j), sd, 1e-9 * sd);
  }
}

TEST(FeatureMoments, AreThoseOfTheRowsWithAnyNumberOfThreads) {
  const Index p = 70, n = 900;  // more than one strip, and a part of one
  const Eigen::MatrixXf x = toy::random_matrix(p, n, 1).cast<float>();
  const FeatureMoments one = feature_moments(DesignRows(x));
  set_threads(2);
  const FeatureMoments two = feature_moments(DesignRows(x));
  set_threads(1);
  EXPECT_EQ(one.variance, two.variance);
  EXPECT_EQ(one.covariance, two.covariance);
  const Matrix wide = x.cast<double>(), C = wide * wide.transpose() / double(n);
  EXPECT_LT((one.variance - Vector(C.diagonal())).norm(), 1e-6 * C.diagonal().norm());
  const Matrix lower = one.covariance.cast<double>().triangularView<Eigen::Lower>(),
               expected = C.triangularView<Eigen::Lower>();
  EXPECT_LT((lower - expected).norm(), 1e-6 * C.norm());
}

// A feature that is above its least value in one class only, and one below its largest: the third varies in both.
TEST(ReducedRank, FeaturesOfOneClassAreNamed) {
  Matrix x(3, 6);
  x << 0, 0, 0, 2, 0, 1,  //
      5, 5, 1, 5, 2, 5,   //
      1, 2, 3, 4, 5, 6;
  const ClassData some(x, {0, 0, 0, 1, 0, 1}, 2);
  EXPECT_EQ(one_class_features(some), (std::vector<Index>{0, 1}));
}

}  // namespace
}  // namespace fisherman::fit_feature_map_test
