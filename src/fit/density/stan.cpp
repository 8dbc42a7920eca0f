// fisherman fit stan: an approximation of a Stan program's posterior, and the kind of fit that this is.
#include "../kinds.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/stan/stan_compile.hpp"
#include "fisherman/stan/stan_model.hpp"
#include "fitted.hpp"

namespace fisherman {
namespace {

std::string complaint_of(const StanModel& model) {
  const StanModel::Failures found = model.failures();
  if (found.failed == 0) return {};
  return found.first;
}

}  // namespace

DensityModel stan_density(const std::filesystem::path& program, const std::string& data,
                          std::uint64_t seed, const std::function<void(const std::string&)>& say) {
  const bool source = program.extension() == ".stan";
  const std::filesystem::path library =
      source ? compiled_stan(program, {.cache = {}, .progress = say}) : program;
  const StanModel model(library, data, std::uint32_t(seed));
  return {.name = source ? program.stem().string() : model.name(),
          .coordinates = model.unconstrained_names(),
          .quantities = model.names(true, true),
          .parameters = Index(model.names(false, false).size()),
          .target = target_of(
              model.dimension(),
              [model](const Vector& u, Vector& gradient) { return model.log_density(u, gradient); },
              {}, model.threads()),
          .at = [model](const Vector& u,
                        std::uint64_t draw) { return model.constrained(u, true, true, draw); },
          .complaint = [model] { return complaint_of(model); }};
}

FitKind stan_kind() {
  FitKind kind = density_kind();
  kind.name = "stan";
  kind.help = "a Gaussian or a flow nearest to the posterior of a Stan program, and draws from it";
  kind.examples =
      "fisherman fit stan --model eight_schools.stan --data eight_schools.json --out run --draws "
      "4000\n"
      "fisherman fit stan --model eight_schools_model.so --data eight_schools.json";
  kind.fit = [](FitData data, const FitSettings& settings,
                Driver& driver) -> std::unique_ptr<Fitted> {
    const auto& s = settings_as<DensityFitSettings>(settings);
    return DensityFitted::fit("stan",
                              stan_density(data.program, data.where, std::uint64_t(s.seed),
                                           [&](const std::string& line) { driver.say(line); }),
                              s, driver);
  };
  return kind;
}

}  // namespace fisherman
