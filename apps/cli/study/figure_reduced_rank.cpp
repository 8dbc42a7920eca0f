// The paper's fig:nll-mnist: reduced-rank multinomial regression, a row a data set, a panel a rank.
#include <algorithm>
#include <array>
#include <cmath>

#include "fisherman/core/error.hpp"
#include "reproduction.hpp"

namespace fisherman::cli::study {
namespace figure_reduced_rank_plan {  // named, because the figures are alike and compiled as one

using report::figure;

struct Data {
  const char *name, *images, *labels;
  std::array<int, 3> ranks;  // from the largest down, as the paper has them
  int shorter_extrinsic;     // by how much: with 26 classes an iteration takes a second
};
const Data data_sets[] = {
    {"MNIST", "mnist-train-images-idx3-ubyte.gz", "mnist-train-labels-idx1-ubyte.gz", {8, 5, 2}, 1},
    {"EMNIST letters",
     "emnist-letters26-train-images-idx3-ubyte.gz",
     "emnist-letters26-train-labels-idx1-ubyte.gz",
     {20, 12, 4},
     10}};
constexpr int shorter_printed = 20;

enum Method : std::size_t { rsgd, extrinsic, intrinsic, printed, ours, descent, methods };

std::size_t at(std::size_t set, std::size_t rank, std::size_t method) {
  return (set * 3 + rank) * methods + method;
}

std::vector<Finding> findings(const FigurePlan& plan, const Measured& m) {
  std::vector<Finding> out;
  for (std::size_t set = 0; set < std::size(data_sets); ++set) {
    std::vector<double> behind;
    for (std::size_t r = 0; r < 3; ++r) {
      const Band& flat = m.bands[at(set, r, extrinsic)];
      const double end = flat.iterations.empty() ? 0.0 : flat.iterations.back();
      const Band best = m.bands[at(set, r, intrinsic)].until(end),
                 plain = m.bands[at(set, r, rsgd)].until(end);
      const std::string where = sentence(plan.problem_names[set * 3 + r], " at ", end);
      const std::optional<bool> ahead = ends_below(best, flat), far_ahead = ends_below(best, plain);
      out.push_back({"IF-RNGD attains the best log-likelihood of the three", where,
                     ahead == true ? far_ahead : (far_ahead == false ? far_ahead : ahead),
                     sentence(end_words(best, 4), " against ", end_words(flat, 4),
                              " (extrinsic) and ", end_words(plain, 4), " (RSGD)")});
      behind.push_back(flat.last() - best.last());
      if (r < 2) continue;
      out.push_back(
          {"At the smallest rank extrinsic IF-NGD is comparable to RSGD: within a tenth "
           "of its loss",
           where, std::abs(flat.last() - plain.last()) < 0.1 * plain.last(),
           sentence(end_words(flat, 4), " against ", end_words(plain, 4))});
    }
    out.push_back({"Extrinsic IF-NGD is behind IF-RNGD, and further as the rank shrinks",
                   data_sets[set].name,
                   0.0 < behind[0] && behind[0] < behind[1] && behind[1] < behind[2],
                   sentence("behind IF-RNGD by ", figure(behind[0], 3), ", ", figure(behind[1], 3),
                            " and ", figure(behind[2], 3))});
  }
  return out;
}

FigurePlan plan_of(const Extent& extent, const std::filesystem::path& folder) {
  FigurePlan plan;
  plan.name = "figure-reduced-rank";
  plan.title = "Reduced-rank multinomial regression";
  plan.about =
      "The paper's figure of the mean negative log-likelihood of the training rows against "
      "iteration. Upper row: "
      "MNIST; lower row: letters.";
  plan.y_name = "mean negative log-likelihood, nats";
  plan.log = false;
  plan.findings = findings;
  for (std::size_t set = 0; set < std::size(data_sets); ++set) {
    const Data& data = data_sets[set];
    std::vector<PanelPlan> row;
    for (std::size_t r = 0; r < 3; ++r) {
      Problem problem(fit_kind("reduced-rank"));
      problem.data = (folder / data.images).string();
      problem.labels = (folder / data.labels).string();
      problem.share(
          {{"rank", std::to_string(data.ranks[r])},
           {"ridge", "0"},
           {"batch", "128"},
           {"initial", "paper"},
           {"scores", "128"},
           {"epsilon", "1"},
           {"step-size", "0.0316227766"},  // c₀/c₁^α = 1/100^0.75
           {"delay", "100"},
           {"decay", "0.75"},
           {"kl-radius", "0"},
           {"average", "off"},
           {"standard-errors", "off"},
           {"iterations", std::to_string(extent.iterations)},
           {"eval-every", std::to_string(std::max<std::int64_t>(1, extent.iterations / 50))}});
      const std::size_t here = plan.problems.size();
      plan.problem_names.push_back(sentence(data.name, ", r = ", data.ranks[r]));
      plan.problems.push_back(problem);
      plan.lines.push_back({"RSGD", 0, here, {{"method", "rsgd"}}, ""});
      const auto shorter = [&](int by) {
        return std::to_string(std::max<std::int64_t>(1, extent.iterations / by));
      };
      plan.lines.push_back({"Extrinsic IF-NGD",
                            1,
                            here,
                            {{"method", "extrinsic"},
                             {"precision", "single"},
                             {"iterations", shorter(data.shorter_extrinsic)}},
                            "",
                            {},
                            1});
      plan.lines.push_back({"IF-RNGD", 2, here, {{"method", "ifngd"}, {"fisher", "columns"}}, ""});
      plan.lines.push_back({"IF-RNGD, as printed",
                            4,
                            here,
                            {{"method", "ifngd"},
                             {"fisher", "blocks"},
                             {"transport", "paper"},
                             {"precision", "single"},
                             {"iterations", shorter(shorter_printed)}},
                            "",
                            {},
                            1});
      plan.lines.push_back({"Fisherman's IF-RNGD, not tuned", 5, here,
                            plan.problems[here].with_defaults(
                                {{"method", "ifngd"}}, {"initial", "scores", "epsilon", "step-size",
                                                        "delay", "decay", "kl-radius", "average"}),
                            ""});
      Settings whole;
      if (extent.iterations < 500) whole = {{"passes", "0.05"}};  // so that both phases are seen
      plan.lines.push_back({"Fisherman's default",
                            3,
                            here,
                            plan.problems[here].with_defaults(
                                whole, {"method", "batch", "initial", "scores", "epsilon",
                                        "step-size", "delay", "decay", "kl-radius", "average"}),
                            "",
                            {},
                            1});
      row.push_back({plan.problem_names.back(),
                     {at(set, r, rsgd), at(set, r, extrinsic), at(set, r, intrinsic),
                      at(set, r, printed), at(set, r, ours), at(set, r, descent)}});
    }
    plan.panels.push_back(row);
  }
  plan.notes = {
      "Settings are the paper's and are not tuned: 128 rows and 128 scores per iteration, c0 = 1, "
      "c1 = 100, α = 0.75, ε = 1, B with ones on its diagonal at first.",
      "IF-RNGD has the paper's settings and one operator for each column of U, carried by the "
      "factors' frame. As printed, with one for all of U carried by projections, an iteration "
      "takes up to seconds, and the line stops after a twentieth of the iterations. Extrinsic "
      "IF-NGD is run from one seed in single precision, on the letters for a tenth of the "
      "iterations; verdicts compare the methods where its line ends.",
      "The lower row is 117,248 EMNIST letters of all 26 classes, not the official split: the "
      "classes are unbalanced.",
      "Fisherman's IF-RNGD is fit reduced-rank --method ifngd with its own start, steps and "
      "blocks, of the same number of "
      "iterations. Fisherman's default is one stochastic pass of batches of 256, whose loss is not "
      "evaluated, and then quasi-Newton "
      "over all rows: an iteration there is a whole pass, so that only where its line ends can be "
      "compared. The penalty is 0 for all."};
  return plan;
}

}  // namespace figure_reduced_rank_plan

const FigureKind& figure_reduced_rank() {
  using namespace figure_reduced_rank_plan;
  static const FigureKind kind = {
      "figure-reduced-rank",
      "reduced-rank multinomial regression on MNIST and letters: three methods, three ranks each",
      {.iterations = 1000,
       .random = 0,
       .rounds = 0,
       .tuning_seeds = 0,
       .runs = 3,
       .transport_runs = 0},
      {.iterations = 40,
       .random = 0,
       .rounds = 0,
       .tuning_seeds = 0,
       .runs = 1,
       .transport_runs = 0},
      plan_of};
  return kind;
}

}  // namespace fisherman::cli::study
