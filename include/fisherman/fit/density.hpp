// The approximation of a log density of the user's own: from a shared library, or from a Stan program. Both bring a DensityModel,
// and all that follows is the same.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "fisherman/fit/gaussian.hpp"

namespace fisherman {

/// A log density on ℝᵈ, and what its points mean to the user.
struct DensityModel {
  std::string name;
  std::vector<std::string> coordinates;  // names of the d numbers that are fitted
  std::vector<std::string>
      quantities;  // names of what the user sees: the parameters, and then what follows from them
  Index parameters = 0;  // number of these that are parameters
  FunctionTarget target;
  /// The quantities at a point. Random numbers, if there are any, depend on `draw` alone.
  std::function<Vector(const Vector& point, std::uint64_t draw)> at;
  /// What the model said the first time that it could not compute its density; empty if it always could.
  std::function<std::string()> complaint = [] { return std::string(); };
};

/// A target that calls f(point, gradient) for each point, on several threads if it may be.
FunctionTarget target_of(Index dimension,
                         std::function<double(const Vector& point, Vector& gradient)> f,
                         std::function<double(const Vector& point)> value, bool threads);

/// From a shared library with the C functions of docs/density.md. Throws FileError, beginning with the library's name.
DensityModel library_density(const std::filesystem::path& library, const std::string& data_file);

/// From a Stan program, which is compiled first, or a library with BridgeStan's interface. `say` hears what goes on. Throws
/// Misuse with Stan's own words.
DensityModel stan_density(const std::filesystem::path& program, const std::string& data,
                          std::uint64_t seed, const std::function<void(const std::string&)>& say);

enum class Resample { automatic, none, psis };

/// The distributions that approximate the density.
enum class DensityFamily { gaussian, flow, low_rank };

struct DensityFitSettings : DensitySettings {
  DensityFamily family = DensityFamily::gaussian;
  std::int64_t layers = 8;
  std::int64_t rank = 0;
  Resample resample = Resample::automatic;

  DensityFitSettings() { batch = 0; }
  void describe(Options& options);
};

/// Whether weights correct the draws of an approximation with this Pareto k̂.
bool corrects(Resample resample, const RatioCheck& ratios);

/// `count` numbers of draws, each as often as its weight says, as evenly as can be.
std::vector<Index> resampled(const Vector& log_weights, Index count, std::uint64_t seed);

/// What a user should know of a fit, as sentences: that it is not to be trusted, and then `instead` says what else there
/// is; or that other starts led elsewhere. `what` was fitted: a "Gaussian", a "flow".
std::vector<std::string> doubts_about(const DensityFit& fit, const std::string& what,
                                      const std::string& instead);

/// What the draws say of each quantity. One row each: mean, sd, 5%, 50% and 95% quantiles, the effective number of draws, and
/// Pareto k̂ of the estimate of its mean.
Matrix summaries_of(const Matrix& values, const Vector& log_weights, const Vector& log_ratios);

}  // namespace fisherman
