// A log density from a user's shared library.
#include <dlfcn.h>

#include "fisherman/core/error.hpp"
#include "fisherman/core/parallel.hpp"
#include "fisherman/fit/density.hpp"

namespace fisherman {

FunctionTarget target_of(Index dimension,
                         std::function<double(const Vector& point, Vector& gradient)> f,
                         std::function<double(const Vector& point)> value, bool threads) {
  const auto each = [threads](Index count, const auto& body) {
    if (threads)
      parallel_for(std::size_t(count), [&](std::size_t k) { body(Index(k)); });
    else
      for (Index k = 0; k < count; ++k) body(k);
  };
  FunctionTarget::Values values;
  if (value)
    values = [each, value](const Matrix& points) {
      Vector out(points.cols());
      each(points.cols(), [&](Index k) { out(k) = value(points.col(k)); });
      return out;
    };
  return {dimension,
          [each, f](const Matrix& points, Matrix& gradients) {
            Vector out(points.cols());
            each(points.cols(), [&](Index k) {
              Vector gradient = Vector::Zero(points.rows());
              out(k) = f(points.col(k), gradient);
              gradients.col(k) = gradient;
            });
            return out;
          },
          std::move(values)};
}

namespace {

template <class Function>
Function* library_function(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));  // POSIX allows it
}

}  // namespace

DensityModel library_density(const std::filesystem::path& file, const std::string& data_file) {
  const std::string where = file.string();
  if (!std::filesystem::exists(file)) throw FileError(where + ": there is no such file");
  // Never closed: a library may have threads, or things that end with the program.
  void* const library = dlopen(std::filesystem::absolute(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw FileError(sentence(where, ": cannot be loaded as a shared library (", dlerror(), ")"));
  const auto needed = [&](auto* function, const char* name) {
    if (function == nullptr)
      throw FileError(sentence(where, ": has no function ", name,
                               "; docs/density.md lists those "
                               "that a density needs"));
    return function;
  };
  auto* const dimension =
      needed(library_function<int()>(library, "fisherman_dimension"), "fisherman_dimension");
  auto* const log_density =
      needed(library_function<double(const double*, double*)>(library, "fisherman_log_density"),
             "fisherman_log_density");
  if (auto* const open = library_function<int(const char*)>(library, "fisherman_open")) {
    if (const int failed = open(data_file.c_str()); failed != 0)
      throw FileError(sentence(where, ": fisherman_open returned ", failed, " for the data file '",
                               data_file, "', but must return 0 where all is well"));
  } else if (!data_file.empty()) {
    throw FileError(where + ": has no function fisherman_open, so --data cannot be given to it");
  }
  const int d = dimension();
  if (d < 1)
    throw FileError(sentence(where, ": fisherman_dimension returned ", d,
                             ", but must return at "
                             "least 1"));
  auto* const name_of = library_function<const char*(int)>(library, "fisherman_name");
  auto* const threads = library_function<int()>(library, "fisherman_threads");
  std::vector<std::string> names;
  for (int k = 0; k < d; ++k)
    names.push_back(name_of != nullptr ? name_of(k) : sentence("x[", k + 1, "]"));
  return {.name = file.stem().string(),
          .coordinates = names,
          .quantities = names,
          .parameters = d,
          .target = target_of(
              d,
              [log_density](const Vector& point, Vector& gradient) {
                return log_density(point.data(), gradient.data());
              },
              {}, threads != nullptr && threads() != 0),
          .at = [](const Vector& point, std::uint64_t) { return point; }};
}

}  // namespace fisherman
