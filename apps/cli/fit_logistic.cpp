// fisherman fit logistic: from a file to a fitted Gaussian posterior.
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "fisherman/app/logistic.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/model/pareto.hpp"
#include "fit.hpp"
#include "report.hpp"

namespace fisherman::cli {
namespace {

struct FitLogistic : FitCommand {
  LogisticSettings settings;
  std::int64_t draws = 0;

  int run();
};

std::string coefficients_csv(const std::vector<std::string>& names, const GaussianPoint& q) {
  std::ostringstream out;
  out << std::setprecision(17) << "name,mean,sd,q5,q95\n";
  for (Index k = 0; k < q.mean.size(); ++k) {
    const double sd = std::sqrt(q.covariance(k, k));
    out << csv_field(names[std::size_t(k)]) << ',' << q.mean(k) << ',' << sd << ','
        << q.mean(k) - ninety_percent * sd << ',' << q.mean(k) + ninety_percent * sd << '\n';
  }
  return out.str();
}

std::string covariance_csv(const std::vector<std::string>& names, const GaussianPoint& q) {
  std::ostringstream out;
  out << std::setprecision(17);
  for (std::size_t k = 0; k < names.size(); ++k) out << (k == 0 ? "" : ",") << csv_field(names[k]);
  out << '\n';
  for (Index i = 0; i < q.covariance.rows(); ++i)
    for (Index j = 0; j < q.covariance.cols(); ++j)
      out << q.covariance(i, j) << (j + 1 == q.covariance.cols() ? '\n' : ',');
  return out.str();
}

std::string draws_of(const LogisticTarget& target, const std::vector<std::string>& names,
                     const GaussianPoint& q, Index count, std::uint64_t seed) {
  const Matrix betas = posterior_draws(q, count, seed);
  const Vector log_p = log_densities(target, betas.transpose());
  return draws_csv("logistic", names, betas, log_p, log_density(q, betas));
}

void print_table(const std::vector<std::string>& names, const GaussianPoint& q) {
  std::size_t width = 4;
  for (const auto& name : names) width = std::max(width, std::min<std::size_t>(name.size(), 32));
  std::cout << std::left << std::setw(int(width)) << "name" << std::right;
  for (const char* head : {"mean", "sd", "5%", "95%"}) std::cout << std::setw(11) << head;
  std::cout << '\n' << std::fixed << std::setprecision(4);
  for (Index k = 0; k < q.mean.size(); ++k) {
    const double sd = std::sqrt(q.covariance(k, k));
    std::cout << std::left << std::setw(int(width)) << names[std::size_t(k)].substr(0, 32)
              << std::right;
    for (const double x :
         {q.mean(k), sd, q.mean(k) - ninety_percent * sd, q.mean(k) + ninety_percent * sd})
      std::cout << std::setw(11) << x;
    std::cout << '\n';
  }
}

int FitLogistic::run() {
  apply();
  require(draws == 0 || !out.empty(), "--draws needs --out, the folder for draws.csv");
  require(!resume || settings.method != "exact",
          "--method exact is done in one go and has nothing to resume");
  set_threads(int(settings.threads));
  Table table = read();
  const auto [y, classes] = binary_labels(table.labels, labels.empty() ? data : labels);
  const Preparation preparation = Preparation::of(table.x, table.names, settings);
  for (const std::string& warning : preparation.warnings) say("warning: " + warning);
  const LogisticTarget target(preparation.design(std::move(table.x)), y, settings.prior_variance);
  const std::unique_ptr<RunFolder> folder = this->folder(config_of(table));

  const auto [end, q] =
      fit_logistic(target, settings, [&](ErasedRun& run) { return drive(run, folder.get()); });
  const auto seed = std::uint64_t(settings.seed);
  const double khat = posterior_khat(target, q, seed);
  Json result = as_json(end);
  result["khat"] = std::isnan(khat) ? Json() : Json(khat);
  result["khat_verdict"] = pareto_verdict(khat);
  if (folder) {
    Json model;
    model["model"] = "logistic";
    model["names"] = preparation.names;
    model["columns"] = table.names;
    model["label"] = table.label_name;
    model["classes"] = classes;
    model["intercept"] = preparation.intercept;
    model["shift"] = numbers(preparation.shift);
    model["scale"] = numbers(preparation.scale);
    model["mean"] = numbers(q.mean);
    model["covariance"] = numbers(Vector(as_vector(q.covariance)));
    folder->write("model.json", model);
    folder->write("coefficients.csv", coefficients_csv(preparation.names, q));
    folder->write("covariance.csv", covariance_csv(preparation.names, q));
    if (draws > 0) folder->write("draws.csv", draws_of(target, preparation.names, q, draws, seed));
    folder->write("result.json", result);
  }
  if (json) {
    std::cout << result.dump(2) << '\n';
  } else {
    print_table(preparation.names, q);
    std::cout << "\n"
              << end.sentence << "\nNELBO " << std::setprecision(6) << end.objective
              << " nats after " << end.iterations << " iterations, " << std::setprecision(2)
              << end.seconds << " s\nPareto k " << khat << ", "
              << result["khat_verdict"].get<std::string>() << '\n';
  }
  if (folder && !no_report) leave_report(out, target, preparation.warnings);
  return exit_code(end, settings.iterations);
}

}  // namespace

void add_fit_logistic(CLI::App& fit, int& exit_code) {
  auto self = std::make_shared<FitLogistic>();
  CLI::App* const command = fit.add_subcommand(
      "logistic", "Bayesian logistic regression, its posterior approximated by a Gaussian");
  self->settings.describe(self->options);
  self->add_to(*command);
  command->add_option("--draws", self->draws,
                      "draws of the posterior into draws.csv (needs --out)");
  command->footer(
      "Example:\n  fisherman fit logistic --data wdbc.csv --out wdbc-run\n"
      "  fisherman predict --run wdbc-run --data new.csv");
  command->callback([self, &exit_code] { exit_code = self->run(); });
}

}  // namespace fisherman::cli
