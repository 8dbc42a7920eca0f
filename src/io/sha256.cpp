#include <openssl/evp.h>

#include <array>
#include <memory>

#include "fisherman/core/error.hpp"
#include "fisherman/io/checksum.hpp"

namespace fisherman {

std::string sha256(ByteSource& source, const std::function<void()>& watch) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> sum(EVP_MD_CTX_new(),
                                                                    &EVP_MD_CTX_free);
  bool well = sum && EVP_DigestInit_ex(sum.get(), EVP_sha256(), nullptr) == 1;
  for (std::string_view window = source.window(); well && !window.empty();
       window = source.window()) {
    well = EVP_DigestUpdate(sum.get(), window.data(), window.size()) == 1;
    source.consume(window.size());
    if (watch) watch();
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (!well || EVP_DigestFinal_ex(sum.get(), digest.data(), &size) != 1)
    throw FileError("OpenSSL could not compute a SHA-256 sum");
  std::string out;
  for (unsigned k = 0; k < size; ++k)
    for (const unsigned digit : {unsigned(digest[k]) >> 4, unsigned(digest[k]) & 15U})
      out += "0123456789abcdef"[digit];
  return out;
}

}  // namespace fisherman
