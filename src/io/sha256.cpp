#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>

#include "fisherman/io/checksum.hpp"

namespace fisherman {
namespace {

/// The names are those of FIPS 180-4, sections 4.1.2, 4.2.2 and 6.2.
class Sha256 {
 public:
  void add(std::string_view bytes) {
    for (const char byte : bytes) add(static_cast<unsigned char>(byte));
  }

  /// Pads the message (section 5.1.1). Nothing can be added afterwards.
  std::string digest() {
    const std::uint64_t bits = 8 * size_;
    add(static_cast<unsigned char>(0x80));
    while (size_ % 64 != 56) add(static_cast<unsigned char>(0));
    for (int shift = 56; shift >= 0; shift -= 8) add(static_cast<unsigned char>(bits >> shift));
    std::string out;
    for (const Word word : H_) {
      char digits[9];
      std::snprintf(digits, sizeof digits, "%08x", unsigned(word));
      out += digits;
    }
    return out;
  }

 private:
  using Word = std::uint32_t;

  void add(unsigned char byte) {
    Word& word = block_[size_ / 4 % 16];
    word = word << 8 | byte;
    if (++size_ % 64 == 0) compress();
  }

  void compress() {
    std::array<Word, 64> W;
    for (std::size_t t = 0; t < 16; ++t) W[t] = block_[t];
    for (std::size_t t = 16; t < 64; ++t) {
      const Word s0 = std::rotr(W[t - 15], 7) ^ std::rotr(W[t - 15], 18) ^ W[t - 15] >> 3;
      const Word s1 = std::rotr(W[t - 2], 17) ^ std::rotr(W[t - 2], 19) ^ W[t - 2] >> 10;
      W[t] = s1 + W[t - 7] + s0 + W[t - 16];
    }
    auto [a, b, c, d, e, f, g, h] = H_;
    for (std::size_t t = 0; t < 64; ++t) {
      const Word S1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
      const Word S0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
      const Word T1 = h + S1 + ((e & f) ^ (~e & g)) + K[t] + W[t];
      const Word T2 = S0 + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + T1, d = c, c = b, b = a, a = T1 + T2;
    }
    const std::array<Word, 8> worked = {a, b, c, d, e, f, g, h};
    for (std::size_t k = 0; k < 8; ++k) H_[k] += worked[k];
  }

  static constexpr std::array<Word, 64> K = {
      0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
      0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
      0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
      0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
      0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
      0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
      0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
      0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
      0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
      0xc67178f2,
  };
  std::array<Word, 8> H_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                            0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<Word, 16> block_ = {};
  std::uint64_t size_ = 0;
};

}  // namespace

std::string sha256(ByteSource& source) {
  Sha256 sum;
  for (std::string_view window = source.window(); !window.empty(); window = source.window()) {
    sum.add(window);
    source.consume(window.size());
  }
  return sum.digest();
}

}  // namespace fisherman
