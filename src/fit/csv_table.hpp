// Matrices as CSV, with a name for each row and each column.
#pragma once

#include <iomanip>
#include <sstream>
#include <string>
#include <vector>

#include "fisherman/core/types.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {

template <class M>
std::string csv_table(const std::string& corner, const std::vector<std::string>& row_names,
                      const std::vector<std::string>& column_names, const M& m) {
  std::ostringstream text;
  text << std::setprecision(17) << corner;
  for (const std::string& name : column_names) text << ',' << csv_field(name);
  text << '\n';
  for (Index i = 0; i < m.rows(); ++i) {
    text << csv_field(row_names[std::size_t(i)]);
    for (Index j = 0; j < m.cols(); ++j) text << ',' << m(i, j);
    text << '\n';
  }
  return text.str();
}

}  // namespace fisherman
