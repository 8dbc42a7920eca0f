#include "fisherman/fit/reduced_rank.hpp"

#include <algorithm>
#include <cmath>

#include "defaults.hpp"
#include "fisherman/core/memory.hpp"
#include "fisherman/core/spectral.hpp"

namespace fisherman {

using namespace reduced_rank_defaults;  // NOLINT: constants of this folder

namespace {

bool decorrelated(const ReducedRankSettings& s) {
  return s.approximation() == FisherChoice::decorrelated;
}

Index scores_of(const ReducedRankSettings& s) {
  return s.scores > 0
             ? s.scores
             : std::max<Index>(1, s.batch / (decorrelated(s) ? decorrelated_share : usual_share));
}

/// Iterations for each one that the Fisher estimate learns from.
Index learns_every(const ReducedRankSettings& s) { return decorrelated(s) ? 2 : 1; }

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
  return fisher_memory(s.approximation(), offer_of(s, p, k, r, 0.0, single));
}

}  // namespace

double MemoryPlan::peak() const { return design + std::max(table, operators) + rest; }

MemoryPlan plan_memory(const ReducedRankSettings& s, Index rows, Index columns, Index kept,
                       Index classes, Index rank) {
  const double n = double(rows), k = double(classes - 1);
  MemoryPlan plan{};
  plan.table = n * double(columns) * sizeof(double);
  plan.single_operators = s.precision != Precision::float64;
  plan.single_design = s.precision == Precision::float32;
  plan.operators = operator_memory(s, kept, classes - 1, rank, plan.single_operators);
  // The program itself, labels, and the scores of an iteration with their copy on the way.
  const double coordinates = s.method == ReducedRankMethod::extrinsic
                                 ? double(kept) * k
                                 : double(rank) * double(kept + rank) + k;
  plan.rest = 3e7 + 40.0 * n + 2.0 * sizeof(double) * coordinates * double(scores_of(s));
  const auto sized = [&] {
    plan.design = n * double(kept) * (plan.single_design ? sizeof(float) : sizeof(double));
    return plan.peak();
  };
  // By the memory in all, not by what is free now: the same fit has the same bits at any time.
  if (s.precision == Precision::automatic && sized() > 0.6 * memory_now().total)
    plan.single_design = true;
  sized();
  const bool table_is_more = plan.table > plan.operators;  // they are not there at the same time
  require_memory(
      "the fit",
      {{"data", plan.design + (table_is_more ? plan.table : 0.0)},
       {"Fisher operators", table_is_more ? 0.0 : plan.operators},
       {"the rest", plan.rest}},
      "--precision single halves what is kept, and --fisher decorrelated takes the least");
  return plan;
}

ReducedRank reduced_rank_point(const AnyFrame& frame) {
  if (frame.holds<ExtrinsicReducedRank>()) return frame.as<ExtrinsicReducedRank>().base();
  return frame.as<ReducedRank>();
}

ErasedRun make_run(const std::shared_ptr<const ClassData>& data, const ReducedRankSettings& s,
                   Index rank, Index start, const MemoryPlan& plan) {
  require(s.method != ReducedRankMethod::lbfgs, "L-BFGS makes no run");
  const bool extrinsic = s.method == ReducedRankMethod::extrinsic,
             learning = s.method != ReducedRankMethod::rsgd;
  const Index p = data->features(), k = data->classes() - 1;
  Multinomial model(data, {.batch = s.batch, .scores = scores_of(s)});
  const ReducedRank first = first_point(*data, s, rank, start);
  double epsilon = s.epsilon;
  if (epsilon == 0.0 && learning) {
    // ε fades like ε/n, and a direction that few scores have seen is amplified by up to n/ε. With the
    // squared norms of an iteration's scores, added and divided by 64, the estimate of iteration s is
    // damped by |φ|²/(64 s), however many scores there are and how often. docs/results.md tells how 64 was found.
    const Matrix scores = model.scores(first, Draws(std::uint64_t(s.seed), 0));
    epsilon = scores.squaredNorm() / double(epsilon_share * learns_every(s));
  }
  const double per_pass = double(data->rows()) / double(s.batch);
  const auto planned =
      s.iterations > 0
          ? s.iterations
          : std::max<std::int64_t>(least_iterations, std::int64_t(std::ceil(s.passes * per_pass)));
  const Average average({.on = is_on(s.average, true), .start = 0, .power = 4.0});
  ErasedRun run{
      {extrinsic ? AnyFrame(ExtrinsicReducedRank(first)) : AnyFrame(first),
       make_fisher(s.approximation(), offer_of(s, p, k, rank, epsilon, plan.single_operators)),
       std::uint64_t(s.seed), average},
      extrinsic ? AnyModel::of<ExtrinsicReducedRank>(model) : AnyModel::of<ReducedRank>(model),
      {},
      after_iterations(planned),
      planned};
  StepRule rule{.step_size = learning ? learnt_step_size : plain_step_size,
                .kl_radius = learning ? 0.1 : 0.0};
  if (s.method == ReducedRankMethod::ifngd)
    rule.step_size = ifngd_step_size, rule.delay = ifngd_delay, rule.decay = 0.9;
  run.options.rule = s.rule(rule);
  run.options.carry = s.transport;
  run.options.evaluate_every = s.eval_every;
  return run;
}

