// Stan's own algorithms on a compiled Stan program, with a count of what they ask for.
//
//   stan_peers LIBRARY DATA METHOD SEED [FILE [DRAWS]]      METHOD: meanfield, fullrank, pathfinder, pathfinder1, nuts
//
// prints one line of JSON: evaluations of the gradient and of the density alone, CPU seconds, and mean and standard
// deviation of every parameter and transformed parameter. FILE, if named, gets the draws, as CSV. The settings are
// CmdStan's defaults, but for the number of DRAWS of nuts. It is compiled once, with Stan's headers, for all programs:
// they are reached through BridgeStan's C interface.
#include <stan/math/rev.hpp>  // before anything that brings Eigen

#include <dlfcn.h>
#include <sys/resource.h>

#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <stan/callbacks/interrupt.hpp>
#include <stan/callbacks/logger.hpp>
#include <stan/callbacks/structured_writer.hpp>
#include <stan/callbacks/writer.hpp>
#include <stan/io/empty_var_context.hpp>
#include <stan/services/experimental/advi/fullrank.hpp>
#include <stan/services/experimental/advi/meanfield.hpp>
#include <stan/services/pathfinder/multi.hpp>
#include <stan/services/sample/hmc_nuts_diag_e_adapt.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using stan::math::var;

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "stan_peers: %s\n", why.c_str());
  std::exit(2);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, at);) out.push_back(part);
  return out;
}

/// What Stan's services want a model to be, on the functions of a library. Counts.
class CountedModel {
 public:
  CountedModel(const char* library, const char* data) : handle_(dlopen(library, RTLD_NOW)) {
    if (!handle_) give_up(dlerror());
    find(construct_, "bs_model_construct");
    find(names_, "bs_param_names");
    find(free_count_, "bs_param_unc_num");
    find(count_, "bs_param_num");
    find(constrain_, "bs_param_constrain");
    find(unconstrain_, "bs_param_unconstrain");
    find(density_, "bs_log_density");
    find(gradient_, "bs_log_density_gradient");
    find(free_error_, "bs_free_error_msg");
    char* error = nullptr;
    model_ = construct_(data, 1, &error);
    if (!model_) give_up(error);
  }

  long gradients() const { return gradients_; }
  long densities() const { return densities_; }

  std::size_t num_params_r() const { return std::size_t(free_count_(model_)); }
  std::string model_name() const { return "counted"; }

  void constrained_param_names(std::vector<std::string>& to, bool tp = true, bool = true) const {
    for (const std::string& name : split(names_(model_, tp, false), ',')) to.push_back(name);
  }
  void unconstrained_param_names(std::vector<std::string>& to, bool = true, bool = true) const {
    for (std::size_t i = 0; i < num_params_r(); ++i) to.push_back("u." + std::to_string(i + 1));
  }
  void get_param_names(std::vector<std::string>& to, bool = true, bool = true) const {
    to.clear();
    for (const std::string& name : split(names_(model_, false, false), ',')) {
      const std::string stem = name.substr(0, name.find('.'));
      if (to.empty() || to.back() != stem) to.push_back(stem);
    }
  }
  /// Names come with the last index the slowest, so the last of a variable has all its sizes.
  void get_dims(std::vector<std::vector<std::size_t>>& to, bool = true, bool = true) const {
    to.clear();
    std::string before;
    for (const std::string& name : split(names_(model_, false, false), ',')) {
      const std::vector<std::string> parts = split(name, '.');
      if (parts[0] != before) to.emplace_back();
      before = parts[0];
      to.back().clear();
      for (std::size_t i = 1; i < parts.size(); ++i) to.back().push_back(std::stoul(parts[i]));
    }
  }

  template <bool propto, bool jacobian, class T>
  T log_prob(Eigen::Matrix<T, Eigen::Dynamic, 1>& at, std::ostream* = nullptr) const {
    std::vector<T> values(at.data(), at.data() + at.size());
    return of<propto, jacobian>(values);
  }
  template <bool propto, bool jacobian, class T>
  T log_prob(std::vector<T>& at, std::vector<int>&, std::ostream* = nullptr) const {
    return of<propto, jacobian>(at);
  }

