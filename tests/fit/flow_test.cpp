#include "fisherman/fit/flow.hpp"

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

}  // namespace
}  // namespace fisherman::fit_flow_test
