// SPDX-License-Identifier: BSD-3-Clause
// Registers of 4, 8 or 16 words, one word a packet, and the few operations on them that compilers do not know
// by operators. Included by burst_wide.h, which says how; core only.
#pragma once

#ifndef ROCEWAY_BURST_WIDTH
#define ROCEWAY_BURST_WIDTH 4
#endif

#include <cstring>

#include "core/burst.h"

#if ROCEWAY_BURST_WIDTH > 4
#include <immintrin.h>
#endif

namespace core {
namespace {

constexpr unsigned kWidth = ROCEWAY_BURST_WIDTH;
using Words = uint32_t __attribute__((vector_size(kWidth * 4)));
#if ROCEWAY_BURST_WIDTH == 16
using Mask = uint16_t;  // a bit a packet, in a register of its own kind
#else
using Mask = int32_t __attribute__((vector_size(kWidth * 4)));  // all ones where true
#endif

// The only parts that differ: 16 bytes from each of kWidth places, a quarter of the places in each Words;
// words and pairs of two Words in turn; masks; loads by index; the upper half of a product.
#if ROCEWAY_BURST_WIDTH == 16

template <class At>
inline Words load_quads(At at, unsigned first) {
  const auto quad = [&](unsigned i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at(i))); };
  __m512i quads = _mm512_castsi128_si512(quad(first));
  quads = _mm512_inserti32x4(quads, quad(first + 4), 1);
  quads = _mm512_inserti32x4(quads, quad(first + 8), 2);
  return reinterpret_cast<Words>(_mm512_inserti32x4(quads, quad(first + 12), 3));
}
inline Words low_words(Words a, Words b) {
  return reinterpret_cast<Words>(
      _mm512_unpacklo_epi32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
inline Words high_words(Words a, Words b) {
  return reinterpret_cast<Words>(
      _mm512_unpackhi_epi32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
inline Words low_pairs(Words a, Words b) {
  return reinterpret_cast<Words>(
      _mm512_unpacklo_epi64(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
inline Words high_pairs(Words a, Words b) {
  return reinterpret_cast<Words>(
      _mm512_unpackhi_epi64(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
inline PacketBits bits_of(Mask mask) {
  return mask;
}
inline Mask equal(Words a, Words b) {
  return _mm512_cmpeq_epi32_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
}
inline Mask at_most(Words a, Words b) {
  return _mm512_cmple_epu32_mask(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b));
}
inline Words choose(Mask mask, Words yes, Words no) {
  return reinterpret_cast<Words>(
      _mm512_mask_mov_epi32(reinterpret_cast<__m512i>(no), mask, reinterpret_cast<__m512i>(yes)));
}
inline Words gather(const void* base, Words index) {
  return reinterpret_cast<Words>(_mm512_i32gather_epi32(reinterpret_cast<__m512i>(index), base, 4));
}
inline Words product_high(Words a, uint32_t b) {
  const __m512i x = reinterpret_cast<__m512i>(a), y = _mm512_set1_epi64(b);
  const __m512i even = _mm512_srli_epi64(_mm512_mul_epu32(x, y), 32);
  const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), y);
  return reinterpret_cast<Words>(_mm512_mask_blend_epi32(0xaaaa, even, odd));
}

#elif ROCEWAY_BURST_WIDTH == 8

template <class At>
inline Words load_quads(At at, unsigned first) {
  const auto quad = [&](unsigned i) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at(i))); };
  return reinterpret_cast<Words>(
      _mm256_inserti128_si256(_mm256_castsi128_si256(quad(first)), quad(first + 4), 1));
}
inline Words low_words(Words a, Words b) {
  return reinterpret_cast<Words>(
      _mm256_unpacklo_epi32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
inline Words high_words(Words a, Words b) {
  return reinterpret_cast<Words>(
      _mm256_unpackhi_epi32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
inline Words low_pairs(Words a, Words b) {
  return reinterpret_cast<Words>(
      _mm256_unpacklo_epi64(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
inline Words high_pairs(Words a, Words b) {
  return reinterpret_cast<Words>(
      _mm256_unpackhi_epi64(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}
inline PacketBits bits_of(Mask mask) {
  return static_cast<PacketBits>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
}
inline Words gather(const void* base, Words index) {
  return reinterpret_cast<Words>(
      _mm256_i32gather_epi32(static_cast<const int*>(base), reinterpret_cast<__m256i>(index), 4));
}
inline Words product_high(Words a, uint32_t b) {
  const __m256i x = reinterpret_cast<__m256i>(a), y = _mm256_set1_epi64x(b);
  const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(x, y), 32);
  const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), y);
  return reinterpret_cast<Words>(_mm256_blend_epi32(even, odd, 0xaa));
}

#else

template <class At>
inline Words load_quads(At at, unsigned first) {
  Words quad;
  std::memcpy(&quad, at(first), sizeof quad);
  return quad;
}
inline Words low_words(Words a, Words b) {
  return Words{a[0], b[0], a[1], b[1]};
}
inline Words high_words(Words a, Words b) {
  return Words{a[2], b[2], a[3], b[3]};
}
inline Words low_pairs(Words a, Words b) {
  return Words{a[0], a[1], b[0], b[1]};
}
inline Words high_pairs(Words a, Words b) {
  return Words{a[2], a[3], b[2], b[3]};
}
inline PacketBits bits_of(Mask mask) {
  const Words bit = reinterpret_cast<Words>(mask) & Words{1, 2, 4, 8};
  return bit[0] | bit[1] | bit[2] | bit[3];
}

#endif

inline Words load_words(const uint32_t* from) {
  Words words;
  std::memcpy(&words, from, sizeof words);
  return words;
}
inline void store_words(uint32_t* to, Words words) {
  std::memcpy(to, &words, sizeof words);
}
inline Words all(uint32_t value) {
  return Words{} + value;
}
#if ROCEWAY_BURST_WIDTH < 16
inline Mask equal(Words a, Words b) {
  return a == b;
}
inline Mask at_most(Words a, Words b) {
  return a <= b;
}
inline Words choose(Mask mask, Words yes, Words no) {
  return mask ? yes : no;
}
#endif

// Four words from each of the places at(0), at(1) and so on: word[w] has the w-th of all.
struct FourWords {
  Words word[4];
};
template <class At>
inline FourWords transpose(At at) {
  const Words a = load_quads(at, 0), b = load_quads(at, 1), c = load_quads(at, 2), d = load_quads(at, 3);
  const Words ab = low_words(a, b), cd = low_words(c, d), ab_high = high_words(a, b),
              cd_high = high_words(c, d);
  return {{low_pairs(ab, cd), high_pairs(ab, cd), low_pairs(ab_high, cd_high), high_pairs(ab_high, cd_high)}};
}

}  // namespace
}  // namespace core