  template <class Rng>
  void write_array(Rng&, Eigen::VectorXd& u, Eigen::VectorXd& out, bool tp = true, bool = true,
                   std::ostream* = nullptr) const {
    out.resize(count_(model_, tp, false));
    char* error = nullptr;
    const int code = constrain_(model_, tp, false, u.data(), out.data(), nullptr, &error);
    expect(code, error);
  }
  template <class Rng>
  void write_array(Rng& rng, std::vector<double>& u, std::vector<int>&, std::vector<double>& out,
                   bool tp = true, bool gq = true, std::ostream* = nullptr) const {
    Eigen::VectorXd at = Eigen::VectorXd::Map(u.data(), Eigen::Index(u.size())), values;
    write_array(rng, at, values, tp, gq);
    out.assign(values.data(), values.data() + values.size());
    if (tp) written_.push_back(at);
  }

  void transform_inits(const stan::io::var_context& context, std::vector<int>&,
                       std::vector<double>& u, std::ostream*) const {
    std::vector<std::string> names;
    get_param_names(names);
    std::vector<double> values;
    for (const std::string& name : names)
      for (const double value : context.vals_r(name)) values.push_back(value);
    u.resize(num_params_r());
    char* error = nullptr;
    const int code = unconstrain_(model_, values.data(), u.data(), &error);
    expect(code, error);
  }

  /// The unconstrained points of ADVI's output, the first of which is the mean.
  const std::vector<Eigen::VectorXd>& written() const { return written_; }

 private:
  template <class Function>
  void find(Function& function, const char* name) {
    void* found = dlsym(handle_, name);
    if (!found) give_up(std::string("the library has no ") + name);
    std::memcpy(&function, &found, sizeof found);
  }
  void expect(int code, char* error) const {
    if (code == 0) return;
    const std::string words = error ? error : "an error";
    free_error_(error);
    throw std::domain_error(words);
  }

  template <bool propto, bool jacobian>
  double of(const std::vector<double>& at) const {
    ++densities_;
    double value = 0;
    char* error = nullptr;
    const int code = density_(model_, propto, jacobian, at.data(), &value, &error);
    expect(code, error);
    return value;
  }
  template <bool propto, bool jacobian>
  var of(const std::vector<var>& at) const {
    ++gradients_;
    std::vector<double> u(at.size()), gradient(at.size());
    for (std::size_t i = 0; i < at.size(); ++i) u[i] = at[i].val();
    double value = 0;
    char* error = nullptr;
    const int code = gradient_(model_, propto, jacobian, u.data(), &value, gradient.data(), &error);
    expect(code, error);
    return stan::math::precomputed_gradients(value, at, gradient);
  }

  using Model = void;
  void* handle_;
  Model* model_ = nullptr;
  Model* (*construct_)(const char*, unsigned, char**);
  const char* (*names_)(const Model*, bool, bool);
  int (*free_count_)(const Model*);
  int (*count_)(const Model*, bool, bool);
  int (*constrain_)(const Model*, bool, bool, const double*, double*, void*, char**);
  int (*unconstrain_)(const Model*, const double*, double*, char**);
  int (*density_)(const Model*, bool, bool, const double*, double*, char**);
  int (*gradient_)(const Model*, bool, bool, const double*, double*, double*, char**);
  void (*free_error_)(char*);
  mutable std::atomic<long> gradients_ = 0, densities_ = 0;
  mutable std::vector<Eigen::VectorXd> written_;
};

double cpu_seconds() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) { return double(t.tv_sec) + 1e-6 * double(t.tv_usec); };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

struct Cost {
  long gradients = 0, densities = 0;
  double seconds = 0;
};

/// Keeps draws, and the cost until the first of them came.
class Draws : public stan::callbacks::writer {
 public:
  explicit Draws(const CountedModel& model) : model_(model) {}
  using stan::callbacks::writer::operator();
  void operator()(const std::vector<std::string>& names) override { names_ = names; }
  void operator()(const std::vector<double>& draw) override {
    if (draws_.empty()) until_first_ = cost();
    draws_.push_back(draw);
  }
  void operator()(const Eigen::Ref<Eigen::Matrix<double, -1, -1>>& draws) override {
    for (Eigen::Index j = 0; j < draws.cols(); ++j)
      (*this)(std::vector<double>(draws.col(j).data(), draws.col(j).data() + draws.rows()));
  }
  Cost cost() const { return {model_.gradients(), model_.densities(), cpu_seconds()}; }
  const Cost& until_first() const { return until_first_; }
  const std::vector<std::string>& names() const { return names_; }
  std::vector<std::vector<double>>& draws() { return draws_; }
  std::size_t column(const std::string& name) const {
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (names_[i] == name) return i;
    give_up("there is no column " + name);
  }
  double mean(std::size_t column) const {
    double sum = 0;
    for (const auto& draw : draws_) sum += draw[column];
    return sum / double(draws_.size());
  }
  double sd(std::size_t column) const {
    const double centre = mean(column);
    double sum = 0;
    for (const auto& draw : draws_) sum += (draw[column] - centre) * (draw[column] - centre);
    return std::sqrt(sum / double(draws_.size() - 1));
  }

