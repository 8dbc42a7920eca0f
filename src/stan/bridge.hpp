// The functions of a BridgeStan library.
#pragma once

#include <cstddef>
#include <filesystem>

namespace fisherman {

struct bs_model_handle;  // BridgeStan's own
struct bs_rng_handle;

/// Named as BridgeStan names them, without "bs_".
struct BridgeStan {
  using Model = bs_model_handle;
  using Rng = bs_rng_handle;
  using Print = void (*)(const char* text, std::size_t size);

  Model* (*model_construct)(const char* data, unsigned seed, char** error);
  void (*model_destruct)(Model*);
  void (*free_error_msg)(char*);
  const char* (*name)(const Model*);
  const char* (*model_info)(const Model*);
  const char* (*param_names)(const Model*, bool transformed, bool generated);
  const char* (*param_unc_names)(const Model*);
  int (*param_num)(const Model*, bool transformed, bool generated);
  int (*param_unc_num)(const Model*);
  int (*param_constrain)(const Model*, bool transformed, bool generated, const double* u,
                         double* out, Rng*, char** error);
  int (*param_unconstrain_json)(const Model*, const char* json, double* u, char** error);
  int (*log_density_gradient)(const Model*, bool propto, bool jacobian, const double* u,
                              double* value, double* gradient, char** error);
  Rng* (*rng_construct)(unsigned seed, char** error);
  void (*rng_destruct)(Rng*);
  int (*set_print_callback)(Print, char** error);
};

/// Loads a library, for the rest of the process: its threads' destructors must find it. What was rebuilt since it was
/// last loaded is loaded anew. What it prints goes to standard error. Throws Misuse.
BridgeStan load_bridgestan(const std::filesystem::path& library);

}  // namespace fisherman
