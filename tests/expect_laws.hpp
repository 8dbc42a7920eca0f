// The law suite on a frame and on its type-erased form, as GoogleTest expectations.
#pragma once

#include <gtest/gtest.h>

#include "fisherman/manifold/any_frame.hpp"
#include "fisherman/testing/frame_laws.hpp"

namespace fisherman {

template <Frame F>
void expect_laws(const F& frame, const testing::FrameLawOptions& options = {}) {
  const auto plain = testing::check_frame(frame, options);
  EXPECT_TRUE(plain.ok()) << plain;
  const auto erased = testing::check_frame(AnyFrame(frame), options);
  EXPECT_TRUE(erased.ok()) << "type-erased:\n" << erased;
}

template <Frame F>
void expect_transport_laws(const F& frame, const testing::FrameLawOptions& options = {}) {
  const auto plain = testing::check_transport(frame, options);
  EXPECT_TRUE(plain.ok()) << plain;
  const auto erased = testing::check_transport(AnyFrame(frame), options);
  EXPECT_TRUE(erased.ok()) << "type-erased:\n" << erased;
}

/// The body throws Misuse, with a sentence that holds `part`.
template <class Body>
void expect_misuse(Body body, const std::string& part) {
  try {
    body();
    ADD_FAILURE() << "nothing was thrown; expected a sentence with '" << part << "'";
  } catch (const Misuse& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

}  // namespace fisherman
