#include <algorithm>
#include <charconv>

#include "defaults.hpp"
#include "fisherman/fit/reduced_rank.hpp"

namespace fisherman {

using namespace reduced_rank_defaults;  // NOLINT: constants of this folder

namespace {

Words<FeatureScale> scale_words() {
  return {{FeatureScale::automatic, "auto",
           "pixel for images (IDX files of three dimensions), otherwise standardize"},
          {FeatureScale::pixel, "pixel", "divide by 255"},
          {FeatureScale::standardize, "standardize", "mean 0 and standard deviation 1"},
          {FeatureScale::none, "none", "nothing"}};
}

}  // namespace

std::string name(FeatureScale scale) { return name_of(scale, scale_words()); }

void ReducedRankSettings::describe(Options& o) {
  using Method = ReducedRankMethod;
  using Rule = Options::Rule;
  o.add("rank", rank,
        "rank of the coefficient matrix; several, as 1,2,5, are fitted one after the other");
  o.add("method", method, "how the coefficients are found",
        {{Method::ifngd, "ifngd", "inversion-free natural gradient, the paper's"},
         {Method::rsgd, "rsgd", "stochastic gradient descent on the manifold"},
         {Method::extrinsic, "extrinsic", "ifngd in the ambient space, the paper's baseline"},
         {Method::kfac, "kfac", "natural gradient with Kronecker factors"},
         {Method::lbfgs, "lbfgs", "deterministic, on the factors"}});
  o.add("transport", transport, "how the Fisher estimate of ifngd is carried along", carry_words());
  o.add("precision", precision,
        "precision of operators and data (auto: single for large operators, double for data that "
        "fit into the memory)",
        {{Precision::automatic, "auto"},
         {Precision::float32, "single"},
         {Precision::float64, "double"}});
  o.add("scale", scale, "scaling of the features before the fit", scale_words());
  o.add("passes", passes,
        sentence("number of passes over the data if the number of iterations is 0, but at least ",
                 least_iterations, " iterations"),
        Rule::positive);
  o.add("initial", initial, "first coefficients",
        {{ReducedRankStart::means, "means",
          "small ones, in the directions in which the classes' means differ most"},
         {ReducedRankStart::paper, "paper", "ones on the diagonal"}});
  o.add("starts", starts,
        "number of starts, of which the best is kept; all but the first are random",
        Rule::positive);
  o.add("holdout", holdout, "share of the rows that is held out of the fit for testing",
        Rule::fraction);
  o.add("standard-errors", standard_errors,
        "standard errors from the Fisher information (auto: if they are cheap)", automatic_words());
  describe_run(
      o,
      {.iterations = sentence("as many as the passes take, for lbfgs until converged, at most ",
                              most_descent),
       .batch = "number of rows per gradient",
       .scores = sentence("number of those rows that the Fisher estimate learns from per "
                          "iteration (0: the batch divided by ",
                          decorrelated_share, " for decorrelated blocks, otherwise by ",
                          usual_share, ")"),
       .epsilon =
           sentence("ifngd, extrinsic and kfac starts from (0: the sum of the squared norms "
                    "of an iteration's scores at the start, divided by ",
                    epsilon_share, ", or by ", 2 * epsilon_share, " for decorrelated blocks"),
       .step_size = sentence(ifngd_step_size, " for ifngd, ", learnt_step_size,
                             " for extrinsic and kfac, ", plain_step_size, " for rsgd"),
       .average = "on",
       .tolerance = "nats per row still to be gained, by the run's own estimate, below which it "
                    "counts as settled; it does not end a run (0: no run counts as settled)",
       .fisher = "decorrelated for ifngd, blocks for extrinsic, kronecker for kfac, identity for "
                 "rsgd",
       .delay = sentence(ifngd_delay, " for ifngd, otherwise ", StepRule().delay)});
}

FisherChoice ReducedRankSettings::approximation() const {
  switch (method) {
    case ReducedRankMethod::ifngd:
      return fisher_or(FisherChoice::decorrelated);
    case ReducedRankMethod::extrinsic:
      return fisher_or(FisherChoice::blocks);
    case ReducedRankMethod::kfac:
      return fisher_or(FisherChoice::kronecker);
    case ReducedRankMethod::rsgd:
      require_no_fisher("rsgd");
      return FisherChoice::identity;
    case ReducedRankMethod::lbfgs:
      break;
  }
  require_no_fisher("lbfgs");
  return FisherChoice::identity;
}

std::vector<Index> ReducedRankSettings::ranks(Index features, Index classes) const {
  std::vector<Index> out;
  const char *at = rank.data(), *end = at + rank.size();
  const Index most = std::min(features, classes - 1);
  for (;;) {
    Index value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    require(error == std::errc() && (stop == end || *stop == ','), "--rank is '", rank,
            "', but must be a whole number, or several with commas between them");
    require(value >= 1 && value <= most, "--rank is ", value, ", but must lie between 1 and ", most,
            ", the lesser of ", features, " features and ", classes, " classes less one");
    out.push_back(value);
    if (stop == end) return out;
    at = stop + 1;
  }
}

FeatureScale ReducedRankSettings::scaling(bool images) const {
  if (scale != FeatureScale::automatic) return scale;
  return images ? FeatureScale::pixel : FeatureScale::standardize;
}

std::string scaling_words(FeatureScale how) {
  const char* const done = how == FeatureScale::pixel         ? "divided by 255"
                           : how == FeatureScale::standardize ? "standardised"
                                                              : "taken as they are";
  return sentence("The features are ", done, " (--scale ", name(how), ").");
}

}  // namespace fisherman
