#pragma once

#include <string>

namespace fisherman {

/// Of the library, as "0.1.0".
std::string version();

}  // namespace fisherman
