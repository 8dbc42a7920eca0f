#include "fisherman/fit/draws_csv.hpp"

#include <iomanip>
#include <set>
#include <sstream>

#include "fisherman/core/error.hpp"

namespace fisherman {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string stan_name(const std::string& name) {
  std::string out;
  bool other = false;
  for (const char c : name) {
    const bool kept = is_letter(c) || is_digit(c) || c == '_';
    if (kept && other) out += '_';
    if (kept) out += c;
    other = !kept;
  }
  const auto first = out.find_first_not_of('_');
  if (first == std::string::npos) return "x";
  out = out.substr(first, out.find_last_not_of('_') + 1 - first);
  return is_letter(out[0]) ? out : "x" + out;
}

}  // namespace

std::vector<std::string> stan_names(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  std::set<std::string> taken;
  for (const std::string& name : names) {
    const std::string wanted = stan_name(name);
    std::string given = wanted;
    for (int k = 2; !taken.insert(given).second; ++k) given = sentence(wanted, '_', k);
    out.push_back(given);
  }
  return out;
}

std::string draws_csv(const std::string& model, Units units, const FittedDraws& drawn) {
  const auto& [names, draws, log_p, log_q] = drawn;
  std::ostringstream out;
  out << std::setprecision(17) << "# model = " << model
      << "\n# method = variational\n# units = " << units_name(units) << ": " << units_words(units)
      << '\n'
      << "# log_p__ and log_g__ are densities of the coefficients of the columns as they were "
         "fitted\n";
  const std::vector<std::string> columns = stan_names(names);
  for (std::size_t k = 0; k < names.size(); ++k) {
    std::string one_cell = names[k];  // a spreadsheet would begin another, maybe with a formula
    for (char& c : one_cell)
      if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    for (std::size_t at = 0; (at = one_cell.find_first_of(",;", at)) != std::string::npos; at += 2)
      one_cell.insert(at + 1, " ");
    out << "# " << columns[k] << " = " << one_cell << '\n';
  }
  out << "lp__,log_p__,log_g__";
  for (const std::string& column : columns) out << ',' << column;
  out << '\n';
  for (Index i = 0; i < draws.rows(); ++i) {
    out << 0 << ',' << log_p(i) << ',' << log_q(i);
    for (Index k = 0; k < draws.cols(); ++k) out << ',' << draws(i, k);
    out << '\n';
  }
  return out.str();
}

}  // namespace fisherman
