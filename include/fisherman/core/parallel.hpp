// Threads that never change a bit. Work is cut into tasks whose number and extent depend on the
// problem's size alone; threads only decide who runs a task. Whoever adds results of tasks adds
// them in task order. BLAS is called single-threaded inside tasks.
#pragma once

#include <cstddef>
#include <functional>

namespace fisherman {

/// How many threads the library may use, itself included. 0 means all cores. Default: 1.
void set_threads(int count);
int threads();

namespace detail {
using Task = void (*)(void* context, std::size_t index);
void run_tasks(std::size_t count, Task task, void* context);
}  // namespace detail

/// Calls body(0) … body(count−1), each once, on up to threads() threads, and waits for all of them.
/// Allocates nothing. The first exception thrown by a body is thrown again here.
template <class Body>
void parallel_for(std::size_t count, Body&& body) {
  detail::run_tasks(
      count,
      [](void* context, std::size_t i) {
        (*static_cast<std::remove_reference_t<Body>*>(context))(i);
      },
      const_cast<void*>(static_cast<const void*>(&body)));
}

}  // namespace fisherman
