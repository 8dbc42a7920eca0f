#include "fisherman/fit/fit_kind.hpp"

#include <type_traits>

#include "fisherman/core/error.hpp"
#include "fisherman/io/text.hpp"
#include "kinds.hpp"

namespace fisherman {
namespace {

/// The kinds that there are. One line each; what they are is in their folders.
std::deque<FitKind>& table() {
  static std::deque<FitKind> kinds = {regression_kind(), logistic_kind(), reduced_rank_kind(),
                                      flow_kind(),       density_kind(),  stan_kind()};
  return kinds;
}

std::string names_of_kinds() {
  std::string out;
  for (const FitKind& kind : table()) out += (out.empty() ? "" : ", ") + kind.name;
  return out;
}

const FitKind* found(const std::string& name) {
  for (const FitKind& kind : table())
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace

const std::deque<FitKind>& fit_kinds() { return table(); }

void add_fit_kind(FitKind kind) {
  require(found(kind.name) == nullptr, "there is a fit of the kind '", kind.name, "' already");
  table().push_back(std::move(kind));
}

const FitKind& fit_kind(const std::string& name) {
  const FitKind* const kind = found(name);
  if (kind != nullptr) return *kind;
  throw Misuse(sentence("there is no fit of the kind '", name, "'; there are ", names_of_kinds()));
}

const Options& FitKind::options() const {
  static std::map<std::string, std::unique_ptr<FitSettings>> made;
  std::unique_ptr<FitSettings>& mine = made[name];
  if (!mine) mine = settings();
  return mine->options;
}

std::string FitKind::tuning_grid(const std::string& method) const {
  const std::unique_ptr<FitSettings> tried = settings();
  tried->options.set("method", method);
  return learns_fisher != nullptr && learns_fisher(*tried) ? grid + "; " + grid_of_scores : grid;
}

void set_options(Options& options, const Fields& values) {
  for (const Options::Option& option : options.all())
    if (values.has(option.name)) options.set(option.name, values.text(option.name));
}

LoadedFit load_fit(const SavedFit& saved) {
  const std::string name = saved.model.text("model");
  const FitKind* const kind = found(name);
  if (kind == nullptr)
    throw FileError(sentence(saved.where, ": is a fit of the kind ", shown(name),
                             ", which this program does not know; it knows ", names_of_kinds()));
  const auto refused = [&](const std::exception& e) {
    return FileError(sentence(saved.where, ": is not what a fit of the kind ", name, " leaves (",
                              e.what(), ")"));
  };
  try {
    std::shared_ptr<Fitted> fit = kind->load(saved);
    fit->summary = summary_of(saved.result);
    return {kind, std::move(fit)};
  } catch (const Misuse& e) {
    throw refused(e);
  } catch (const NotFinite& e) {
    throw refused(e);
  }
}

TraceColumns trace_columns(const std::vector<Record>& records) {
  TraceColumns out;
  for (const Record& record : records)
    record.for_each_column(
        [&](const char* name, auto value) { out[name].push_back(double(value)); });
  return out;
}

const std::vector<double>& ReportedFit::column(const std::string& of_trace) const {
  static const std::vector<double> none;
  const auto at = trace.find(of_trace);
  return at == trace.end() ? none : at->second;
}

}  // namespace fisherman
