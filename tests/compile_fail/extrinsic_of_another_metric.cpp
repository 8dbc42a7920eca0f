// Projecting the direction makes sense for the ambient metric only.
#include "fisherman/manifold/extrinsic.hpp"
#include "fisherman/manifold/spd.hpp"

using namespace fisherman;

void misuse() { Extrinsic extrinsic(SpdAffine(Matrix::Identity(2, 2))); }
