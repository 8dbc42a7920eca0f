// From columns as people have them to a design matrix: which columns and products of them, how words are coded, what
// becomes of missing values, groups, weights and offsets. It is decided once, remembered with the fit, and done again to
// new rows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fisherman/core/types.hpp"
#include "fisherman/fit/fields.hpp"
#include "fisherman/fit/gaussian.hpp"
#include "fisherman/fit/options.hpp"
#include "fisherman/io/columns.hpp"

namespace fisherman {

enum class MissingValues { refuse, drop, mean, indicator };

/// Names in `terms`, `reference` and `group` may be in backquotes, and must be if they hold a comma, a colon or the like.
struct DesignSettings {
  std::string terms =
      {};  ///< "age, age^2, age:sex"; empty: every column without another part to play
  std::string reference = {};  ///< "colour=red, sex=male"; otherwise the first level
  std::string weights = {}, offset = {}, trials = {};  ///< names of columns; empty: none
  std::string group = {};                              ///< "school", "school: age, income; region"
  MissingValues missing = MissingValues::refuse;
  bool intercept = true, no_standardize = false;

  void describe_design(Options& options);
};

/// Rows of a design matrix.
struct DesignedRows {
  Matrix x;  ///< one column a coefficient: terms, the intercept if there is one, group effects
  std::shared_ptr<const RowBlocks> blocks = {};  ///< in place of x, where the data stay in a file
  Vector offset, weights, trials;                ///< empty if there is no such column
  std::vector<Index>
      kept;  ///< which rows of the table these are, from 0: not all of them if some were dropped
  /// One column a run of effects: z² where the row's group is one that the fit has not seen, otherwise 0. With the
  /// variance of the effects it gives what the unknown effect adds to the variance of a prediction.
  Matrix unseen;
};

/// To fit to, with weights, and without the rows that are to be dropped; or to predict, where every row counts.
enum class RowsFor { fit, prediction };

class RowMaker;
struct ReadySource;

class DesignPlan {
 public:
  /// Throws Misuse for settings that mean nothing, and FileError, which begins with `where`, for data that they do not
  /// suit.
  static DesignPlan of(const Columns& data, const std::string& outcome,
                       const DesignSettings& settings, const std::string& where);

  DesignedRows rows(const Columns& data, const std::string& where,
                    RowsFor purpose = RowsFor::prediction) const;

  /// Columns that new rows must have, and those that are read if they are there: for ReadOptions.
  std::vector<std::string> needed() const;
  std::vector<std::string> welcome() const;

  std::vector<std::string> names;  ///< of all coefficients
  Index terms = 0;                 ///< so many of them are of terms, and come first
  bool intercept = false;          ///< the one after them
  Vector shift, scale;  ///< of the terms: x ↦ (x − shift)/scale; a constant column becomes 0

  /// Effects that share a standard deviation, one for each level of a group: intercepts, or slopes of one column, which
  /// is standardised as well.
  struct Effects {
    std::string name;  ///< "school" or "school:age"
    Index first = 0, count = 0;
    double shift = 0.0, scale = 1.0;
    Index intercepts =
        0;  ///< which of the runs has the intercepts of the same group: itself, or one before it
  };
  std::vector<Effects> effects;

  std::vector<std::string> warnings, notes;

  const std::string& outcome() const { return outcome_; }
  /// The class that --reference names for the outcome; empty if it names none. It is not saved.
  std::string outcome_reference;

  /// Coefficients of the columns as they were given: one row of `betas` a coefficient, one column a draw. The intercept
  /// takes in the shifts of the terms, and the intercepts of a group those of its slopes. Without an intercept there may
  /// be a "(constant)" behind the others, as in fit/units.hpp.
  Matrix in_own_units(const Matrix& betas) const;
  GaussianPoint in_own_units(const GaussianPoint& q) const;
  std::vector<std::string> own_names() const;

  Fields saved() const;
  /// Throws Misuse for what no plan leaves.
  static DesignPlan loaded(const Fields& fields);

  /// A column that terms are made of.
  struct Source {
    std::string name;
    std::vector<std::string>
        levels;  // empty: of numbers. What is missing is a level, "(missing)", or has none.
    Index reference = 0;
    double mean = 0.0;       // of numbers: missing ones take it
    bool indicator = false;  // there is a term "NAME=(missing)"

    bool is_words() const { return !levels.empty(); }
    Index columns() const { return is_words() ? Index(levels.size()) - 1 : 1; }
  };
  struct Factor {
    Index source, power;
  };
  using Term = std::vector<Factor>;
  struct Group {
    std::string name;
    std::vector<std::string> levels;
    std::vector<Term> slopes;
  };

 private:
  friend class DesignMaker;
  friend class RowMaker;
  friend class TermBlocks;

  /// Names, numbers and places of all coefficients follow from sources, terms and groups.
  void name_coefficients();
  void fill(DesignedRows& rows, const RowMaker& maker, const std::vector<ReadySource>& ready,
            const std::string& where) const;
  bool implies_constant() const { return !intercept && !shift.isZero(0.0); }

  std::string outcome_, offset_, weights_, trials_;
  MissingValues missing_ = MissingValues::refuse;
  std::vector<Source> sources_;
  std::vector<Term> terms_;
  std::vector<Group> groups_;
};

}  // namespace fisherman
