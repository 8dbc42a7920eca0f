// A kind of fit is one thing: what it is called, its options, how it is fitted, loaded and reported, and what studies
// need to know of it. Front ends loop over the table of kinds and never ask for one by name.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fisherman/fit/driver.hpp"
#include "fisherman/fit/fitted.hpp"
#include "fisherman/fit/options.hpp"
#include "fisherman/fit/page.hpp"

namespace fisherman {

/// Settings of some kind of fit, and the options that change them.
struct FitSettings {
  FitSettings() = default;
  FitSettings(const FitSettings&) = delete;
  FitSettings& operator=(const FitSettings&) = delete;
  virtual ~FitSettings() = default;

  Options options;
};

template <class Settings>
struct FitSettingsOf final : FitSettings {
  FitSettingsOf() { values.describe(options); }
  Settings values;
};

/// For FitKind::settings.
template <class Settings>
std::unique_ptr<FitSettings> new_settings() {
  return std::make_unique<FitSettingsOf<Settings>>();
}

/// The settings that new_settings<Settings>() has made.
template <class Settings>
const Settings& settings_as(const FitSettings& settings) {
  return dynamic_cast<const FitSettingsOf<Settings>&>(settings).values;
}

/// The options that `values` have, by name; others remain as they are.
void set_options(Options& options, const Fields& values);

/// What a fit is saved as. `where` is what errors name.
struct SavedFit {
  Fields model, result, arrays;
  std::string where;
};

/// The columns of a trace by name, NaN where there is no value.
using TraceColumns = std::map<std::string, std::vector<double>>;
TraceColumns trace_columns(const std::vector<Record>& records);

/// A fit as a page shows it, alone or beside others.
struct ReportedFit {
  std::string name;  // short, and no other fit of the page has it
  std::shared_ptr<const Fitted> fit;
  Fields settings;     // all options, where the data are, their checksums, and the version, by name
  TraceColumns trace;  // empty for a fit of parts
  std::vector<std::pair<std::string, TraceColumns>> parts = {};
  /// The data of the fit. Without them: nothing, and why in the argument.
  std::function<std::shared_ptr<const FitData>(std::string& missing)> data = {};

  /// Throws Misuse unless the fit is of this type.
  template <class F>
  const F& as() const {
    return dynamic_cast<const F&>(*fit);
  }
  const std::vector<double>& column(const std::string& of_trace) const;
};

/// What a page may cost, in floating-point operations, beyond reading the fits.
struct PageLimits {
  double operations = 1e300;
};

struct FitKind {
  std::string name, help;
  std::string examples = {};  // command lines, one per line
  std::string objective;      // with its unit, as "NELBO, nats"
  bool has_draws = false;     // Output means something to it
  bool takes_rows = true;     // otherwise a program, and maybe a file for it
  bool takes_test_rows = false;
  /// Tables may come as rows that the caller keeps: Table::lent.
  bool takes_lent = false;
  bool takes_sparse = false;             // tables may come as sparse rows
  bool takes_parts = false;              // ranks may have a part of the rows each: Table::part
  bool takes_stored = false;             // rows may stay in their file: Table::stored
  bool takes_columns = false;            // tables come as columns, of words and with missing values
  std::vector<std::string> files = {};   // names of its tables
  std::vector<std::string> arrays = {};  // names of its large matrices

  std::unique_ptr<FitSettings> (*settings)();
  /// Nothing if it was interrupted before there was anything to keep. Throws Misuse for settings that do not go together,
  /// and FileError for data that will not do.
  std::unique_ptr<Fitted> (*fit)(FitData data, const FitSettings& settings, Driver& driver);
  /// Throws Misuse for what no fit of this kind leaves; load_fit() turns that into a sentence about the file.
  std::unique_ptr<Fitted> (*load)(const SavedFit& saved);
  report::Page (*page)(const std::vector<ReportedFit>& fits, const PageLimits& limits);

  /// The method that finds the exact optimum, and the options that say which problem it is and not how it is
  /// solved; empty if there is none.
  std::string reference_method = {};
  std::vector<std::string> problem_options = {};
  /// What `fisherman tune` tries by default, as "OPTION=VALUE,…; …", and what besides for methods that learn the Fisher
  /// matrix from scores.
  std::string grid = {}, grid_of_scores = {};
  bool (*learns_fisher)(const FitSettings& settings) = nullptr;

  /// With their defaults, kept for as long as the program runs.
  const Options& options() const;
  bool has_reference() const { return !reference_method.empty(); }
  std::string tuning_grid(const std::string& method) const;
};

/// The table. Kinds of your own program are added behind ours, before anything else looks at it.
const std::deque<FitKind>& fit_kinds();
void add_fit_kind(FitKind kind);
/// Throws Misuse, naming those that there are, if there is none of this name.
const FitKind& fit_kind(const std::string& name);

/// The name of a fit's kind is in its model. Throws FileError, beginning with `saved.where`, for a kind that does not exist
/// and for anything that no fit of its kind leaves.
struct LoadedFit {
  const FitKind* kind;
  std::shared_ptr<const Fitted> fit;
};
LoadedFit load_fit(const SavedFit& saved);

}  // namespace fisherman
