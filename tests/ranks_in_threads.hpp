// Ranks as threads of one process, for tests: what they send goes through mailboxes.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "fisherman/core/ranks.hpp"

namespace fisherman {

class Mailboxes {
 public:
  void post(int from, int to, std::string bytes) {
    {
      const std::lock_guard lock(mutex_);
      boxes_[{from, to}].push_back(std::move(bytes));
    }
    arrived_.notify_all();
  }
  std::string take(int from, int to) {
    std::unique_lock lock(mutex_);
    auto& box = boxes_[{from, to}];
    arrived_.wait(lock, [&] { return !box.empty(); });
    std::string out = std::move(box.front());
    box.pop_front();
    return out;
  }
  std::optional<int> sender(int to) {
    const std::lock_guard lock(mutex_);
    for (const auto& [way, box] : boxes_)
      if (way.second == to && !box.empty()) return way.first;
    return std::nullopt;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::deque<std::string>> boxes_;
};

class ThreadMessenger final : public Messenger {
 public:
  ThreadMessenger(Mailboxes& boxes, int rank, int count)
      : boxes_(boxes), rank_(rank), count_(count) {}
  int rank() const override { return rank_; }
  int count() const override { return count_; }
  void send(const std::string& bytes, int to) override { boxes_.post(rank_, to, bytes); }
  std::string receive(int from) override { return boxes_.take(from, rank_); }
  std::optional<int> sender() override { return boxes_.sender(rank_); }
  void broadcast(std::string& bytes, int from) override {
    if (rank_ != from) {
      bytes = receive(from);
      return;
    }
    for (int to = 0; to < count_; ++to)
      if (to != from) send(bytes, to);
  }
  std::vector<std::string> exchange(std::vector<std::string> to_each) override {
    for (int to = 0; to < count_; ++to) send(to_each[std::size_t(to)], to);
    std::vector<std::string> out;
    for (int from = 0; from < count_; ++from) out.push_back(receive(from));
    return out;
  }
  std::int64_t largest(std::int64_t number) override {
    for (const std::string& one :
         exchange(std::vector<std::string>(std::size_t(count_), std::to_string(number))))
      number = std::max<std::int64_t>(number, std::stoll(one));
    return number;
  }

 private:
  Mailboxes& boxes_;
  int rank_, count_;
};

/// Calls body(rank) on `count` ranks and waits for all of them. An exception of any is thrown again.
template <class Body>
void on_ranks(int count, const Body& body) {
  Mailboxes boxes;
  std::vector<std::thread> threads;
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(count));
  for (int r = 0; r < count; ++r)
    threads.emplace_back([&, r] {
      ThreadMessenger mine(boxes, r, count);
      set_messenger(&mine);
      try {
        body(r);
      } catch (...) {
        errors[std::size_t(r)] = std::current_exception();
      }
      set_messenger(nullptr);
    });
  for (std::thread& one : threads) one.join();
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

}  // namespace fisherman
