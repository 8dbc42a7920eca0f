#include "fisherman/fit/stan_files.hpp"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fisherman/core/error.hpp"
#include "fisherman/io/json.hpp"
#include "fisherman/io/text.hpp"

namespace fisherman {
namespace {

/// beta[2,1] → beta and {2, 1}; without indices if it is a name alone, or of another form.
struct IndexedName {
  std::string name;
  std::vector<std::size_t> indices;
};

IndexedName indexed_name(const std::string& text) {
  const auto open = text.find('[');
  if (open == std::string::npos || text.back() != ']') return {text, {}};
  IndexedName out{text.substr(0, open), {}};
  std::size_t number = 0;
  bool digits = false;
  for (std::size_t k = open + 1; k < text.size(); ++k) {
    const char c = text[k];
    if (c >= '0' && c <= '9') {
      number = 10 * number + std::size_t(c - '0');
      digits = true;
    } else {
      if (!digits || number == 0 || (c != ',' && k + 1 != text.size())) return {text, {}};
      out.indices.push_back(number);
      number = 0;
      digits = false;
    }
  }
  return out;
}

/// Puts a value where the indices say, in lists that grow as needed.
void put(Json& where, const std::vector<std::size_t>& indices, std::size_t level, double value) {
  if (level == indices.size()) {
    where = value;
    return;
  }
  if (!where.is_array()) where = Json::array();
  while (where.size() < indices[level]) where.push_back(nullptr);
  put(where[indices[level] - 1], indices, level + 1, value);
}

}  // namespace

std::string stan_metric(const Matrix& covariance) {
  Json rows = Json::array();
  for (Index i = 0; i < covariance.rows(); ++i) {
    Json row = Json::array();
    for (Index j = 0; j < covariance.cols(); ++j) row.push_back(covariance(i, j));
    rows.push_back(std::move(row));
  }
  Json out;
  out["inv_metric"] = std::move(rows);
  return out.dump() + "\n";
}

std::string stan_diagonal_metric(const Vector& variances) {
  Json out;
  out["inv_metric"] = std::vector<double>(variances.begin(), variances.end());
  return out.dump() + "\n";
}

std::string stan_inits(const std::vector<std::string>& names, const Vector& values) {
  Json out = Json::object();
  for (Index k = 0; k < values.size(); ++k) {
    const IndexedName name = indexed_name(names[std::size_t(k)]);
    put(out[name.name], name.indices, 0, values(k));
  }
  return out.dump() + "\n";
}

std::string stan_column(const std::string& text) {
  const IndexedName name = indexed_name(text);
  std::string out = name.name;
  for (const std::size_t index : name.indices) out += sentence('.', index);
  return out;
}

std::string stan_draws(const std::string& model, bool weighted, const FittedDraws& drawn) {
  std::ostringstream out;
  out << std::setprecision(17) << "# model = " << model << "\n# method = variational\n"
      << (weighted ? "# resampled by Pareto-smoothed importance weights\n" : "")
      << "# log_p__ and log_g__ are log densities on the unconstrained scale, of the model and of "
         "the approximation\n"
      << "lp__,log_p__,log_g__";
  for (const std::string& name : drawn.names) out << ',' << csv_field(stan_column(name));
  out << '\n';
  for (Index i = 0; i < drawn.values.rows(); ++i) {
    out << 0 << ',' << (drawn.log_p.size() > 0 ? drawn.log_p(i) : 0.0) << ',' << drawn.log_q(i);
    for (Index k = 0; k < drawn.values.cols(); ++k) out << ',' << drawn.values(i, k);
    out << '\n';
  }
  return out.str();
}

}  // namespace fisherman
