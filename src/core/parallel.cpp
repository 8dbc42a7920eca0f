#include "fisherman/core/parallel.hpp"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "fisherman/core/error.hpp"
#include "hold_signals.hpp"

namespace fisherman {
namespace {

constexpr int most_threads = 1024;

/// Workers that sleep until a batch of tasks is posted. A batch started from inside a task, or
/// while another thread's batch is running, is done by the caller alone: same results, no deadlock.
class Pool {
 public:
  void resize(int count) {
    require(count >= 0 && count <= most_threads, "threads is ", count,
            ", but must be 0 (all cores) or a number up to ", most_threads);
    require(!inside_task_, "the number of threads cannot change inside a parallel task");
    if (count == 0) count = std::max(1, int(std::thread::hardware_concurrency()));
    std::lock_guard one_batch(batch_mutex_);
    if (count == size_) return;
    stop_workers();
    const HoldSignals in_workers;  // they are for the threads of the program that uses us
    try {
      for (int i = 1; i < count; ++i)
        workers_.emplace_back([this, seen = generation_] { work(seen); });
    } catch (const std::system_error&) {
      // No more are to be had. Those that there are give the same results.
    }
    size_ = int(workers_.size()) + 1;
  }

  int size() const { return size_; }

  void run(std::size_t count, detail::Task task, void* context) {
    if (count > 1 && size_ > 1 && !inside_task_) {
      if (std::unique_lock one_batch(batch_mutex_, std::try_to_lock); one_batch) {
        run_shared(count, task, context);
        return;
      }
    }
    for (std::size_t i = 0; i < count; ++i) task(context, i);
  }

  ~Pool() { stop_workers(); }

 private:
  void run_shared(std::size_t count, detail::Task task, void* context) {
    {
      std::lock_guard lock(mutex_);
      task_ = task;
      context_ = context;
      count_ = count;
      next_ = 0;
      error_ = nullptr;
      busy_ = workers_.size();
      ++generation_;
    }
    wake_.notify_all();
    take_tasks();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

  void take_tasks() {
    inside_task_ = true;
    for (std::size_t i = next_++; i < count_; i = next_++) {
      try {
        task_(context_, i);
      } catch (...) {
        std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
      }
    }
    inside_task_ = false;
  }

  void work(std::uint64_t seen) {
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stopping_ || generation_ != seen; });
        if (stopping_) return;
        seen = generation_;
      }
      take_tasks();
      std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  void stop_workers() {
    {
      std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    for (auto& worker : workers_) worker.join();
    workers_.clear();
    stopping_ = false;
  }

  std::mutex batch_mutex_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> workers_;
  std::atomic<int> size_ = 1;
  detail::Task task_ = nullptr;
  void* context_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::size_t busy_ = 0;
  std::uint64_t generation_ = 0;
  std::exception_ptr error_;
  bool stopping_ = false;
  static thread_local bool inside_task_;
};

thread_local bool Pool::inside_task_ = false;

/// The process's pool. A forked child has none of its parent's workers, and maybe a lock that one of them
/// held: it starts with a pool of its own and leaves the old one alone, for there is nobody to join.
class Current {
 public:
  static Pool& pool() {
    static Current current;
    return *the_pool_;
  }

 private:
  Current() {
    the_pool_ = new Pool;
    pthread_atfork(nullptr, nullptr, [] { the_pool_ = new Pool; });
  }
  ~Current() { delete the_pool_; }
  inline static Pool* the_pool_ = nullptr;
};

}  // namespace

void set_threads(int count) { Current::pool().resize(count); }
int threads() { return Current::pool().size(); }

void detail::run_tasks(std::size_t count, Task task, void* context) {
  Current::pool().run(count, task, context);
}

}  // namespace fisherman
