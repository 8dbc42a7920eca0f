// fisherman fit density: from a log density to the nearest Gaussian, and the kind of fit that this is.
#include "fitted.hpp"

#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

#include "../kinds.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/draws_csv.hpp"
#include "fisherman/fit/stan_files.hpp"
#include "fisherman/io/text.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/model/pareto.hpp"

namespace fisherman {

namespace {

const std::vector<std::string>& summary_columns() {
  static const std::vector<std::string> names = {"mean", "sd", "5%", "50%", "95%", "ess", "khat"};
  return names;
}

/// log q at points, one per column.
Vector log_q_at(const GaussianPoint& q, const Matrix& points) {
  return log_density(q, points.transpose());
}

Vector equal_weights(Index count) { return Vector::Constant(count, -std::log(double(count))); }

}  // namespace

void DensityFitSettings::describe(Options& o) {
  DensitySettings::describe(o);
  o.add("resample", resample, "how draws and summaries correct for what the Gaussian misses",
        {{Resample::automatic, "auto",
          "psis where Pareto k is below 0.7 or the weights vary little, otherwise none"},
         {Resample::none, "none", "not at all: draws of the Gaussian"},
         {Resample::psis, "psis", "by Pareto-smoothed importance weights"}});
}

std::unique_ptr<DensityFitted> DensityFitted::fit(const std::string& kind, DensityModel model,
                                                  const DensityFitSettings& s, Driver& driver) {
  set_threads(int(s.threads));
  auto out = std::make_unique<DensityFitted>();
  out->kind = kind;
  out->name = model.name;
  out->seed = std::uint64_t(s.seed);
  out->coordinates = model.coordinates;
  out->quantities = model.quantities;
  out->own = model.parameters;
  out->density = std::make_shared<const DensityModel>(std::move(model));
  const GaussianFit found = fit_gaussian(out->density->target, s, std::nullopt,
                                         [&](ErasedRun& run) { return driver.drive(run); });
  out->summary = found.end;
  out->as_asked = found.end.as_asked(s.iterations);
  out->q = found.q;
  out->objective_error = found.objective_error;
  out->ratios = found.ratios;
  out->gradients = found.gradients;
  out->others = found.others;
  out->weighted = corrects(s.resample, found.ratios);
  out->summarise(found);
  out->add_warnings(found);
  for (const std::string& warning : out->warnings) driver.warn(warning);
  return out;
}

void DensityFitted::summarise(const GaussianFit& found) {
  middle = density->at(q.mean, 0).head(own);
  const Index count = found.log_ratios.size();
  if (count == 0) return;  // the density has no values here; the sentence says how the run ended
  const Matrix points = khat_draws(q, count, seed);
  Matrix values(count, Index(quantities.size()));
  for (Index k = 0; k < count; ++k)
    values.row(k) = density->at(points.col(k), std::uint64_t(k)).transpose();
  Vector weights = weighted ? pareto_smoothed(found.log_ratios).log_weights : equal_weights(count);
  for (Index k = 0; k < count; ++k)
    if (!std::isfinite(found.log_ratios(k))) weights(k) = found.log_ratios(k);
  weights.array() -= log_sum_exp(weights);
  ess = 1.0 / weights.array().exp().square().sum();
  summaries = summaries_of(values, weights, found.log_ratios);
}

void DensityFitted::add_warnings(const GaussianFit& found) {
  warnings = doubts_about(found,
                          "or NUTS, which can begin with metric.json and inits.json of the run's "
                          "folder");
  if (const std::string said = density->complaint(); found.impossible > 0 && !said.empty())
    warnings.push_back("the first time that the model could not be computed, it said: " + said);
}

Fields DensityFitted::result() const {
  Fields out = fields_of(summary);
  out.set("objective_error", objective_error);
  out.set("gradients", gradients);
  out.set("khat", ratios.k);
  out.set("khat_verdict", ratios.verdict());
  out.set("ratio_variation", ratios.variation);
  out.set("weighted", weighted);
  out.set("ess", ess);
  out.set("other_objectives", others);
  out.set("warnings", warnings);
  return out;
}

Fields DensityFitted::model() const {
  Fields out;
  out.set("model", kind);
  out.set("name", name);
  out.set("seed", std::int64_t(seed));
  out.set("coordinates", coordinates);
  out.set("quantities", quantities);
  out.set("parameters", own);
  out.set("mean", q.mean);
  out.set("covariance", q.covariance);
  out.set("middle", middle);
  out.set("summaries", summaries);
  return out;
}

std::unique_ptr<Fitted> DensityFitted::load(const SavedFit& saved) {
  auto out = std::make_unique<DensityFitted>();
  const Fields& m = saved.model;
  out->kind = m.need_text("model");
  out->name = m.need_text("name");
  out->seed = std::uint64_t(m.need_count("seed"));
  out->coordinates = m.need_texts("coordinates");
  out->quantities = m.need_texts("quantities");
  out->own = m.need_count("parameters");
  out->q = {m.need_vector("mean"), m.need_matrix("covariance")};
  out->middle = m.need_vector("middle");
  if (m.has("summaries")) out->summaries = m.need_matrix("summaries");
  const Index d = Index(out->coordinates.size()), n = Index(out->quantities.size());
  require(d > 0 && out->q.mean.size() == d && out->q.covariance.rows() == d &&
              out->q.covariance.cols() == d && out->own <= n && out->middle.size() == out->own &&
              (out->summaries.size() == 0 ||
               (out->summaries.rows() == n &&
                out->summaries.cols() == Index(summary_columns().size()))),
          "its sizes do not go together");
  gaussian_affine(out->q.mean, out->q.covariance);  // throws unless it is a Gaussian
  const Fields& r = saved.result;
  out->objective_error = r.number("objective_error");
  out->ratios = {r.number("khat"), r.number("ratio_variation")};
  out->ess = r.number("ess");
  out->weighted = r.flag("weighted");
  out->gradients = r.has("gradients") ? r.need_count("gradients") : 0;
  if (r.has("other_objectives")) out->others = r.need_vector("other_objectives");
  if (r.has("warnings")) out->warnings = r.need_texts("warnings");
  return out;
}

Fields DensityFitted::parameters() const {
  Fields out;
  out.set("names", quantities);
  out.set("coordinates", coordinates);
  out.set("mean", q.mean);
  out.set("covariance", q.covariance);
  out.set("summaries", summaries);
  out.set("summary_columns", summary_columns());
  out.set("elbo", -summary.objective);
  out.set("elbo_error", objective_error);
  out.set("khat", ratios.k);
  out.set("khat_verdict", ratios.verdict());
  out.set("ratio_variation", ratios.variation);
  out.set("gradients", gradients);
  return out;
}

std::string DensityFitted::text(const Output& /*output*/) const {
  constexpr Index most_rows = 40;
  std::ostringstream out;
  out << summary.sentence << "\nNELBO " << std::fixed << std::setprecision(3) << summary.objective
      << " nats, give or take " << objective_error << ", after " << gradients << " gradients, "
      << std::setprecision(2) << summary.seconds << " s\nPareto k " << ratios.k << ", "
      << ratios.verdict() << '\n';
  if (summaries.size() == 0) return out.str();
  out << (weighted ? "Draws are weighted by importance; they are worth "
                   : "Draws of the Gaussian, as they are: ")
      << std::setprecision(0) << ess << " draws\n";
  std::size_t width = 8;
  const Index rows = Index(quantities.size()), shown = std::min(rows, most_rows);
  for (Index j = 0; j < shown; ++j) width = std::max(width, quantities[std::size_t(j)].size());
  out << std::string(width, ' ');
  for (std::size_t k = 0; k < 5; ++k) out << std::setw(12) << summary_columns()[k];
  out << '\n';
  for (Index j = 0; j < shown; ++j) {
    const std::string& who = quantities[std::size_t(j)];
    out << who << std::string(width - who.size(), ' ');
    for (Index k = 0; k < 5; ++k) out << std::setw(12) << report::figure(summaries(j, k));
    out << '\n';
  }
  if (shown < rows)
    out << "… and " << rows - shown << " more, in summary.csv of the run's folder\n";
  return out.str();
}

std::vector<NamedFile> DensityFitted::tables(const Output& output) const {
  std::vector<NamedFile> out;
  if (summaries.size() > 0) {
    std::ostringstream csv;
    csv << std::setprecision(10) << "quantity";
    for (const std::string& column : summary_columns()) csv << ',' << column;
    csv << '\n';
    for (Index j = 0; j < summaries.rows(); ++j) {
      csv << csv_field(quantities[std::size_t(j)]);
      for (Index k = 0; k < summaries.cols(); ++k) csv << ',' << summaries(j, k);
      csv << '\n';
    }
    out.push_back({"summary.csv", csv.str()});
  }
  out.push_back({"metric.json", stan_metric(q.covariance)});
  out.push_back({"inits.json", stan_inits(quantities, middle)});
  if (output.draws > 0)
    out.push_back(
        {"draws.csv", stan_draws(name, weighted, draws(output.draws, seed, output.units))});
  return out;
}

Predictions DensityFitted::predict(const Table& /*rows*/, const std::string& /*where*/,
                                   bool /*errors*/) const {
  throw Misuse("a fit to a log density has no rows to predict");
}

Fields DensityFitted::score(const Table& /*rows*/, const Predictions& /*predictions*/,
                            const std::string& /*where*/,
                            const std::string& /*labels_where*/) const {
  throw Misuse("a fit to a log density has no rows to predict");
}

FittedDraws DensityFitted::draws(Index count, std::uint64_t from_seed, Units /*units*/) const {
  const Matrix points = posterior_draws(q, count, from_seed).transpose();
  const Vector log_q = log_q_at(q, points);
  if (!density) return {coordinates, points.transpose(), {}, log_q};
  const Vector log_p = log_densities(density->target, points);
  std::vector<Index> chosen(std::size_t(count), 0);
  if (weighted) {
    Vector at = log_p - log_q;
    for (double& ratio : at)
      if (!std::isfinite(ratio)) ratio = -std::numeric_limits<double>::infinity();
    chosen = resampled(pareto_smoothed(at).log_weights, count, from_seed);
  } else {
    for (Index k = 0; k < count; ++k) chosen[std::size_t(k)] = k;
  }
  FittedDraws out{quantities, Matrix(count, Index(quantities.size())), log_p(chosen),
                  log_q(chosen)};
  for (Index i = 0; i < count; ++i)
    out.values.row(i) =
        density->at(points.col(chosen[std::size_t(i)]), std::uint64_t(i)).transpose();
  return out;
}

FitKind density_kind() {
  return {.name = "density",
          .help = "the Gaussian nearest to a log density of your own, from a shared library",
          .examples = "fisherman fit density --model ./libmine.so --out mine-run --draws 1000",
          .objective = "NELBO, nats",
          .has_draws = true,
          .takes_rows = false,
          .files = {"summary.csv", "metric.json", "inits.json", "draws.csv"},
          .settings = new_settings<DensityFitSettings>,
          .fit = [](FitData data, const FitSettings& settings,
                    Driver& driver) -> std::unique_ptr<Fitted> {
            return DensityFitted::fit("density", library_density(data.program, data.where),
                                      settings_as<DensityFitSettings>(settings), driver);
          },
          .load = DensityFitted::load,
          .page = density_report::page};
}

}  // namespace fisherman