 private:
  const CountedModel& model_;
  std::vector<std::string> names_;
  std::vector<std::vector<double>> draws_;
  Cost until_first_;
};

/// Keeps what is said, for a run that fails.
class Words : public stan::callbacks::logger {
 public:
  void warn(const std::string& words) override { keep(words); }
  void error(const std::string& words) override { keep(words); }
  void fatal(const std::string& words) override { keep(words); }
  void warn(const std::stringstream& words) override { keep(words.str()); }
  void error(const std::stringstream& words) override { keep(words.str()); }
  void fatal(const std::stringstream& words) override { keep(words.str()); }
  std::string said;

 private:
  void keep(const std::string& words) {
    const std::lock_guard<std::mutex> alone(mutex_);
    const bool empty = words.find_first_not_of(" \n") == std::string::npos;
    if (!empty && said.size() < 500) said += (said.empty() ? "" : " | ") + words;
  }
  std::mutex mutex_;
};

struct Outcome {
  int code = 0;
  Cost cost;
  double nelbo = NAN;  // where the approximation has a known density
};

/// The ELBO of a Gaussian from its draws: their mean log density, and the entropy of their covariance.
double negative_elbo(const CountedModel& model, Draws& out) {
  const auto& all = model.written();
  const Eigen::Index n = Eigen::Index(all.size()) - 1, d = Eigen::Index(model.num_params_r());
  Eigen::MatrixXd u(d, n);
  for (Eigen::Index i = 0; i < n; ++i) u.col(i) = all[std::size_t(i) + 1];
  u.colwise() -= Eigen::VectorXd(u.rowwise().mean());
  const Eigen::MatrixXd covariance = u * u.transpose() / double(n - 1);
  const Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  const double log_det = 2 * Eigen::MatrixXd(factor.matrixL()).diagonal().array().log().sum();
  return -out.mean(out.column("log_p__")) - 0.5 * (log_det + double(d) * (1 + std::log(2 * M_PI)));
}

template <class Service>
Outcome advi(const Service& service, CountedModel& model, unsigned seed, Words& words, Draws& out) {
  stan::callbacks::interrupt interrupt;
  stan::callbacks::writer none;
  stan::io::empty_var_context start;
  constexpr int draws = 10000;  // for the comparison; they are no part of the cost
  Outcome result;
  result.code = service(model, start, seed, 1, 2.0, 1, 100, 10000, 0.01, 1.0, true, 50, 100, draws,
                        interrupt, words, none, out, none);
  result.cost = out.until_first();
  if (out.draws().empty()) return result;
  out.draws().erase(out.draws().begin());  // the mean
  result.nelbo = negative_elbo(model, out);
  return result;
}

Outcome pathfinder(CountedModel& model, unsigned seed, int paths, Words& words, Draws& out) {
  stan::callbacks::interrupt interrupt;
  stan::callbacks::structured_writer none;
  const auto many = std::size_t(paths);
  std::vector<stan::callbacks::writer> starts(many), single(many);
  std::vector<stan::callbacks::structured_writer> diagnostics(many);
  std::vector<std::unique_ptr<stan::io::empty_var_context>> contexts;
  for (int i = 0; i < paths; ++i)
    contexts.push_back(std::make_unique<stan::io::empty_var_context>());
  Outcome result;
  result.code = stan::services::pathfinder::pathfinder_lbfgs_multi(
      model, contexts, seed, 1, 2.0, 5, 0.001, 1e-12, 1e4, 1e-8, 1e7, 1e-8, 1000, 25, 1000, 1000,
      paths, false, 0, interrupt, words, starts, single, diagnostics, out, none, true, paths > 1);
  result.cost = out.cost();
  if (paths == 1 && !out.draws().empty())
    result.nelbo = out.mean(out.column("lp_approx__")) - out.mean(out.column("lp__"));
  return result;
}

