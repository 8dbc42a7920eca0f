// The paper's fig:normalizing_flow_VB: a Bayesian neural network by a normalising flow, a panel a data set.
#include <algorithm>
#include <cmath>

#include "fisherman/core/error.hpp"
#include "reproduction.hpp"

namespace fisherman::cli::study {
namespace figure_flow_plan {  // named, because the figures are alike and compiled as one

struct Data {
  const char *name, *file;
};
constexpr Data data_sets[] = {{"German Credit", "german_numeric.csv"},
                              {"Women's Labour Force", "mroz.csv"},
                              {"Census", "census.csv"}};

enum Method : std::size_t { rsgd, natural, scaled_rsgd, scaled_natural, ours, methods };
// As many settings each, around what serves each: a gradient step is some hundred times as long as it says.
constexpr const char* natural_grid = "step-size=0.003,0.01,0.03,0.1,0.3,1; decay=0,0.5,0.75";
constexpr const char* plain_grid =
    "step-size=0.00003,0.0001,0.0003,0.001,0.003,0.01; decay=0,0.5,0.75";

std::size_t at(std::size_t set, std::size_t method) { return set * methods + method; }

std::vector<Finding> findings(const FigurePlan& plan, const Measured& m) {
  std::vector<Finding> out;
  const auto add = [&](const char* claim, std::size_t set, const Band& low, const Band& high) {
    out.push_back({claim, plan.problem_names[set], ends_below(low, high),
                   sentence(end_words(low, 5), " against ", end_words(high, 5))});
  };
  for (std::size_t set = 0; set < std::size(data_sets); ++set)
    add("Inverse-Free RNGD attains the lowest negative lower bound, on the printed family", set,
        m.bands[at(set, natural)], m.bands[at(set, rsgd)]);
  for (std::size_t set = 0; set < std::size(data_sets); ++set)
    add("The same on the family with an output scale, which the paper does not have", set,
        m.bands[at(set, scaled_natural)], m.bands[at(set, scaled_rsgd)]);
  return out;
}

FigurePlan plan_of(const Extent& extent, const std::filesystem::path& folder) {
  FigurePlan plan;
  plan.name = "figure-flow";
  plan.title = "Normalising flows for a Bayesian neural network";
  plan.about =
      "The paper's figure of the negative lower bound against iteration, on three data sets.";
  plan.y_name = "negative lower bound, nats";
  plan.log = false;
  plan.findings = findings;
  std::vector<PanelPlan> row;
  for (std::size_t set = 0; set < std::size(data_sets); ++set) {
    Problem problem(fit_kind("flow"));
    problem.data = (folder / data_sets[set].file).string();
    problem.share(
        {{"batch", "10"},
         {"initial", "zero"},
         {"window", "200"},
         {"scores", "10"},
         {"epsilon", "1000"},
         {"delay", "100"},
         {"kl-radius", "0"},
         {"norm-cap", "0.3"},
         {"average", "off"},
         {"iterations", std::to_string(extent.iterations)},
         {"eval-every", std::to_string(std::max<std::int64_t>(1, extent.iterations / 50))}});
    plan.problem_names.emplace_back(data_sets[set].name);
    plan.problems.push_back(problem);
    plan.lines.push_back({"RSGD", 0, set, {{"method", "rsgd"}, {"family", "paper"}}, plain_grid});
    plan.lines.push_back(
        {"Inverse-Free RNGD", 2, set, {{"method", "ifngd"}, {"family", "paper"}}, natural_grid});
    plan.lines.push_back(
        {"RSGD, scaled family", 4, set, {{"method", "rsgd"}, {"family", "scaled"}}, plain_grid});
    plan.lines.push_back({"Inverse-Free RNGD, scaled family",
                          3,
                          set,
                          {{"method", "ifngd"}, {"family", "scaled"}},
                          natural_grid});
    plan.lines.push_back(
        {"Fisherman's, not tuned", 5, set,
         plan.problems[set].with_defaults(
             {{"family", "scaled"}}, {"batch", "initial", "window", "scores", "epsilon", "delay",
                                      "kl-radius", "norm-cap", "average"}),
         ""});
    row.push_back({data_sets[set].name,
                   {at(set, rsgd), at(set, natural), at(set, scaled_rsgd), at(set, scaled_natural),
                    at(set, ours)}});
  }
  plan.panels.push_back(row);
  plan.notes = {
      "The paper does not state step sizes, the prior variance or the number of draws; every "
      "method is tuned over 18 pairs of step size and decay, with 10 draws, 10 scores and the "
      "prior variance 1. A step is at most 0.3 long, and nothing is averaged.",
      "W1 is held fixed: the density does not depend on it, its score is 0 and its gradient pure "
      "noise.",
      "Of the census data the six numeric columns are taken: with the others one-hot, a network "
      "has 1,101 weights and a Cayley transform takes most of a second.",
      "The lines with a scaled family are Fisherman's addition: y = W2(s∘z) + b2 with a scale s "
      "for each coordinate.",
      "Fisherman's own line is fit flow --family scaled as it comes: 50 draws and as many scores "
      "per iteration, a window of three scores per weight, averaged. It begins at a Gaussian that "
      "is "
      "fitted before; the iterations of that are not in the figure. The default of fit flow is "
      "that Gaussian itself, which reaches a lower bound."};
  return plan;
}

}  // namespace figure_flow_plan

const FigureKind& figure_flow() {
  using namespace figure_flow_plan;
  static const FigureKind kind = {
      "figure-flow",
      "a Bayesian neural network by normalising flows on German Credit, Labour Force and Census",
      {.iterations = 1000,
       .random = 18,
       .rounds = 0,
       .tuning_seeds = 1,
       .runs = 10,
       .transport_runs = 0},
      {.iterations = 100,
       .random = 4,
       .rounds = 0,
       .tuning_seeds = 1,
       .runs = 2,
       .transport_runs = 0},
      plan_of};
  return kind;
}

}  // namespace fisherman::cli::study
