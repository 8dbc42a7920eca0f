// fisherman fit reduced-rank: from rows and their classes to coefficients of low rank.
#include <algorithm>

#include "fisherman/core/parallel.hpp"
#include "fitted.hpp"
#include "trials.hpp"

namespace fisherman {
namespace {

/// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 8;
  std::string out;
  for (std::size_t j = 0; j < std::min(most, names.size()); ++j)
    out += (j > 0 ? ", " : "") + names[j];
  return names.size() > most ? sentence(out, " and ", names.size() - most, " more") : out;
}

/// Why the likelihood may have no finite maximum; empty if nothing tells. A ridge gives one.
std::string without_maximum(const ClassData& data, const FeatureMap& map, const RankFit& fit,
                            const ReducedRankSettings& s) {
  if (s.ridge > 0.0) return {};
  constexpr const char* so =
      "the likelihood has no finite maximum, and the coefficients grow with the "
      "iterations: --ridge 1 gives a finite optimum";
  if (fit.train.accuracy == 1.0)
    return sentence(
        "the classes are linearly separable (coefficients of this rank put every row in its "
        "class): ",
        so);
  std::vector<std::string> names;
  for (const Index j : one_class_features(data))
    names.push_back(map.names[std::size_t(map.kept[std::size_t(j)])]);
  if (names.empty()) return {};
  return sentence(names.size(), names.size() == 1 ? " feature varies" : " features vary",
                  " in one class only (", some_of(names), "): ", so);
}

/// The class of this name becomes the last, which the others are compared with.
void make_last(const std::string& name, std::vector<int>& y, std::vector<std::string>& classes) {
  if (name.empty()) return;
  const auto found = std::find(classes.begin(), classes.end(), name);
  require(found != classes.end(), "--reference is '", name, "', but there is no such class");
  const int at = int(found - classes.begin()), last = int(classes.size()) - 1;
  std::rotate(found, found + 1, classes.end());
  for (int& k : y) k = k == at ? last : k > at ? k - 1 : k;
}

}  // namespace

std::unique_ptr<Fitted> ReducedRankFitted::fit(FitData data, const FitSettings& settings,
                                               Driver& driver) {
  ReducedRankSettings s = settings_as<ReducedRankSettings>(settings);
  std::vector<double> ridges = s.ridge_values();
  s.ridge = ridges.front();
  require(!data.test || s.holdout == 0.0,
          "--test-data and --holdout do not go together: one of them is enough");
  set_threads(int(s.threads));
  auto [y, classes] = data.class_labels();
  make_last(s.reference, y, classes);
  const FeatureScale scaling = s.scaling(data.table);
  const FeatureMap map = FeatureMap::of(data.table, scaling, s.descends());
  const auto K = Index(classes.size()), kept = Index(map.kept.size()), all = data.table.columns();
  std::vector<Index> ranks = s.ranks(kept, K);
  const MemoryPlan plan =
      plan_memory(s, data.table, kept, K, *std::max_element(ranks.begin(), ranks.end()));
  driver.say(scaling_words(scaling));
  std::vector<std::string> warnings;
  const auto warn = [&](const std::string& warning) {
    driver.warn(warnings.emplace_back(warning));
  };
  if (kept < all)
    warn(sentence(all - kept, " of ", all,
                  " features are constant; they are left out, and their coefficients are 0"));
  FitRows rows = split_rows(data.table, y, K, map, plan.single_design, s);
  data.table.x.resize(0, 0);
  data.table.sparse.reset();
  data.table.stored.reset();
  if (data.test) {
    const FitData test = data.test();
    const auto test_y = together([&] {
      return class_labels(test.table.labels, classes, test.labels_where,
                          test.table.rows_here().first);
    });
    rows.test = class_rows(with_columns(test.table, map.names, test.where), test_y,
                           all_rows(test.table.rows()), K, map, plan.single_design);
  }

  std::optional<CrossValidation> cv;
  if (s.cv > 0) {
    cv = cross_validate(*rows.train, s, ranks, ridges, driver);
    if (!cv) return nullptr;
    ranks = {cv->trials[cv->chosen].rank};
    s.ridge = cv->trials[cv->chosen].ridge;
  }
  const RankPath path = fit_ranks(rows, s, ranks, plan, driver);
  if (path.fits.empty()) return nullptr;
  const RankFit& best = path.fits[path.best];
  auto out = std::make_unique<ReducedRankFitted>(map, best.point);
  out->summary = best.end;
  const bool whole = path.fits.size() == ranks.size() * std::size_t(s.starts);
  out->as_asked = whole && best.end.as_asked(s.iterations);
  out->label = data.table.label_name;
  out->classes = classes;
  out->scaling = name(scaling);
  out->best = part_result(best);
  if (ranks.size() > 1 || s.starts > 1) {
    for (const RankFit& one : path.fits) out->fits.push_back(part_result(one));
    out->part = part_name(best.rank, best.start);
  }
  out->confusion = (best.test ? *best.test : best.train).confusion;
  out->ridge = s.ridge;
  out->best.set("ridge", s.ridge);
  if (cv) {
    out->best.set("folds", cv->folds);
    out->trials = trials_of(*cv);
  }
  Errors errors = standard_errors(rows, best, s);
  out->errors_asked = errors.asked;
  out->uncertainty = std::move(errors.uncertainty);
  const auto doubt = [&](const char* key, const std::string& why) {
    if (why.empty()) return;
    warn(why);
    out->best.set(key, why);
  };
  doubt("no_standard_errors", errors.why_not);
  doubt("no_maximum", without_maximum(*rows.train, map, best, s));
  out->warnings = std::move(warnings);
  return out;
}

}  // namespace fisherman
