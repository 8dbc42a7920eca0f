#include "fisherman/fit/prior_words.hpp"

#include <vector>

#include "fisherman/core/error.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {
namespace {

/// "name(1,2)" as its name and numbers. Throws Misuse.
struct Call {
  std::string name;
  std::vector<double> numbers;
};

Call parsed_call(const std::string& text, const std::string& where, const std::string& rule) {
  const auto fail = [&]() -> Call {
    throw Misuse(sentence(where, " is ", shown(text), ", but must be ", rule));
  };
  const std::string whole(trim(text));
  const std::size_t open = whole.find('(');
  if (open == std::string::npos) return {whole, {}};
  if (whole.back() != ')') return fail();
  Call out{std::string(trim(std::string_view(whole).substr(0, open))), {}};
  std::string_view inside = std::string_view(whole).substr(open + 1, whole.size() - open - 2);
  while (true) {
    const std::size_t comma = inside.find(',');
    const auto number = parse_number(trim(inside.substr(0, comma)));
    if (!number) return fail();
    out.numbers.push_back(*number);
    if (comma == std::string_view::npos) return out;
    inside.remove_prefix(comma + 1);
  }
}

}  // namespace

std::string words(const CoefficientPrior& prior) {
  using Family = CoefficientPrior::Family;
  const auto& [family, location, scale, df] = prior;
  switch (family) {
    case Family::normal:
      return sentence("normal(", location, ",", scale, ")");
    case Family::student_t:
      return sentence("student_t(", df, ",", location, ",", scale, ")");
    case Family::laplace:
      return sentence("laplace(", location, ",", scale, ")");
    case Family::flat:
      return "flat";
  }
  return {};
}

CoefficientPrior coefficient_prior(const std::string& text, const std::string& where) {
  const std::string rule =
      "normal(location,scale), student_t(df,location,scale), laplace(location,scale) or flat, with "
      "a positive scale";
  using Family = CoefficientPrior::Family;
  const Call call = parsed_call(text, where, rule);
  const auto& n = call.numbers;
  CoefficientPrior out;
  bool good = true;
  if (call.name == "normal" && n.size() == 2)
    out = {Family::normal, n[0], n[1]};
  else if (call.name == "laplace" && n.size() == 2)
    out = {Family::laplace, n[0], n[1]};
  else if (call.name == "student_t" && n.size() == 3)
    out = {Family::student_t, n[1], n[2], n[0]};
  else if (call.name == "flat" && n.empty())
    out.family = Family::flat;
  else
    good = false;
  require(good && out.scale > 0.0 && out.df > 0.0, where, " is ", shown(text), ", but must be ",
          rule);
  return out;
}

std::string words(const ScalePrior& prior) {
  using Family = ScalePrior::Family;
  const auto& [family, scale, shape] = prior;
  switch (family) {
    case Family::half_normal:
      return sentence("half_normal(", scale, ")");
    case Family::half_t:
      return sentence("half_t(", shape, ",", scale, ")");
    case Family::exponential:
      return sentence("exponential(", scale, ")");
    case Family::gamma:
      return sentence("gamma(", shape, ",", scale, ")");
    case Family::lognormal:
      return sentence("lognormal(", scale, ",", shape, ")");
  }
  return {};
}

ScalePrior scale_prior(const std::string& text, const std::string& where) {
  const std::string rule =
      "half_normal(scale), half_t(df,scale), exponential(scale), gamma(shape,scale) or "
      "lognormal(median,sd), with positive numbers";
  using Family = ScalePrior::Family;
  const Call call = parsed_call(text, where, rule);
  const auto& n = call.numbers;
  ScalePrior out;
  bool good = true;
  if (call.name == "half_normal" && n.size() == 1)
    out = {Family::half_normal, n[0]};
  else if (call.name == "half_t" && n.size() == 2)
    out = {Family::half_t, n[1], n[0]};
  else if (call.name == "exponential" && n.size() == 1)
    out = {Family::exponential, n[0]};
  else if (call.name == "gamma" && n.size() == 2)
    out = {Family::gamma, n[1], n[0]};
  else if (call.name == "lognormal" && n.size() == 2)
    out = {Family::lognormal, n[0], n[1]};
  else
    good = false;
  require(good && out.scale > 0.0 && out.shape > 0.0, where, " is ", shown(text), ", but must be ",
          rule);
  return out;
}

}  // namespace fisherman
