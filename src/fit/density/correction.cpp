// How draws are corrected by importance weights, and what a user is told where that does not suffice.
#include <cmath>

#include "fisherman/core/random.hpp"
#include "fisherman/fit/density.hpp"
#include "fisherman/fit/page.hpp"

namespace fisherman {
namespace {

constexpr double most_variation = 1.0;  // of the ratios: draws are worth half of their number

}  // namespace

std::vector<Index> resampled(const Vector& log_weights, Index count, std::uint64_t seed) {
  const double first = Draws(seed, ~std::uint64_t(0)).uniforms(3, 1, 1)(0, 0);
  std::vector<Index> out;
  double sum = 0.0;
  Index k = -1;
  for (Index i = 0; i < count; ++i) {
    const double wanted = (double(i) + first) / double(count);
    while (sum <= wanted && k + 1 < log_weights.size()) sum += std::exp(log_weights(++k));
    out.push_back(k);
  }
  return out;
}

bool corrects(Resample resample, const RatioCheck& ratios) {
  return resample == Resample::psis ||
         (resample == Resample::automatic && ratios.weights_correct());
}

std::vector<std::string> doubts_about(const DensityFit& fit, const std::string& what,
                                      const std::string& instead) {
  std::vector<std::string> out;
  if (!std::isnan(fit.ratios.k) && !fit.ratios.weights_correct())
    out.push_back(sentence("Pareto k is ", report::fixed(fit.ratios.k, 2), ": the ", what,
                           " is not close to the posterior on this scale, and its means, standard "
                           "deviations and quantiles here are not to be trusted; another "
                           "parameterisation may help, ",
                           instead, "; so may proper priors, for the posterior may be improper"));
  else if (fit.ratios.variation > most_variation)
    out.push_back(sentence(
        "the importance weights vary much, so that draws are worth ",
        report::fixed(100.0 / (1.0 + fit.ratios.variation * fit.ratios.variation), 0),
        "% of their number: the ", what,
        " is far from the posterior on this scale; the weights correct for that as far as draws of "
        "the ",
        what, " reach, and tails may be missed"));
  if (fit.log_ratios.size() == 0)
    out.push_back(sentence("the log density is not finite at most draws of the ", what,
                           ", which is not to be trusted; a parameterisation in which every point "
                           "is possible may help"));
  else if (fit.impossible > 0)
    out.push_back(sentence("the log density is not finite at ", fit.impossible, " of ",
                           fit.log_ratios.size(), " draws of the ", what,
                           ", which are left out; a parameterisation in which every point is "
                           "possible may help"));
  for (Index k = 0; k < fit.others.size(); ++k) {
    const double higher = fit.others(k) - fit.end.objective;
    out.push_back(
        sentence("another start has led to another Gaussian, with a NELBO that is ",
                 report::figure(std::abs(higher), 3), higher < 0.0 ? " nats lower" : " nats higher",
                 ": the posterior may have several modes, of which the fit describes one"));
  }
  return out;
}

}  // namespace fisherman
