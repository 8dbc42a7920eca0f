// The means of the features by class: what starts begin with.
#pragma once

#include "fisherman/model/multinomial.hpp"

namespace fisherman {

struct ClassMeans {
  Matrix means;  // p×K, less the mean of all rows; zero for a class without rows
  Vector count;  // rows of each class
};
/// Of rows that are all here.
ClassMeans class_means(const ClassData& rows);

/// Intercepts by which every row has the classes' shares as its probabilities; none of these is zero.
Vector log_shares(const ClassMeans& classes);

}  // namespace fisherman
