// Projecting the direction makes sense for the ambient metric only.
#include "fisherman/fisherman.hpp"

using namespace fisherman;

void misuse() { Extrinsic extrinsic(SpdAffine(Matrix::Identity(2, 2))); }
