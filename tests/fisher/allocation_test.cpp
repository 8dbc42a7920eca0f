// The steady state of the dense and the window step allocates nothing: malloc is counted.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "fisherman/fisher/dense.hpp"
#include "fisherman/fisher/window.hpp"
#include "toy.hpp"

#if defined(__GLIBC__) && !defined(FISHERMAN_SANITIZED)
static std::atomic<long> allocations = 0;
/// All tests of the program allocate here, and to ask who it was takes long: only where it matters.
static std::atomic<bool> counting = false;

/// BLAS may keep house as it likes (OpenBLAS's kernels for small products allocate); ours must not.
static void count(const void* caller) {
  if (!counting) return;
  Dl_info info;
  if (dladdr(caller, &info) != 0 && std::strstr(info.dli_fname, "blas") != nullptr) return;
  ++allocations;
}

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  count(__builtin_return_address(0));
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  count(__builtin_return_address(0));
  return __libc_calloc(number, size);
}
void* realloc(void* old, std::size_t size) {
  count(__builtin_return_address(0));
  return __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  count(__builtin_return_address(0));
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, std::size_t alignment, std::size_t size) {
  count(__builtin_return_address(0));
  *out = __libc_memalign(alignment, size);
  return *out == nullptr ? 12 : 0;
}
}

namespace fisherman::fisher_allocation_test {
namespace {

template <class F>
long allocations_during(const F& work) {
  allocations = 0;
  counting = true;
  work();
  counting = false;
  return allocations;
}

template <class H>
long allocations_of(H& fisher, Index scores, int steps) {
  const Index d = fisher.dimension();
  const Matrix phi = toy::random_matrix(d, scores, 1);
  const Vector g = toy::random_vector(d, 2);
  const auto step = [&] {
    fisher.absorb(phi);
    return fisher.solve(g)(0);
  };
  for (int k = 0; k < 80; ++k) step();
  return allocations_during([&] {
    for (int k = 0; k < steps; ++k) step();
  });
}

TEST(Allocation, TheCounterCounts) {
  Vector v;
  EXPECT_GT(allocations_during([&] { v = Vector::Ones(1000); }), 0) << v(0);
}

TEST(Allocation, DenseStepsAllocateNothing) {
  for (const Index scores : {1, 4, 40}) {
    Dense dense(300);
    EXPECT_EQ(allocations_of(dense, scores, 100), 0) << scores << " scores";
  }
  DenseSingle single(300);
  EXPECT_EQ(allocations_of(single, 4, 100), 0);
  Dense held(300, {.floor = {.level = 0.1}});
  EXPECT_EQ(allocations_of(held, 2, 100), 0);
}

TEST(Allocation, WindowStepsAllocateNothing) {
  for (const Index scores : {1, 10}) {
    Window window(500, {.size = 64, .epsilon = 1.0});
    EXPECT_EQ(allocations_of(window, scores, 200), 0) << scores << " scores";
  }
}

}  // namespace
}  // namespace fisherman::fisher_allocation_test
#endif
