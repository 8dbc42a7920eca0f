// For the tests of Stan programs: the sentences that errors must have.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "fisherman/core/error.hpp"

namespace fisherman {

/// `body` must throw Misuse, with each of `parts` in its sentence.
template <class Body>
void expect_sentences(Body body, std::initializer_list<std::string> parts) {
  try {
    body();
    ADD_FAILURE() << "nothing was thrown; expected a sentence with '" << *parts.begin() << "'";
  } catch (const Misuse& e) {
    for (const std::string& part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos)
          << "'" << part << "' is not in: " << e.what();
  }
}

}  // namespace fisherman
