// The default fit on data that nobody tuned it for; bench/no_tuning has more of them, and larger ones.
#include <gtest/gtest.h>

#include "../bench/logistic_data.hpp"
#include "fisherman/fit/preparation.hpp"
#include "fisherman/fit/regression.hpp"

namespace fisherman::slow_no_tuning_test {
namespace {

TEST(NoTuning, EndsWithinAFiftiethOfANatOnWhateverComes) {
  for (const std::string& kind : bench::logistic_kinds())
    for (const auto& [rows, cols] : {std::pair{100, 3}, {40, 60}})
      for (const bool raw : {false, true})
        for (const double prior_variance : {0.1, 100.0}) {
          SCOPED_TRACE(sentence(kind, ' ', rows, 'x', cols, raw ? " raw" : "", ", prior variance ",
                                prior_variance));
          const auto [X, y] = bench::logistic_data(kind, rows, cols, 3);
          ColumnSettings columns;
          columns.no_standardize = raw;
          columns.prior_variance = prior_variance;
          const auto preparation =
              Preparation::of(X, std::vector<std::string>(std::size_t(cols)), columns);
          const LogisticTarget target(preparation.design(X), y, prior_variances(columns, cols));
          RegressionSettings settings;
          settings.method = GaussianMethod::ngd;
          auto fit = make_run(target, settings);
          const Outcome outcome = run(fit.state, fit.model, fit.options, fit.stop);
          EXPECT_EQ(outcome.status, Status::converged);
          const double best = exact_optimum(target).nelbo;
          const double gap = fit.model.objective(fit.state.frame).value() - best;
          EXPECT_GT(gap, -1e-9 * std::abs(best));
          EXPECT_LE(gap, 0.02);
        }
}

}  // namespace
}  // namespace fisherman::slow_no_tuning_test
