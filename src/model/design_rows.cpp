#include "fisherman/model/design_rows.hpp"

#include <algorithm>
#include <type_traits>

#include "fisherman/core/error.hpp"
#include "fisherman/core/row_parts.hpp"
#include "skinny.hpp"

namespace fisherman {
namespace {

constexpr Index few = 32;  // columns for which products of our own are faster

/// The rows of a dense body as columns: as they lie there, or copied together.
template <class Body, class Use>
Matrix use_columns(const Body& x, const RowSet& rows, const Use& use) {
  using Columns = Eigen::Ref<const Body>;
  if (rows.list == nullptr) return use(Columns(x.middleCols(rows.first, rows.count)));
  Body some(x.rows(), rows.count);
  for (Index i = 0; i < rows.count; ++i) some.col(i) = x.col(rows[i]);
  return use(Columns(some));
}

/// Of what with_columns() gives.
template <class Columns>
constexpr bool is_single = std::is_same_v<typename Columns::Scalar, float>;

}  // namespace

std::vector<Index> spread_rows(Index rows, Index most) {
  const Index count = std::min(rows, most);
  std::vector<Index> out;
  for (Index i = 0; i < count; ++i) out.push_back(i * rows / count);
  return out;
}

DesignRows::DesignRows(Body body, Vector centre, std::optional<RowPart> part)
    : body_(std::move(body)), centre_(std::move(centre)) {
  Index rows = 0;
  const auto take_dense = [&](const auto& x) {
    rows = x.cols();
    features_ = x.rows();
    require(x.allFinite(), "the design matrix holds a NaN or an infinity");
  };
  if (const auto* x = std::get_if<SparseRows>(&body_)) {
    x->check();
    rows = x->rows();
    features_ = x->columns;
    for (const double v : x->value)
      require(std::isfinite(v), "the design matrix holds a NaN or an infinity");
  } else if (const auto* stored = std::get_if<Stored>(&body_)) {
    rows = part.value_or(RowPart::whole(stored->rows->rows())).count;
    features_ = stored->rows->columns();
    require(!part || part->all == stored->rows->rows(), "there are ", stored->rows->rows(),
            " rows, but there should be ", part ? part->all : 0);
  } else if (const auto* dense = std::get_if<Matrix>(&body_)) {
    take_dense(*dense);
  } else {
    take_dense(std::get<Eigen::MatrixXf>(body_));
  }
  require(centre_.size() == 0 || sparse(), "dense rows are centred before they are stored");
  require(centre_.size() == 0 || (centre_.size() == features_ && centre_.allFinite()),
          "the centre of the rows must have a finite number for each feature");
  part_ = part.value_or(RowPart::whole(rows));
  require(part_.count == rows, "there are ", rows, " rows, but there should be ", part_.count);
}

RowSet DesignRows::here(const RowSet& rows) const {
  if (part_.is_whole()) return rows;
  require(rows.list == nullptr, "a list of rows is asked for of which only a part is here");
  return {part_.at(rows.first, rows.count), rows.count};
}

bool DesignRows::single() const {
  const auto* const stored = std::get_if<Stored>(&body_);
  return stored != nullptr ? stored->single : std::holds_alternative<Eigen::MatrixXf>(body_);
}

double DesignRows::bytes() const {
  if (const auto* x = std::get_if<SparseRows>(&body_)) return x->bytes();
  if (stored()) return 0.0;
  return double(part_.count) * double(features_) * (single() ? sizeof(float) : sizeof(double));
}

template <class Use>
Matrix DesignRows::with_columns(const RowSet& rows, const Use& use) const {
  if (const auto* x = std::get_if<Matrix>(&body_)) return use_columns(*x, here(rows), use);
  if (const auto* x = std::get_if<Eigen::MatrixXf>(&body_)) return use_columns(*x, here(rows), use);
  return read(rows).with_columns({0, rows.count}, use);
}

DesignRows DesignRows::read(const RowSet& rows) const {
  const auto& [from, single] = std::get<Stored>(body_);
  const Matrix some = rows.list == nullptr
                          ? from->block(rows.first, rows.count)
                          : from->chosen(std::vector<Index>(rows.list, rows.list + rows.count));
  return single ? DesignRows(Eigen::MatrixXf(some.transpose().cast<float>()))
                : DesignRows(Matrix(some.transpose()));
}

DesignRows::Left DesignRows::prepared(const Matrix& left) const {
  Left out;
  if (single())
    out.single_ = left.cast<float>();
  else if (sparse())
    out.plain_ = left.transpose();
  else
    out.plain_ = left;
  if (centre_.size() > 0) out.shift_ = left.transpose() * centre_;
  return out;
}

Matrix DesignRows::project(const Left& left, const RowSet& rows) const {
  if (const auto* x = std::get_if<SparseRows>(&body_)) {
    const RowSet ours = here(rows);
    Matrix z(left.plain_.rows(), ours.count);
    for (Index i = 0; i < ours.count; ++i) {
      if (left.shift_.size() > 0)
        z.col(i) = -left.shift_;
      else
        z.col(i).setZero();
      x->each(ours[i], [&](Index j, double v) { z.col(i) += v * left.plain_.col(j); });
    }
    return z;
  }
  return with_columns(rows, [&](const auto& some) -> Matrix {
    if constexpr (!is_single<std::decay_t<decltype(some)>>) {
      return left.plain_.transpose() * some;
    } else {
      Eigen::MatrixXf z;
      if (left.single_.cols() <= few)
        z = skinny_project(left.single_, some);
      else
        z = left.single_.transpose() * some;
      return z.template cast<double>();
    }
  });
}

Matrix DesignRows::gather(const ConstMatrixRef& w, const RowSet& rows) const {
  if (const auto* x = std::get_if<SparseRows>(&body_)) {
    const RowSet ours = here(rows);
    Matrix out = Matrix::Zero(w.rows(), features_);
    for (Index i = 0; i < ours.count; ++i)
      x->each(ours[i], [&](Index j, double v) { out.col(j) += v * w.col(i); });
    return out;
  }
  return with_columns(rows, [&](const auto& some) -> Matrix {
    if constexpr (!is_single<std::decay_t<decltype(some)>>) {
      return w * some.transpose();
    } else {
      const Eigen::MatrixXf narrow = w.cast<float>();
      Eigen::MatrixXf sum;
      if (narrow.rows() <= few)
        sum = skinny_gather(narrow, some).transpose();
      else
        sum = narrow * some.transpose();
      return sum.template cast<double>();
    }
  });
}

Matrix DesignRows::gather_squares(const ConstMatrixRef& w, const RowSet& rows) const {
  if (const auto* x = std::get_if<SparseRows>(&body_)) {
    const RowSet ours = here(rows);
    Matrix out = Matrix::Zero(w.rows(), features_);
    for (Index i = 0; i < ours.count; ++i)
      x->each(ours[i], [&](Index j, double v) { out.col(j) += v * v * w.col(i); });
    return out;
  }
  return with_columns(rows, [&](const auto& some) -> Matrix {
    using Scalar = typename std::decay_t<decltype(some)>::Scalar;
    using M = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
    const M weights = w.template cast<Scalar>(), squares = some.array().square();
    const M sum = weights * squares.transpose();
    return sum.template cast<double>();
  });
}

Matrix DesignRows::centred(Matrix gathered, const Vector& sum) const {
  if (centre_.size() > 0) gathered.noalias() -= sum * centre_.transpose();
  return gathered;
}

Matrix DesignRows::centred_squares(Matrix squares, const Matrix& gathered,
                                   const Vector& sum) const {
  if (centre_.size() == 0) return squares;
  squares -= 2.0 * gathered * centre_.asDiagonal();
  squares.noalias() += sum * centre_.array().square().matrix().transpose();
  return squares;
}

DesignRows DesignRows::subset(const std::vector<Index>& rows) const {
  if (const auto* x = std::get_if<SparseRows>(&body_))
    return DesignRows(collected(*x, part_, rows), centre_);
  if (const auto* x = std::get_if<Matrix>(&body_)) return DesignRows(collected(*x, part_, rows));
  if (const auto* x = std::get_if<Eigen::MatrixXf>(&body_))
    return DesignRows(collected(*x, part_, rows));
  return read(rows);
}

Matrix DesignRows::columns(const RowSet& rows) const {
  if (const auto* x = std::get_if<SparseRows>(&body_)) {
    const RowSet ours = here(rows);
    Matrix out = Matrix::Zero(features_, ours.count);
    if (centre_.size() > 0) out.colwise() = -centre_;
    for (Index i = 0; i < ours.count; ++i)
      x->each(ours[i], [&](Index j, double v) { out(j, i) += v; });
    return out;
  }
  return with_columns(rows,
                      [](const auto& some) -> Matrix { return some.template cast<double>(); });
}

}  // namespace fisherman
