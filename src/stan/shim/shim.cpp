// BridgeStan's C interface (version 2) to one Stan program.
//
// This file is compiled by Fisherman at run time, with the Stan headers that are on the user's machine, and linked
// with the C++ code that stanc made of a program. It is no part of the library itself. It is written anew from the
// interface's description; all code that throws stays behind `guarded`.
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <stan/io/empty_var_context.hpp>
#include <stan/io/json/json_data.hpp>
#include <stan/math/rev/core.hpp>
#include <stan/model/model_base.hpp>
#include <stan/services/util/create_rng.hpp>
#include <stan/version.hpp>
#include <stdexcept>
#include <string>
#include <vector>

/// In the code that stanc writes.
stan::model::model_base& new_model(stan::io::var_context& data, unsigned int seed,
                                   std::ostream* prints);

#define BS_PUBLIC extern "C" __attribute__((visibility("default")))

BS_PUBLIC const int bs_major_version;
BS_PUBLIC const int bs_minor_version;
BS_PUBLIC const int bs_patch_version;
const int bs_major_version = 2;
const int bs_minor_version = 7;
const int bs_patch_version = 0;

using PrintCallback = void (*)(const char* text, std::size_t size);

namespace {

using Var = stan::math::var;
using Rng = decltype(stan::services::util::create_rng(0, 0));

std::mutex print_mutex;
PrintCallback print_callback = nullptr;

/// What a program prints during one call; given to the callback when the call ends.
class Prints {
 public:
  Prints() : stream_(kept()) {}
  Prints(const Prints&) = delete;
  Prints& operator=(const Prints&) = delete;
  ~Prints() {
    if (stream_.tellp() <= 0) return;
    const std::string text = stream_.str();
    stream_.str("");
    stream_.clear();
    const std::lock_guard<std::mutex> one_at_a_time(print_mutex);
    if (print_callback) {
      print_callback(text.data(), text.size());
    } else {
      std::cout << text << std::flush;
    }
  }
  std::ostream* stream() { return &stream_; }

 private:
  static std::ostringstream& kept() {  // to make a stream anew takes as long as a small gradient
    thread_local std::ostringstream stream;
    return stream;
  }
  std::ostringstream& stream_;
};

char* copy_of(const std::string& text) {
  char* copy = static_cast<char*>(std::malloc(text.size() + 1));
  if (copy) std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

/// Does it; if it throws, leaves the words in `error`. Says whether it was done.
template <class Action>
bool guarded(const char* what, char** error, const Action& action) {
  std::string words;
  try {
    action();
    return true;
  } catch (const std::exception& e) {
    words = e.what();
  } catch (...) {
    words = "an unknown exception";
  }
  if (error) *error = copy_of(std::string(what) + "() failed with exception: " + words);
  return false;
}

std::string with_commas(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ",") + name;
  return all;
}

/// Every thread needs its own record of operations before it differentiates.
void prepare_thread() {
#ifdef STAN_THREADS
  thread_local stan::math::ChainableStack record;
  (void)record;
#endif
}

std::unique_ptr<stan::io::var_context> context(const char* data) {
  if (!data || !*data) return std::make_unique<stan::io::empty_var_context>();
  const std::string text = data;
  const std::string ending = ".json";
  if (text.size() < ending.size() ||
      text.compare(text.size() - ending.size(), ending.size(), ending) != 0) {
    std::istringstream in(text);
    return std::make_unique<stan::json::json_data>(in);
  }
  std::ifstream in(text);
  if (!in) throw std::invalid_argument("Cannot open the data file " + text);
  return std::make_unique<stan::json::json_data>(in);
}

}  // namespace

struct bs_rng {
  explicit bs_rng(unsigned int seed) : state(stan::services::util::create_rng(seed, 0)) {}
  Rng state;
};

