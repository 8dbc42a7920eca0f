// Runs a fuzzer on mutations of its corpus, from a fixed seed: the same inputs every time, and no compiler but ours. It does
// not look at coverage; for that build with clang++ and -DFISHERMAN_BUILD_FUZZERS=ON.
//
//   csv_fuzz                 20,000 inputs
//   csv_fuzz --seconds 300   as many as that time allows; --seed N for others
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iterator>
#include <random>
#include <string_view>

#include "fuzz/fuzz.hpp"

extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));

namespace {

std::string current;  // the input in hand

void keep_input() { std::ofstream("fuzz-crash", std::ios::binary) << current; }

void on_signal(int signal) {
  keep_input();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

class Mutator {
 public:
  Mutator(std::vector<std::string> corpus, std::uint64_t seed)
      : corpus_(std::move(corpus)), random_(seed) {}

  std::string next() {
    std::string bytes = corpus_[below(corpus_.size())];
    for (std::size_t k = below(8); k > 0; --k) mutate(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : std::size_t(random_() % n); }

  void mutate(std::string& bytes) {
    using namespace std::string_view_literals;
    static constexpr std::string_view signs = "0123456789,.:\"'[]{}()\n\r \t-+eE#\\\0\xff\x80n"sv;
    static constexpr std::int64_t numbers[] = {
        0,     1,     -1,        2,         64,        127,       255,
        65535, 65536, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, std::int64_t(1) << 40};
    const std::size_t at = below(bytes.size() + 1), length = below(bytes.size() - at + 1);
    switch (below(8)) {
      case 0:
        if (at < bytes.size()) bytes[at] = char(bytes[at] ^ (1 << below(8)));
        break;
      case 1:
        if (at < bytes.size()) bytes[at] = signs[below(signs.size())];
        break;
      case 2:
        bytes.insert(at, 1, signs[below(signs.size())]);
        break;
      case 3:
        bytes.erase(at, 1 + below(16));
        break;
      case 4:
        bytes.insert(at, bytes.substr(at, std::min<std::size_t>(length, 64)));
        break;
      case 5:
        bytes.resize(at);
        break;
      case 6: {  // a number of the machine's, at a place where one may be
        const std::int64_t number = numbers[below(std::size(numbers))];
        const std::size_t width = below(2) == 0 ? 4 : 8;
        if (at + width <= bytes.size())
          bytes.replace(at, width, reinterpret_cast<const char*>(&number), width);
        break;
      }
      default: {
        const std::string& other = corpus_[below(corpus_.size())];
        bytes = bytes.substr(0, at) + other.substr(std::min(at, other.size()));
      }
    }
  }

  std::vector<std::string> corpus_;
  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  double seconds = 0.0;
  std::uint64_t seed = 1, runs = 20000;
  for (int k = 1; k + 1 < argc; k += 2) {
    const std::string_view option = argv[k];
    if (option == "--seconds") seconds = std::atof(argv[k + 1]);
    if (option == "--seed") seed = std::strtoull(argv[k + 1], nullptr, 10);
    if (option == "--runs") runs = std::strtoull(argv[k + 1], nullptr, 10);
  }
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(keep_input);
  for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGBUS}) std::signal(signal, on_signal);
  Mutator mutator(fuzz_corpus(), seed);
  const auto began = std::chrono::steady_clock::now();
  const auto passed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  };
  std::uint64_t done = 0;
  for (; seconds > 0.0 ? passed() < seconds : done < runs; ++done) {
    current = mutator.next();
    try {
      LLVMFuzzerTestOneInput(reinterpret_cast<const unsigned char*>(current.data()),
                             current.size());
    } catch (const std::exception& e) {
      std::fprintf(stderr, "input %llu of seed %llu: %s\n", static_cast<unsigned long long>(done),
                   static_cast<unsigned long long>(seed), e.what());
      keep_input();
      return 1;
    }
  }
  std::printf("%llu inputs, none of them trouble\n", static_cast<unsigned long long>(done));
}
