// The posteriors of posteriordb with reference draws, each fitted at the defaults: how near the fits come, what they cost, and
// what they say of themselves.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace fisherman::cli::study {

struct PosteriorsOptions {
  std::filesystem::path data;    // with index.json, data and draws
  std::filesystem::path models;  // M.so or M.stan of each model M
  std::vector<std::string> only = {};
  std::string family = "gaussian";
  std::int64_t seeds = 5;
  std::filesystem::path folder;
  std::function<void(const std::string&)> say = [](const std::string&) {};  // one call per fit
  std::function<bool()> interrupted = [] { return false; };
};

/// One fit, and how far its draws are from the reference's, at the worst parameter.
struct PosteriorFit {
  std::int64_t seed = 0;
  bool weighted = false;  // --resample auto, otherwise none
  std::string failed;     // why there is none
  std::string status, verdict;
  std::vector<std::string> warnings;
  double gradients = 0.0, cpu_seconds = 0.0, objective = 0.0, khat = 0.0;
  double mean_error = 0.0;  // |mean − reference| in units of the reference's sd
  double sd_error = 0.0;    // |sd/reference − 1|
  double distance = 0.0;    // Wasserstein-1, in units of the reference's sd

  /// Off by a tenth or more, and not a word about it.
  bool silently_wrong() const;
};

struct PosteriorFits {
  std::string name;
  std::int64_t dimension = 0;
  bool nearly_gaussian = false;
  std::vector<PosteriorFit> fits;
};

/// What was measured, until somebody interrupted. Throws FileError where there are no data.
std::vector<PosteriorFits> measured_posteriors(const PosteriorsOptions& options);

/// report.html, posteriors.csv and verdicts.txt.
void write_posteriors(const std::vector<PosteriorFits>& all, const PosteriorsOptions& options);

}  // namespace fisherman::cli::study
