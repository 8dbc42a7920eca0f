#include "fisherman/fit/reduced_rank.hpp"

#include <algorithm>
#include <cmath>

#include "defaults.hpp"
#include "fisherman/core/memory.hpp"
#include "fisherman/core/row_sum.hpp"
#include "fisherman/core/spectral.hpp"

namespace fisherman {

using namespace reduced_rank_defaults;  // NOLINT: constants of this folder

namespace {

bool is_decorrelated(const ReducedRankSettings& s) {
  return s.approximation() == FisherChoice::decorrelated;
}

Index scores_of(const ReducedRankSettings& s) {
  const Index batch = s.rows_per_gradient();
  return s.scores > 0
             ? s.scores
             : std::max<Index>(1, batch / (is_decorrelated(s) ? decorrelated_share : usual_share));
}

/// Iterations for each one that the Fisher estimate learns from.
Index learns_every(const ReducedRankSettings& s) { return is_decorrelated(s) ? 2 : 1; }

/// Coordinates (M, U_p, V_p) of the coefficients, then the intercepts. The scores of U_p are outer products.
FisherOffer offer_of(const ReducedRankSettings& s, Index p, Index k, Index r, double epsilon,
                     bool single) {
  FisherOffer offer{.blocks = {{r, r, epsilon, true},
                               {p, r, epsilon, true, true},
                               {k, r, epsilon, true},
                               {k, 1, epsilon}},
                    .epsilon = epsilon,
                    .scores = scores_of(s),
                    .window_epsilon = epsilon,
                    .single = single};
  if (s.method == ReducedRankMethod::extrinsic) {
    offer.blocks = {{p, k, epsilon, true, true}, {k, 1, epsilon}};
  } else {
    offer.outer = OuterBlock{r * r, p, r};
    offer.outer_every = learns_every(s);
  }
  return offer;
}

double operator_memory(const ReducedRankSettings& s, Index p, Index k, Index r, bool single) {
  if (s.descends()) {
    constexpr double pairs = 2.0 * descent_memory;
    return FactoredFisher::memory(p, k + 1, r, p <= most_correlated) +
           pairs * sizeof(double) * double((p + k) * r + k);
  }
  return fisher_memory(s.approximation(), offer_of(s, p, k, r, 0.0, single));
}

}  // namespace

double MemoryPlan::peak() const { return design + std::max(table, operators) + rest; }

MemoryPlan plan_memory(const ReducedRankSettings& s, const Table& data, Index kept, Index classes,
                       Index rank) {
  const double k = double(classes - 1), all = double(data.all_rows());
  MemoryPlan plan{};
  plan.single_operators = s.precision != Precision::float64;
  // Products in single precision lose nothing where there are many rows to sum over.
  plan.single_design =
      s.precision == Precision::float32 ||
      (s.precision == Precision::automatic && s.descends() && all * double(kept) >= many_numbers);
  // The program itself, labels, and the scores of an iteration with their copy on the way.
  const double coordinates = s.method == ReducedRankMethod::extrinsic
                                 ? double(kept) * k
                                 : double(rank) * double(kept + rank) + k;
  const double at_once = s.descends() ? 16.0 * double(rank) : double(scores_of(s));
  const auto size = [&](double rows, double table) {
    plan.table = table;
    plan.design = data.sparse ? table
                  : data.stored
                      ? 0.0
                      : rows * double(kept) * (plan.single_design ? sizeof(float) : sizeof(double));
    plan.operators = operator_memory(s, kept, classes - 1, rank, plan.single_operators);
    plan.rest = 3e7 + 40.0 * rows + 2.0 * sizeof(double) * coordinates * at_once;
  };
  const auto table_of = [&](double rows) {
    return data.sparse   ? data.sparse->bytes()
           : data.stored ? 0.0
                         : rows * double(data.columns()) * sizeof(double);
  };
  // By the memory in all, not by what is free now, and as if there were one rank: the same fit has the same bits at any
  // time.
  if (s.precision == Precision::automatic) {
    const double table =
        data.sparse ? double(sum_of_ranks(std::int64_t(data.sparse->bytes()))) : table_of(all);
    {
      const Alone one;
      size(all, table);
    }
    if (plan.peak() > 0.6 * from_first_rank(memory_now().total)) plan.single_design = true;
  }
  const double n = double(data.rows());
  size(n, table_of(n));
  const bool table_is_more = plan.table > plan.operators;  // they are not there at the same time
  require_memory("the fit",
                 {{"data", plan.design + (table_is_more ? plan.table : 0.0)},
                  {"Fisher operators", table_is_more ? 0.0 : plan.operators},
                  {"the rest", plan.rest}},
                 s.descends() ? "--precision single halves the data"
                              : "--precision single halves what is kept, and --fisher decorrelated "
                                "takes the least");
  return plan;
}

ReducedRank reduced_rank_point(const AnyFrame& frame) {
  if (frame.holds<ExtrinsicReducedRank>()) return frame.as<ExtrinsicReducedRank>().base();
  if (frame.holds<FactoredReducedRank>()) return as_fixed_rank(frame.as<FactoredReducedRank>());
  return frame.as<ReducedRank>();
}

ErasedRun make_descent(const std::shared_ptr<const ClassData>& data, const ReducedRankSettings& s,
                       const ReducedRank& start, std::shared_ptr<const FeatureMoments> features,
                       std::int64_t stochastic) {
  require(s.fisher == FisherChoice::automatic,
          "--method lbfgs has a Fisher approximation of its own: leave --fisher out");
  const Index rank = start.factor<0>().rank();
  const std::int64_t planned = s.iterations > 0 ? s.iterations : stochastic + most_descent;
  stochastic = std::min(stochastic, planned);
  const Average average({.on = is_on(s.average, true), .start = stochastic / 2, .power = 0.0});
  RunOptions options;
  options.rule = s.rule({.step_size = descent_step_size,
                         .delay = descent_delay,
                         .decay = 0.9,
                         .kl_radius = descent_radius});
  options.evaluate_every = 0;
  const double rounding = data->design().single() ? 1e-8 : DescentOptions().rounding;
  return {{AnyFrame(as_factored(start)),
           AnyFisher(FactoredFisher(std::move(features), data->classes(), rank,
                                    {.stochastic = stochastic})),
           std::uint64_t(s.seed), average},
          AnyModel::of<FactoredReducedRank>(
              Multinomial(data, {.batch = s.rows_per_gradient(), .ridge = s.ridge})),
          std::move(options),
          when_predicted_below(s.tolerance_for(data->rows())) || after_iterations(planned),
          planned,
          DescentOptions{
              .memory = descent_memory, .distrust = 10.0, .rounding = rounding, .learn_every = 1},
          stochastic};
}

ErasedRun make_run(const std::shared_ptr<const ClassData>& data, const ReducedRankSettings& s,
                   Index rank, Index start, const MemoryPlan& plan) {
  if (s.descends()) {
    auto features = std::make_shared<const FeatureMoments>(feature_moments(data->design()));
    const ReducedRank first = first_point(*data, s, rank, start, features.get());
    return make_descent(data, s, first, std::move(features), s.stochastic_iterations(data->rows()));
  }
  const bool extrinsic = s.method == ReducedRankMethod::extrinsic,
             learning = s.method != ReducedRankMethod::rsgd;
  const Index p = data->features(), k = data->classes() - 1;
  Multinomial model(data,
                    {.batch = s.rows_per_gradient(), .scores = scores_of(s), .ridge = s.ridge});
  const ReducedRank first = first_point(*data, s, rank, start);
  double epsilon = s.epsilon;
  if (epsilon == 0.0 && learning) {
    // ε fades like ε/n, and a direction that few scores have seen is amplified by up to n/ε. With the
    // squared norms of an iteration's scores, added and divided by 64, the estimate of iteration s is
    // damped by |φ|²/(64 s), however many scores there are and how often. docs/results.md tells how 64 was found.
    const Matrix scores = model.scores(first, Draws(std::uint64_t(s.seed), 0));
    epsilon = scores.squaredNorm() / double(epsilon_share * learns_every(s));
  }
  const std::int64_t planned =
      s.iterations > 0 ? s.iterations : s.stochastic_iterations(data->rows());
  const Average average({.on = is_on(s.average, true), .start = 0, .power = 4.0});
  StepRule rule{.step_size = learning ? learnt_step_size : plain_step_size,
                .kl_radius = learning ? 0.1 : 0.0};
  if (s.method == ReducedRankMethod::ifngd)
    rule.step_size = ifngd_step_size, rule.delay = ifngd_delay, rule.decay = 0.9;
  RunOptions options;
  options.rule = s.rule(rule);
  options.carry = s.transport;
  options.evaluate_every = s.eval_every;
  return {{extrinsic ? AnyFrame(ExtrinsicReducedRank(first)) : AnyFrame(first),
           make_fisher(s.approximation(), offer_of(s, p, k, rank, epsilon, plan.single_operators)),
           std::uint64_t(s.seed), average},
          extrinsic ? AnyModel::of<ExtrinsicReducedRank>(model) : AnyModel::of<ReducedRank>(model),
          std::move(options),
          after_iterations(planned),
          planned};
}

double gain_left(ErasedRun& run, const std::shared_ptr<const ClassData>& data,
                 const ReducedRankSettings& s) {
  if (run.state.descending != 0) return run.state.predicted;
  const Multinomial model(data, {.ridge = s.ridge});
  const AnyFrame end = run.state.estimate();
  const Vector g = end.holds<ExtrinsicReducedRank>()
                       ? model.value_and_gradient(end.as<ExtrinsicReducedRank>()).gradient
                   : end.holds<FactoredReducedRank>()
                       ? model.value_and_gradient(end.as<FactoredReducedRank>()).gradient
                       : model.value_and_gradient(end.as<ReducedRank>()).gradient;
  return 0.5 * g.dot(run.state.fisher.solve(g));
}

Evaluation evaluate(const ClassData& data, const ReducedRank& point) {
  const Index n = data.rows(), K = data.classes();
  const LinearScores s = Multinomial::linear(point);
  const ClassSums total = sums(data, s);
  Evaluation out{total.loss / double(n), double(total.correct) / double(n),
                 Eigen::MatrixXi::Zero(K, K)};
  const DesignRows::Left left = data.design().prepared(s.left);
  out.confusion = sum_over_rows<Eigen::MatrixXi>(n, [&](Index first, Index count) {
    Eigen::MatrixXi some = Eigen::MatrixXi::Zero(K, K);
    const Matrix z = data.design().project(left, {first, count});
    const Matrix p = probabilities((s.right * z).colwise() + s.intercepts);
    for (Index i = 0; i < p.cols(); ++i) {
      Index best;
      p.col(i).maxCoeff(&best);
      ++some(data.outcome(first + i), best);
    }
    return some;
  });
  return out;
}

Components components(const ReducedRank& point) {
  const FixedRank& B = point.factor<0>();
  auto [left, s, right] = svd(B.S());
  Components out{B.U() * left, s, B.V() * right};
  for (Index j = 0; j < s.size(); ++j) {
    Index largest;
    out.U.col(j).cwiseAbs().maxCoeff(&largest);
    if (out.U(largest, j) < 0.0) out.U.col(j) *= -1.0, out.V.col(j) *= -1.0;
  }
  return out;
}

}  // namespace fisherman
