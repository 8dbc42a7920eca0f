// Rows of features behind one type, whatever their body: dense in double or single precision, sparse, or read again in every
// pass. Models see them through products and never ask which it is.
//
// Sparse rows can be centred without being filled: x − c is never formed, its products are.
#pragma once

#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "fisherman/core/row_blocks.hpp"
#include "fisherman/core/row_sum.hpp"
#include "fisherman/core/sparse_rows.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

/// Some rows: `count` of them from `first` on, or those of a list.
struct RowSet {
  Index first = 0, count = 0;
  const Index* list = nullptr;

  RowSet(Index from, Index number) : first(from), count(number) {}
  RowSet(const std::vector<Index>& rows)
      : count(Index(rows.size())), list(rows.data()) {}  // NOLINT: it is one
  Index operator[](Index i) const { return list != nullptr ? list[i] : first + i; }
};

/// Rows spread evenly over the data, which may be sorted by class: `most` of them, or all if there are fewer.
std::vector<Index> spread_rows(Index rows, Index most);

class DesignRows {
 public:
  /// Rows that are read when they are needed, all of them, whichever part is summed over here; n×p.
  struct Stored {
    std::shared_ptr<const RowBlocks> rows;
    bool single = false;  // what is computed of them
  };
  using Body = std::variant<Matrix, Eigen::MatrixXf, SparseRows, Stored>;

  /// Dense bodies are p×n, one *column* a row of the data, so that a row is read in one piece. The centre c has p numbers,
  /// or none for 0; only sparse rows may have one. The rows may be one rank's part of all (core/row_parts.hpp): a list of
  /// rows is then for subset() only.
  explicit DesignRows(Body body, Vector centre = {}, std::optional<RowPart> part = std::nullopt);

  Index rows() const { return part_.all; }
  /// Those that are here.
  const RowPart& part() const { return part_; }
  Index features() const { return features_; }
  bool sparse() const { return std::holds_alternative<SparseRows>(body_); }
  bool stored() const { return std::holds_alternative<Stored>(body_); }
  bool single() const;
  double bytes() const;

  /// A p×r factor in the form that the body's products take.
  class Left {
    friend class DesignRows;
    Matrix plain_;            // transposed for sparse rows
    Eigen::MatrixXf single_;  // or this
    Vector shift_;            // leftᵀc
  };
  Left prepared(const Matrix& left) const;
  /// leftᵀ(x − c), r×count.
  Matrix project(const Left& left, const RowSet& rows) const;

  /// Σ w xᵀ over the rows, m×p, w given as m×count: c is left out, for the caller to subtract (Σw)cᵀ once.
  Matrix gather(const ConstMatrixRef& w, const RowSet& rows) const;
  /// Σ w (x∘x)ᵀ, the same with squares.
  Matrix gather_squares(const ConstMatrixRef& w, const RowSet& rows) const;
  const Vector& centre() const { return centre_; }  // empty: 0
  /// What was gathered, with (Σw)cᵀ subtracted; and for squares, Σ w ((x − c)∘(x − c))ᵀ.
  Matrix centred(Matrix gathered, const Vector& sum) const;
  Matrix centred_squares(Matrix squares, const Matrix& gathered, const Vector& sum) const;

  /// Some rows, in the same form, all of them here. Together, if the rows are a part of all.
  DesignRows subset(const std::vector<Index>& rows) const;
  /// Rows as columns, in full.
  Matrix columns(const RowSet& rows) const;

  /// use(design, rows): rows that are read in every pass are read once for all that use() does with them.
  template <class Use>
  auto with_rows(const RowSet& rows, const Use& use) const {
    return stored() ? use(read(rows), RowSet(0, rows.count)) : use(*this, rows);
  }

 private:
  /// Where they are in a body that is in memory.
  RowSet here(const RowSet& rows) const;
  /// Of a stored body: in memory.
  DesignRows read(const RowSet& rows) const;
  /// use(columns) for rows that are not sparse, in the precision that is computed in.
  template <class Use>
  Matrix with_columns(const RowSet& rows, const Use& use) const;

  Body body_;

  Vector centre_;
  Index features_;
  RowPart part_;
};

}  // namespace fisherman
