// Exact with a model that has no closed form of its Fisher operator.
#include "fisherman/fisher/exact.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/solve/run.hpp"

using namespace fisherman;

struct NoFisher {
  Vector gradient(const Euclidean& x, const Draws&) const { return x.point(); }
};

void misuse() {
  State state{Euclidean(Vector::Zero(2)), Exact(2)};
  NoFisher model;
  run(state, model, {}, after_iterations(1));
}
