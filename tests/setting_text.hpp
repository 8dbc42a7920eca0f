// The words of settings, to say in a test's message which ones they were.
#pragma once

#include <string>

#include "fisherman/fit/options.hpp"

namespace fisherman {

/// The value of one option, as text.
template <class Settings>
std::string setting_text(Settings settings, const std::string& option) {
  Options options;
  settings.describe(options);
  for (const Options::Option& o : options.all())
    if (o.name == option) return o.text();
  return "(no option " + option + ")";
}

}  // namespace fisherman
