// The real data sets, where they are at hand: their sizes, and a figure or two.
#include "real_data.hpp"

#include <algorithm>

#include "files.hpp"
#include "fisherman/fit/regression.hpp"
#include "fisherman/model/logistic.hpp"

namespace fisherman::io_real_data_test {
namespace {

class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = real_data_folder();
    if (!std::filesystem::is_directory(folder_)) GTEST_SKIP() << no_real_data;
  }
  Table read(const std::string& name, const ReadOptions& options = {}) const {
    return read_table(folder_ / name, options);
  }
  static void expect_size(const Table& table, Index rows, Index columns, double ones) {
    EXPECT_EQ(table.x.rows(), rows);
    EXPECT_EQ(table.x.cols(), columns);
    EXPECT_EQ(Index(table.names.size()), columns);
    EXPECT_EQ(Index(table.labels.size()), rows);
    EXPECT_EQ(binary_labels(table.labels, "").y.sum(), ones);
  }
  std::filesystem::path folder_;
};

TEST_F(RealData, Csv) {
  const Table wdbc = read("wdbc.csv");
  expect_size(wdbc, 569, 30, 212);
  EXPECT_EQ(wdbc.names[0], "mean_radius");
  EXPECT_EQ(wdbc.x(0, 0), 17.99);
  EXPECT_EQ(wdbc.x(0, 3), 1001.0);
  expect_size(read("ionosphere.csv"), 351, 34, 225);
  expect_size(read("sonar.csv"), 208, 60, 111);
  expect_size(read("german_numeric.csv"), 1000, 24, 300);
  expect_size(read("german_onehot.csv"), 1000, 61, 300);
  expect_size(read("labour_force.csv"), 753, 7, 428);
  expect_size(read("mroz.csv"), 753, 7, 428);
}

TEST_F(RealData, CsvWithTextInItsCells) {
  expect_file_error([&] { read("adult_train.csv.gz"); },
                    {"line 2, column 'workclass': 'State-gov' is not a number"});
}

TEST_F(RealData, Libsvm) {
  expect_size(read("a1a.libsvm"), 1605, 119, 395);
  expect_size(read("a1a.libsvm", {.columns = 123}), 1605, 123, 395);
  expect_file_error([&] { read("a1a.libsvm", {.columns = 100}); }, {"beyond the 100 columns"});
  expect_size(read("a1a.t.libsvm.gz"), 30956, 123, 7446);
  expect_size(read("adult_onehot_test.libsvm.gz"), 16281, 108, 3846);
  const Table mushrooms = read("mushrooms.libsvm");
  expect_size(mushrooms, 8124, 112, 4208);
  EXPECT_EQ(mushrooms.x.sum(), 8124.0 * 21.0);  // one of each of 21 attributes
}

TEST_F(RealData, Idx) {
  const Table images = read("mnist-t10k-images-idx3-ubyte.gz");
  EXPECT_EQ(images.x.rows(), 10000);
  EXPECT_EQ(images.x.cols(), 784);
  EXPECT_TRUE(images.labels.empty());
  const auto labels = read_labels(folder_ / "mnist-t10k-labels-idx1-ubyte.gz");
  EXPECT_EQ(labels.size(), 10000U);
  EXPECT_EQ(std::count(labels.begin(), labels.end(), "1"), 1135);
  expect_file_error([&] { binary_labels(labels, "labels"); }, {"the labels have 10 values"});
}

TEST_F(RealData, IdxInFull) {
  const Table images = read("mnist-train-images-idx3-ubyte.gz");
  EXPECT_EQ(images.x.rows(), 60000);
  EXPECT_EQ(images.x.cols(), 784);
  EXPECT_NEAR(images.x.mean() / 255.0, 0.1307, 1e-4);  // as is well known
  const auto labels = read_labels(folder_ / "mnist-train-labels-idx1-ubyte.gz");
  EXPECT_EQ(labels.size(), 60000U);
  EXPECT_EQ(std::count(labels.begin(), labels.end(), "5"), 5421);
}

/// The optimal NELBO of the paper's logistic regressions, columns standardised, no intercept.
TEST_F(RealData, LogisticOptimaAreTheKnownOnes) {
  const auto optimum = [&](const std::string& name, double prior_variance) {
    const auto [x, y] = standardised(read(name));  // one of Ionosphere's columns is constant
    return exact_optimum(LogisticTarget(x, y, prior_variance)).nelbo;
  };
  // From an independent solver; the last digit is rounded.
  EXPECT_NEAR(optimum("wdbc.csv", 1.0), 54.684079, 1e-6);
  EXPECT_NEAR(optimum("wdbc.csv", 10.0), 58.1068, 1e-4);
  EXPECT_NEAR(optimum("ionosphere.csv", 1.0), 110.834518, 1e-6);
  EXPECT_NEAR(optimum("ionosphere.csv", 10.0), 126.886025, 1e-6);
}

}  // namespace
}  // namespace fisherman::io_real_data_test
