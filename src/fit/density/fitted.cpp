// fisherman fit density: from a log density to the nearest member of a family, and the kind of fit that this is.
#include "fitted.hpp"

#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

#include "../flow/defaults.hpp"
#include "../kinds.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/draws_csv.hpp"
#include "fisherman/fit/stan_files.hpp"
#include "fisherman/io/text.hpp"
#include "fisherman/model/pareto.hpp"

namespace fisherman {

namespace {

const std::vector<std::string>& summary_columns() {
  static const std::vector<std::string> names = {"mean", "sd", "5%", "50%", "95%", "ess", "khat"};
  return names;
}

Words<DensityFamily> density_family_words() {
  Words<DensityFamily> out;
  for (const FamilyEntry& entry : density_families())
    out.push_back({entry.family, entry.name, entry.help});
  return out;
}

Vector equal_weights(Index count) { return Vector::Constant(count, -std::log(double(count))); }

}  // namespace

void DensityFitSettings::describe(Options& o) {
  o.add("family", family, "family of distributions that approximate the posterior",
        density_family_words());
  o.add("layers", layers, "number of layers of a flow", Options::Rule::positive);
  o.add("rank", rank,
        sentence(
            "number of directions in which each layer of a flow bends, or of factors of low-rank "
            "(0: ",
            density_flow_rank, ", or as many as there can be)"),
        Options::Rule::not_negative);
  Help help = density_help();
  help.iterations += sentence(", for a flow and low-rank at most ", flow_defaults::at_most);
  help.batch = sentence("number of draws per gradient (not for newton; 0: ", gaussian_batch,
                        ", for a flow and low-rank ", flow_batch, ")");
  help.scores =
      "score vectors per iteration (0: reuse the draws of the gradient; for a flow and "
      "low-rank, as many as draws)";
  help.step_size += sentence(", for a flow ", density_flow_step_size);
  help.tolerance = sentence(
      "nats still to be gained below which the run has converged; for a flow and low-rank, nats "
      "that "
      "doubling the length of the run gains (0: ",
      NewtonOptions{}.tolerance, " for newton, ", density_flow_tolerance,
      " for a flow and low-rank, otherwise 0.01)");
  help.fisher += ", a window of scores for a flow, the identity for low-rank";
  describe_density(o, help);
  o.add("resample", resample, "how draws and summaries correct for what the approximation misses",
        {{Resample::automatic, "auto",
          "psis where Pareto k is below 0.7 or the weights vary little, otherwise none"},
         {Resample::none, "none", "not at all: draws of the approximation"},
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
  out->family = &density_family(s.family);
  const std::optional<FamilyFit> fitted = [&] {
    try {
      return out->family->fit(out->density->target, s, driver);
    } catch (const Misuse& e) {
      const std::string said = out->density->complaint();
      if (said.empty()) throw;
      throw Misuse(sentence(e.what(), "; the model said: ", said));
    }
  }();
  if (!fitted) return nullptr;
  const FamilyFit& found = *fitted;
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

void DensityFitted::summarise(const DensityFit& found) {
  middle = density->at(q->mean(), 0).head(own);
  const Index count = found.log_ratios.size();
  if (count == 0) return;  // the density has no values here; the sentence says how the run ended
  const Matrix points = q->khat_draws(count, seed);
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

void DensityFitted::add_warnings(const DensityFit& found) {
  warnings = doubts_about(found, family->what, family->instead);
  if (const std::string said = density->complaint(); found.impossible > 0 && !said.empty())
    warnings.push_back("the first time that the model could not be computed, it said: " + said);
}

Fields DensityFitted::result() const {
  Fields out = fields_of(summary);
  out.set("family", family->name);
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
  out.set("family", family->name);
  q->save(out);
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
  out->family = &density_family(m.need_text("family"));
  out->q = out->family->load(m);
  out->middle = m.need_vector("middle");
  if (m.has("summaries")) out->summaries = m.need_matrix("summaries");
  const Index d = Index(out->coordinates.size()), n = Index(out->quantities.size());
  require(out->q->dimension() == d && out->own <= n && out->middle.size() == out->own &&
              (out->summaries.size() == 0 ||
               (out->summaries.rows() == n &&
                out->summaries.cols() == Index(summary_columns().size()))),
          "its sizes do not go together");
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
  out.set("family", family->name);
  q->save(out);
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
      << " nats, give or take " << objective_error << ", after ";
  if (gradients > 0)
    out << gradients << " gradients, ";
  else
    out << summary.iterations << " iterations, ";
  out << std::setprecision(2) << summary.seconds << " s\n" << ratios.told() << '\n';
  if (summaries.size() == 0) return out.str();
  out << (weighted ? "Draws are weighted by importance; they are worth "
                   : sentence("Draws of the ", family->what, ", as they are: "))
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
  out.push_back({"metric.json", q->metric()});
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
  const auto [points, log_q] = q->draws(count, from_seed);
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
  return {
      .name = "density",
      .help = "a Gaussian or a flow nearest to a log density of your own, from a shared library",
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
