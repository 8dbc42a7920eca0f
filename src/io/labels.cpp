#include "fisherman/io/labels.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "fisherman/core/error.hpp"
#include "fisherman/core/ranks.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {
namespace {

struct ByValue {
  bool operator()(const std::string& a, const std::string& b) const { return label_before(a, b); }
};

/// Each with the spelling that comes first.
std::set<std::string, ByValue> values_of(const std::vector<std::string>& labels,
                                         const std::string& where) {
  std::set<std::string, ByValue> values(labels.begin(), labels.end());
  if (rank_count() > 1) {
    const std::vector<std::string> mine(values.begin(), values.end());
    values.clear();
    for (const std::vector<std::string>& theirs : from_each_rank(mine))
      values.insert(theirs.begin(), theirs.end());
  }
  if (values.empty()) throw FileError(where + ": there are no labels");
  return values;
}

bool same(const std::string& a, const std::string& b) {
  return a == b || (!ByValue()(a, b) && !ByValue()(b, a));
}

std::string listed(const std::set<std::string, ByValue>& values) {
  constexpr std::size_t most = 6;
  std::string text;
  std::size_t count = 0;
  for (const std::string& value : values) {
    if (count == most) return text + ", …";
    text += (count++ > 0 ? ", " : "") + shown(value);
  }
  return text;
}

}  // namespace

bool label_before(const std::string& a, const std::string& b) {
  const auto x = parse_number(a), y = parse_number(b);
  if (x && y) return *x < *y;
  if (x || y) return x.has_value();
  return a < b;
}

BinaryLabels binary_labels(const std::vector<std::string>& labels, const std::string& where) {
  const std::set<std::string, ByValue> values = values_of(labels, where);
  if (values.size() == 1)
    throw FileError(
        sentence(where, ": all labels are ", listed(values), ", but two classes are needed"));
  if (values.size() > 2)
    throw FileError(sentence(where, ": the labels have ", values.size(), " values (",
                             listed(values),
                             "), but must have two; other outcomes have other likelihoods: poisson "
                             "for counts, multinomial for classes, gaussian for numbers"));
  BinaryLabels result;
  result.classes = {*values.begin(), *values.rbegin()};
  if (!parse_number(result.classes[0]) || !parse_number(result.classes[1]))
    std::sort(result.classes.begin(), result.classes.end());
  result.y = binary_labels(labels, result.classes, where);
  return result;
}

Vector binary_labels(const std::vector<std::string>& labels,
                     const std::array<std::string, 2>& classes, const std::string& where,
                     Index first) {
  Vector y(Index(labels.size()));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool is_one = same(labels[i], classes[1]);
    if (!is_one && !same(labels[i], classes[0]))
      throw FileError(sentence(where, ", row ", first + Index(i) + 1, ": the label ",
                               shown(labels[i]), " is neither ", shown(classes[0]), " nor ",
                               shown(classes[1])));
    y(Index(i)) = is_one ? 1.0 : 0.0;
  }
  return y;
}

ClassLabels class_labels(const std::vector<std::string>& labels, const std::string& where) {
  const std::set<std::string, ByValue> values = values_of(labels, where);
  if (values.size() == 1)
    throw FileError(
        sentence(where, ": all labels are ", listed(values), ", but two classes are needed"));
  constexpr std::size_t most = 1000;
  if (values.size() > most)
    throw FileError(sentence(where, ": the labels have ", values.size(), " values (",
                             listed(values), "), but classes are at most ", most));
  ClassLabels result;
  result.classes.assign(values.begin(), values.end());
  result.y = class_labels(labels, result.classes, where);
  return result;
}

std::vector<int> class_labels(const std::vector<std::string>& labels,
                              const std::vector<std::string>& classes, const std::string& where,
                              Index first) {
  std::map<std::string, int, ByValue> number;
  for (std::size_t k = 0; k < classes.size(); ++k) number.emplace(classes[k], int(k));
  std::vector<int> y;
  y.reserve(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto found = number.find(labels[i]);
    if (found == number.end())
      throw FileError(sentence(where, ", row ", first + Index(i) + 1, ": the label ",
                               shown(labels[i]), " is none of the ", classes.size(),
                               " classes that the fit knows"));
    y.push_back(found->second);
  }
  return y;
}

}  // namespace fisherman
