// What a fuzzer is made of: a body for any bytes, as libFuzzer has it, and good inputs to begin with. driver.cpp runs it
// without libFuzzer.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size);

std::vector<std::string> fuzz_corpus();
