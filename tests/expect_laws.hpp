// The law suite as GoogleTest expectations, and a check of error sentences.
#pragma once

#include <gtest/gtest.h>

#include "fisherman/testing/frame_laws.hpp"

namespace fisherman {

inline void expect_laws(const AnyFrame& frame, const testing::FrameLawOptions& options = {}) {
  const auto report = testing::check_frame(frame, options);
  EXPECT_TRUE(report.ok()) << report;
}

inline void expect_transport_laws(const AnyFrame& frame,
                                  const testing::FrameLawOptions& options = {}) {
  const auto report = testing::check_transport(frame, options);
  EXPECT_TRUE(report.ok()) << report;
}

/// The body throws E, with a sentence that holds `part`.
template <class E, class Body>
void expect_throws(Body body, const std::string& part) {
  try {
    body();
    ADD_FAILURE() << "nothing was thrown; expected a sentence with '" << part << "'";
  } catch (const E& e) {
    EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
  }
}

template <class Body>
void expect_misuse(Body body, const std::string& part) {
  expect_throws<Misuse>(body, part);
}

}  // namespace fisherman
