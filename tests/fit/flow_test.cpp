#include "fisherman/fit/flow.hpp"

#include <cmath>

#include "expect_laws.hpp"
#include "toy.hpp"

namespace fisherman::fit_flow_test {
namespace {

/// A regression by the default family, until it has converged.
FitSummary fitted(const std::string& tolerance) {
  const Matrix x = toy::random_matrix(40, 2, 1);
  Vector y(40);
  for (Index i = 0; i < 40; ++i) y(i) = x(i, 0) + 0.5 * x(i, 1) * x(i, 1) > 0.3 ? 1.0 : 0.0;
  FlowSettings settings;
  Options options;
  settings.describe(options);
  options.set("target", "logistic");
  if (!tolerance.empty()) options.set("tolerance", tolerance);
  return fit_flow(LogisticTarget(x, y, 1.0), settings,
                  [](ErasedRun& run) { return drive(run, after_iterations(50000), {}); })
      .end;
}

TEST(FlowSettings, AToleranceOfZeroIsTheDefaultAsTheHelpSays) {
  const FitSummary usual = fitted(""), zero = fitted("0"), strict = fitted("1e-4");
  EXPECT_EQ(usual.status, Status::converged);
  EXPECT_EQ(zero.status, Status::converged);
  EXPECT_EQ(zero.iterations, usual.iterations);
  EXPECT_EQ(zero.objective, usual.objective);
  EXPECT_GT(strict.iterations, usual.iterations);
  FlowSettings settings;
  Options options;
  settings.describe(options);
  for (const auto& option : options.all()) {
    if (option.name != "tolerance") continue;
    EXPECT_NE(option.help.find("(0: " + option.initial + ")"), std::string::npos) << option.help;
  }
}

TEST(FlowOfADensity, BeginsAtAGaussianAndCountsItsGradients) {
  // N((1, −2), 4I): the start is the target, so that the NELBO is −log 2π·4 from the first iteration on.
  Index calls = 0;
  const Vector middle = Vector::LinSpaced(2, 1.0, -2.0);
  const auto values = [middle](const Matrix& x) {
    return Vector(-0.125 * (x.colwise() - middle).colwise().squaredNorm().transpose());
  };
  const FunctionTarget target(
      2,
      [&calls, middle, values](const Matrix& x, Matrix& gradients) {
        calls += x.cols();
        gradients = -0.25 * (x.colwise() - middle);
        return values(x);
      },
      values);
  FlowSettings settings;
  settings.family = VariationalFamily::sylvester;
  settings.layers = 2;
  settings.rank = 2;
  settings.iterations = 40;
  settings.batch = settings.scores = 10;
  const FlowFit fit = fit_flow(
      target, settings, [](ErasedRun& run) { return drive(run, after_iterations(50000), {}); },
      GaussianPoint{middle, 4.0 * Matrix::Identity(2, 2)});
  EXPECT_NEAR(fit.end.objective, -std::log(2.0 * 3.141592653589793 * 4.0), 0.02);
  EXPECT_LT(fit.ratios.variation, 0.3);
  EXPECT_EQ(fit.gradients, 40 * 10 + 2 * 256);
  EXPECT_EQ(calls, fit.gradients + 256);  // and those of the objective at the end
}

}  // namespace
}  // namespace fisherman::fit_flow_test
