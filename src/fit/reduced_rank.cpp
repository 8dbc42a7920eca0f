#include "fisherman/fit/reduced_rank.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "column_scale.hpp"
#include "fisherman/core/memory.hpp"
#include "fisherman/core/spectral.hpp"
#include "fisherman/fisher/block_diagonal.hpp"
#include "fisherman/fisher/decorrelated.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/identity.hpp"
#include "fisherman/fisher/kronecker.hpp"

namespace fisherman {

namespace {

constexpr std::int64_t least_iterations = 1000;  // if the number is left to us
constexpr double ifngd_step_size = 0.4, learnt_step_size = 0.2, plain_step_size = 1.0;
constexpr double ifngd_delay = 50.0;
// The shares of a batch that the Fisher estimate learns from, and of the squared scores that it starts from.
constexpr Index decorrelated_share = 8, usual_share = 4, epsilon_share = 64;

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
  o.add("blocks", blocks, "blocks of the Fisher estimate of ifngd",
        {{FisherBlocks::decorrelated, "decorrelated",
          "one for each column of U, their mean correlation taken out; learns every second time"},
         {FisherBlocks::column, "column",
          "one for each column of U; M, V and the intercepts one each"},
         {FisherBlocks::ambient, "ambient", "M, U, V and the intercepts, one each"},
         {FisherBlocks::paper, "paper", "the same, carried by the paper's transport"},
         {FisherBlocks::full, "full", "one for all coordinates"}});
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
      o, {.iterations = sentence("as many as the passes take, for lbfgs until converged, at most ",
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
          .delay = sentence(ifngd_delay, " for ifngd, otherwise ", StepRule().delay)});
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

FeatureMap FeatureMap::of(const Matrix& x, std::vector<std::string> names, FeatureScale how) {
  require(how != FeatureScale::automatic,
          "--scale is auto, but must have been decided: one of pixel|standardize|none");
  const bool pixel = how == FeatureScale::pixel, standardize = how == FeatureScale::standardize;
  FeatureMap map;
  map.names = std::move(names);
  std::vector<double> shifts, scales;
  for (Index j = 0; j < x.cols(); ++j) {
    if (standardize) {
      const ColumnScale column = column_scale(x.col(j), map.names[std::size_t(j)]);
      if (column.constant()) continue;
      shifts.push_back(column.mean);
      scales.push_back(column.sd);
    } else {
      if ((x.col(j).array() == 0.0).all()) continue;
      shifts.push_back(0.0);
      scales.push_back(pixel ? 255.0 : 1.0);
    }
    map.kept.push_back(j);
  }
  require(!map.kept.empty(), "all features are constant: there is nothing to fit");
  map.shift = Eigen::Map<const Vector>(shifts.data(), Index(shifts.size()));
  map.scale = Eigen::Map<const Vector>(scales.data(), Index(scales.size()));
  return map;
}

template <class Scalar>
Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> FeatureMap::design(
    const Matrix& x, const std::vector<Index>& rows) const {
  require(x.cols() == Index(names.size()), "the data have ", x.cols(),
          " columns, but the fit was made with ", names.size());
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> out(Index(kept.size()), Index(rows.size()));
  constexpr std::size_t at_once = 64;  // both matrices are walked along their columns
  for (std::size_t first = 0; first < rows.size(); first += at_once)
    for (Index j = 0; j < out.rows(); ++j)
      for (std::size_t i = first; i < std::min(first + at_once, rows.size()); ++i)
        out(j, Index(i)) = Scalar((x(rows[i], kept[std::size_t(j)]) - shift(j)) / scale(j));
  return out;
}
template Eigen::MatrixXd FeatureMap::design<double>(const Matrix&, const std::vector<Index>&) const;
template Eigen::MatrixXf FeatureMap::design<float>(const Matrix&, const std::vector<Index>&) const;

Matrix FeatureMap::restored(const Matrix& kept_rows) const {
  Matrix out = Matrix::Zero(Index(names.size()), kept_rows.cols());
  for (std::size_t j = 0; j < kept.size(); ++j) out.row(kept[j]) = kept_rows.row(Index(j));
  return out;
}

namespace {

bool decorrelated(const ReducedRankSettings& s) {
  return s.method == ReducedRankMethod::ifngd && s.blocks == FisherBlocks::decorrelated;
}

Index scores_of(const ReducedRankSettings& s) {
  return s.scores > 0
             ? s.scores
             : std::max<Index>(1, s.batch / (decorrelated(s) ? decorrelated_share : usual_share));
}

/// Iterations for each one that the Fisher estimate learns from.
Index learns_every(const ReducedRankSettings& s) { return decorrelated(s) ? 2 : 1; }

/// U_p among the coordinates (M, U_p, V_p) of the coefficients and the intercepts.
OuterBlock outer_block(Index p, Index r) { return {r * r, p, r}; }

/// Coordinates of the blocks: (M, U_p, V_p) of the coefficients, then the intercepts.
std::vector<Index> block_sizes(const ReducedRankSettings& s, Index p, Index k, Index r) {
  if (s.method == ReducedRankMethod::extrinsic) return {p * k, k};
  if (s.method == ReducedRankMethod::kfac) return {r * r, p * r, k * r, k};
  if (s.blocks == FisherBlocks::full) return {r * (r + p + k) + k};
  std::vector<Index> sizes{r * r};
  if (s.blocks == FisherBlocks::column)
    sizes.insert(sizes.end(), std::size_t(r), p);
  else
    sizes.push_back(p * r);
  sizes.push_back(k * r);
  sizes.push_back(k);
  return sizes;
}

/// Below this, single precision saves nothing worth having.
constexpr Index large_block = 256;

AnyFisher dense(Index size, double epsilon, bool single) {
  if (single && size >= large_block) return DenseSingle(size, {.epsilon = epsilon});
  return Dense(size, {.epsilon = epsilon});
}

AnyFisher fisher_for(const ReducedRankSettings& s, Index p, Index k, Index r, double epsilon,
                     bool single) {
  if (s.method == ReducedRankMethod::rsgd) return Identity(r * (r + p + k) + k);
  if (decorrelated(s)) {
    const std::vector<Index> rest{r * r, k * r, k};
    const DecorrelatedOptions options{.epsilon = epsilon, .every = learns_every(s)};
    if (single && p >= large_block) return DecorrelatedSingle(outer_block(p, r), rest, options);
    return Decorrelated(outer_block(p, r), rest, options);
  }
  std::vector<AnyFisher> blocks;
  if (s.method == ReducedRankMethod::kfac) {
    blocks.emplace_back(Kronecker(r, r, {.epsilon = epsilon}));
    if (single)
      blocks.emplace_back(KroneckerSingle(p, r, {.epsilon = epsilon}));
    else
      blocks.emplace_back(Kronecker(p, r, {.epsilon = epsilon}));
    blocks.emplace_back(Kronecker(k, r, {.epsilon = epsilon}));
    blocks.emplace_back(dense(k, epsilon, false));
  } else {
    for (const Index size : block_sizes(s, p, k, r)) blocks.push_back(dense(size, epsilon, single));
  }
  return BlockDiagonal<AnyFisher>(std::move(blocks));
}

double operator_memory(const ReducedRankSettings& s, Index p, Index k, Index r, bool single) {
  if (s.method == ReducedRankMethod::rsgd || s.method == ReducedRankMethod::lbfgs) return 0.0;
  const Index b = scores_of(s);
  if (s.method == ReducedRankMethod::kfac)
    return single ? KroneckerSingle::memory(p, r, b) : Kronecker::memory(p, r, b);
  if (decorrelated(s))
    return single && p >= large_block ? DecorrelatedSingle::memory(outer_block(p, r), b)
                                      : Decorrelated::memory(outer_block(p, r), b);
  double sum = 0.0;
  for (const Index size : block_sizes(s, p, k, r))
    sum += single && size >= large_block ? DenseSingle::memory(size, b) : Dense::memory(size, b);
  return sum;
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
      "--precision single halves what is kept, and --blocks decorrelated takes the least");
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
       fisher_for(s, p, k, rank, epsilon, plan.single_operators), std::uint64_t(s.seed), average},
      extrinsic ? AnyModel::of<ExtrinsicReducedRank>(model) : AnyModel::of<ReducedRank>(model),
      {},
      after_iterations(planned),
      planned};
  StepRule rule{.step_size = learning ? learnt_step_size : plain_step_size,
                .kl_radius = learning ? 0.1 : 0.0};
  if (s.method == ReducedRankMethod::ifngd)
    rule.step_size = ifngd_step_size, rule.delay = ifngd_delay, rule.decay = 0.9;
  run.options.rule = s.rule(rule);
  run.options.carry = s.method == ReducedRankMethod::ifngd && s.blocks == FisherBlocks::paper
                          ? Carry::paper
                          : Carry::frame;
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
                       ? model.exact_gradient(ExtrinsicReducedRank(point))
                       : model.exact_gradient(point);
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
