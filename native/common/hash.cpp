#include "common/hash.hpp"

namespace dragoman::hashing {

std::uint64_t absorb_long(std::uint64_t state, const unsigned char*& bytes, std::size_t& size) noexcept {
  std::uint64_t a = state, b = state, c = state, d = state;
  for (; size > 64; size -= 64, bytes += 64) {
    a = fold(word_at(bytes) ^ kRoots[2], word_at(bytes + 8) ^ a);
    b = fold(word_at(bytes + 16) ^ kRoots[3], word_at(bytes + 24) ^ b);
    c = fold(word_at(bytes + 32) ^ kRoots[4], word_at(bytes + 40) ^ c);
    d = fold(word_at(bytes + 48) ^ kRoots[5], word_at(bytes + 56) ^ d);
  }
  return fold(fold(a, b ^ kRoots[4]), fold(c, d ^ kRoots[5]));
}

}  // namespace dragoman::hashing
