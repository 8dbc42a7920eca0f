// The Fisher-Rao Gaussian has no transport but the frame's own.
#include "fisherman/manifold/gaussian.hpp"

using namespace fisherman;

void misuse() {
  const auto q = gaussian_affine(Vector::Zero(2), Matrix::Identity(2, 2));
  q.transport_to(q);
}
