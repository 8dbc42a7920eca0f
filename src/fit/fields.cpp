#include "fisherman/fit/fields.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "fisherman/core/error.hpp"

namespace fisherman {

Fields::Fields() = default;
Fields::Fields(const Fields&) = default;
Fields::Fields(Fields&&) noexcept = default;
Fields& Fields::operator=(const Fields&) = default;
Fields& Fields::operator=(Fields&&) noexcept = default;
Fields::~Fields() = default;

Fields& Fields::set(const std::string& name, Value value) {
  const auto found = std::find_if(items_.begin(), items_.end(),
                                  [&](const Item& item) { return item.first == name; });
  if (found == items_.end())
    items_.emplace_back(name, std::move(value));
  else
    found->second = std::move(value);
  return *this;
}

Fields& Fields::set_all(const Fields& others) {
  for (const auto& [name, value] : others.all()) set(name, value);
  return *this;
}

const Value* Fields::find(const std::string& name) const {
  const auto found = std::find_if(items_.begin(), items_.end(),
                                  [&](const Item& item) { return item.first == name; });
  return found == items_.end() ? nullptr : &found->second;
}

namespace {

template <class T>
const T* value_in(const Fields& fields, const std::string& name) {
  const Value* const value = fields.find(name);
  return value == nullptr ? nullptr : std::get_if<T>(value);
}

/// Throws Misuse unless there is a value of the name and of this type.
template <class T>
const T& needed(const Fields& fields, const std::string& name, const char* type) {
  require(fields.has(name), "'", name, "' is missing");
  const T* const value = value_in<T>(fields, name);
  require(value != nullptr, "'", name, "' is not ", type);
  return *value;
}

bool is_empty_list(const Fields& fields, const std::string& name) {
  const Vector* const list = value_in<Vector>(fields, name);
  return list != nullptr && list->size() == 0;
}

Json json_of_value(const Value& value);

struct ToJson {
  Json operator()(std::monostate) const { return {}; }
  Json operator()(const Vector& v) const {
    return std::vector<double>(v.data(), v.data() + v.size());
  }
  Json operator()(const Matrix& m) const {
    Json rows = Json::array();
    for (Index i = 0; i < m.rows(); ++i) rows.push_back((*this)(Vector(m.row(i))));
    return rows;
  }
  Json operator()(const Fields& fields) const {
    Json out = Json::object();
    for (const auto& [name, value] : fields.all()) out[name] = json_of_value(value);
    return out;
  }
  Json operator()(const std::vector<Fields>& list) const {
    Json out = Json::array();
    for (const Fields& one : list) out.push_back((*this)(one));
    return out;
  }
  template <class T>
  Json operator()(const T& plain) const {
    return plain;
  }
};

Json json_of_value(const Value& value) {
  return std::visit(ToJson(), static_cast<const Value::Variant&>(value));
}

bool all_are(const Json& list, bool (*is)(const Json&)) {
  return std::all_of(list.begin(), list.end(), is);
}
bool is_number(const Json& value) { return value.is_number() || value.is_null(); }

Vector vector_of(const Json& list) {
  Vector out{Index(list.size())};
  for (std::size_t k = 0; k < list.size(); ++k)
    out(Index(k)) =
        list[k].is_null() ? std::numeric_limits<double>::quiet_NaN() : list[k].get<double>();
  return out;
}

Value value_of(const Json& json, const std::string& where);

Value list_of(const Json& list, const std::string& where) {
  if (all_are(list, is_number)) return vector_of(list);
  if (all_are(list, [](const Json& v) { return v.is_string(); }))
    return list.get<std::vector<std::string>>();
  if (all_are(list, [](const Json& v) { return v.is_object(); })) {
    std::vector<Fields> out;
    for (const Json& one : list) out.push_back(fields_of(one, where));
    return out;
  }
  if (!all_are(list, [](const Json& v) { return v.is_array() && all_are(v, is_number); }))
    throw FileError(where + " is a list of several types");
  Matrix out(Index(list.size()), Index(list[0].size()));
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (Index(list[i].size()) != out.cols())
      throw FileError(sentence(where, ": row ", i + 1, " of the matrix has ", list[i].size(),
                               " numbers, but the first has ", out.cols()));
    out.row(Index(i)) = vector_of(list[i]).transpose();
  }
  return out;
}

Value value_of(const Json& json, const std::string& where) {
  if (json.is_null()) return {};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) return list_of(json, where);
  return fields_of(json, where);
}

}  // namespace

double Fields::number(const std::string& name) const {
  if (const double* const number = value_in<double>(*this, name)) return *number;
  if (const std::int64_t* const count = value_in<std::int64_t>(*this, name)) return double(*count);
  return std::numeric_limits<double>::quiet_NaN();
}

std::string Fields::text(const std::string& name) const {
  if (const std::string* const text = value_in<std::string>(*this, name)) return *text;
  const Value* const value = find(name);
  return value == nullptr
             ? ""
             : json_of_value(*value).dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool Fields::flag(const std::string& name) const {
  const bool* const flag = value_in<bool>(*this, name);
  return flag != nullptr && *flag;
}

std::string Fields::need_text(const std::string& name) const {
  return needed<std::string>(*this, name, "text");
}
bool Fields::need_flag(const std::string& name) const {
  return needed<bool>(*this, name, "true or false");
}
Index Fields::need_count(const std::string& name) const {
  return needed<std::int64_t>(*this, name, "a whole number");
}
Vector Fields::need_vector(const std::string& name) const {
  return needed<Vector>(*this, name, "a list of numbers");
}
Matrix Fields::need_matrix(const std::string& name) const {
  if (is_empty_list(*this, name)) return {};
  return needed<Matrix>(*this, name, "a list of rows of numbers");
}

std::vector<Index> Fields::need_counts(const std::string& name) const {
  if (const auto* const counts = value_in<std::vector<Index>>(*this, name)) return *counts;
  const Vector numbers = needed<Vector>(*this, name, "a list of whole numbers");
  std::vector<Index> out;
  for (const double number : numbers) {
    require(std::abs(number) < 1e15 && number == std::floor(number), "'", name, "' holds ", number,
            ", which is no whole number");
    out.push_back(Index(number));
  }
  return out;
}

std::vector<std::string> Fields::need_texts(const std::string& name) const {
  if (is_empty_list(*this, name)) return {};
  return needed<std::vector<std::string>>(*this, name, "a list of texts");
}

Fields Fields::need_fields(const std::string& name) const {
  return needed<Fields>(*this, name, "an object");
}

std::vector<Fields> Fields::need_list(const std::string& name) const {
  if (is_empty_list(*this, name)) return {};
  return needed<std::vector<Fields>>(*this, name, "a list of objects");
}

Json json_of(const Fields& fields) { return ToJson()(fields); }

std::string json_text(const Fields& fields) { return json_of(fields).dump(); }

Fields fields_of_json(const std::string& text, const std::string& name) {
  return fields_of(parse_json(text, name), name);
}

Fields fields_of(const Json& object, const std::string& name) {
  if (!object.is_object()) throw FileError(name + ": is not a JSON object");
  Fields out;
  for (const auto& [key, value] : object.items())
    out.set(key, value_of(value, sentence(name, ", '", key, "'")));
  return out;
}

}  // namespace fisherman
