#include "reproduction.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "fisherman/core/error.hpp"

namespace fisherman::cli::study {

Json FigurePlan::identity() const {
  Json out;
  out["study"] = name;
  for (std::size_t p = 0; p < problems.size(); ++p) out[problem_names[p]] = problems[p].identity();
  for (const Line& line : lines) {
    Json& here = out["lines"].emplace_back();
    here["label"] = line.label;
    here["problem"] = problem_names[line.problem];
    for (const auto& [option, value] : line.settings) here[option] = value;
    here["grid"] = line.grid;
    if (line.tuned_as) here["tuned as"] = *line.tuned_as;
    if (line.runs > 0) here["runs"] = line.runs;
  }
  out["random"] = search.random;
  out["rounds"] = search.rounds;
  out["tuning seeds"] = search.seeds;
  out["seeds"] = seeds;
  return out;
}

std::string end_words(const Band& band, int digits) {
  if (band.well < band.runs)
    return sentence(band.runs - band.well, " of ", band.runs, " runs diverged");
  const std::string mean = report::figure(band.last(), digits);
  return band.runs == 1 ? mean : sentence(mean, " ± ", report::figure(band.last_error(), 2));
}

std::optional<bool> ends_below(const Band& low, const Band& high) {
  if (!std::isfinite(low.last())) return false;
  if (!std::isfinite(high.last())) return true;
  const double difference = high.last() - low.last();
  if (std::abs(difference) < 2.0 * std::hypot(low.last_error(), high.last_error())) return {};
  return difference > 0.0;
}

std::string extent_words(const Extent& extent, const Extent& full) {
  std::string out;
  const auto add = [&](std::int64_t here, std::int64_t there, const char* what) {
    if (here == 0 && there == 0) return;
    out += sentence(out.empty() ? "" : ", ", here, " ", what);
    if (here != there) out += sentence(" (in full: ", there, ")");
  };
  add(extent.iterations, full.iterations, "iterations");
  add(extent.random, full.random, "random settings");
  add(extent.rounds, full.rounds, "rounds of neighbours");
  add(extent.tuning_seeds, full.tuning_seeds, "seeds to tune on");
  add(extent.runs, full.runs, "runs of each method");
  add(extent.transport_runs, full.transport_runs, "runs with the paper's transport");
  return sentence("Extent: ", out, ".");
}

namespace {

/// Runs lists of trials one after the other, and tells which trial is of what.
class Phases {
 public:
  Phases(Store& store, const StudyFlags& flags)
      : runner_(store, int(flags.jobs)), progress_(flags.quiet) {
    runner_.watch = [this](const Trial& ended) { progress_.tell(ended, words_[ended.id]); };
  }

  void name(const Trial& trial, const std::string& words) { words_[trial.id] = words; }

  bool run(const std::string& what, std::vector<Trial>& trials) {
    const auto before = std::size_t(
        std::count_if(trials.begin(), trials.end(), [](const Trial& t) { return t.ended(); }));
    if (trials.empty()) return true;
    progress_.say(sentence(what, ": ", trials.size(), " trials"));
    if (before > 0)
      progress_.say(sentence(before, " of ", trials.size(), " trials had ended before"));
    progress_.restart(trials.size(), before);
    return runner_.run(trials);
  }

 private:
  Runner runner_;
  ProgressLine progress_;
  std::map<std::int64_t, std::string> words_;
};

}  // namespace

std::optional<Measured> measure(const FigurePlan& plan, Store& store, const StudyFlags& flags) {
  Phases phases(store, flags);
  const auto about = [&](const Line& line) {
    return sentence(plan.problem_names[line.problem], ", ", line.label);
  };

  // All searches go through a phase together, so that no core waits for one of them.
  std::vector<std::optional<Search>> searches(plan.lines.size());
  for (std::size_t l = 0; l < plan.lines.size(); ++l) {
    const Line& line = plan.lines[l];
    if (!line.grid.empty())
      searches[l].emplace(plan.problems[line.problem], line.settings,
                          SettingsGrid::parse(line.grid), plan.search);
  }
  for (std::size_t phase = 0; phase <= plan.search.rounds; ++phase) {
    std::vector<Trial> all;
    std::vector<std::size_t> counts(plan.lines.size(), 0);
    for (std::size_t l = 0; l < plan.lines.size(); ++l) {
      if (!searches[l]) continue;
      for (Trial& trial : searches[l]->next(store)) {
        phases.name(trial, sentence(about(plan.lines[l]), ": ",
                                    searches[l]->words(*searches[l]->cell_of(trial))));
        all.push_back(std::move(trial));
        ++counts[l];
      }
    }
    if (!phases.run(phase == 0 ? "Random settings" : "Neighbours of the best", all)) return {};
    auto next = all.begin();
    for (std::size_t l = 0; l < plan.lines.size(); ++l) {
      if (!searches[l]) continue;
      searches[l]->give_back({next, next + std::ptrdiff_t(counts[l])});
      next += std::ptrdiff_t(counts[l]);
    }
  }

  Measured out;
  std::vector<Trial> runs;
  for (const Problem& problem : plan.problems)
    if (problem.kind->has_reference()) {
      runs.push_back(store.trial(problem.reference()));
      phases.name(runs.back(), "exact optimum");
    }
  const std::size_t references = runs.size();
  for (std::size_t l = 0; l < plan.lines.size(); ++l) {
    const Line& line = plan.lines[l];
    Settings settings = line.settings;
    out.tuned.emplace_back("not tuned");
    out.tried.emplace_back();
    const std::optional<Search>& search = searches[line.tuned_as.value_or(l)];
    if (search) {
      out.tried[l] = search->ranking();
      const Cell best = out.tried[l].front().cell;
      settings = search->settings(best);
      settings.insert(settings.end(), line.settings.begin(), line.settings.end());
      out.tuned[l] = search->words(best);
    }
    for (std::int64_t seed = 1; seed <= plan.runs_of(line); ++seed) {
      runs.push_back(store.trial(plan.problems[line.problem].trial(settings, seed)));
      phases.name(runs.back(), sentence(about(line), ", seed ", seed));
    }
  }
  if (!phases.run("Runs", runs)) return {};

  auto next = runs.begin();
  for (const Problem& problem : plan.problems)
    out.references.push_back(problem.kind->has_reference() ? (next++)->objective : Record::unknown);
  require(next == runs.begin() + std::ptrdiff_t(references), "a reference is missing");
  for (const Line& line : plan.lines) {
    const double reference = out.references[line.problem];
    const auto end = next + std::ptrdiff_t(plan.runs_of(line));
    const Band all = band(line.label, {next, end});
    out.bands.push_back(std::isfinite(reference) ? all.above(reference) : all);
    next = end;
  }
  return out;
}

}  // namespace fisherman::cli::study
