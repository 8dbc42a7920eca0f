#include <cmath>

#include "fisherman/fit/reduced_rank.hpp"
#include "fisherman/fit/registry.hpp"
#include "fisherman/manifold/gaussian.hpp"
#include "fisherman/model/gaussian_vb.hpp"
#include "fisherman/model/logistic.hpp"
#include "fisherman/model/multinomial.hpp"
#include "fisherman/testing/model_laws.hpp"
#include "random_points.hpp"

namespace fisherman {
namespace model_examples {
namespace {

LogisticTarget random_regression(Index rows, Index columns, std::uint64_t seed) {
  const Matrix X = random_matrix(rows, columns, seed);
  const Vector eta = X * Draws(seed, 2).normals(0, columns, 1);
  const Matrix u = Draws(seed, 3).uniforms(0, rows, 1);
  Vector y(rows);
  for (Index i = 0; i < rows; ++i) y(i) = u(i) < 1.0 / (1.0 + std::exp(-eta(i))) ? 1.0 : 0.0;
  return {X, y, 2.0};
}

double kl_of_points(const AnyFrame& a, const AnyFrame& b, Index n) {
  const Vector p = a.point(), q = b.point();
  return gaussian_kl(p.head(n), as_matrix(p.data() + n, n, n), q.head(n),
                     as_matrix(q.data() + n, n, n));
}

/// The variational Bayes of a logistic regression at a random Gaussian, with every gradient estimator.
template <class F>
ModelExample logistic(const Sizes& sizes, std::uint64_t seed, const F& frame) {
  const LogisticTarget target = random_regression(sizes[0], sizes[1], seed);
  ModelExample out;
  for (const auto& [name, estimator] : {std::pair{"exact", GradientEstimator::exact},
                                        {"bonnet-price", GradientEstimator::bonnet_price},
                                        {"reparameterised", GradientEstimator::reparameterised},
                                        {"stl", GradientEstimator::sticking_the_landing},
                                        {"score", GradientEstimator::score_function}}) {
    const GaussianVb<LogisticTarget> model(target,
                                           {.draws = 50, .scores = 100, .estimator = estimator});
    out.push_back({name, AnyModel::of<F>(model), frame});
  }
  out.front().kl = [n = sizes[1]](const AnyFrame& a, const AnyFrame& b) {
    return kl_of_points(a, b, n);
  };
  return out;
}

ModelExample reduced_rank(const Sizes& sizes, std::uint64_t seed) {
  const Index rows = sizes[0], features = sizes[1], classes = sizes[2], rank = sizes[3];
  const std::vector<Index> drawn = Draws(seed, 4).integers(0, rows, classes);
  const auto data = std::make_shared<const ClassData>(
      random_matrix(features, rows, seed), std::vector<int>(drawn.begin(), drawn.end()), classes);
  const Multinomial model(data, {.batch = std::min<Index>(rows, 20)});
  const ReducedRank point = random_start(*data, rank, Draws(seed, 0));
  return {{"minibatch", AnyModel::of<ReducedRank>(model), point, {}, false}};
}

/// A model whose Fisher operator nobody asks for.
struct ScoresOnly {
  AnyModel& model;
  Vector gradient(const AnyFrame& frame, const Draws& draws) {
    return model.gradient(frame, draws);
  }
  Matrix scores(const AnyFrame& frame, const Draws& draws) { return model.scores(frame, draws); }
};

std::vector<Named<ModelExample>> all_models() {
  return {
      {"logistic",
       "Gaussian variational Bayes of a logistic regression, affine geometry",
       "rows,columns",
       {40, 3},
       [](const Sizes& n, std::uint64_t seed) {
         return logistic(n, seed,
                         gaussian_affine(random_vector(n[1], seed), random_spd(n[1], seed)));
       }},
      {"logistic-bw",
       "the same, Bures-Wasserstein geometry",
       "rows,columns",
       {40, 3},
       [](const Sizes& n, std::uint64_t seed) {
         return logistic(
             n, seed,
             gaussian_bures_wasserstein(random_vector(n[1], seed), random_spd(n[1], seed)));
       }},
      {"logistic-euclidean",
       "the same, Euclidean geometry",
       "rows,columns",
       {40, 3},
       [](const Sizes& n, std::uint64_t seed) {
         return logistic(n, seed,
                         gaussian_euclidean(random_vector(n[1], seed), random_spd(n[1], seed)));
       }},
      {"reduced-rank",
       "multinomial regression with coefficients of low rank",
       "rows,features,classes,rank",
       {60, 5, 4, 2},
       reduced_rank},
  };
}

}  // namespace
}  // namespace model_examples

const std::vector<Named<ModelExample>>& models() {
  static const std::vector<Named<ModelExample>> all = model_examples::all_models();
  return all;
}

testing::LawReport check_laws(ModelExample example, std::uint64_t seed) {
  testing::LawReport all;
  const testing::ModelLawOptions options{.seed = seed};
  bool first = true;
  for (ModelVariant& variant : example) {
    testing::LawReport report = testing::check_gradient(variant.model, variant.frame, options);
    for (const testing::Law& law : report.laws())
      all.between(variant.name + ": " + law.name, law.measured, law.lowest, law.highest);
    // Variants differ in their gradients; scores and Fisher operator are the family's.
    if (first && variant.fisher)
      all.add(testing::check_scores(variant.model, variant.frame, options));
    if (first && !variant.fisher) {
      model_examples::ScoresOnly scores{variant.model};
      all.add(testing::check_scores(scores, variant.frame, options));
    }
    if (variant.kl)
      all.add(testing::check_kl<AnyFrame>(variant.frame, variant.model.fisher(variant.frame),
                                          variant.kl, options));
    first = false;
  }
  return all;
}

}  // namespace fisherman
