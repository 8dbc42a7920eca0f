#include "fisherman/io/stored_rows.hpp"

#include <algorithm>
#include <cmath>

#include "fisherman/core/error.hpp"

namespace fisherman {

StoredRows::StoredRows(const std::filesystem::path& path) : file_(path) {
  {
    FileSource source(path);
    header_ = read_npy_header(source);
    size_ = npy_size(source, header_);
  }
  const auto values =
      std::uint64_t(size_.rows) * std::uint64_t(size_.columns) * std::uint64_t(size_.value);
  begin_ = header_.end;
  if (file_.size() < begin_ + values)
    throw FileError(sentence(file_.name(), ": the file ends before the ", size_.rows, " rows and ",
                             size_.columns, " columns that its header claims"));
  if (file_.size() > begin_ + values)
    throw FileError(sentence(file_.name(), ": there are more bytes than the header claims"));
}

template <class T>
Matrix StoredRows::read(Index first, Index count) const {
  using RowsOf = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using ColumnsOf = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
  const auto place = [&](Index number) { return begin_ + std::uint64_t(number) * sizeof(T); };
  Matrix out;
  if (header_.fortran_order) {
    ColumnsOf x(count, columns());
    for (Index j = 0; j < columns(); ++j)
      file_.read_at(place(j * rows() + first), x.col(j).data(), std::size_t(count) * sizeof(T));
    out = x.template cast<double>();
  } else {
    RowsOf x(count, columns());
    file_.read_at(place(first * columns()), x.data(), std::size_t(x.size()) * sizeof(T));
    out = x.template cast<double>();
  }
  if (!out.allFinite())
    for (Index i = 0; i < count; ++i)
      for (Index j = 0; j < columns(); ++j)
        if (!std::isfinite(out(i, j)))
          throw FileError(sentence(file_.name(), ": row ", first + i + 1, ", column ", j + 1,
                                   ": the value is not a finite number"));
  return out;
}

Matrix StoredRows::block(Index first, Index count) const {
  require(first >= 0 && count >= 0 && first + count <= rows(), "rows ", first, " to ",
          first + count, " are asked for, but ", file_.name(), " has ", rows());
  return with_npy_type(header_, [&](auto type) { return read<decltype(type)>(first, count); });
}

void StoredRows::announce(Index row) const {
  const auto bytes = std::uint64_t(columns()) * std::uint64_t(size_.value);
  if (!header_.fortran_order) file_.announce(begin_ + std::uint64_t(row) * bytes, bytes);
}

Matrix StoredRows::chosen(const std::vector<Index>& rows) const {
  for (const Index row : rows) announce(row);
  Matrix out(Index(rows.size()), columns());
  for (std::size_t k = 0; k < rows.size(); ++k) out.row(Index(k)) = block(rows[k], 1);
  return out;
}

JoinedRows::JoinedRows(const std::vector<std::filesystem::path>& files) {
  allow_open_files(files.size());
  for (const std::filesystem::path& path : files) {
    files_.push_back(std::make_unique<const StoredRows>(path));
    if (files_.back()->columns() != columns())
      throw FileError(sentence(name_of_file(path), ": has ", files_.back()->columns(),
                               " columns, but ", name_of_file(files[0]), " has ", columns()));
    first_.push_back(first_.back() + files_.back()->rows());
  }
}

std::size_t JoinedRows::file_of(Index row) const {
  return std::size_t(std::upper_bound(first_.begin(), first_.end(), row) - first_.begin()) - 1;
}

Matrix JoinedRows::block(Index first, Index count) const {
  require(first >= 0 && count >= 0 && first + count <= rows(), "rows ", first, " to ",
          first + count, " are asked for, but there are ", rows());
  Matrix out(count, columns());
  for (Index done = 0; done < count;) {
    const std::size_t k = file_of(first + done);
    const Index some = std::min(count - done, first_[k + 1] - (first + done));
    out.middleRows(done, some) = files_[k]->block(first + done - first_[k], some);
    done += some;
  }
  return out;
}

Matrix JoinedRows::chosen(const std::vector<Index>& rows) const {
  for (const Index row : rows) {
    const std::size_t k = file_of(row);
    files_[k]->announce(row - first_[k]);
  }
  Matrix out(Index(rows.size()), columns());
  for (std::size_t k = 0; k < rows.size(); ++k) out.row(Index(k)) = block(rows[k], 1);
  return out;
}

}  // namespace fisherman
