// Random numbers one after the other, for samplers that do not know how many they need. They are those of an address, as
// all random numbers here: the same address gives the same sequence.
#pragma once

#include "fisherman/core/random.hpp"

namespace fisherman {

class RandomSequence {
 public:
  RandomSequence(std::uint64_t seed, std::uint64_t index) : draws_(seed, index) {}

  double uniform() { return next(uniforms_, uniform_at_, true); }
  double normal() { return next(normals_, normal_at_, false); }
  /// Of shape a > 0 and scale 1 (Marsaglia and Tsang 2000).
  double gamma(double a);
  /// By inversion from the mode, in a time that grows like the standard deviation.
  double poisson(double mean);
  double binomial(double trials, double probability);

 private:
  double next(Matrix& kept, Index& at, bool uniform);

  Draws draws_;
  Matrix uniforms_, normals_;
  Index uniform_at_ = 0, normal_at_ = 0;
  std::uint32_t stream_ = 0;
};

}  // namespace fisherman
