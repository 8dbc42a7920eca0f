// A queue for values whose number is not known until the file ends. It grows by blocks, so nothing
// is ever copied to grow, and a block goes back to the system as soon as it has been drained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace fisherman {

template <class T>
class BlockQueue {
 public:
  void push(T value) {
    if (blocks_.empty() || blocks_.back().size() == block_size) {
      blocks_.emplace_back();
      blocks_.back().reserve(block_size);
    }
    blocks_.back().push_back(value);
  }
  /// The oldest value; the queue must not be empty.
  T pop() {
    const T value = blocks_.front()[next_];
    if (++next_ == blocks_.front().size()) {
      blocks_.pop_front();
      next_ = 0;
    }
    return value;
  }

 private:
  static constexpr std::size_t block_size = std::size_t(1) << 16;
  std::deque<std::vector<T>> blocks_;
  std::size_t next_ = 0;
};

/// The same for short texts, in their own bytes and four more. A std::string has 32 at least, which
/// beside a matrix of few columns would be the larger part of the memory.
class TextQueue {
 public:
  void push(std::string_view text) {
    sizes_.push(std::uint32_t(text.size()));
    for (const char c : text) bytes_.push(c);
  }
  std::string pop() {
    std::string text(sizes_.pop(), '\0');
    for (char& c : text) c = bytes_.pop();
    return text;
  }
  std::vector<std::string> pop(std::size_t count) {
    std::vector<std::string> texts;
    texts.reserve(count);
    while (texts.size() < count) texts.push_back(pop());
    return texts;
  }

 private:
  BlockQueue<std::uint32_t> sizes_;
  BlockQueue<char> bytes_;
};

}  // namespace fisherman
