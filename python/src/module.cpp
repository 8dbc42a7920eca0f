// fisherman._core: the type-erased runs of the library, as the command line has them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <map>

#include "bind.hpp"
#include "fisherman/core/error.hpp"
#include "fisherman/core/memory.hpp"
#include "fisherman/fit/fit_kind.hpp"
#include "fisherman/fit/gaussian.hpp"
#include "fisherman/fit/minimize.hpp"
#include "watch.hpp"

namespace fisherman::python {
namespace {

/// Flags are keywords here: "--prior-variance is 0" becomes "prior_variance is 0".
std::string in_python(const std::string& message) {
  std::string out;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const bool flag = message.compare(i, 2, "--") == 0 && i + 2 < message.size() &&
                      std::islower(static_cast<unsigned char>(message[i + 2])) != 0 &&
                      message.compare(i, 6, "--for ") != 0;  // that of scripts/setup
    if (!flag) {
      out += message[i];
      continue;
    }
    for (i += 2; i < message.size(); ++i) {
      const char c = message[i];
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') break;
      out += c == '-' ? '_' : c;
    }
    --i;
  }
  return out;
}

void translate(const std::exception_ptr& p, void*) {
  try {
    std::rethrow_exception(p);
  } catch (const Misuse& e) {
    PyErr_SetString(PyExc_ValueError, in_python(e.what()).c_str());
  } catch (const FileError& e) {
    PyErr_SetString(PyExc_OSError, in_python(e.what()).c_str());
  } catch (const NotFinite& e) {
    PyErr_SetString(PyExc_FloatingPointError, e.what());
  } catch (const std::bad_alloc&) {
    PyErr_SetString(PyExc_MemoryError, out_of_memory("a call of fisherman").c_str());
  }
}

/// name, help, kind, default and choices of each option, as the command line describes them.
nb::list listed(const Options& options) {
  nb::list out;
  for (const Options::Option& o : options.all()) {
    nb::list choices;
    for (const Options::Choice& c : o.choices) choices.append(nb::make_tuple(c.name, c.help));
    out.append(nb::make_tuple(o.name, o.help, o.kind, o.initial, choices));
  }
  return out;
}

template <class Settings>
nb::list described() {
  Settings settings;
  Options options;
  settings.describe(options);
  return listed(options);
}

/// Of a kind of fit, or of what only a program can use.
nb::list options(const std::string& name) {
  static const std::map<std::string, nb::list (*)()> only_here = {
      {"density", described<DensitySettings>}, {"minimize", described<MinimizeSettings>}};
  const auto found = only_here.find(name);
  return found != only_here.end() ? found->second() : listed(fit_kind(name).options());
}

}  // namespace
}  // namespace fisherman::python

NB_MODULE(_core, m) {
  using namespace fisherman::python;
  nb::register_exception_translator(translate);
  m.doc() = "The core of Fisherman. Use the package's own classes: this is what they sit on.";
  m.def("options", &options, nb::arg("name"),
        "(name, help, kind, default, choices) of each option of a kind of fit.");
  bind_watch(m);
  bind_fits(m);
  bind_stan(m);
  bind_vi(m);
  bind_frames(m);
  bind_minimize(m);
}