class bs_model {
 public:
  bs_model(const char* data, unsigned int seed, std::ostream* prints)
      : model_(&new_model(*context(data), seed, prints)), name_(model_->model_name()) {
    for (int tp = 0; tp < 2; ++tp) {
      for (int gq = 0; gq < 2; ++gq) {
        std::vector<std::string> names;
        model_->constrained_param_names(names, tp, gq);
        counts_[tp][gq] = int(names.size());
        names_[tp][gq] = with_commas(names);
      }
    }
    std::vector<std::string> names;
    model_->unconstrained_param_names(names, false, false);
    free_names_ = with_commas(names);
    describe();
  }

  const char* name() const { return name_.c_str(); }
  const char* info() const { return info_.c_str(); }
  const char* names(bool tp, bool gq) const { return names_[tp][gq].c_str(); }
  const char* free_names() const { return free_names_.c_str(); }
  int count(bool tp, bool gq) const { return counts_[tp][gq]; }
  int free_count() const { return int(model_->num_params_r()); }

  void constrain(bool tp, bool gq, const double* u, double* out, Rng& rng,
                 std::ostream* prints) const {
    Eigen::VectorXd at = vector(u, free_count());
    Eigen::VectorXd values;
    model_->write_array(rng, at, values, tp, gq, prints);
    Eigen::VectorXd::Map(out, values.size()) = values;
  }

  void unconstrain(const double* theta, double* u, std::ostream* prints) const {
    const Eigen::VectorXd values = vector(theta, count(false, false));
    Eigen::VectorXd at(free_count());
    model_->unconstrain_array(values, at, prints);
    Eigen::VectorXd::Map(u, at.size()) = at;
  }

  void unconstrain_json(const char* json, double* u, std::ostream* prints) const {
    Eigen::VectorXd at(free_count());
    model_->transform_inits(*context(json), at, prints);
    Eigen::VectorXd::Map(u, at.size()) = at;
  }

  /// Constants are known as such only while differentiating, so what leaves them out needs `Var`s.
  double log_density(bool propto, bool jacobian, const double* u, std::ostream* prints) const {
    if (!propto) {
      Eigen::VectorXd at = vector(u, free_count());
      return jacobian ? model_->log_prob_jacobian(at, prints) : model_->log_prob(at, prints);
    }
    stan::math::nested_rev_autodiff forget_at_the_end;
    auto at = variables(u);
    return of_variables(propto, jacobian, at, prints).val();
  }

  double log_density_gradient(bool propto, bool jacobian, const double* u, double* gradient,
                              std::ostream* prints) const {
    stan::math::nested_rev_autodiff forget_at_the_end;
    auto at = variables(u);
    Var value = of_variables(propto, jacobian, at, prints);
    stan::math::grad(value.vi_);
    for (int i = 0; i < at.size(); ++i) gradient[i] = at[i].adj();
    return value.val();
  }

 private:
  static Eigen::VectorXd vector(const double* values, int size) {
    return Eigen::VectorXd::Map(values, size);
  }
  Eigen::Matrix<Var, Eigen::Dynamic, 1> variables(const double* u) const {
    Eigen::Matrix<Var, Eigen::Dynamic, 1> at(free_count());
    for (int i = 0; i < at.size(); ++i) at[i] = u[i];
    return at;
  }
  Var of_variables(bool propto, bool jacobian, Eigen::Matrix<Var, Eigen::Dynamic, 1>& at,
                   std::ostream* prints) const {
    if (propto)
      return jacobian ? model_->log_prob_propto_jacobian(at, prints)
                      : model_->log_prob_propto(at, prints);
    return jacobian ? model_->log_prob_jacobian(at, prints) : model_->log_prob(at, prints);
  }
  void describe() {
    std::ostringstream text;
    text << "Fisherman's shim with BridgeStan's interface 2.7.0\nStan version: "
         << stan::MAJOR_VERSION << '.' << stan::MINOR_VERSION << '.' << stan::PATCH_VERSION
         << "\nModel: " << name_ << '\n';
#ifdef STAN_THREADS
    text << "\tSTAN_THREADS=true\n";
#else
    text << "\tSTAN_THREADS=false\n";
#endif
    for (const std::string& line : model_->model_compile_info()) text << '\t' << line << '\n';
    info_ = text.str();
  }

