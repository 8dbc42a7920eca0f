#include "search.hpp"

#include <algorithm>
#include <cmath>

#include "fisherman/app/flow.hpp"
#include "fisherman/app/logistic.hpp"
#include "fisherman/app/reduced_rank.hpp"
#include "fisherman/core/error.hpp"
#include "summary.hpp"

namespace fisherman::cli::study {

Search::Search(const Problem& problem, Settings fixed, SettingsGrid grid, SearchOptions options)
    : problem_(problem), fixed_(std::move(fixed)), grid_(std::move(grid)), options_(options) {
  for (const Cell& cell : grid_.all()) problem_.trial(settings(cell), 1);
}

Settings Search::settings(const Cell& cell) const {
  Settings out = fixed_;
  for (auto& setting : grid_.settings(cell)) out.push_back(std::move(setting));
  return out;
}

std::string Search::words(const Cell& cell) const {
  std::string out;
  for (const auto& [option, value] : grid_.settings(cell))
    out += sentence(out.empty() ? "" : ", ", option, " ", value);
  return out;
}

const Cell* Search::cell_of(const Trial& trial) const {
  const auto found = std::find(asked_ids_.begin(), asked_ids_.end(), trial.id);
  if (found == asked_ids_.end()) return nullptr;
  return &asked_[std::size_t(found - asked_ids_.begin()) / std::size_t(options_.seeds)];
}

std::vector<Cell> Search::next_cells() const {
  if (phases_ == 0) return grid_.sample(options_.random, options_.seed);
  if (phases_ > options_.rounds || tried_.empty()) return {};
  std::vector<Cell> cells;
  for (Cell& cell : grid_.neighbours(ranking().front().cell))
    if (std::none_of(tried_.begin(), tried_.end(), [&](const Tried& t) { return t.cell == cell; }))
      cells.push_back(std::move(cell));
  return cells;
}

std::vector<Trial> Search::next(Store& store) {
  asked_ = next_cells();
  ++phases_;
  const auto seeds = std::size_t(options_.seeds);
  asked_.resize(
      std::min(asked_.size(), (options_.most - std::min(options_.most, trials_)) / seeds));
  asked_ids_.clear();
  std::vector<Trial> out;
  for (const Cell& cell : asked_)
    for (std::int64_t seed = 1; seed <= options_.seeds; ++seed) {
      out.push_back(store.trial(problem_.trial(settings(cell), seed)));
      asked_ids_.push_back(out.back().id);
    }
  trials_ += out.size();
  return out;
}

void Search::give_back(const std::vector<Trial>& trials) {
  const auto seeds = std::size_t(options_.seeds);
  for (std::size_t c = 0; c < asked_.size(); ++c) {
    const auto first = trials.begin() + std::ptrdiff_t(c * seeds);
    const std::vector<Trial> runs(first, first + std::ptrdiff_t(seeds));
    if (!std::all_of(runs.begin(), runs.end(), [](const Trial& t) { return t.ended(); })) continue;
    std::vector<double> objectives, seconds;
    bool descended = true;
    for (const Trial& run : runs) {
      const std::vector<double>& way = run.course.objectives;
      descended = descended && run.well() && !way.empty() && way.back() <= way.front();
      objectives.push_back(run.well() ? run.objective : std::numeric_limits<double>::infinity());
      seconds.push_back(run.seconds);
    }
    tried_.push_back({asked_[c], estimate(objectives).mean, estimate(seconds).mean, descended});
  }
}

std::vector<Search::Tried> Search::ranking() const {
  std::vector<Tried> out = tried_;
  std::stable_sort(out.begin(), out.end(),
                   [](const Tried& a, const Tried& b) { return a.objective < b.objective; });
  return out;
}

namespace {

/// Whether a method learns the Fisher matrix, so that epsilon matters to it.
template <class Settings>
bool learns(const std::string& method) {
  Settings settings;
  Options options;
  settings.describe(options);
  options.set("method", method);
  return settings.learns_fisher();
}

}  // namespace

std::string usual_grid(const std::string& model, const std::string& method) {
  if (model == "logistic")
    return std::string("step-size=0.0001,0.001,0.01,0.1; decay=0,0.3,0.5,0.7,0.9") +
           (learns<LogisticSettings>(method) ? "; epsilon=100,250,500,1000,2500" : "");
  if (model == "flow")
    return std::string("step-size=0.003,0.01,0.03,0.1,0.3,1; decay=0,0.5,0.75") +
           (learns<FlowSettings>(method) ? "; epsilon=10,100,1000" : "");
  return std::string("step-size=0.01,0.03,0.1,0.3,1,3; decay=0.5,0.75") +
         (learns<ReducedRankSettings>(method) ? "; epsilon=0.1,1,10" : "");
}

}  // namespace fisherman::cli::study
