// A run's state as bytes: what a checkpoint holds. Numbers are stored bit for bit.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>

#include "fisherman/core/error.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

class Writer {
 public:
  template <class T>
  requires std::is_arithmetic_v<T>
  void put(T value) { raw(&value, sizeof value); }
  void put(const std::string& text);
  template <class T>
  void put(const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& m) {
    put_block(m.data(), m.rows(), m.cols());
  }
  void put(const Vector& v) { put_block(v.data(), v.rows(), 1); }
  /// The lower triangle of a square matrix.
  template <class T>
  void put_lower(const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& m) {
    put(std::int64_t(m.rows()));
    for (Index j = 0; j < m.cols(); ++j)
      raw(m.data() + j + j * m.rows(), std::size_t(m.rows() - j) * sizeof(T));
  }
  /// What another writer has written.
  void append(const std::string& bytes) { bytes_ += bytes; }
  const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  void put_block(const T* data, Index rows, Index cols) {
    put(std::int64_t(rows));
    put(std::int64_t(cols));
    raw(data, std::size_t(rows * cols) * sizeof(T));
  }
  void raw(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}

  template <class T>
  requires std::is_arithmetic_v<T> T get() {
    T value;
    raw(&value, sizeof value);
    return value;
  }
  std::string get_string();
  template <class M>
  M get_matrix() {
    const auto rows = get<std::int64_t>(), cols = get<std::int64_t>();
    const auto most =
        std::int64_t(left() / sizeof(typename M::Scalar));  // so nothing is allocated for a lie
    expect(rows >= 0 && cols >= 0 && (rows == 0 || cols <= most / rows));
    M m(rows, cols);
    raw(m.data(), std::size_t(m.size()) * sizeof(typename M::Scalar));
    return m;
  }
  Vector get_vector() {
    Matrix m = get_matrix<Matrix>();
    expect(m.cols() == 1);
    return m;
  }
  /// Whatever counts from 0; nothing of ours counts further than a double can.
  std::int64_t get_count() {
    const auto count = get<std::int64_t>();
    expect(count >= 0 && count <= (std::int64_t(1) << 53));
    return count;
  }
  template <class T>
  void get_lower(Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>& m) {
    expect(get<std::int64_t>() == m.rows());
    for (Index j = 0; j < m.cols(); ++j)
      raw(m.data() + j + j * m.rows(), std::size_t(m.rows() - j) * sizeof(T));
  }
  /// Throws FileError unless `holds`.
  static void expect(bool holds);
  bool at_end() const { return at_ == bytes_.size(); }

 private:
  std::size_t left() const { return bytes_.size() - at_; }
  void raw(void* data, std::size_t size) {
    expect(size <= left());
    if (size > 0) std::memcpy(data, bytes_.data() + at_, size);
    at_ += size;
  }
  std::string bytes_;
  std::size_t at_ = 0;
};

/// `path` holds either the old or the new content, whatever happens in between; nothing half-written is left. What else may
/// be there, and what then: path_kind.hpp. Throws FileError.
void write_file(const std::filesystem::path& path, const std::string& bytes);
/// The same for content that comes piece by piece, an empty one last.
void write_file(const std::filesystem::path& path, const std::function<std::string()>& next_piece);
/// What was renamed in a folder is so after a power cut too.
void sync_folder(const std::filesystem::path& folder);

/// The same with a format version and a checksum.
void write_checkpoint(const std::filesystem::path& path, const std::string& bytes);
/// Throws FileError, naming the file and what is wrong, unless it is a whole checkpoint of ours.
std::string read_checkpoint(const std::filesystem::path& path);

}  // namespace fisherman
