// SPDX-License-Identifier: BSD-3-Clause
// hashlittle() of Bob Jenkins' lookup3.c (public domain, 2006), over words of one key or, side by side, of
// several keys of equal size. Included by core/flow_hash and by the burst kernels; see there.
#pragma once

#include <cstdint>

namespace core {
namespace {  // compiled for another CPU in each file that includes it

template <typename Word>
inline void subtract_rotate(Word& x, const Word& y, int bits) {
  x = (x - y) ^ ((y << bits) | (y >> (32 - bits)));
}

template <typename Word>
inline void xor_rotate(Word& x, const Word& y, int bits) {
  x = (x ^ y) - ((y << bits) | (y >> (32 - bits)));
}

// Over `bytes` bytes; word(i) gives the i-th four of them, the last filled up with zero bytes.
template <typename Word, typename WordAt>
inline Word lookup3(uint32_t bytes, uint32_t seed, WordAt word) {
  Word a = Word{} + (0xdeadbeef + bytes + seed), b = a, c = a;
  uint32_t left = (bytes + 3) / 4, i = 0;
  for (; left > 3; left -= 3, i += 3) {
    a += word(i), b += word(i + 1), c += word(i + 2);
    subtract_rotate(a, c, 4), c += b;
    subtract_rotate(b, a, 6), a += c;
    subtract_rotate(c, b, 8), b += a;
    subtract_rotate(a, c, 16), c += b;
    subtract_rotate(b, a, 19), a += c;
    subtract_rotate(c, b, 4), b += a;
  }
  if (left == 0) return c;  // an empty key is not mixed
  a += word(i);
  if (left > 1) b += word(i + 1);
  if (left > 2) c += word(i + 2);
  xor_rotate(c, b, 14), xor_rotate(a, c, 11), xor_rotate(b, a, 25);
  xor_rotate(c, b, 16), xor_rotate(a, c, 4), xor_rotate(b, a, 14), xor_rotate(c, b, 24);
  return c;
}

}  // namespace
}  // namespace core
