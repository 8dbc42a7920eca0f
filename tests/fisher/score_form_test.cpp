// A form of scores that the library does not know: a model here offers it, an approximation here learns from it, typed
// and behind AnyModel and AnyFisher, and nothing in include/ had to be touched for it.
#include "fisherman/fisher/score_form.hpp"

#include <string>
#include <vector>

#include "expect_laws.hpp"
#include "fisherman/fisher/any_fisher.hpp"
#include "fisherman/fisher/decorrelated.hpp"
#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/window.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/model/any_model.hpp"
#include "fisherman/model/multinomial.hpp"
#include "fisherman/solve/run.hpp"
#include "toy.hpp"

namespace fisherman {
namespace {

constexpr Index d = 6;
constexpr double epsilon = 2.0;

/// Each score has one coordinate that is not zero.
struct AxisScores {
  static constexpr const char* unavailable =
      "this model's scores do not lie along axes; learn from them with Dense";

  std::vector<Index> axes;
  Vector values;
};

/// A second form, so that a list has more than one: the sum of the squared scores.
struct SquaredScores {
  static constexpr const char* unavailable = "this model's scores have no squares";

  Vector sums;
  Index count = 0;
};

/// The same scores in both forms, and as columns.
struct AxisModel : toy::Attraction {
  using ScoreForms = Forms<SquaredScores, AxisScores>;

  AxisScores scores(const Euclidean& x, const Draws& draws, As<AxisScores>) const {
    return {draws.integers(2, batch, x.dimension()), draws.normals(3, batch, 1)};
  }
  SquaredScores scores(const Euclidean& x, const Draws& draws, As<SquaredScores>) const {
    const Matrix columns = scores(x, draws);
    return {columns.rowwise().squaredNorm(), columns.cols()};
  }
  Matrix scores(const Euclidean& x, const Draws& draws) const {
    const AxisScores some = scores(x, draws, As<AxisScores>{});
    Matrix out = Matrix::Zero(x.dimension(), batch);
    for (Index k = 0; k < batch; ++k) out(some.axes[std::size_t(k)], k) = some.values(k);
    return out;
  }
};

/// H = εI + ΦΦᵀ, which such scores leave diagonal.
template <class Form>
class Diagonal {
 public:
  explicit Diagonal(Index dimension) : squares_(Vector::Zero(dimension)) {}

  Index dimension() const { return squares_.size(); }
  template <class Model, class Frame, class Draws>
  void learn(Model& model, const Frame& frame, const Draws& draws) {
    absorb(scores_as<Form>(model, frame, draws));
  }
  void absorb(const AxisScores& scores) {
    for (std::size_t k = 0; k < scores.axes.size(); ++k)
      squares_(scores.axes[k]) += scores.values(Index(k)) * scores.values(Index(k));
    count_ += scores.values.size();
  }
  void absorb(const SquaredScores& scores) {
    squares_ += scores.sums;
    count_ += scores.count;
  }
  void absorb(const ConstMatrixRef&) { throw Misuse("columns are not for this approximation"); }
  Vector solve(const ConstVectorRef& g) const {
    return double(count_) * (g.array() / (squares_.array() + epsilon)).matrix();
  }

 private:
  Vector squares_;
  Index count_ = 0;
};

using Erased = State<AnyFrame, AnyFisher>;

AxisModel axis_model() { return {{toy::random_vector(d, 1), 3}}; }
const RunOptions how{.rule = {.step_size = 0.5, .delay = 2.0, .decay = 1.0}};

template <class F, class H, class M>
Vector after_a_run(State<F, H> state, M model) {
  run(state, model, how, after_iterations(30));
  return state.frame.point();
}

template <class Form>
void expect_to_learn_from() {
  const Euclidean start(Vector::Zero(d));
  const Vector typed = after_a_run(State{start, Diagonal<Form>(d), 7}, axis_model());
  const AnyModel any = AnyModel::of<Euclidean>(axis_model());
  EXPECT_EQ(typed, after_a_run(Erased{start, Diagonal<Form>(d), 7}, any));
  EXPECT_EQ(typed, after_a_run(Erased{start, Diagonal<Form>(d), 7}, AnyModel::of<AnyFrame>(any)));
  const Vector columns = after_a_run(State{start, Dense(d, {.epsilon = epsilon}), 7}, axis_model());
  EXPECT_LT((typed - columns).norm(), 1e-12 * columns.norm());
  EXPECT_GT(typed.norm(), 0.1);
}

TEST(ScoreForm, OneThatTheLibraryDoesNotKnowServesTypedAndErased) {
  expect_to_learn_from<AxisScores>();
  expect_to_learn_from<SquaredScores>();
}

TEST(ScoreForm, WhatAModelLacksItsFormSays) {
  const Euclidean x(Vector::Zero(d));
  const Draws draws(1, 1);
  AnyModel plain = AnyModel::of<Euclidean>(toy::Attraction{Vector::Zero(d)});
  expect_misuse([&] { AnyFisher(Diagonal<AxisScores>(d)).learn(plain, x, draws); },
                AxisScores::unavailable);
  AnyModel axes = AnyModel::of<Euclidean>(axis_model());
  expect_misuse([&] { scores_as<ScoreFactors>(axes, AnyFrame(x), draws); }, "have no factors");
  expect_misuse([&] { scores_as<OuterScores>(axes, AnyFrame(x), draws); }, "no outer products");
}

TEST(ScoreForm, IsOfferedForTheFramesOfItsOverload) {
  const auto data =
      std::make_shared<const ClassData>(toy::random_matrix(4, 9, 1), std::vector<int>(9, 1), 3);
  const Multinomial model(data);
  const ReducedRank frame(
      FixedRank(toy::random_orthonormal(4, 1, 1), Matrix::Ones(1, 1), Matrix::Identity(2, 1)),
      Euclidean(Vector::Zero(2)));
  static_assert(HasScoresAs<Multinomial, ReducedRank, OuterScores>);
  static_assert(!HasScoresAs<Multinomial, ExtrinsicReducedRank, OuterScores>);
  static_assert(!HasScoresAs<Multinomial, ReducedRank, ScoreFactors>);
  AnyModel inside = AnyModel::of<ReducedRank>(model);
  Multinomial typed = model;
  EXPECT_EQ(scores_as<OuterScores>(inside, AnyFrame(frame), Draws(1, 1)).moments,
            scores_as<OuterScores>(typed, frame, Draws(1, 1)).moments);
  AnyModel outside = AnyModel::of<ExtrinsicReducedRank>(model);
  expect_misuse(
      [&] { scores_as<OuterScores>(outside, AnyFrame(ExtrinsicReducedRank(frame)), Draws(1, 1)); },
      "no outer products");
}

/// An overload that the list forgot would work here and be missing behind AnyModel: so it is missing here too.
struct Forgetful {
  AxisScores scores(const Euclidean&, const Draws&, As<AxisScores>) const { return {}; }
};
static_assert(!HasScoresAs<Forgetful, Euclidean, AxisScores>);

}  // namespace
}  // namespace fisherman
