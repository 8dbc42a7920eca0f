// What a fitted regression tells: a text for a terminal, and tables as files.
#include <cmath>
#include <iomanip>
#include <sstream>

#include "../csv_table.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/fit/draws_csv.hpp"
#include "fitted.hpp"

namespace fisherman {
namespace {

void print_row(std::ostream& out, std::size_t width, const std::string& name,
               const std::vector<double>& numbers) {
  out << std::left << std::setw(int(width)) << name.substr(0, 32) << std::right;
  for (const double x : numbers) out << std::setw(12) << x;
  out << '\n';
}

}  // namespace

std::string RegressionFitted::text(const Output& output) const {
  std::ostringstream out;
  const GaussianPoint c = coefficients(output.units);
  const std::vector<std::string> all = names(output.units);
  const std::vector<Positive> scales = positives(output.units);
  const Index grouped = plan.effects.empty() ? coefficient_count() : plan.effects.front().first;
  std::size_t width = 4;
  for (const auto& name : all) width = std::max(width, std::min<std::size_t>(name.size(), 32));
  for (const auto& one : scales) width = std::max(width, one.name.size());
  const bool ratio = !ratio_name().empty();
  out << "Coefficients in " << units_words(output.units);
  if (several_classes()) out << ", of log odds against " << label << " = " << classes.front();
  out << "\n\n" << std::left << std::setw(int(width)) << "name" << std::right;
  for (const char* head : {"mean", "sd", "5%", "95%"}) out << std::setw(12) << head;
  if (ratio) out << "  " << ratio_name();
  // Columns of any size: digits that count, not digits after the point.
  out << '\n' << std::setprecision(4);
  for (Index k = 0; k < c.mean.size(); ++k) {
    if (k >= grouped && k < coefficient_count()) continue;
    const double mean = c.mean(k), reach = ninety_percent * c.sd(k);
    std::vector<double> numbers = {mean, c.sd(k), mean - reach, mean + reach};
    if (ratio) numbers.push_back(std::exp(mean));
    print_row(out, width, all[std::size_t(k)], numbers);
  }
  if (Index(all.size()) > coefficient_count())
    out << "\nThe fit has no intercept; (constant) is what shifting the columns implies.\n";
  if (!scales.empty()) {
    out << '\n' << std::left << std::setw(int(width)) << "parameter" << std::right;
    for (const char* head : {"mean", "sd", "5%", "95%"}) out << std::setw(12) << head;
    out << '\n';
    for (const Positive& one : scales)
      print_row(
          out, width, one.name,
          {one.mean(), one.sd(), one.quantile(-ninety_percent), one.quantile(ninety_percent)});
  }
  for (const DesignPlan::Effects& e : plan.effects)
    out << '\n' << e.count << " effects of " << e.name << " are in effects.csv (with --out)\n";
  out << "\n"
      << summary.sentence << "\nNELBO " << std::fixed << std::setprecision(6) << summary.objective
      << " nats after " << summary.iterations << " iterations, " << std::setprecision(2)
      << summary.seconds << " s\n"
      << ratios.told() << '\n';
  if (likelihood->finer())
    out << likelihood->approximation() << std::defaultfloat << std::setprecision(2)
        << " Four times as many nodes change the NELBO by " << expectation_error << " nats.\n"
        << std::fixed;
  if (std::isfinite(loo().elpd)) {
    out << std::setprecision(1) << "Leave-one-out log predictive density " << loo().elpd << " ± "
        << loo().error << " nats";
    if (const Index doubtful = loo().doubtful; doubtful > 0)
      out << "; " << doubtful << " of " << loo().rows
          << (doubtful == 1 ? " rows has" : " rows have")
          << " a Pareto k above 0.7, so that the density is probably too high";
    if (!loo().correction.weights_correct())
      out << "; the weights that correct the Gaussian vary much, so that another --seed may move "
             "it";
    out << '\n';
  }
  return out.str();
}

std::vector<NamedFile> RegressionFitted::tables(const Output& output) const {
  const GaussianPoint c = coefficients(output.units);
  const std::vector<std::string> all = names(output.units);
  const Index first = plan.effects.empty() ? coefficient_count() : plan.effects.front().first;
  std::ostringstream fixed, grouped, exponentials, scales;
  for (std::ostringstream* text : {&fixed, &grouped})
    *text << std::setprecision(17) << "name,mean,sd,q5,q95,units\n";
  exponentials << std::setprecision(10) << "name,"
               << (ratio_name()[0] == 'o' ? "odds_ratio" : "ratio") << ",q5,q95\n";
  for (Index k = 0; k < c.mean.size(); ++k) {
    const bool of_group = k >= first && k < coefficient_count();
    const double mean = c.mean(k), reach = ninety_percent * c.sd(k);
    (of_group ? grouped : fixed) << csv_field(all[std::size_t(k)]) << ',' << mean << ',' << c.sd(k)
                                 << ',' << mean - reach << ',' << mean + reach << ','
                                 << units_name(output.units) << '\n';
    if (of_term(k, output.units))
      exponentials << csv_field(all[std::size_t(k)]) << ',' << std::exp(mean) << ','
                   << std::exp(mean - reach) << ',' << std::exp(mean + reach) << '\n';
  }
  std::vector<NamedFile> out = {
      {"coefficients.csv", fixed.str()},
      {"covariance.csv",
       csv_table(sentence("units: ", units_name(output.units)), all, all, c.covariance)}};
  if (!plan.effects.empty()) out.push_back({"effects.csv", grouped.str()});
  if (!ratio_name().empty()) out.push_back({"ratios.csv", exponentials.str()});
  const std::vector<Positive> positive = positives(output.units);
  if (!positive.empty()) {
    scales << std::setprecision(17) << "name,mean,sd,q5,q95\n";
    for (const Positive& one : positive)
      scales << csv_field(one.name) << ',' << one.mean() << ',' << one.sd() << ','
             << one.quantile(-ninety_percent) << ',' << one.quantile(ninety_percent) << '\n';
    out.push_back({"parameters.csv", scales.str()});
  }
  if (!effects().empty()) {
    std::ostringstream marginal;
    marginal << std::setprecision(10) << "name,mean,sd,q5,q95\n";
    for (const MarginalEffect& one : effects())
      marginal << csv_field(one.name) << ',' << one.mean << ',' << one.sd << ',' << one.low << ','
               << one.high << '\n';
    out.push_back({"marginal_effects.csv", marginal.str()});
  }
  if (output.draws > 0)
    out.push_back(
        {"draws.csv", draws_csv(kind, output.units, draws(output.draws, seed, output.units))});
  return out;
}

}  // namespace fisherman
