#include "posteriordb.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fisherman/core/error.hpp"
#include "fisherman/fit/driver.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/io/json.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman::cli::study {
namespace {

constexpr double most_skewness = 0.5, most_kurtosis = 1.0;  // of what is nearly Gaussian
constexpr Index draws_of_fit = 4000, quantiles = 1000;

Json index_of(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "index.json";
  std::ifstream in(file);
  if (!in) throw FileError(file.string() + ": cannot be opened");
  std::ostringstream text;
  text << in.rdbuf();
  Json index = parse_json(text.str(), file.string());
  if (!index.is_array()) throw FileError(file.string() + ": is not a list of posteriors");
  return index;
}

Vector sorted(Vector x) {
  std::sort(x.data(), x.data() + x.size());
  return x;
}

/// Between order statistics.
double quantile(const Vector& ordered, double share) {
  const double at = share * double(ordered.size() - 1);
  const auto k = Index(at);
  const double next = ordered(std::min<Index>(k + 1, ordered.size() - 1));
  return ordered(k) + (at - double(k)) * (next - ordered(k));
}

double sd_of(const Vector& x) { return std::sqrt((x.array() - x.mean()).square().mean()); }

void compare(const Vector& mine, const Vector& truth, PosteriorFit& worst) {
  const double sd = sd_of(truth);
  const Vector a = sorted(mine), b = sorted(truth);
  double apart = 0.0;
  for (Index k = 0; k < quantiles; ++k) {
    const double share = (double(k) + 0.5) / double(quantiles);
    apart += std::abs(quantile(a, share) - quantile(b, share)) / double(quantiles);
  }
  worst.mean_error = std::max(worst.mean_error, std::abs(mine.mean() - truth.mean()) / sd);
  worst.sd_error = std::max(worst.sd_error, std::abs(sd_of(mine) / sd - 1.0));
  worst.distance = std::max(worst.distance, apart / sd);
}

std::filesystem::path program_of(const PosteriorsOptions& options, const std::string& model) {
  const std::filesystem::path library = options.models / (model + ".so");
  return std::filesystem::exists(library) ? library : options.models / (model + ".stan");
}

PosteriorFit fitted(const PosteriorsOptions& options, const Json& entry, const Table& reference,
                    std::int64_t seed, bool weighted) {
  PosteriorFit out;
  out.seed = seed;
  out.weighted = weighted;
  try {
    const FitKind& kind = fit_kind("stan");
    const auto settings = kind.settings();
    settings->options.set("seed", sentence(seed));
    settings->options.set("family", options.family);
    settings->options.set("resample", weighted ? "auto" : "none");
    FitData data;
    data.program = program_of(options, entry.at("model").get<std::string>()).string();
    data.where = (options.data / "data" / (entry.at("data").get<std::string>() + ".json")).string();
    PlainDriver driver;
    const std::clock_t before = std::clock();
    const auto fit = kind.fit(std::move(data), *settings, driver);
    const FittedDraws drawn = fit->draws(draws_of_fit, std::uint64_t(seed), Units::own);
    out.cpu_seconds = double(std::clock() - before) / CLOCKS_PER_SEC;
    const Fields result = fit->result();
    out.status = result.need_text("status");
    out.verdict = result.text("khat_verdict");
    out.khat = result.number("khat");
    out.objective = result.number("objective");
    out.gradients = result.number("gradients");
    out.warnings = fit->warnings;
    for (Index j = 0; j < reference.x.cols(); ++j) {
      const std::string& name = reference.names[std::size_t(j)];
      const auto at = std::find(drawn.names.begin(), drawn.names.end(), name);
      require(at != drawn.names.end(), "the model has no quantity ", name);
      compare(drawn.values.col(at - drawn.names.begin()), reference.x.col(j), out);
    }
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    out.failed = e.what();
  }
  return out;
}

}  // namespace

bool PosteriorFit::silently_wrong() const {
  return !failed.empty() ||
         (std::max(mean_error, sd_error) >= 0.1 && warnings.empty() && status == "converged");
}

std::vector<PosteriorFits> measured_posteriors(const PosteriorsOptions& options) {
  const Json index = index_of(options.data);
  const auto named = [&](const std::string& name) {
    return std::any_of(index.begin(), index.end(),
                       [&](const Json& entry) { return entry.at("posterior") == name; });
  };
  for (const std::string& name : options.only)
    require(named(name), "--only names '", name,
            "', but index.json of --data-dir has no such posterior");
  std::vector<PosteriorFits> all;
  for (const Json& entry : index) {
    PosteriorFits here{entry.at("posterior").get<std::string>(),
                       entry.at("dim").get<std::int64_t>(),
                       entry.at("max_abs_skew").get<double>() < most_skewness &&
                           entry.at("max_abs_exkurt").get<double>() < most_kurtosis,
                       {}};
    const auto& only = options.only;
    if (!only.empty() && std::find(only.begin(), only.end(), here.name) == only.end()) continue;
    const Table reference =
        read_table(options.data / entry.at("draws").get<std::string>(), {.has_label = false});
    for (std::int64_t seed = 1; seed <= options.seeds; ++seed)
      for (const bool weighted : {false, true}) {
        if (options.interrupted()) {
          if (!here.fits.empty()) all.push_back(std::move(here));
          return all;
        }
        here.fits.push_back(fitted(options, entry, reference, seed, weighted));
        const PosteriorFit& fit = here.fits.back();
        options.say(sentence(here.name, ", seed ", seed, weighted ? ", weighted: " : ": ",
                             fit.failed.empty() ? fit.status : fit.failed));
      }
    all.push_back(std::move(here));
  }
  return all;
}

}  // namespace fisherman::cli::study
