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
auto with_columns(const Body& x, const RowSet& rows, Use use) {
  using Columns = Eigen::Ref<const Body>;
  if (rows.list == nullptr) return use(Columns(x.middleCols(rows.first, rows.count)));
  Body some(x.rows(), rows.count);
  for (Index i = 0; i < rows.count; ++i) some.col(i) = x.col(rows[i]);
  return use(Columns(some));
}

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
  if (const auto* sparse_body = std::get_if<SparseRows>(&body_)) {
    sparse_body->check();
    rows = sparse_body->rows();
    features_ = sparse_body->columns;
    for (const double v : sparse_body->value)
      require(std::isfinite(v), "the design matrix holds a NaN or an infinity");
  } else {
    std::visit(
        [&](const auto& x) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(x)>, SparseRows>) {
            rows = x.cols();
            features_ = x.rows();
            require(x.allFinite(), "the design matrix holds a NaN or an infinity");
          }
        },
        body_);
    require(centre_.size() == 0, "dense rows are centred before they are stored");
  }
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

double DesignRows::bytes() const {
  if (const auto* x = std::get_if<SparseRows>(&body_)) return x->bytes();
  return double(part_.count) * double(features_) * (single() ? sizeof(float) : sizeof(double));
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

Matrix DesignRows::project(const Left& left, const RowSet& given) const {
  const RowSet rows = here(given);
  if (const auto* x = std::get_if<Matrix>(&body_))
    return with_columns(*x, rows,
                        [&](const auto& some) -> Matrix { return left.plain_.transpose() * some; });
  if (const auto* x = std::get_if<Eigen::MatrixXf>(&body_))
    return with_columns(*x, rows, [&](const auto& some) -> Matrix {
      Eigen::MatrixXf z;
      if (left.single_.cols() <= few)
        z = skinny_project(left.single_, some);
      else
        z = left.single_.transpose() * some;
      return z.cast<double>();
    });
  const auto& x = std::get<SparseRows>(body_);
  Matrix z(left.plain_.rows(), rows.count);
  for (Index i = 0; i < rows.count; ++i) {
    if (left.shift_.size() > 0)
      z.col(i) = -left.shift_;
    else
      z.col(i).setZero();
    x.each(rows[i], [&](Index j, double v) { z.col(i) += v * left.plain_.col(j); });
  }
  return z;
}

Matrix DesignRows::gather(const ConstMatrixRef& w, const RowSet& given) const {
  const RowSet rows = here(given);
  if (const auto* x = std::get_if<Matrix>(&body_))
    return with_columns(*x, rows, [&](const auto& some) -> Matrix { return w * some.transpose(); });
  if (const auto* x = std::get_if<Eigen::MatrixXf>(&body_))
    return with_columns(*x, rows, [&](const auto& some) -> Matrix {
      const Eigen::MatrixXf narrow = w.cast<float>();
      Eigen::MatrixXf sum;
      if (narrow.rows() <= few)
        sum = skinny_gather(narrow, some).transpose();
      else
        sum = narrow * some.transpose();
      return sum.cast<double>();
    });
  const auto& x = std::get<SparseRows>(body_);
  Matrix out = Matrix::Zero(w.rows(), features_);
  for (Index i = 0; i < rows.count; ++i)
    x.each(rows[i], [&](Index j, double v) { out.col(j) += v * w.col(i); });
  return out;
}

Matrix DesignRows::gather_squares(const ConstMatrixRef& w, const RowSet& given) const {
  const RowSet rows = here(given);
  if (const auto* x = std::get_if<Matrix>(&body_))
    return with_columns(*x, rows, [&](const auto& some) -> Matrix {
      const Matrix squares = some.array().square();
      return w * squares.transpose();
    });
  if (const auto* x = std::get_if<Eigen::MatrixXf>(&body_))
    return with_columns(*x, rows, [&](const auto& some) -> Matrix {
      const Eigen::MatrixXf narrow = w.cast<float>(), squares = some.array().square();
      const Eigen::MatrixXf sum = narrow * squares.transpose();
      return sum.cast<double>();
    });
  const auto& x = std::get<SparseRows>(body_);
  Matrix out = Matrix::Zero(w.rows(), features_);
  for (Index i = 0; i < rows.count; ++i)
    x.each(rows[i], [&](Index j, double v) { out.col(j) += v * v * w.col(i); });
  return out;
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
  return std::visit([&](const auto& x) { return DesignRows(collected(x, part_, rows), centre_); },
                    body_);
}

Matrix DesignRows::columns(const RowSet& given) const {
  const RowSet rows = here(given);
  if (const auto* x = std::get_if<SparseRows>(&body_)) {
    Matrix out = Matrix::Zero(features_, rows.count);
    if (centre_.size() > 0) out.colwise() = -centre_;
    for (Index i = 0; i < rows.count; ++i)
      x->each(rows[i], [&](Index j, double v) { out(j, i) += v; });
    return out;
  }
  if (const auto* x = std::get_if<Matrix>(&body_))
    return with_columns(*x, rows, [](const auto& some) -> Matrix { return some; });
  return with_columns(std::get<Eigen::MatrixXf>(body_), rows,
                      [](const auto& some) -> Matrix { return some.template cast<double>(); });
}

}  // namespace fisherman
