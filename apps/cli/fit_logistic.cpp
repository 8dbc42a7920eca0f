// fisherman fit logistic: from a file to a fitted Gaussian posterior.
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>

#include "command.hpp"
#include "fisherman/app/logistic.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/io/checksum.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/table.hpp"
#include "fisherman/model/pareto.hpp"
#include "fisherman/solve/observers.hpp"
#include "run_folder.hpp"

namespace fisherman::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Fit {
  LogisticSettings settings;
  Options options;
  Flags flags;
  std::string data, label, config, out;
  std::int64_t draws = 0, columns = 0;
  bool resume = false, json = false, quiet = false;

  int run();

 private:
  struct Ended {
    GaussianPoint q;
    std::string status, sentence;
    double objective;
    std::int64_t iterations;
    double seconds;
    std::int64_t rejected = 0, clips = 0;
  };

  Ended solve(const LogisticTarget& target, const RunFolder* folder);
  Json summary(const LogisticTarget& target, const Ended& end) const;
  void say(const std::string& line) const {
    if (!quiet) std::cerr << line << '\n';
  }
};

Json numbers(const Vector& v) { return std::vector<double>(v.data(), v.data() + v.size()); }

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

constexpr double ninety_percent = 1.6448536269514722;  // 5% and 95% of a normal

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

/// As CmdStan writes variational draws: comments, lp__, log_p__, log_g__, then beta.1, beta.2, …
std::string draws_csv(const LogisticTarget& target, const std::vector<std::string>& names,
                      const GaussianPoint& q, Index count, std::uint64_t seed) {
  const Matrix betas = posterior_draws(q, count, seed);
  Matrix slopes(betas.cols(), count);
  const Vector log_p = target.log_density(betas.transpose(), slopes);
  const Vector log_q = log_density(q, betas);
  std::ostringstream out;
  out << std::setprecision(17) << "# model = logistic\n# method = variational\n";
  for (std::size_t k = 0; k < names.size(); ++k)
    out << "# beta." << k + 1 << " = " << names[k] << '\n';
  out << "lp__,log_p__,log_g__";
  for (Index k = 0; k < betas.cols(); ++k) out << ",beta." << k + 1;
  out << '\n';
  for (Index i = 0; i < count; ++i) {
    out << 0 << ',' << log_p(i) << ',' << log_q(i);
    for (Index k = 0; k < betas.cols(); ++k) out << ',' << betas(i, k);
    out << '\n';
  }
  return out.str();
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

Fit::Ended Fit::solve(const LogisticTarget& target, const RunFolder* folder) {
  if (settings.method == "exact") {
    require(!resume, "--method exact is done in one go and has nothing to resume");
    const auto began = std::chrono::steady_clock::now();
    const LogisticOptimum best = exact_optimum(target);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return {{best.mean, best.covariance},
            "converged",
            std::string(describe(Status::converged)),
            best.nelbo,
            best.iterations,
            seconds};
  }
  LogisticRun fit = make_run(target, settings);
  if (resume) restore(fit.state, read_checkpoint(folder->file("checkpoint")));
  std::vector<Observer<ErasedState>> observers;
  std::ofstream trace;
  if (folder != nullptr) {
    if (resume) folder->cut_trace(fit.state.iteration);
    trace.open(folder->file("trace.csv"), resume ? std::ios::app : std::ios::out);
    if (!resume) trace << Trace::csv_header() << std::flush;
    observers.emplace_back([&](const Record& r, const ErasedState&) {
      trace << Trace::csv_line(r) << std::flush;
      if (!trace) throw FileError(folder->file("trace.csv").string() + ": cannot be written");
    });
    observers.emplace_back(Checkpoint(folder->file("checkpoint"), 2.0));
  }
  if (!quiet && isatty(STDERR_FILENO) != 0)
    observers.emplace_back(Progress(std::cerr, fit.planned));
  const Outcome outcome = fisherman::run(fit.state, fit.model, fit.options,
                                         when_set(interrupted()) || fit.stop, observers);
  const AnyFrame end = fit.state.estimate();
  std::string sentence(describe(outcome.status));
  if (!outcome.trouble.empty()) sentence += " (" + outcome.trouble + ")";
  return {gaussian_point(end),
          std::string(name(outcome.status)),
          sentence,
          fit.model.objective(end).value(),
          fit.state.iteration,
          fit.state.seconds,
          fit.state.rejected,
          fit.state.clips};
}

Json Fit::summary(const LogisticTarget& target, const Ended& end) const {
  const double khat = posterior_khat(target, end.q, std::uint64_t(settings.seed));
  Json result;
  result["status"] = end.status;
  result["sentence"] = end.sentence;
  result["objective"] = end.objective;
  result["iterations"] = end.iterations;
  result["seconds"] = end.seconds;
  result["rejected"] = end.rejected;
  result["clips"] = end.clips;
  result["khat"] = std::isnan(khat) ? Json() : Json(khat);
  result["khat_verdict"] = pareto_verdict(khat);
  return result;
}

int Fit::run() {
  flags.apply(options, config);
  require(!resume || !out.empty(), "--resume needs --out, the folder of the run to go on with");
  set_threads(int(settings.threads));
  const Table table = read_table(data, {.label = label, .columns = columns});
  const auto [y, classes] = binary_labels(table.labels, data);
  const Preparation preparation = Preparation::of(table.x, table.names, settings);
  for (const std::string& warning : preparation.warnings) say("warning: " + warning);
  const LogisticTarget target(preparation.design(table.x), y, settings.prior_variance);

  Json config_json = as_json(options);
  config_json["data"] = std::filesystem::absolute(data).string();
  config_json["label"] = table.label_name;
  config_json["checksum"] = file_checksum(data);
  config_json["version"] = FISHERMAN_VERSION;
  std::unique_ptr<RunFolder> folder;
  if (!out.empty()) {
    folder = std::make_unique<RunFolder>(out, resume);
    if (resume)
      folder->require_same(config_json);
    else
      folder->write("config.json", config_json);
  }

  const Ended end = solve(target, folder.get());
  const Json result = summary(target, end);
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
    model["mean"] = numbers(end.q.mean);
    model["covariance"] = numbers(Vector(as_vector(end.q.covariance)));
    folder->write("model.json", model);
    folder->write("coefficients.csv", coefficients_csv(preparation.names, end.q));
    folder->write("covariance.csv", covariance_csv(preparation.names, end.q));
    if (draws > 0)
      folder->write("draws.csv", draws_csv(target, preparation.names, end.q, draws,
                                           std::uint64_t(settings.seed)));
    folder->write("result.json", result);
  }
  if (json) {
    std::cout << result.dump(2) << '\n';
  } else {
    print_table(preparation.names, end.q);
    std::cout << "\n"
              << end.sentence << "\nNELBO " << std::setprecision(6) << end.objective
              << " nats after " << end.iterations << " iterations, " << std::setprecision(2)
              << end.seconds << " s\nPareto k "
              << (result["khat"].is_null() ? NAN : result["khat"].get<double>()) << ", "
              << result["khat_verdict"].get<std::string>() << '\n';
  }
  const bool asked = end.status == "iterations_done" && settings.iterations > 0;
  return end.status == "converged" || asked ? done : not_converged;
}

}  // namespace

