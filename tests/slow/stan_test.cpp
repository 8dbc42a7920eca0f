// One real Stan program, from its text to its density. It needs a Stan on this machine; scripts/setup --for stan gets
// one.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "fisherman/stan/stan_compile.hpp"
#include "fisherman/stan/stan_model.hpp"
#include "stan/expect_sentences.hpp"

namespace fisherman {
namespace {

namespace fs = std::filesystem;

constexpr const char* small_program = R"(
data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real mu;
  vector<lower=0>[2] sigma;
}
transformed parameters {
  real twice = 2 * mu;
}
model {
  if (mu > 100) reject("mu is large");
  if (mu > 50) print("mu is ", mu);
  mu ~ normal(0, 10);
  sigma ~ exponential(1);
  y ~ normal(mu, sigma[1]);
}
generated quantities {
  array[1, 2] real fresh = {normal_rng({mu, mu}, sigma[1])};
}
)";

TEST(RealStan, FromProgramToDensity) {
  if (stan_toolchain_name().empty())
    GTEST_SKIP() << "there is no Stan on this machine; scripts/setup --for stan gets one";
  const fs::path folder = fs::path(::testing::TempDir()) / "real-stan";
  fs::remove_all(folder);
  fs::create_directories(folder);
  StanCompileOptions options;
  options.cache = folder / "cache";

  std::ofstream(folder / "wrong.stan") << "parameters {\n  real mu\n}\n";
  expect_sentences([&] { compiled_stan(folder / "wrong.stan", options); },
                   {"'wrong.stan', line 3", "\";\" expected"});

  std::ofstream(folder / "small.stan") << small_program;
  const fs::path library = compiled_stan(folder / "small.stan", options);
  EXPECT_EQ(compiled_stan(folder / "small.stan", options), library);

  expect_sentences([&] { StanModel(library, "", 1); }, {"with no data", "N"});
  expect_sentences([&] { StanModel(library, R"({"N": 2, "y": [1]})", 1); }, {"these data", "y"});
  const StanModel model(library, R"({"N": 2, "y": [1, 2.5]})", 1);
  EXPECT_EQ(model.name(), "small_model");
  EXPECT_TRUE(model.threads());
  using Names = std::vector<std::string>;
  EXPECT_EQ(model.names(true, true),
            (Names{"mu", "sigma[1]", "sigma[2]", "twice", "fresh[1,1]", "fresh[1,2]"}));
  EXPECT_EQ(model.dimension(), 3);

  // By hand, at mu = 1 and sigma = (2, 1): constants and the Jacobian, log sigma, are in it.
  const Vector u = model.unconstrained(R"({"mu": 1, "sigma": [2, 1]})");
  EXPECT_NEAR(u[1], std::log(2.0), 1e-15);
  const double log_normal = -0.5 * std::log(2 * M_PI);
  const double expected = log_normal - std::log(10.0) - 0.005 - 3 + 2 * log_normal -
                          2 * std::log(2.0) - 0.5 * (1.5 / 2) * (1.5 / 2) + std::log(2.0);
  Vector gradient;
  EXPECT_NEAR(model.log_density(u, gradient), expected, 1e-12);
  EXPECT_NEAR(gradient[0], -0.01 + 1.5 / 4, 1e-12);
  EXPECT_NEAR(gradient[2], -1 + 1, 1e-12);

  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      Vector own;
      for (int i = 0; i < 500; ++i) EXPECT_NEAR(model.log_density(u, own), expected, 1e-12);
    });
  for (std::thread& thread : threads) thread.join();

  const Vector draw = model.constrained(u, true, true, 7);
  EXPECT_NEAR(draw[1], 2, 1e-15);
  EXPECT_EQ(draw[3], 2);
  EXPECT_NE(draw[4], draw[5]);
  EXPECT_EQ(draw, model.constrained(u, true, true, 7));
  EXPECT_NE(draw[4], model.constrained(u, true, true, 8)[4]);

  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  EXPECT_TRUE(std::isfinite(model.log_density(Vector::Constant(3, 60), gradient)));
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "mu is 60\n");
  EXPECT_EQ(model.failures().failed, 0);
  EXPECT_EQ(model.log_density(Vector::Constant(3, 101), gradient), -INFINITY);
  EXPECT_EQ(model.failures().failed, 1);
  EXPECT_NE(model.failures().first.find("mu is large (in 'small.stan', line 14"), std::string::npos)
      << model.failures().first;
  fs::remove_all(folder);
}

}  // namespace
}  // namespace fisherman
