#include "fisherman/stan/stan_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "fisherman/core/error.hpp"
#include "stan/expect_sentences.hpp"

namespace fisherman {
namespace {

namespace fs = std::filesystem;

const fs::path fake_stan_folder = FISHERMAN_FAKE_STAN;
const fs::path fake_stan = fake_stan_folder / "libfake_bridgestan.so";

StanModel fake_that(const std::string& does) {
  return {fake_stan, "{\"does\": \"" + does + "\"}", 1};
}

class StanFolder : public ::testing::Test {
 protected:
  StanFolder()
      : folder_(fs::path(::testing::TempDir()) /
                (std::string("stan-") +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~StanFolder() override { fs::remove_all(folder_); }
  fs::path file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  fs::path folder_;
};

TEST(StanNames, HaveTwoSpellings) {
  EXPECT_EQ(stan_name_with_brackets("mu"), "mu");
  EXPECT_EQ(stan_name_with_brackets("beta.1.2"), "beta[1,2]");
  EXPECT_EQ(stan_name_with_brackets("p.1:2.3"), "p[1].2[3]");
  EXPECT_EQ(stan_name_with_brackets("p:1"), "p.1");
}

TEST(StanModel, SaysWhatItIs) {
  const StanModel model = fake_that("nothing special");
  EXPECT_EQ(model.name(), "fake_model");
  EXPECT_EQ(model.dimension(), 3);
  EXPECT_TRUE(model.threads());
  EXPECT_FALSE(fake_that("one thread").threads());
  using Names = std::vector<std::string>;
  EXPECT_EQ(model.names(false, false), (Names{"mu", "sigma", "b[1,1]"}));
  EXPECT_EQ(model.dotted_names(true, true), (Names{"mu", "sigma", "b.1.1", "twice", "random"}));
  EXPECT_EQ(model.unconstrained_names(), (Names{"mu", "sigma", "b[1,1]"}));
}

TEST(StanModel, HasADensity) {
  const StanModel model = fake_that("nothing special");
  Vector gradient;
  EXPECT_DOUBLE_EQ(model.log_density(Vector::Zero(3), gradient), -1.5);
  EXPECT_EQ(gradient, Vector::Ones(3));
  EXPECT_EQ(model.failures().calls, 1);
  EXPECT_EQ(model.failures().failed, 0);
  EXPECT_THROW(model.log_density(Vector::Zero(2), gradient), Misuse);
}

TEST(StanModel, CountsThePointsThatFail) {
  for (const auto& [does, words] :
       {std::pair("throws", "Exception: Scale is 0 (in 'm.stan', line 3)"),
        std::pair("nan", "the log density is not a number")}) {
    const StanModel model = fake_that(does);
    Vector gradient;
    int impossible = 0;
    for (int i = 0; i < 50; ++i) {
      if (std::isfinite(model.log_density(Vector::Zero(3), gradient))) continue;
      ++impossible;
      EXPECT_EQ(gradient, Vector::Zero(3));
    }
    const StanModel copy = model;
    EXPECT_EQ(impossible, 5);
    EXPECT_EQ(copy.failures().calls, 50);
    EXPECT_EQ(copy.failures().failed, 5);
    EXPECT_EQ(copy.failures().first, words);
  }
}

TEST(StanModel, TakesMemoryThatRanOutForNoPointsFault) {
  const StanModel model = fake_that("eats memory");
  Vector gradient(3);
  for (int k = 0; k < 50; ++k) model.log_density(Vector::Zero(3), gradient);
  EXPECT_THROW(model.log_density(Vector::Zero(3), gradient), std::bad_alloc);
}

TEST(StanModel, TakesADensityOfZeroForAnAnswer) {
  Vector gradient;
  const StanModel zero = fake_that("impossible");
  EXPECT_EQ(zero.log_density(Vector::Zero(3), gradient), -INFINITY);
  EXPECT_EQ(zero.failures().failed, 0);
  const StanModel infinite = fake_that("infinite");
  EXPECT_EQ(infinite.log_density(Vector::Zero(3), gradient), -INFINITY);
  EXPECT_EQ(infinite.failures().first, "the log density is infinite");
  const StanModel half = fake_that("half");
  EXPECT_EQ(half.log_density(Vector::Zero(3), gradient), -INFINITY);
  EXPECT_EQ(half.failures().first, "the gradient of the log density is not finite");
}

TEST(StanModel, PrintsToStandardError) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Vector gradient;
  fake_that("prints").log_density(Vector::Zero(3), gradient);
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "the program prints\n");
}

TEST(StanModel, HasTheSameRandomNumbersForTheSameDraw) {
  const StanModel model = fake_that("nothing special");
  const StanModel other(fake_stan, "", 2);
  const Vector u = Vector::Constant(3, 0.5);
  std::set<double> seen;
  for (std::uint64_t draw = 0; draw < 20; ++draw) {
    const Vector values = model.constrained(u, true, true, draw);
    ASSERT_EQ(values.size(), 5);
    EXPECT_EQ(values, model.constrained(u, true, true, draw));
    EXPECT_DOUBLE_EQ(values[1], std::exp(0.5));
    seen.insert(values[4]);
    seen.insert(other.constrained(u, false, true, draw)[3]);
  }
  EXPECT_EQ(seen.size(), 40u);
}

TEST(StanModel, KeepsWhatIsKnownOfADrawThatFails) {
  const StanModel model = fake_that("throws");
  const Vector values = model.constrained(Vector::Ones(3), true, true, 1);
  EXPECT_EQ(values[3], 2);
  EXPECT_TRUE(std::isnan(values[4]));
  EXPECT_EQ(model.failures().undefined_draws, 1);
  EXPECT_EQ(model.failures().failed, 0);
  EXPECT_EQ(model.failures().first, "Exception: no such count");
}

TEST(StanModel, TakesInitialValues) {
  const StanModel model = fake_that("nothing special");
  EXPECT_EQ(model.unconstrained("{\"sigma\": 1}"), Vector(Eigen::Vector3d(1, 0, 3)));
  expect_sentences([&] { model.unconstrained("{}"); }, {"sigma is missing"});
}

TEST(StanModel, LetsThreadsTakeTurns) {
  for (const char* does : {"one thread", "nothing special"}) {
    const StanModel model = fake_that(does);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4 && (t < 1 || !model.threads()); ++t)  // the fake's count is no atomic
      threads.emplace_back([&] {
        Vector gradient;
        for (int i = 0; i < 100; ++i) model.log_density(Vector::Zero(3), gradient);
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(model.failures().calls, 100 * int(threads.size()));
  }
}

TEST_F(StanFolder, ReadsItsDataFromAFile) {
  EXPECT_FALSE(StanModel(fake_stan, file("d.json", "{\"does\": \"one thread\"}"), 1).threads());
  expect_sentences([&] { StanModel(fake_stan, (folder_ / "none.json").string(), 1); },
                   {"none.json"});
  expect_sentences([&] { StanModel(fake_stan, file("empty.json", " \n").string(), 1); },
                   {"empty.json", "is empty"});
  expect_sentences([&] { fake_that("bad data"); },
                   {"cannot be used with these data", "variable does not exist; N"});
}

TEST_F(StanFolder, RefusesWhatIsNoModel) {
  expect_sentences([&] { StanModel(folder_ / "none.so", "", 1); }, {"none.so", "No such file"});
  expect_sentences([&] { StanModel(folder_, "", 1); }, {"is not a file"});
  expect_sentences([&] { StanModel(file("text.so", "text"), "", 1); },
                   {"text.so", "cannot be loaded as a compiled model"});
  expect_sentences([&] { StanModel(fake_stan_folder / "libfake_bridgestan_1.so", "", 1); },
                   {"compiled with BridgeStan 1"});
  expect_sentences([&] { StanModel(fake_stan_folder / "libfake_bridgestan_3.so", "", 1); },
                   {"BridgeStan 3", "only version 2"});
}

TEST_F(StanFolder, LoadsARebuiltLibraryAnew) {
  const fs::path library = folder_ / "model.so";
  Vector gradient;
  fs::copy_file(fake_stan, library);
  const StanModel before(library, "", 1);
  fs::copy_file(fake_stan_folder / "libfake_bridgestan_moved.so", folder_ / "new.so");
  fs::rename(folder_ / "new.so", library);
  const StanModel after(library, "", 1);
  EXPECT_EQ(before.log_density(Vector::Ones(3), gradient), 0);
  EXPECT_EQ(after.log_density(Vector::Constant(3, 2), gradient), 0);
}

}  // namespace
}  // namespace fisherman
