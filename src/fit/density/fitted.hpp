#pragma once

#include <memory>
#include <optional>

#include "families.hpp"
#include "fisherman/fit/fit_kind.hpp"

namespace fisherman {

/// What stands for a log density of the user's: the member of a family that is nearest to it.
class DensityFitted final : public Fitted {
 public:
  std::string kind, name;                // "density" or "stan"; of the model
  std::vector<std::string> coordinates;  // that were fitted
  std::vector<std::string> quantities;   // that the user sees
  Index own = 0;                         // number of these that are parameters
  const FamilyEntry* family = nullptr;
  std::shared_ptr<const Approximation> q;
  bool weighted = false;  // the summaries are those of weighted draws
  Matrix summaries;       // as summaries_of() has them
  Vector middle;          // the parameters at the mean of q
  RatioCheck ratios;
  double objective_error = Record::unknown, ess = Record::unknown;
  std::int64_t gradients = 0;
  Vector others;  // NELBOs of Gaussians elsewhere
  // Nothing for a fit that was loaded.
  std::shared_ptr<const DensityModel> density;

  static std::unique_ptr<DensityFitted> fit(const std::string& kind, DensityModel model,
                                            const DensityFitSettings& settings, Driver& driver);
  static std::unique_ptr<Fitted> load(const SavedFit& saved);

  Fields result() const override;
  Fields model() const override;
  Fields parameters() const override;
  std::string text(const Output& output) const override;
  std::vector<NamedFile> tables(const Output& output) const override;
  Predictions predict(const Table& rows, const std::string& where, bool errors) const override;
  Fields score(const Table& rows, const Predictions& predictions, const std::string& where,
               const std::string& labels_where) const override;
  FittedDraws draws(Index count, std::uint64_t from_seed, Units units) const override;

 private:
  void summarise(const DensityFit& found);
  void add_warnings(const DensityFit& found);
};

namespace density_report {
report::Page page(const std::vector<ReportedFit>& fits, const PageLimits& limits);
}

}  // namespace fisherman
