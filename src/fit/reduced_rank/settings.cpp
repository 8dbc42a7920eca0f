#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <string_view>

#include "defaults.hpp"
#include "fisherman/fit/reduced_rank.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {

using namespace reduced_rank_defaults;  // NOLINT: constants of this folder

namespace {

Words<FeatureScale> scale_words() {
  return {{FeatureScale::automatic, "auto",
           "pixel for images (IDX files of three dimensions), none for sparse tables, otherwise "
           "standardize"},
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
        sentence("rank of the coefficient matrix; several, as 1,2,5, are fitted one after the "
                 "other (auto: ",
                 usual_rank,
                 ", or the number of classes less one if that is less; with --cv several)"));
  o.add("ridge", ridges,
        sentence("strength of the penalty ridge/2·|B|² on the coefficients of the scaled features, "
                 "beside the "
                 "log-likelihood of all rows: a normal prior of variance 1/ridge (0: none, the "
                 "maximum likelihood; auto: ",
                 usual_ridge, "; with --cv several, as 0.1,1,10, to choose from)"));
  o.add("cv", cv,
        "number of folds of the cross-validation that chooses the rank and the ridge (0: none): "
        "the simplest pair whose "
        "loss is within a standard error of the least, which is then fitted to all rows");
  o.add_named("reference", reference,
              "class that the coefficients compare the others with (default: the last)", "CLASS");
  o.add("method", method, "how the coefficients are found",
        {{Method::lbfgs, "lbfgs",
          "natural gradient for one pass, then quasi-Newton over all rows, to the optimum"},
         {Method::ifngd, "ifngd", "inversion-free natural gradient, the paper's"},
         {Method::rsgd, "rsgd", "stochastic gradient descent on the manifold"},
         {Method::extrinsic, "extrinsic", "ifngd in the ambient space, the paper's baseline"},
         {Method::kfac, "kfac", "natural gradient with Kronecker factors"}});
  o.add("transport", transport, "how the Fisher estimate of ifngd is carried along", carry_words());
  o.add("precision", precision,
        "precision of operators and data (auto: single for large operators and for the large "
        "tables of "
        "lbfgs, double for other data that fit into the memory)",
        {{Precision::automatic, "auto"},
         {Precision::float32, "single"},
         {Precision::float64, "double"}});
  o.add("scale", scale, "scaling of the features before the fit", scale_words());
  o.add("passes", passes,
        sentence("number of stochastic passes over the data if the number of iterations is 0 (0: ",
                 usual_passes, ", but at least ", least_iterations, " iterations; for lbfgs ",
                 descent_passes, ", or none if that is less than ", least_minibatches,
                 " minibatches)"),
        Rule::not_negative);
  o.add("initial", initial, "first coefficients",
        {{ReducedRankStart::automatic, "auto", "search for lbfgs, otherwise means"},
         {ReducedRankStart::search, "search",
          sentence("the best of ", searched_starts, " short fits to at most ", searched_rows,
                   " rows, in the directions in which the classes differ; for lbfgs")},
         {ReducedRankStart::means, "means",
          "small ones, in the directions in which the classes' means differ most"},
         {ReducedRankStart::paper, "paper", "ones on the diagonal"}});
  o.add("starts", starts,
        "number of starts, of which the best is kept; all but the first are random",
        Rule::positive);
  o.add("holdout", holdout, "share of the rows that is held out of the fit for testing",
        Rule::fraction);
  o.add("standard-errors", standard_errors,
        "standard errors from the Fisher information, at a point where the fit has converged "
        "(auto: if they are cheap)",
        automatic_words());
  describe_run(
      o,
      {.iterations = sentence("as many as the passes take, for lbfgs until converged, at most ",
                              most_descent, " after them"),
       .batch = sentence("number of rows per gradient (0: ", usual_batch, ", for lbfgs ",
                         descent_batch, ")"),
       .scores = sentence("number of those rows that the Fisher estimate learns from per "
                          "iteration (0: the batch divided by ",
                          decorrelated_share, " for decorrelated blocks, otherwise by ",
                          usual_share, ")"),
       .epsilon =
           sentence("ifngd, extrinsic and kfac starts from (0: the sum of the squared norms "
                    "of an iteration's scores at the start, divided by ",
                    epsilon_share, ", or by ", 2 * epsilon_share, " for decorrelated blocks"),
       .step_size =
           sentence(ifngd_step_size, " for ifngd, ", learnt_step_size, " for extrinsic and kfac, ",
                    plain_step_size, " for rsgd, ", descent_step_size, " for lbfgs"),
       .average = "on",
       .tolerance = sentence(
           "nats per row still to be gained below which a fit has converged (0: for lbfgs ",
           total_tolerance, " divided by the number of rows, at most ", most_tolerance,
           "). Other methods do not end by it, but count as settled (0: ", settled_tolerance, ")"),
       .fisher = "decorrelated for ifngd, blocks for extrinsic, kronecker for kfac, identity for "
                 "rsgd, its own for lbfgs",
       .delay = sentence(ifngd_delay, " for ifngd and lbfgs, otherwise ", StepRule().delay)});
}

ReducedRankStart ReducedRankSettings::initial_choice() const {
  if (initial != ReducedRankStart::automatic) return initial;
  return descends() ? ReducedRankStart::search : ReducedRankStart::means;
}

Index ReducedRankSettings::rows_per_gradient() const {
  return batch > 0 ? batch : descends() ? descent_batch : usual_batch;
}

double ReducedRankSettings::tolerance_for(Index rows) const {
  if (tolerance > 0.0) return tolerance;
  return descends() ? std::min(most_tolerance, total_tolerance / double(rows)) : settled_tolerance;
}

std::int64_t ReducedRankSettings::stochastic_iterations(Index rows) const {
  const double per_pass = double(rows) / double(rows_per_gradient());
  const auto of = [&](double number) { return std::int64_t(std::ceil(number * per_pass)); };
  if (descends())
    return passes > 0.0                              ? of(passes)
           : of(descent_passes) >= least_minibatches ? of(descent_passes)
                                                     : 0;
  return std::max<std::int64_t>(least_iterations, of(passes > 0.0 ? passes : usual_passes));
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
  return FisherChoice::automatic;
}

std::vector<Index> ReducedRankSettings::ranks(Index features, Index classes) const {
  const Index most = std::min(features, classes - 1);
  if (rank == "auto" && cv > 0) {
    std::vector<Index> several;
    for (const Index one : rank_grid)
      if (one < most) several.push_back(one);
    several.push_back(std::min(most, rank_grid[std::size(rank_grid) - 1]));
    return several;
  }
  if (rank == "auto") return {std::min(usual_rank, most)};
  std::vector<Index> out;
  const char *at = rank.data(), *end = at + rank.size();
  for (;;) {
    Index value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    require(error == std::errc() && (stop == end || *stop == ','), "--rank is '", rank,
            "', but must be auto, a whole number, or several with commas between them");
    require(value >= 1 && value <= most, "--rank is ", value, ", but must lie between 1 and ", most,
            ", the lesser of ", features, " features and ", classes, " classes less one");
    out.push_back(value);
    if (stop == end) return out;
    at = stop + 1;
  }
}

std::vector<double> ReducedRankSettings::ridge_values() const {
  if (ridges == "auto" && cv > 0) return {std::begin(ridge_grid), std::end(ridge_grid)};
  if (ridges == "auto") return {usual_ridge};
  std::vector<double> out;
  std::string_view left = ridges;
  for (;;) {
    const std::size_t comma = left.find(',');
    const auto value = parse_number(left.substr(0, comma));
    require(
        value && *value >= 0.0, "--ridge is '", ridges,
        "', but must be auto, a number that is not negative, or several with commas between them");
    out.push_back(*value);
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  require(out.size() == 1 || cv > 0, "--ridge has ", out.size(),
          " values, but without --cv it must have one");
  return out;
}

FeatureScale ReducedRankSettings::scaling(const Table& table) const {
  if (scale != FeatureScale::automatic) return scale;
  return table.images   ? FeatureScale::pixel
         : table.sparse ? FeatureScale::none
                        : FeatureScale::standardize;
}

std::string scaling_words(FeatureScale how) {
  const char* const done = how == FeatureScale::pixel         ? "divided by 255"
                           : how == FeatureScale::standardize ? "standardised"
                                                              : "taken as they are";
  return sentence("The features are ", done, " (--scale ", name(how), ").");
}

}  // namespace fisherman
