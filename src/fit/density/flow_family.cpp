// A Sylvester flow for fit density and fit stan. It begins at the Gaussian that newton finds.
#include <algorithm>

#include "families.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/fit/flow.hpp"
#include "fisherman/fit/stan_files.hpp"

namespace fisherman {
namespace {

constexpr Index draws_for_moments = 4000;

/// `rank` 0 leaves it to us.
FlowSettings flow_shape(Index dimension, std::int64_t layers, std::int64_t rank,
                        std::int64_t seed) {
  FlowSettings flow;
  flow.family = VariationalFamily::sylvester;
  flow.layers = layers;
  flow.rank = rank > 0 ? rank : std::min(density_flow_rank, dimension);
  flow.seed = seed;
  return flow;
}

class FlowApproximation final : public Approximation {
 public:
  FlowApproximation(FlowSettings shape, Index dimension, AnyFrame frame)
      : shape_(std::move(shape)), dimension_(dimension), frame_(std::move(frame)) {}

  Index dimension() const override { return dimension_; }
  Drawn draws(Index count, std::uint64_t seed) const override {
    FlowDraws drawn = flow_draws(shape_, dimension_, frame_, count, seed);
    return {std::move(drawn.betas), std::move(drawn.log_q)};
  }
  Matrix khat_draws(Index count, std::uint64_t /*seed*/) const override {
    return flow_khat_draws(shape_, dimension_, frame_, count).betas;
  }
  Vector mean() const override { return khat_draws(draws_for_moments, 0).rowwise().mean(); }
  std::string metric() const override {
    const Matrix points = khat_draws(draws_for_moments, 0);
    const Matrix apart = points.colwise() - Vector(points.rowwise().mean());
    return stan_metric(apart * apart.transpose() / double(draws_for_moments - 1));
  }
  void save(Fields& model) const override {
    model.set("layers", shape_.layers);
    model.set("rank", shape_.rank);
    model.set("state", frame_.state());
  }

  static std::shared_ptr<const Approximation> load(const Fields& model) {
    const Index d = Index(model.need_texts("coordinates").size());
    const Vector state = model.need_vector("state");
    const Index layers = model.need_count("layers"), rank = model.need_count("rank");
    // A lie about the sizes is found before anything is allocated for it.
    require(d > 0 && layers > 0 && rank > 0 && rank <= d &&
                double(d) * double(d) + double(layers) * double(rank) * double(d) <=
                    double(state.size()),
            "its sizes do not go together");
    FlowSettings shape = flow_shape(d, layers, rank, model.need_count("seed"));
    AnyFrame frame = flow_frame(shape, d, state);  // throws for a state of another size
    return std::make_shared<FlowApproximation>(std::move(shape), d, std::move(frame));
  }

 private:
  FlowSettings shape_;
  Index dimension_;
  AnyFrame frame_;
};

FlowSettings flow_settings(const DensityFitSettings& s, Index dimension) {
  FlowSettings flow = flow_shape(dimension, s.layers, s.rank, s.seed);
  const double usual_delay = flow.delay;
  static_cast<RunSettings&>(flow) = s;
  if (flow.batch == 0) flow.batch = flow_batch;
  if (flow.scores == 0) flow.scores = flow.batch;  // scores of the gradient's draws go astray
  if (flow.step_size == 0.0) flow.step_size = density_flow_step_size;
  if (flow.delay == 0.0) flow.delay = usual_delay;
  if (flow.tolerance == 0.0) flow.tolerance = density_flow_tolerance;
  flow.estimator = s.estimator.value_or(GradientEstimator::sticking_the_landing);
  require(s.method == GaussianMethod::newton && s.geometry == Geometry::affine &&
              s.transport == Carry::frame,
          "--method, --geometry and --transport are for --family gaussian: a flow begins at the "
          "Gaussian that newton finds, and goes on by ifngd");
  require(flow.estimator != GradientEstimator::score_function,
          "--estimator score is not for --family flow");
  return flow;
}

std::optional<FamilyFit> fit_flow_family(const FunctionTarget& target, const DensityFitSettings& s,
                                         Driver& driver) {
  const Index d = target.dimension();
  const FlowSettings settings = flow_settings(s, d);
  DensitySettings first;
  first.starts = s.starts;
  first.seed = s.seed;
  driver.say("A Gaussian is fitted first, to begin at.");
  const Stop interrupted([&](const Record&) {
    return driver.interrupted() ? std::optional(Status::interrupted) : std::nullopt;
  });
  const GaussianFit gaussian = fit_gaussian(
      target, first, std::nullopt, [&](ErasedRun& run) { return drive(run, interrupted, {}); });
  if (gaussian.end.status == Status::interrupted) return std::nullopt;
  FlowFit found = fit_flow(
      target, settings, [&](ErasedRun& run) { return driver.drive(run); }, gaussian.q);
  found.others = gaussian.others;
  found.gradients += gaussian.gradients;
  auto q = std::make_shared<FlowApproximation>(settings, d, std::move(found.frame));
  return FamilyFit{std::move(found), std::move(q)};
}

}  // namespace

FamilyEntry flow_family() {
  return {.family = DensityFamily::flow,
          .name = "flow",
          .help =
              "Sylvester layers on a Gaussian: nearer to a posterior that is curved or skewed, "
              "for ten times the gradients and more",
          .what = "flow",
          .instead = "or NUTS, which can begin with metric.json and inits.json of the run's folder",
          .fit = fit_flow_family,
          .load = FlowApproximation::load};
}

}  // namespace fisherman
