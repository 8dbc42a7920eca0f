#include "fisherman/core/version.hpp"

namespace fisherman {

std::string version() { return FISHERMAN_VERSION; }

}  // namespace fisherman
