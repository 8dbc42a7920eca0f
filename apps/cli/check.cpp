// fisherman check: holds a manifold, a Fisher approximation or a model to the public laws.
#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <memory>
#include <sstream>

#include "command.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/fit/nearest.hpp"
#include "fisherman/fit/registry.hpp"

namespace fisherman::cli {
namespace {

using testing::Law;

struct Check {
  std::vector<std::string> names;
  std::vector<Index> sizes;
  std::int64_t seed = 1, points = 3;
  bool json = false;
  int run() const;

 private:
  template <class Example>
  Json checked(const Named<Example>& entry) const;
};

/// How near a law is to being broken: 1 at the bound, more beyond it.
double strain(const Law& law) {
  if (!law.holds()) return std::isnan(law.measured) ? INFINITY : 1e300;
  double worst = -INFINITY;
  if (std::isfinite(law.highest) && law.highest > 0.0)
    worst = std::max(worst, law.measured / law.highest);
  if (std::isfinite(law.lowest) && law.measured > 0.0)
    worst = std::max(worst, law.lowest / law.measured);
  return worst;
}

/// Of several measurements of one law, the worst.
std::vector<Law> worst_of_each(const testing::LawReport& report) {
  std::vector<Law> out;
  for (const Law& law : report.laws()) {
    const auto same = std::find_if(out.begin(), out.end(),
                                   [&](const Law& other) { return other.name == law.name; });
    if (same == out.end())
      out.push_back(law);
    else if (strain(law) > strain(*same))
      *same = law;
  }
  return out;
}

template <class Example>
Json Check::checked(const Named<Example>& entry) const {
  const Sizes& size = sizes.empty() ? entry.usual : sizes;
  require(size.size() == entry.usual.size(), "--size of ", entry.name, " is ", entry.size_names,
          ": ", entry.usual.size(), " numbers, not ", size.size());
  testing::LawReport all;
  for (std::int64_t k = 0; k < points; ++k) {
    const auto point_seed = std::uint64_t(seed + k);
    all.add(check_laws(entry.make(size, point_seed), point_seed));
  }
  const auto bound = [](double x) { return std::isfinite(x) ? Json(x) : Json(); };
  Json laws = Json::array();
  for (const Law& law : worst_of_each(all))
    laws.push_back(
        {{"law", law.name},
         {"holds", law.holds()},
         {"worst", std::isfinite(law.measured) ? Json(law.measured) : Json(sentence(law.measured))},
         {"at_least", bound(law.lowest)},
         {"at_most", bound(law.highest)}});
  return {{"name", entry.name}, {"help", entry.help}, {"size_names", entry.size_names},
          {"size", size},       {"holds", all.ok()},  {"laws", laws}};
}

std::string short_number(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  std::ostringstream out;
  out << std::setprecision(2) << value.get<double>();
  return out.str();
}

void print(const Json& result) {
  std::string size = result["size"].dump();
  std::cout << result["name"].get<std::string>() << ": " << result["help"].get<std::string>()
            << ", " << result["size_names"].get<std::string>() << " = "
            << size.substr(1, size.size() - 2) << '\n';
  for (const Json& law : result["laws"]) {
    std::cout << (law["holds"].get<bool>() ? "  holds   " : "  BROKEN  ") << std::left
              << std::setw(10) << short_number(law["worst"]);
    std::ostringstream allowed;
    if (!law["at_least"].is_null()) allowed << "≥ " << short_number(law["at_least"]);
    if (!law["at_most"].is_null())
      allowed << (allowed.str().empty() ? "" : ", ") << "≤ " << short_number(law["at_most"]);
    // ≤ and ≥ are three bytes and one column each.
    const auto signs =
        std::size_t((law["at_least"].is_null() ? 0 : 1) + (law["at_most"].is_null() ? 0 : 1));
    std::cout << std::setw(int(14 + 2 * signs)) << allowed.str() << law["law"].get<std::string>()
              << '\n';
  }
}

int Check::run() const {
  for (const Index size : sizes) require(size > 0, "--size holds ", size, ", but must be positive");
  require(sizes.empty() || names.size() == 1, "--size belongs to one name, not to ", names.size());
  std::vector<std::string> known;
  Json results = Json::array();
  const auto wanted = [&](const std::string& name) {
    known.push_back(name);
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  };
  const auto look_through = [&](const auto& entries, bool really) {
    for (const auto& entry : entries)
      if (wanted(entry.name) && really) results.push_back(checked(entry));
  };
  const auto look_through_all = [&](bool really) {
    look_through(manifolds(), really);
    look_through(fisher_approximations(), really);
    look_through(models(), really);
  };
  look_through_all(false);  // before anything is checked, all names must be known
  for (const std::string& name : names)
    require(std::find(known.begin(), known.end(), name) != known.end(), "there is nothing called '",
            name, "' to check", did_you_mean(name, known, "fisherman list has all names"));
  look_through_all(true);

  const bool ok = std::all_of(results.begin(), results.end(),
                              [](const Json& result) { return result["holds"].get<bool>(); });
  if (json) {
    std::cout << results.dump(2) << '\n';
  } else {
    for (const Json& result : results) print(result);
    std::cout << (ok ? "All laws hold.\n" : "Some laws are broken.\n");
  }
  return ok ? done : misuse;
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  auto self = std::make_shared<Check>();
  CLI::App* const command = app.add_subcommand(
      "check", "check the laws of a manifold, a Fisher approximation or a model at random points");
  command->add_option("names", self->names, "as fisherman list has them (default: all)")
      ->type_name("NAME");
  command->add_option("--size", self->sizes, "as 6,2 (default: small ones)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("SIZES");
  add_number(*command, "points", self->points, "random points to check at; the worst is shown",
             Options::Rule::positive)
      ->capture_default_str();
  add_number(*command, "seed", self->seed, "seed of the random numbers", Options::Rule::seed)
      ->capture_default_str();
  command->add_flag("--json", self->json, "print a JSON array and nothing else");
  command->footer(
      "A line a law: does it hold, what was measured at worst, and what is allowed. Laws of models "
      "are\n"
      "statistical: five standard errors are allowed. Exit code 0 if all hold, and 1 if not.\n\n"
      "Example:\n  fisherman check stiefel --size 10,3 --seed 7\n  fisherman check dense window");
  command->callback([self, &exit_code] { exit_code = self->run(); });
}

}  // namespace fisherman::cli
