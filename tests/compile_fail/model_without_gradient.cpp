// A model that cannot tell its gradient.
#include "fisherman/fisher/identity.hpp"
#include "fisherman/manifold/euclidean.hpp"
#include "fisherman/solve/run.hpp"

using namespace fisherman;

struct Nothing {};

void misuse() {
  State state{Euclidean(Vector::Zero(2)), Identity(2)};
  Nothing model;
  run(state, model, {}, after_iterations(1));
}
