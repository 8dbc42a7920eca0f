// Products of many rows with few columns, in single precision: what a general product would spend on copying its
// operands is more than the work.
#pragma once

#include "fisherman/core/types.hpp"

namespace fisherman {

using ConstSingleRef = Eigen::Ref<const Eigen::MatrixXf>;

/// leftᵀ x for x p×n and left p×r.
Eigen::MatrixXf skinny_project(const Eigen::MatrixXf& left, const ConstSingleRef& x);
/// x wᵀ for x p×n and w r×n.
Eigen::MatrixXf skinny_gather(const Eigen::MatrixXf& w, const ConstSingleRef& x);

}  // namespace fisherman
