// Processes that fit one model together: ranks, as MPI calls them. Each keeps a part of the rows and does everything else
// as all the others do, in the same order, so that all of them know the same numbers at any time. What they tell each
// other goes through a Messenger, which the front end brings along; without one there is a single rank.
//
// Whatever is called "together" must be called by all ranks, in the same order, and not from inside a parallel task.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "fisherman/core/archive.hpp"
#include "fisherman/core/types.hpp"

namespace fisherman {

/// How ranks talk. MPI does the work; see apps/cli/mpi_messenger.cpp.
class Messenger {
 public:
  virtual ~Messenger() = default;
  virtual int rank() const = 0;
  virtual int count() const = 0;
  virtual void send(const std::string& bytes, int to) = 0;
  virtual std::string receive(int from) = 0;
  /// A rank whose message can be received now, if there is one. It does not wait.
  virtual std::optional<int> sender() = 0;
  /// Together: `bytes` of rank `from` for all.
  virtual void broadcast(std::string& bytes, int from) = 0;
  /// Together: what each rank has for each, for what each rank has for us.
  virtual std::vector<std::string> exchange(std::vector<std::string> to_each) = 0;
  /// Together: the largest of the ranks' numbers.
  virtual std::int64_t largest(std::int64_t number) = 0;
};

/// The messenger of this thread, which is that of the front end, or nullptr. The caller keeps it alive.
void set_messenger(Messenger* messenger);
Messenger* messenger();

inline int rank_count() { return messenger() == nullptr ? 1 : messenger()->count(); }
inline int this_rank() { return messenger() == nullptr ? 0 : messenger()->rank(); }

/// Together: the largest of the ranks' numbers.
inline std::int64_t largest_of_ranks(std::int64_t number) {
  return rank_count() == 1 ? number : messenger()->largest(number);
}

/// While it lives, this rank works by itself.
class Alone {
 public:
  Alone() : before_(messenger()) { set_messenger(nullptr); }
  ~Alone() { set_messenger(before_); }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

 private:
  Messenger* before_;
};

/// What was said since the program began: for docs/cluster.md's formulas to be held against.
struct Traffic {
  std::int64_t messages = 0, bytes = 0;
  double seconds = 0.0;  // spent in the messenger, waiting included
};
Traffic& traffic();

namespace detail {

/// What went wrong here, so that it can go wrong everywhere. Empty: nothing did.
std::string trouble_of(const std::exception_ptr& error);
/// Throws it again, as what it was.
[[noreturn]] void throw_trouble(const std::string& trouble);
/// Together: throws the trouble of the first rank that has any.
void share_trouble(const std::string& trouble);

}  // namespace detail

/// Together: body() on every rank. If it throws on one of them, it throws the same on all.
template <class Body>
auto together(Body&& body) {
  using Result = std::invoke_result_t<Body>;
  if (rank_count() == 1) return body();
  std::string trouble;
  if constexpr (std::is_void_v<Result>) {
    try {
      body();
    } catch (...) {
      trouble = detail::trouble_of(std::current_exception());
    }
    detail::share_trouble(trouble);
  } else {
    std::vector<Result> out;  // none, or one
    try {
      out.push_back(body());
    } catch (...) {
      trouble = detail::trouble_of(std::current_exception());
    }
    detail::share_trouble(trouble);
    return std::move(out.front());
  }
}

/// Together: body() on the first rank alone; others have a value that was made of nothing.
template <class Body>
auto on_first_rank(Body&& body) {
  return together([&]() -> std::invoke_result_t<Body> {
    if (this_rank() == 0) return body();
    return std::invoke_result_t<Body>();
  });
}

// Numbers on their way: an arithmetic type, a matrix or array of Eigen's, a text, a vector of such, or a struct whose
// fields() are a tuple of references to them.
namespace detail {

template <class T>
concept HasFields = requires(T& t) {
  t.fields();
};
template <class T>
concept IsEigen = std::is_base_of_v<Eigen::DenseBase<T>, T>;

template <class T>
void put(Writer& to, const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    to.put(value);
  } else if constexpr (std::is_same_v<T, std::string>) {
    to.put(value);
  } else if constexpr (IsEigen<T>) {
    to.put(Eigen::Matrix<typename T::Scalar, Eigen::Dynamic, Eigen::Dynamic>(value));
  } else if constexpr (HasFields<T>) {
    std::apply([&](const auto&... field) { (put(to, field), ...); },
               const_cast<T&>(value).fields());
  } else {
    to.put(std::int64_t(value.size()));
    for (const auto& one : value) put(to, one);
  }
}

template <class T>
void get(Reader& from, T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    value = from.get<T>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    value = from.get_string();
  } else if constexpr (IsEigen<T>) {
    const auto m =
        from.get_matrix<Eigen::Matrix<typename T::Scalar, Eigen::Dynamic, Eigen::Dynamic>>();
    if constexpr (std::is_base_of_v<Eigen::ArrayBase<T>, T>)
      value = m.array();
    else
      value = m;
  } else if constexpr (HasFields<T>) {
    std::apply([&](auto&... field) { (get(from, field), ...); }, value.fields());
  } else {
    value.resize(std::size_t(from.get<std::int64_t>()));
    for (auto& one : value) get(from, one);
  }
}

}  // namespace detail

template <class T>
std::string as_message(const T& value) {
  Writer to;
  detail::put(to, value);
  return to.bytes();
}
template <class T>
T from_message(std::string bytes) {
  Reader from(std::move(bytes));
  T out{};
  detail::get(from, out);
  return out;
}

/// Together: what each rank has, in their order.
template <class T>
std::vector<T> from_each_rank(const T& mine) {
  if (rank_count() == 1) return {mine};
  std::vector<T> out;
  for (std::string& bytes :
       messenger()->exchange(std::vector<std::string>(std::size_t(rank_count()), as_message(mine))))
    out.push_back(from_message<T>(std::move(bytes)));
  return out;
}

/// Together: what body() makes on each rank, in their order. If it throws on one of them, it throws the same on all.
template <class Body>
auto made_on_each_rank(Body&& body) {
  using Result = std::invoke_result_t<Body>;
  std::string mine;
  try {
    mine = "S" + as_message(body());
  } catch (...) {
    mine = "E" + detail::trouble_of(std::current_exception());
  }
  std::vector<std::string> all =
      messenger()->exchange(std::vector<std::string>(std::size_t(rank_count()), mine));
  for (const std::string& one : all)
    if (one[0] == 'E') detail::throw_trouble(one.substr(1));
  std::vector<Result> out;
  for (std::string& one : all) out.push_back(from_message<Result>(one.substr(1)));
  return out;
}

/// Together: what write(to) writes on each rank, in their order, for the first rank, which has all of it in `out`. Others have
/// nothing.
template <class Write>
void write_in_turn(Writer& out, const Write& write) {
  if (this_rank() == 0) {
    write(out);
    for (int r = 1; r < rank_count(); ++r) out.append(messenger()->receive(r));
  } else {
    Writer mine;
    write(mine);
    messenger()->send(mine.bytes(), 0);
  }
}

/// Together: the sum of the ranks' numbers.
inline std::int64_t sum_of_ranks(std::int64_t number) {
  std::int64_t out = 0;
  for (const std::int64_t one : from_each_rank(number)) out += one;
  return out;
}

/// Together: what the first rank has.
template <class T>
T from_first_rank(const T& mine) {
  if (rank_count() == 1) return mine;
  std::string bytes = this_rank() == 0 ? as_message(mine) : std::string();
  messenger()->broadcast(bytes, 0);
  return from_message<T>(std::move(bytes));
}

}  // namespace fisherman