  std::unique_ptr<stan::model::model_base> model_;
  std::string name_;
  std::string info_;
  std::string names_[2][2];
  std::string free_names_;
  int counts_[2][2];
};

BS_PUBLIC bs_model* bs_model_construct(const char* data, unsigned int seed, char** error) {
  bs_model* made = nullptr;
  guarded("model_construct", error, [&] {
    prepare_thread();
    Prints prints;
    made = new bs_model(data, seed, prints.stream());
  });
  return made;
}

BS_PUBLIC void bs_model_destruct(bs_model* model) { delete model; }
BS_PUBLIC void bs_free_error_msg(char* error) { std::free(error); }
BS_PUBLIC const char* bs_name(const bs_model* model) { return model->name(); }
BS_PUBLIC const char* bs_model_info(const bs_model* model) { return model->info(); }
BS_PUBLIC const char* bs_param_names(const bs_model* model, bool tp, bool gq) {
  return model->names(tp, gq);
}
BS_PUBLIC const char* bs_param_unc_names(const bs_model* model) { return model->free_names(); }
BS_PUBLIC int bs_param_num(const bs_model* model, bool tp, bool gq) { return model->count(tp, gq); }
BS_PUBLIC int bs_param_unc_num(const bs_model* model) { return model->free_count(); }

BS_PUBLIC int bs_param_constrain(const bs_model* model, bool tp, bool gq, const double* u,
                                 double* out, bs_rng* rng, char** error) {
  return guarded(
             "param_constrain", error,
             [&] {
               if (gq && !rng)
                 throw std::invalid_argument("generated quantities need a random number generator");
               prepare_thread();
               Prints prints;
               Rng unused = stan::services::util::create_rng(0, 0);
               model->constrain(tp, gq, u, out, rng ? rng->state : unused, prints.stream());
             })
             ? 0
             : -1;
}

BS_PUBLIC int bs_param_unconstrain(const bs_model* model, const double* theta, double* u,
                                   char** error) {
  return guarded("param_unconstrain", error,
                 [&] {
                   prepare_thread();
                   Prints prints;
                   model->unconstrain(theta, u, prints.stream());
                 })
             ? 0
             : -1;
}

BS_PUBLIC int bs_param_unconstrain_json(const bs_model* model, const char* json, double* u,
                                        char** error) {
  return guarded("param_unconstrain_json", error,
                 [&] {
                   prepare_thread();
                   Prints prints;
                   model->unconstrain_json(json, u, prints.stream());
                 })
             ? 0
             : -1;
}

BS_PUBLIC int bs_log_density(const bs_model* model, bool propto, bool jacobian, const double* u,
                             double* value, char** error) {
  return guarded("log_density", error,
                 [&] {
                   prepare_thread();
                   Prints prints;
                   *value = model->log_density(propto, jacobian, u, prints.stream());
                 })
             ? 0
             : -1;
}

BS_PUBLIC int bs_log_density_gradient(const bs_model* model, bool propto, bool jacobian,
                                      const double* u, double* value, double* gradient,
                                      char** error) {
  return guarded("log_density_gradient", error,
                 [&] {
                   prepare_thread();
                   Prints prints;
                   *value =
                       model->log_density_gradient(propto, jacobian, u, gradient, prints.stream());
                 })
             ? 0
             : -1;
}

BS_PUBLIC bs_rng* bs_rng_construct(unsigned int seed, char** error) {
  bs_rng* made = nullptr;
  guarded("rng_construct", error, [&] { made = new bs_rng(seed); });
  return made;
}

BS_PUBLIC void bs_rng_destruct(bs_rng* rng) { delete rng; }

BS_PUBLIC int bs_set_print_callback(PrintCallback callback, char** error) {
  return guarded("set_print_callback", error,
                 [&] {
                   const std::lock_guard<std::mutex> one_at_a_time(print_mutex);
                   print_callback = callback;
                 })
             ? 0
             : -1;
}
