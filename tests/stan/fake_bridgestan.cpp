// A library with BridgeStan's C interface, but without Stan: an independent normal density in three dimensions, of which
// the second is a logarithm. The data say how it misbehaves, so that the loader is tested on every machine.
//
//   {"does": "nothing special"}, "throws", "nan", "infinite", "half", "eats memory", "prints", "one thread", "bad data"
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <string>

#define BS_PUBLIC extern "C" __attribute__((visibility("default")))

#ifndef FAKE_VERSION
#define FAKE_VERSION 2
#endif
#ifndef FAKE_CENTRE
#define FAKE_CENTRE 1.0
#endif

#if FAKE_VERSION > 0
BS_PUBLIC const int bs_major_version;
const int bs_major_version = FAKE_VERSION;
#else
BS_PUBLIC int bs_construct() { return 0; }
#endif

struct bs_model {
  std::string does, info;
  mutable int calls = 0;
};
struct bs_rng {
  std::mt19937 state;
};

namespace {

using PrintCallback = void (*)(const char* text, std::size_t size);
PrintCallback print = nullptr;

int fail(char** error, const char* words) {
  if (error) *error = strdup(words);
  return -1;
}

bool can(const bs_model* model, const char* what) {
  return model->does.find(what) != std::string::npos;
}

}  // namespace

BS_PUBLIC bs_model* bs_model_construct(const char* data, unsigned, char** error) {
  const std::string does = data ? data : "";
  if (does.find("bad data") != std::string::npos) {
    fail(error, "model_construct() failed with exception: Exception: variable does not exist; N\n");
    return nullptr;
  }
  auto* model = new bs_model;
  model->does = does;
  model->info =
      can(model, "one thread") ? "A fake\n\tSTAN_THREADS=false\n" : "A fake\n\tSTAN_THREADS=true\n";
  return model;
}

BS_PUBLIC void bs_model_destruct(bs_model* model) { delete model; }
BS_PUBLIC void bs_free_error_msg(char* error) { std::free(error); }
BS_PUBLIC const char* bs_name(const bs_model*) { return "fake_model"; }
BS_PUBLIC const char* bs_model_info(const bs_model* model) { return model->info.c_str(); }
BS_PUBLIC const char* bs_param_names(const bs_model*, bool transformed, bool generated) {
  if (transformed) return generated ? "mu,sigma,b.1.1,twice,random" : "mu,sigma,b.1.1,twice";
  return generated ? "mu,sigma,b.1.1,random" : "mu,sigma,b.1.1";
}
BS_PUBLIC const char* bs_param_unc_names(const bs_model*) { return "mu,sigma,b.1.1"; }
BS_PUBLIC int bs_param_num(const bs_model*, bool transformed, bool generated) {
  return 3 + transformed + generated;
}
BS_PUBLIC int bs_param_unc_num(const bs_model*) { return 3; }

BS_PUBLIC int bs_param_constrain(const bs_model* model, bool transformed, bool generated,
                                 const double* u, double* out, bs_rng* rng, char** error) {
  out[0] = u[0];
  out[1] = std::exp(u[1]);
  out[2] = u[2];
  if (transformed) out[3] = 2 * u[0];
  if (generated && can(model, "throws"))
    return fail(error, "param_constrain() failed with exception: Exception: no such count\n");
  if (generated) out[3 + transformed] = double(rng->state());
  return 0;
}

BS_PUBLIC int bs_param_unconstrain_json(const bs_model*, const char* json, double* u,
                                        char** error) {
  if (std::strstr(json, "sigma") == nullptr)
    return fail(error, "param_unconstrain_json() failed with exception: sigma is missing\n");
  u[0] = 1;
  u[1] = 0;
  u[2] = 3;
  return 0;
}

BS_PUBLIC int bs_log_density_gradient(const bs_model* model, bool propto, bool jacobian,
                                      const double* u, double* value, double* gradient,
                                      char** error) {
  if (propto || !jacobian) return fail(error, "not what was asked for");
  const int call = ++model->calls;
  if (can(model, "prints")) print("the program prints\n", 19);
  if (can(model, "eats memory") && call > 50)
    return fail(error, "log_density_gradient() failed with exception: std::bad_alloc\n");
  if (can(model, "throws") && call % 10 == 0)
    return fail(error,
                "log_density_gradient() failed with exception: Exception: Scale is 0 (in 'm.stan', "
                "line 3)\n");
  *value = 0;
  for (int i = 0; i < 3; ++i) {
    *value -= 0.5 * (u[i] - FAKE_CENTRE) * (u[i] - FAKE_CENTRE);
    gradient[i] = FAKE_CENTRE - u[i];
  }
  if (can(model, "nan") && call % 10 == 0) *value = std::nan("");
  if (can(model, "impossible")) *value = -std::numeric_limits<double>::infinity();
  if (can(model, "infinite")) *value = std::numeric_limits<double>::infinity();
  if (can(model, "half")) gradient[1] = std::nan("");
  return 0;
}

BS_PUBLIC bs_rng* bs_rng_construct(unsigned seed, char**) { return new bs_rng{std::mt19937(seed)}; }
BS_PUBLIC void bs_rng_destruct(bs_rng* rng) { delete rng; }

BS_PUBLIC int bs_set_print_callback(PrintCallback callback, char**) {
  print = callback;
  return 0;
}
