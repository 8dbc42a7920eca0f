// FactoredWindow with a model that offers columns of numbers only.
#include "fisherman/fisher/window.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/solve/run.hpp"

using namespace fisherman;

struct PlainScores {
  Vector gradient(const Euclidean& x, const Draws&) const { return x.point(); }
  Matrix scores(const Euclidean& x, const Draws& draws) const {
    return draws.normals(0, x.dimension(), 1);
  }
};

void misuse() {
  State state{Euclidean(Vector::Zero(2)), FactoredWindow({2, 0, 1})};
  PlainScores model;
  run(state, model, {}, after_iterations(1));
}