Outcome nuts(CountedModel& model, unsigned seed, int draws, Words& words, Draws& out) {
  stan::callbacks::interrupt interrupt;
  stan::callbacks::writer none;
  stan::callbacks::structured_writer no_metric;
  stan::io::empty_var_context start;
  Outcome result;
  result.code = stan::services::sample::hmc_nuts_diag_e_adapt(
      model, start, seed, 1, 2.0, 1000, draws, 1, false, 0, 1.0, 0.0, 10, 0.8, 0.05, 0.75, 10.0, 75,
      50, 25, interrupt, words, none, out, none, no_metric);
  result.cost = out.cost();
  return result;
}

Outcome run(const std::string& method, CountedModel& model, unsigned seed, int draws, Words& words,
            Draws& out) {
  namespace services = stan::services::experimental::advi;
  const auto fullrank = [](auto&&... all) { return services::fullrank(all...); };
  const auto meanfield = [](auto&&... all) { return services::meanfield(all...); };
  if (method == "fullrank") return advi(fullrank, model, seed, words, out);
  if (method == "meanfield") return advi(meanfield, model, seed, words, out);
  if (method == "pathfinder") return pathfinder(model, seed, 4, words, out);
  if (method == "pathfinder1") return pathfinder(model, seed, 1, words, out);
  if (method == "nuts") return nuts(model, seed, draws, words, out);
  give_up(method + " is not a method");
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\t' ? ' ' : c;
  }
  return out + '"';
}

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.8g", value);
  return text;
}

void write_draws(const char* path, const std::vector<std::string>& parameters, Draws& draws) {
  std::FILE* file = std::fopen(path, "w");
  if (!file) give_up(std::string("cannot write ") + path);
  std::vector<std::size_t> columns;
  for (const std::string& name : parameters) {
    std::fprintf(file, "%s%s", columns.empty() ? "" : ",", name.c_str());
    columns.push_back(draws.column(name));
  }
  for (const auto& draw : draws.draws())
    for (std::size_t i = 0; i < columns.size(); ++i)
      std::fprintf(file, "%s%.17g", i == 0 ? "\n" : ",", draw[columns[i]]);
  std::fprintf(file, "\n");
  if (std::fclose(file) != 0) give_up(std::string("cannot write ") + path);
}

}  // namespace

int main(int count, char** words) {
  if (count < 5 || count > 7) give_up("the arguments are LIBRARY DATA METHOD SEED [FILE [DRAWS]]");
  const bool is_nuts = std::strcmp(words[3], "nuts") == 0;
  const int draws = count > 6 ? std::atoi(words[6]) : 1000;
  if (count > 6 && (!is_nuts || draws < 2)) give_up("only nuts takes DRAWS, at least two");
  CountedModel model(words[1], words[2]);
  Words heard;
  Draws out(model);
  const double began = cpu_seconds();
  const Outcome result = run(words[3], model, unsigned(std::atoi(words[4])), draws, heard, out);
  const bool well = result.code == 0 && out.draws().size() > 1;
  const Cost cost = result.cost.seconds > 0 ? result.cost : out.cost();
  std::printf("{\"method\": %s, \"seed\": %s, \"status\": %s, ", quoted(words[3]).c_str(), words[4],
              well ? "\"ok\"" : quoted("failed: " + heard.said).c_str());
  std::printf("\"gradients\": %ld, \"densities\": %ld, \"cpu_seconds\": %s, \"nelbo\": %s",
              cost.gradients, cost.densities, number(cost.seconds - began).c_str(),
              number(result.nelbo).c_str());
  if (well) {
    std::string names, means, sds;
    std::vector<std::string> parameters;
    model.constrained_param_names(parameters);
    for (const std::string& name : parameters) {
      const std::size_t column = out.column(name);
      const char* comma = names.empty() ? "" : ", ";
      names += comma + quoted(name);
      means += comma + number(out.mean(column));
      sds += comma + number(out.sd(column));
    }
    if (count > 5) write_draws(words[5], parameters, out);
    std::printf(", \"names\": [%s], \"mean\": [%s], \"sd\": [%s]", names.c_str(), means.c_str(),
                sds.c_str());
  }
  std::printf("}\n");
}
