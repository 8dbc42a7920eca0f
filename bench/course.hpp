// What the NELBO is after how many gradients, for the methods of `fit density`.
#pragma once

#include <ctime>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "fisherman/fit/driver.hpp"
#include "fisherman/fit/gaussian.hpp"

namespace fisherman::bench {

inline double cpu_seconds() { return double(std::clock()) / double(CLOCKS_PER_SEC); }

struct Course {
  std::int64_t gradients;
  double cpu, nelbo;  // processor time without that of the NELBO
};

/// Looks after every iteration of newton, otherwise where the number of gradients has grown by a tenth; and at the end.
inline std::vector<Course> course(const FunctionTarget& target,
                                  const std::function<double(const GaussianPoint&)>& nelbo,
                                  const DensitySettings& settings, std::int64_t most_gradients) {
  std::int64_t gradients = 0;
  const FunctionTarget counting(target.dimension(), [&](const Matrix& x, Matrix& g) {
    gradients += x.cols();
    return target.log_density(x, g);
  });
  std::vector<Course> out;
  const double began = cpu_seconds();
  double watching = 0.0;
  ErasedRun run = make_run(counting, settings, std::nullopt);
  const Observer<ErasedState> watch = [&](const Record& r, const ErasedState& s) {
    const bool due = out.empty() || settings.method == GaussianMethod::newton ||
                     double(gradients) >= 1.1 * double(out.back().gradients);
    if (!due && !r.last) return;
    const std::int64_t spent = gradients;  // those of the NELBO do not count
    const double now = cpu_seconds();
    double value = std::numeric_limits<double>::infinity();
    try {
      value = nelbo(gaussian_point(s.estimate()));
    } catch (const NotFinite&) {
    }
    out.push_back({spent, now - began - watching, value});
    watching += cpu_seconds() - now;
  };
  const Stop enough([&](const Record&) {
    return gradients >= most_gradients ? std::optional(Status::iterations_done) : std::nullopt;
  });
  drive(run, enough, {watch});
  return out;
}

/// Gradients after which the NELBO stays within `nats` of the best.
inline std::string until(const std::vector<Course>& course, double best, double nats) {
  std::string out = "never";
  for (auto it = course.rbegin(); it != course.rend() && it->nelbo - best < nats; ++it)
    out = std::to_string(it->gradients);
  return out;
}

}  // namespace fisherman::bench