ReducedRankOptimum factor_lbfgs(const ClassData& data, const ReducedRank& start,
                                const LbfgsOptions& options, const LbfgsWatch& watch) {
  const FixedRank& B = start.factor<0>();
  const Index p = B.rows(), k = B.cols(), r = B.rank();
  Vector x(p * r + k * r + k);
  const Matrix right = B.V() * B.S().transpose();
  x << as_vector(B.U()), as_vector(right), start.factor<1>().point();
  const auto factors = [&](const Vector& at) {
    return LinearScores{as_matrix(at.data(), p, r), as_matrix(at.data() + p * r, k, r), at.tail(k)};
  };
  const double n = double(data.rows());
  const LbfgsResult end = lbfgs(
      x,
      [&](const Vector& at, Vector& g) {
        const LinearScores s = factors(at);
        const ClassSums total = sums(data, s, &s.right);
        g << as_vector(total.x_eb), as_vector(total.e_xl), total.e;
        g /= n;
        return total.loss / n;
      },
      options, watch);
  const LinearScores s = factors(end.x);
  return {ReducedRank(FixedRank(s.left * s.right.transpose(), r), Euclidean(s.intercepts)),
          end.value, end.iterations, end.converged};
}

double gain_left(ErasedRun& run, const std::shared_ptr<const ClassData>& data) {
  const Multinomial model(data);
  const AnyFrame end = run.state.estimate();
  const ReducedRank point = reduced_rank_point(end);
  const Vector g = end.holds<ExtrinsicReducedRank>()
                       ? model.value_and_gradient(ExtrinsicReducedRank(point)).gradient
                       : model.value_and_gradient(point).gradient;
  return 0.5 * g.dot(run.state.fisher.solve(g));
}

Evaluation evaluate(const ClassData& data, const ReducedRank& point) {
  const Index n = data.rows(), K = data.classes();
  const LinearScores s = Multinomial::linear(point);
  const ClassSums total = sums(data, s);
  Evaluation out{total.loss / double(n), double(total.correct) / double(n),
                 Eigen::MatrixXi::Zero(K, K)};
  constexpr Index at_once = 4096;
  for (Index first = 0; first < n; first += at_once)
    data.with_block(first, std::min(at_once, n - first), [&](const ConstMatrixRef& x) {
      const Matrix z = s.left.transpose() * x;
      const Matrix p = probabilities((s.right * z).colwise() + s.intercepts);
      for (Index i = 0; i < p.cols(); ++i) {
        Index best;
        p.col(i).maxCoeff(&best);
        ++out.confusion(data.outcomes()[std::size_t(first + i)], best);
      }
    });
  return out;
}

bool separable(const ClassData& data, const ReducedRank& point) {
  const double right = evaluate(data, point).accuracy;
  if (right == 1.0) return true;
  constexpr Index iterations = 500;
  const FixedRank& B = point.factor<0>();
  // Two products of the rows with the factors, forth and back, in a little more than one evaluation each.
  const double work = 5.0 * double(iterations) * double(data.rows()) * double(B.rows() + B.cols()) *
                      double(B.rank());
  if (right < 0.95 || work > 1e10) return false;
  // A total loss below log 2 leaves no row with less than half.
  const double enough = std::log(2.0) / double(data.rows());
  const auto further = factor_lbfgs(data, point, {.iterations = iterations, .tolerance = 0.0},
                                    [&](Index, double value) { return value >= enough; });
  return evaluate(data, further.point).accuracy == 1.0;
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