void add_fit_logistic(CLI::App& fit, int& exit_code) {
  auto self = std::make_shared<Fit>();
  CLI::App* const command = fit.add_subcommand(
      "logistic", "Bayesian logistic regression, its posterior approximated by a Gaussian");
  command->add_option("--data", self->data, "CSV, LIBSVM or npy file, gzipped or not")->required();
  command->add_option("--label", self->label,
                      "the column that holds the two classes (default: label, or the last)");
  command->add_option("--columns", self->columns,
                      "features of a LIBSVM file, if the last ones do not occur");
  command->add_option("--config", self->config, "a JSON file of options, as config.json has them");
  command->add_option("--out", self->out, "a folder for everything that comes out");
  command->add_option("--draws", self->draws,
                      "draws of the posterior into draws.csv (needs --out)");
  command->add_flag("--resume", self->resume, "go on with the run in --out");
  command->add_flag("--json", self->json, "print the result as one JSON object and nothing else");
  command->add_flag("--quiet", self->quiet, "no progress and no warnings");
  self->settings.describe(self->options);
  self->flags.add_to(*command, self->options);
  command->footer(
      "Example:\n  fisherman fit logistic --data wdbc.csv --out wdbc-run\n"
      "  fisherman predict --run wdbc-run --data new.csv");
  command->callback([self, &exit_code] { exit_code = self->run(); });
}

}  // namespace fisherman::cli
