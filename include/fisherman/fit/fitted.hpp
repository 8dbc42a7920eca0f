// Data to fit, and what a fit leaves: an object that predicts, draws, tells of itself and can be saved.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "fisherman/fit/fields.hpp"
#include "fisherman/fit/options.hpp"
#include "fisherman/fit/summary.hpp"
#include "fisherman/fit/units.hpp"
#include "fisherman/io/labels.hpp"
#include "fisherman/io/table.hpp"

namespace fisherman {

/// Rows and what they are to explain, from a file or a program.
struct FitData {
  Table table;
  /// What errors name: the file of the rows, and the one of the labels.
  std::string where, labels_where;
  /// For kinds without rows: the program to fit; its data are in the file `where`, if there is one.
  std::string program = {};
  /// Classes that are numbered already, one number a row; the table has no labels then.
  std::vector<int> codes = {};
  std::vector<std::string> classes = {};
  /// Rows to test on, read when they are needed; nothing if there are none.
  std::function<FitData()> test = {};

  /// Numbers and names of the classes. Throws FileError for fewer than two.
  ClassLabels class_labels() const;
  BinaryLabels binary_labels() const;
};

/// The columns of these names, in this order. Throws FileError, naming `where`, if one is missing.
Matrix columns_of(const Table& table, const std::vector<std::string>& names,
                  const std::string& where);

/// The same for tables that may be sparse, and stay so.
Table with_columns(const Table& table, const std::vector<std::string>& names,
                   const std::string& where);

/// One row for each row of the data.
struct Predictions {
  std::vector<std::string> classes;  // the likeliest, by name; empty if the kind does not tell it
  std::vector<std::string> columns;
  Matrix values;
};

/// Draws of what was fitted, one per row.
struct FittedDraws {
  std::vector<std::string> names;
  Matrix values;
  Vector log_p, log_q;  // log densities as fitted; log_p is empty where the data are not at hand
};

/// What is left besides the fit itself.
struct Output {
  std::int64_t draws = 0;
  Units units = Units::own;

  void describe(Options& options);
};

struct NamedFile {
  std::string name, bytes;
};

class Fitted {
 public:
  Fitted() = default;
  Fitted(const Fitted&) = delete;
  Fitted& operator=(const Fitted&) = delete;
  virtual ~Fitted() = default;

  FitSummary summary;
  bool as_asked = true;  // it converged, settled, or did what was asked for
  std::vector<std::string> warnings;
  std::vector<std::string> columns;  // of the data, in the fit's order
  std::vector<std::string> welcome;  // columns that predictions take, if new rows have them
  std::string label;                 // the column of outcomes
  std::uint64_t seed = 1;            // of the fit, and of its draws unless another is asked for
  std::string part;                  // of a fit of several parts, the one that was kept

  /// How it ended, and diagnostics.
  virtual Fields result() const { return fields_of(summary); }
  /// All that a fit is made of again, by the load() of its kind, together with the result: numbers and words, and large
  /// matrices, each of which becomes a file of its own.
  virtual Fields model() const = 0;
  virtual Fields arrays() const { return {}; }

  /// The parameters and what follows from them, for programs.
  virtual Fields parameters() const = 0;
  /// The same for people: a text for a terminal, and tables as files.
  virtual std::string text(const Output& output) const = 0;
  virtual std::vector<NamedFile> tables(const Output& /*output*/) const { return {}; }

  /// For new rows, which may have more columns, in any order; errors name `where`. Standard errors, where they cost
  /// something, only if they are wanted.
  virtual Predictions predict(const Table& rows, const std::string& where, bool errors) const = 0;
  /// How good predictions are for rows whose labels are known.
  virtual Fields score(const Table& rows, const Predictions& predictions, const std::string& where,
                       const std::string& labels_where) const = 0;
  /// The components of rows, one row each; throws Misuse if the kind has none.
  virtual Matrix transform(const Table& rows, const std::string& where) const;
  /// Throws Misuse if there is nothing to draw.
  virtual FittedDraws draws(Index count, std::uint64_t seed, Units units) const;
};

}  // namespace fisherman
