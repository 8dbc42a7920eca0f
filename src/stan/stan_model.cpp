#include "fisherman/stan/stan_model.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <new>
#include <utility>

#include "bridge.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/io/byte_source.hpp"

namespace fisherman {
namespace {

/// JSON text as it is; the content of a file otherwise.
std::string stan_json(const std::string& data) {
  const auto first = data.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  if (data[first] == '{') return data;
  std::string out;
  try {
    FileSource file(data);
    file.skip_byte_order_mark();
    for (auto part = file.window(); !part.empty(); part = file.window()) {
      out += part;
      file.consume(part.size());
    }
  } catch (const FileError& e) {
    throw Misuse(e.what());
  }
  require(out.find_first_not_of(" \t\r\n") != std::string::npos, data, ": is empty");
  return out;
}

std::vector<std::string> split_at_commas(const std::string& all) {
  std::vector<std::string> out;
  if (all.empty()) return out;
  for (std::size_t at = 0;;) {
    const std::size_t comma = all.find(',', at);
    out.push_back(all.substr(at, comma - at));
    if (comma == std::string::npos) return out;
    at = comma + 1;
  }
}

/// Without "log_density_gradient() failed with exception: " in front, and the line's end behind.
std::string stan_words(std::string text) {
  const std::string before = "failed with exception: ";
  const auto at = text.find(before);
  if (at != std::string::npos) text.erase(0, at + before.size());
  const auto last = text.find_last_not_of(" \t\r\n");
  text.erase(last == std::string::npos ? 0 : last + 1);
  return text.empty() ? "an error without a message" : text;
}

/// BridgeStan's generators take 32 bits; the finaliser of SplitMix64 spreads both seeds over them.
unsigned mixed_seed(std::uint64_t seed, std::uint64_t seed_of_draw) {
  std::uint64_t x = seed * 0x9e3779b97f4a7c15u + seed_of_draw;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return unsigned((x ^ (x >> 31)) >> 32);
}

/// Libraries without threads share one record of operations in the whole process.
std::mutex one_thread_at_a_time;

}  // namespace

std::string stan_name_with_brackets(const std::string& name) {
  std::string out;
  bool open = false;
  for (const char c : name) {
    if (c == ':') {
      out += open ? "]." : ".";
      open = false;
    } else if (c == '.') {
      out += open ? ',' : '[';
      open = true;
    } else {
      out += c;
    }
  }
  return open ? out + ']' : out;
}

struct StanModel::Loaded {
  Loaded(const std::filesystem::path& library, const std::string& data, std::uint32_t with_seed)
      : bridge(load_bridgestan(library)), seed(with_seed) {
    const std::string json = stan_json(data);
    char* error = nullptr;
    {
      const std::lock_guard<std::mutex> alone(one_thread_at_a_time);
      model = bridge.model_construct(json.empty() ? nullptr : json.c_str(), seed, &error);
    }
    require(model, library.string(), ": cannot be used with ", json.empty() ? "no" : "these",
            " data: ", model ? "" : words_of(error));
    threads = std::string(bridge.model_info(model)).find("STAN_THREADS=true") != std::string::npos;
    dimension = bridge.param_unc_num(model);
  }
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;
  ~Loaded() { bridge.model_destruct(model); }

  /// Gives the text back to the library that it belongs to.
  std::string words_of(char* error) const {
    if (!error) return stan_words({});
    const std::string text = error;
    bridge.free_error_msg(error);
    return stan_words(text);
  }
  std::unique_lock<std::mutex> turn() const {
    return threads ? std::unique_lock<std::mutex>()
                   : std::unique_lock<std::mutex>(one_thread_at_a_time);
  }
  void remember(std::atomic<std::int64_t>& count, const std::string& words) {
    if (++count > 1) return;
    const std::lock_guard<std::mutex> alone(first_mutex);
    if (first.empty()) first = words;
  }
  bool constrain(const Vector& u, bool transformed, bool generated, unsigned draw, double* out,
                 char** error) const {
    const auto alone = turn();
    BridgeStan::Rng* rng = generated ? bridge.rng_construct(draw, error) : nullptr;
    if (generated && !rng) return false;
    const int code =
        bridge.param_constrain(model, transformed, generated, u.data(), out, rng, error);
    if (rng) bridge.rng_destruct(rng);
    return code == 0;
  }

