// From the words of --prior and --sd-prior, and defaults that suit the outcomes, to priors.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "fisherman/core/error.hpp"
#include "fisherman/core/row_sum.hpp"
#include "fisherman/fit/prior_words.hpp"
#include "fisherman/fit/regression.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {
namespace {

/// "PRIOR; NAME=PRIOR; …": the prior of all, and those of some. Names may hold "=", so the last one counts.
struct NamedPriors {
  std::string all;
  std::map<std::string, std::string> of;
};

NamedPriors split(const std::string& text, const std::string& option) {
  NamedPriors out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(';', at), text.size());
    const std::string entry(trim(std::string_view(text).substr(at, end - at)));
    at = end + 1;
    require(!entry.empty(), option, " is ", shown(text),
            ", but must be PRIOR or NAME=PRIOR, with semicolons between several");
    const std::size_t equals = entry.rfind('=');
    if (equals == std::string::npos) {
      require(out.all.empty(), option, " has two priors without a name: ", shown(out.all), " and ",
              shown(entry));
      out.all = entry;
      continue;
    }
    const std::string name(trim(std::string_view(entry).substr(0, equals)));
    const bool is_new =
        out.of.emplace(name, trim(std::string_view(entry).substr(equals + 1))).second;
    require(is_new, option, " has two priors for ", shown(name));
  }
  return out;
}

void require_known(const NamedPriors& given, const std::set<std::string>& known,
                   const std::string& option) {
  for (const auto& [name, prior] : given.of) {
    if (known.count(name) > 0) continue;
    std::string some;
    for (const std::string& one : known) {
      if (some.size() > 200) {
        some += ", …";
        break;
      }
      some += (some.empty() ? "" : ", ") + one;
    }
    throw Misuse(
        sentence(option, " names ", shown(name), ", which does not exist; there are ", some));
  }
}

}  // namespace

RegressionPriors priors_for(const RegressionSettings& s, const DesignPlan& plan,
                            const Likelihood& likelihood, const Outcomes& outcomes,
                            const std::optional<RowPart>& part) {
  RegressionPriors out;
  // A weight of 2 is the row twice.
  const Vector weight =
      outcomes.weights.size() > 0 ? outcomes.weights : Vector(Vector::Ones(outcomes.rows()));
  const RowPart here = part.value_or(RowPart::whole(outcomes.rows()));
  const auto weighted = [&](const Vector& of) {
    return sum_over_rows<double>(here.all, [&](Index first, Index count) {
      const Index at = here.at(first, count);
      return weight.segment(at, count).dot(of.segment(at, count));
    });
  };
  const double all = weighted(Vector::Ones(weight.size())), mean = weighted(outcomes.y) / all;
  const double sd = std::sqrt(weighted((outcomes.y.array() - mean).square()) / all);
  // An outcome that may be measured in any unit says by its spread what a large coefficient is.
  const double spread =
      likelihood.link() == Link::identity && sd > 0.0 && std::isfinite(sd) ? sd : 1.0;
  const bool positive = !likelihood.trouble(0.0, 1.0).empty();  // in any unit, too, on a log scale
  const double middle = likelihood.link() == Link::identity ? mean
                        : positive                          ? std::log(mean)
                                                            : 0.0;
  const CoefficientPrior usual{CoefficientPrior::Family::normal, 0.0,
                               std::sqrt(s.prior_variance) * spread};
  const CoefficientPrior of_intercept{CoefficientPrior::Family::normal, middle,
                                      std::sqrt(s.intercept_variance) * spread};
  const NamedPriors given = split(s.prior, "--prior");
  require_known(given,
                {plan.names.begin(), plan.names.begin() + plan.terms + (plan.intercept ? 1 : 0)},
                "--prior");
  const Index p = Index(plan.names.size());
  for (Index j = 0; j < p; ++j) {
    const std::string& name = plan.names[std::size_t(j)];
    const bool term = j < plan.terms;
    CoefficientPrior prior = plan.intercept && j == plan.terms ? of_intercept : usual;
    const auto named = given.of.find(name);
    const std::string words = named != given.of.end() ? named->second : term ? given.all : "";
    if (!words.empty()) {
      prior = coefficient_prior(words, sentence("--prior for ", name));
      if (term && s.prior_units == PriorUnits::own) prior = prior.scaled(plan.scale(j));
    }
    out.coefficients.push_back(prior);
  }
  // Of several linear predictors, each has the same priors.
  out.coefficients.resize(std::size_t(p * likelihood.predictors()));
  for (Index k = 1; k < likelihood.predictors(); ++k)
    std::copy_n(out.coefficients.begin(), p, out.coefficients.begin() + k * p);

  const NamedPriors scales = split(s.sd_prior, "--sd-prior");
  const std::vector<ExtraParameter> extra = likelihood.extra();
  std::set<std::string> known;
  for (const ExtraParameter& parameter : extra) known.insert(parameter.name);
  for (const DesignPlan::Effects& effects : plan.effects) known.insert(effects.name);
  require(known.size() == extra.size() + plan.effects.size(),
          "a group must not be named as a parameter of the likelihood");
  require_known(scales, known, "--sd-prior");
  require(
      scales.all.empty() || !plan.effects.empty(), "--sd-prior is ", shown(scales.all),
      ", but there are no groups; a prior of a parameter of the likelihood has its name before it");
  out.extra = likelihood.extra_priors(spread);
  for (std::size_t k = 0; k < extra.size(); ++k)
    if (const auto named = scales.of.find(extra[k].name); named != scales.of.end())
      out.extra[k] = scale_prior(named->second, sentence("--sd-prior for ", extra[k].name));
  for (const DesignPlan::Effects& effects : plan.effects) {
    ScalePrior prior{ScalePrior::Family::half_normal, 2.5 * spread};
    const auto named = scales.of.find(effects.name);
    const std::string words = named != scales.of.end() ? named->second : scales.all;
    if (!words.empty()) prior = scale_prior(words, sentence("--sd-prior for ", effects.name));
    out.effects.push_back({effects.first, effects.count, prior});
  }
  return out;
}

}  // namespace fisherman
