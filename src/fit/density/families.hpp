// The families of distributions that fit density and fit stan choose from. A family is one entry of a table: a word, how it is
// fitted, and how it is made again from a file.
#pragma once

#include <memory>
#include <optional>

#include "fisherman/fit/density.hpp"

namespace fisherman {

/// A member of a family.
class Approximation {
 public:
  Approximation() = default;
  Approximation(const Approximation&) = delete;
  Approximation& operator=(const Approximation&) = delete;
  virtual ~Approximation() = default;

  virtual Index dimension() const = 0;
  struct Drawn {
    Matrix points;  // one per column
    Vector log_q;
  };
  virtual Drawn draws(Index count, std::uint64_t seed) const = 0;
  /// Those that k̂, the NELBO and the summaries of a fit are from.
  virtual Matrix khat_draws(Index count, std::uint64_t seed) const = 0;
  virtual Vector mean() const = 0;
  /// The text of metric.json: its covariance, or the diagonal alone.
  virtual std::string metric() const = 0;
  /// What load() of the family needs.
  virtual void save(Fields& model) const = 0;
};

/// A fit by any of the families.
struct FamilyFit : DensityFit {
  std::shared_ptr<const Approximation> q;
};

struct FamilyEntry {
  DensityFamily family;
  std::string name, help;
  std::string what;     // was fitted, in sentences
  std::string instead;  // what may help where it is not close enough, as doubts_about() has it
  /// Nothing if a signal came before the first iteration.
  std::function<std::optional<FamilyFit>(const FunctionTarget&, const DensityFitSettings&, Driver&)>
      fit;
  /// Throws Misuse for what does not go together.
  std::function<std::shared_ptr<const Approximation>(const Fields& model)> load;
};

FamilyEntry gaussian_family();
FamilyEntry flow_family();
FamilyEntry low_rank_family();

const std::vector<FamilyEntry>& density_families();
const FamilyEntry& density_family(DensityFamily family);
/// Throws Misuse if there is none of this name.
const FamilyEntry& density_family(const std::string& name);

/// What the help says of options by which families differ.
inline constexpr std::int64_t gaussian_batch = 100, flow_batch = 10;
inline constexpr double density_flow_tolerance = 0.05, density_flow_step_size = 0.1;
inline constexpr double low_rank_step_size = 0.5;
inline constexpr Index density_flow_rank = 8;

}  // namespace fisherman
