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

}  // namespace fisherman