  BridgeStan bridge;
  BridgeStan::Model* model = nullptr;
  std::uint32_t seed;
  bool threads = false;
  Index dimension = 0;
  std::atomic<std::int64_t> calls = 0, failed = 0, undefined_draws = 0;
  std::mutex first_mutex;
  std::string first;
};

StanModel::StanModel(const std::filesystem::path& library, const std::string& data,
                     std::uint32_t seed)
    : loaded_(std::make_shared<Loaded>(library, data, seed)) {}

std::string StanModel::name() const { return loaded_->bridge.name(loaded_->model); }
Index StanModel::dimension() const { return loaded_->dimension; }
bool StanModel::threads() const { return loaded_->threads; }

std::vector<std::string> StanModel::dotted_names(bool transformed, bool generated) const {
  return split_at_commas(loaded_->bridge.param_names(loaded_->model, transformed, generated));
}

std::vector<std::string> StanModel::names(bool transformed, bool generated) const {
  std::vector<std::string> out = dotted_names(transformed, generated);
  for (std::string& name : out) name = stan_name_with_brackets(name);
  return out;
}

std::vector<std::string> StanModel::unconstrained_names() const {
  std::vector<std::string> out = split_at_commas(loaded_->bridge.param_unc_names(loaded_->model));
  for (std::string& name : out) name = stan_name_with_brackets(name);
  return out;
}

double StanModel::log_density(const Vector& u, Vector& gradient) const {
  Loaded& own = *loaded_;
  require_size(u, own.dimension, "the point");
  gradient.resize(own.dimension);
  ++own.calls;
  double value = 0;
  char* error = nullptr;
  int code = 0;
  {
    const auto alone = own.turn();
    code = own.bridge.log_density_gradient(own.model, false, true, u.data(), &value,
                                           gradient.data(), &error);
  }
  constexpr double impossible = -std::numeric_limits<double>::infinity();
  const bool well = code == 0 && std::isfinite(value) && gradient.allFinite();
  if (well) return value;
  gradient.setZero();
  if (code != 0) {
    const std::string words = own.words_of(error);
    if (words.find("bad_alloc") != std::string::npos)
      throw std::bad_alloc();  // not the point's fault
    own.remember(own.failed, words);
  } else if (value != impossible) {
    own.remember(own.failed, std::isfinite(value) ? "the gradient of the log density is not finite"
                             : std::isnan(value)  ? "the log density is not a number"
                                                  : "the log density is infinite");
  }
  return impossible;
}

Vector StanModel::constrained(const Vector& u, bool transformed, bool generated,
                              std::uint64_t seed_of_draw) const {
  Loaded& own = *loaded_;
  require_size(u, own.dimension, "the point");
  const auto size = [&](bool tp, bool gq) { return own.bridge.param_num(own.model, tp, gq); };
  const unsigned draw = mixed_seed(own.seed, seed_of_draw);
  Vector out(size(transformed, generated));
  char* error = nullptr;
  if (own.constrain(u, transformed, generated, draw, out.data(), &error)) return out;
  own.remember(own.undefined_draws, own.words_of(error));
  out.setConstant(std::numeric_limits<double>::quiet_NaN());
  // What comes before the part that failed may still be known. The order is parameters, transformed, generated.
  for (const bool tp : {true, false}) {
    if (tp && !(transformed && generated)) continue;
    if (!tp && !transformed && !generated) continue;
    Vector part(size(tp, false));
    if (!own.constrain(u, tp, false, draw, part.data(), nullptr)) continue;
    out.head(part.size()) = part;
    break;
  }
  return out;
}

Vector StanModel::unconstrained(const std::string& json) const {
  const Loaded& own = *loaded_;
  Vector out(own.dimension);
  char* error = nullptr;
  const std::string text = stan_json(json);
  int code = 0;
  {
    const auto alone = own.turn();
    code = own.bridge.param_unconstrain_json(own.model, text.c_str(), out.data(), &error);
  }
  if (code != 0)
    throw Misuse(sentence("These values are not values of the parameters: ", own.words_of(error)));
  return out;
}

StanModel::Failures StanModel::failures() const {
  const std::lock_guard<std::mutex> alone(loaded_->first_mutex);
  return {loaded_->calls, loaded_->failed, loaded_->undefined_draws, loaded_->first};
}

}  // namespace fisherman
