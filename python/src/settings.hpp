// Python keywords into the settings of an application, by the same descriptions as flags.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "fisherman/fit/options.hpp"

namespace fisherman::python {

namespace nb = nanobind;

/// `values` maps names of options to their text. Throws Misuse.
template <class Settings>
Settings settings_of(const nb::dict& values) {
  Settings settings;
  Options options;
  settings.describe(options);
  for (const auto& [name, value] : values)
    options.set(nb::cast<std::string>(name), nb::cast<std::string>(value));
  return settings;
}

}  // namespace fisherman::python
