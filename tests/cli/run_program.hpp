// The program, called from a test: its words, and what it prints.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "program.hpp"

namespace fisherman {

struct Ran {
  int code;
  std::string out, err;
};

inline Ran program(std::vector<std::string> words) {
  words.insert(words.begin(), "fisherman");
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = cli::run_program(int(arguments.size()), arguments.data());
  std::string out = testing::internal::GetCapturedStdout();
  return {code, std::move(out), testing::internal::GetCapturedStderr()};
}

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace fisherman
