// Writes data for a logistic regression as CSV on standard output.
//
//     build/release/bench/logistic_data KIND ROWS COLUMNS [SEED]
//
// logistic_data.hpp lists the kinds.
#include "logistic_data.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>

using namespace fisherman;

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  const Index rows = argc > 3 ? std::atol(argv[2]) : 0, cols = argc > 3 ? std::atol(argv[3]) : 0;
  const auto& kinds = bench::logistic_kinds();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end() || rows < 2 || cols < 1) {
    std::cerr << "usage: logistic_data KIND ROWS COLUMNS [SEED], KIND one of";
    for (const auto& each : kinds) std::cerr << ' ' << each;
    std::cerr << '\n';
    return 1;
  }
  const auto [X, y] =
      bench::logistic_data(kind, rows, cols, argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1);
  for (Index j = 0; j < cols; ++j) std::printf("x%ld,", long(j + 1));
  std::printf("label\n");
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) std::printf("%.10g,", X(i, j));
    std::printf("%d\n", int(y(i)));
  }
}
