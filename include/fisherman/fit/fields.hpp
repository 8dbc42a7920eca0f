// Named values in order: what a fit tells of itself, and what it is saved as. A front end turns them into what its
// users know, the command line into JSON and Python into a dict with arrays.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "fisherman/core/types.hpp"
#include "fisherman/io/json.hpp"

namespace fisherman {

struct Value;

class Fields {
 public:
  Fields();
  Fields(const Fields&);
  Fields(Fields&&) noexcept;
  Fields& operator=(const Fields&);
  Fields& operator=(Fields&&) noexcept;
  ~Fields();

  /// Replaces the value of that name, or adds one behind the others.
  Fields& set(const std::string& name, Value value);
  /// All of `others`, each as set() does.
  Fields& set_all(const Fields& others);

  using Item = std::pair<std::string, Value>;
  const std::vector<Item>& all() const { return items_; }
  const Value* find(const std::string& name) const;
  bool has(const std::string& name) const { return find(name) != nullptr; }

  // What may be missing. A number is NaN then, text empty, a flag false.
  double number(const std::string& name) const;
  std::string text(const std::string& name) const;  // numbers and flags as JSON has them
  bool flag(const std::string& name) const;

  // What must be there. Throws Misuse, naming it, unless it is, and of that type.
  std::string need_text(const std::string& name) const;
  bool need_flag(const std::string& name) const;
  Index need_count(const std::string& name) const;
  Vector need_vector(const std::string& name) const;
  Matrix need_matrix(const std::string& name) const;
  std::vector<Index> need_counts(const std::string& name) const;
  std::vector<std::string> need_texts(const std::string& name) const;
  Fields need_fields(const std::string& name) const;
  std::vector<Fields> need_list(const std::string& name) const;

 private:
  std::vector<Item> items_;
};

/// One of these. A number that is not finite is null in a file. Lists of numbers are a Vector when they come from one,
/// and lists of such lists a Matrix.
using ValueVariant =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Vector, Matrix,
                 std::vector<Index>, std::vector<std::string>, Fields, std::vector<Fields>>;
struct Value : ValueVariant {
  using Variant = ValueVariant;
  using variant::variant;
  Value(const char* text) : variant(std::string(text)) {}  // NOLINT: else it would be a flag
  Value(int count) : variant(std::int64_t(count)) {}       // NOLINT
};

/// As the text of a JSON object, and back. Throws FileError, beginning with `name`, for what no Fields can hold.
std::string json_text(const Fields& fields);
Fields fields_of_json(const std::string& text, const std::string& name);
Json json_of(const Fields& fields);
Fields fields_of(const Json& object, const std::string& name);

}  // namespace fisherman
