#include "families.hpp"

#include "fisherman/core/error.hpp"
#include "fisherman/fit/stan_files.hpp"
#include "fisherman/manifold/gaussian.hpp"

namespace fisherman {
namespace {

class GaussianApproximation final : public Approximation {
 public:
  explicit GaussianApproximation(GaussianPoint q) : q_(std::move(q)) {}

  Index dimension() const override { return q_.mean.size(); }
  Drawn draws(Index count, std::uint64_t seed) const override {
    const Matrix rows = posterior_draws(q_, count, seed);
    return {rows.transpose(), log_density(q_, rows)};
  }
  Matrix khat_draws(Index count, std::uint64_t seed) const override {
    return fisherman::khat_draws(q_, count, seed);
  }
  Vector mean() const override { return q_.mean; }
  std::string metric() const override { return stan_metric(q_.covariance); }
  void save(Fields& model) const override {
    model.set("mean", q_.mean);
    model.set("covariance", q_.covariance);
  }

  static std::shared_ptr<const Approximation> load(const Fields& model) {
    GaussianPoint q{model.need_vector("mean"), model.need_matrix("covariance")};
    const Index d = q.mean.size();
    require(d > 0 && q.covariance.rows() == d && q.covariance.cols() == d,
            "its sizes do not go together");
    gaussian_affine(q.mean, q.covariance);  // throws unless it is a Gaussian
    return std::make_shared<GaussianApproximation>(std::move(q));
  }

 private:
  GaussianPoint q_;
};

std::optional<FamilyFit> fit_gaussian_family(const FunctionTarget& target,
                                             const DensityFitSettings& s, Driver& driver) {
  DensitySettings settings = s;
  if (settings.batch == 0) settings.batch = gaussian_batch;
  GaussianFit found = fit_gaussian(target, settings, std::nullopt,
                                   [&](ErasedRun& run) { return driver.drive(run); });
  auto q = std::make_shared<GaussianApproximation>(std::move(found.q));
  return FamilyFit{std::move(found), std::move(q)};
}

}  // namespace

FamilyEntry gaussian_family() {
  return {.family = DensityFamily::gaussian,
          .name = "gaussian",
          .help = "a Gaussian with full covariance",
          .what = "Gaussian",
          .instead =
              "or a flow (--family flow), or NUTS, which can begin with metric.json and inits.json "
              "of the run's folder",
          .fit = fit_gaussian_family,
          .load = GaussianApproximation::load};
}

const std::vector<FamilyEntry>& density_families() {
  static const std::vector<FamilyEntry> all = {gaussian_family(), flow_family(), low_rank_family()};
  return all;
}

const FamilyEntry& density_family(DensityFamily family) {
  for (const FamilyEntry& entry : density_families())
    if (entry.family == family) return entry;
  throw Misuse("there is no such family");
}

const FamilyEntry& density_family(const std::string& name) {
  for (const FamilyEntry& entry : density_families())
    if (entry.name == name) return entry;
  throw Misuse("its family is '" + name + "', which does not exist");
}

}  // namespace fisherman
