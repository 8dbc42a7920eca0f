// The names that files have for types. They outlive a renaming of the class.
#pragma once

#include <concepts>
#include <string>
#include <typeinfo>

namespace fisherman {

/// `T::type_name()` if T has one, as all of ours do. For a user's own type that has none it is the
/// compiler's name, which changes with the class's: old checkpoints are then refused.
template <class T>
std::string type_name() {
  if constexpr (requires {
                  { T::type_name() } -> std::convertible_to<std::string>;
                })
    return T::type_name();
  else
    return typeid(T).name();
}

}  // namespace fisherman
