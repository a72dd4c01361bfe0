// SPDX-License-Identifier: BSD-3-Clause
// The burst kernels, written once for any number of packets side by side: burst_portable.cc, burst_avx2.cc
// and burst_avx512.cc include this after they have said how many (ROCEWAY_BURST_WIDTH), each compiled for its
// CPU. All of it has internal linkage, so that no other CPU ever runs it.
//
// The words of 4, 8 or 16 packets are brought together by loads of 16 bytes and a transposition in registers;
// from then on every instruction serves all of them. Words are as loaded, that is, byte-swapped.
#pragma once

#include <cstring>

#include "core/burst.h"
#include "core/burst_registers.h"
#include "core/lookup3.h"

namespace core {
namespace {

// What is read when a frame has nothing to read there.
alignas(64) constexpr uint8_t kNothing[128] = {};

constexpr uint32_t kTypeOffset = 12;
constexpr uint32_t kShortest = 46;  // what recognise reads of every frame: a tag, IPv4 and ports
constexpr uint32_t kIpv4End = 2 + 20 + 4, kIpv6End = 2 + 40 + 4;  // of the ports, counted from the type
constexpr uint32_t kTcp = 6, kUdp = 17;

inline Words type_offset_of(Mask tagged) {
  return choose(tagged, all(kTypeOffset + 4), all(kTypeOffset));
}

// A 16-bit field as it lies in the low half of a loaded word.
constexpr uint32_t wire16(uint32_t value) {
  return (value & 0xff) << 8 | value >> 8;
}
inline Words host16(Words low_half) {
  return (low_half & 0xff) << 8 | (low_half >> 8 & 0xff);
}

// Words of IPv6 packets: addresses and ports. type_at(i): where the ethertype of packet i lies.
template <class At>
inline void read_ipv6(At type_at, uint32_t (*words)[kBatch], Mask six) {
  const FourWords from = transpose([&](unsigned i) { return type_at(i) + 10; });
  const FourWords to = transpose([&](unsigned i) { return type_at(i) + 26; });
  alignas(64) uint32_t ports[kWidth];
  for (unsigned i = 0; i < kWidth; ++i) std::memcpy(&ports[i], type_at(i) + 42, 4);
  for (unsigned w = 0; w < 3; ++w) store_words(words[w], choose(six, from.word[w], load_words(words[w])));
  store_words(words[3], from.word[3]);
  for (unsigned w = 0; w < 4; ++w) store_words(words[4 + w], to.word[w]);
  store_words(words[8], load_words(ports));
}

// The rest of recognise_some when it is known where the ethertypes lie. Made twice: where no frame is tagged
// all offsets are constants.
template <class At>
inline void judge_some(const FourWords& front, Mask tagged, Words window, At type_at, unsigned first,
                       const MacPair& last, BurstShapes& shapes) {
  const FourWords network = transpose(type_at);  // type 2, then 14 bytes of the header
  const FourWords behind =
      transpose([&](unsigned i) { return type_at(i) + 14; });  // of IPv4: addresses, ports
  const Words type_offset = type_offset_of(tagged);
  for (unsigned w = 0; w < 3; ++w) store_words(shapes.words[w] + first, behind.word[w]);
  const Words protocol4 = network.word[2] >> 24, protocol6 = network.word[2] & 0xff;
  const Words bytes4 = host16(network.word[1]), bytes6 = host16(network.word[1] >> 16);
  const Mask four = equal(network.word[0] & 0x00ffffff, all(0x00450008)) &
                    equal(network.word[2] & 0xff3f, all(0)) &
                    (equal(protocol4, all(kTcp)) | equal(protocol4, all(kUdp))) & at_most(all(24), bytes4) &
                    at_most(type_offset + kIpv4End, window);
  const Mask six = equal(network.word[0] & 0x00f0ffff, all(0x0060dd86)) &
                   (equal(protocol6, all(kTcp)) | equal(protocol6, all(kUdp))) & at_most(all(4), bytes6) &
                   at_most(type_offset + kIpv6End, window);
  const PacketBits six_bits = bits_of(six);
  Words ports = behind.word[2];
  if (six_bits != 0) {
    const auto ipv6_at = [&](unsigned i) { return (six_bits >> i & 1) != 0 ? type_at(i) : kNothing; };
    read_ipv6(ipv6_at, reinterpret_cast<uint32_t(*)[kBatch]>(&shapes.words[0][first]), six);
    ports = choose(six, load_words(shapes.words[8] + first), ports);
  }
  const Words priority =
      choose(tagged, front.word[3] >> 21, choose(six, network.word[0] >> 17, network.word[0] >> 29)) & 7;
  store_words(shapes.marks + first, (type_offset + 2) | priority << PacketMark::kPriorityBit);

  const Mask link_local = equal(front.word[0], all(0x00c28001)) & equal(front.word[1] & 0xf0ff, all(0));
  const Mask like_last = equal(front.word[0], all(last.words[0])) & equal(front.word[1], all(last.words[1])) &
                         equal(front.word[2], all(last.words[2]));
  const Mask good = (four | six) & ~link_local;
  const Mask udp = good & equal(choose(six, protocol6, protocol4), all(kUdp));
  const Words destination_port = ports >> 16;
  const auto put = [first](PacketBits& into, Mask mask) { into |= bits_of(mask) << first; };
  put(shapes.common, good);
  put(shapes.like_last, like_last);
  put(shapes.six, six & good);
  put(shapes.udp, udp);
  put(shapes.roce_v2, udp & equal(destination_port, all(wire16(kRoceV2Port))));
  put(shapes.vxlan, udp & equal(destination_port, all(wire16(4789))));
  put(shapes.geneve, udp & equal(destination_port, all(wire16(6081))));
}

inline void recognise_some(BurstFrames& frames, unsigned first, const MacPair& last, BurstShapes& shapes) {
  const Words window = load_words(frames.window_bytes + first);
  const PacketBits readable = bits_of(at_most(all(kShortest), window));
  constexpr PacketBits kAll = static_cast<PacketBits>((uint64_t{1} << kWidth) - 1);
  const uint8_t** at = frames.data + first;
  if (readable != kAll) [[unlikely]] {
    for (unsigned i = 0; i < kWidth; ++i) at[i] = (readable >> i & 1) != 0 ? at[i] : kNothing;
  }
  // Destination 6, source 6, type 2, two more.
  const FourWords front = transpose([at](unsigned i) { return at[i]; });
  const Mask tagged = equal(front.word[3] & 0xffff, all(wire16(0x8100)));
  if (bits_of(tagged) == 0) {
    judge_some(
        front, Mask{}, window, [at](unsigned i) { return at[i] + kTypeOffset; }, first, last, shapes);
  } else {
    alignas(64) uint32_t offset[kWidth];
    store_words(offset, type_offset_of(tagged));
    asm("" : "+m"(offset));  // out of memory one by one: taking a register apart is slower
    judge_some(
        front, tagged, window, [at, &offset](unsigned i) { return at[i] + offset[i]; }, first, last, shapes);
  }
}

inline void recognise(BurstFrames& frames, uint16_t count, const MacPair& last, BurstShapes& shapes) {
  for (unsigned i = count; i % kWidth != 0; ++i) {
    frames.data[i] = kNothing;
    frames.window_bytes[i] = 0;
  }
  shapes.common = shapes.like_last = shapes.six = 0;
  shapes.udp = shapes.roce_v2 = shapes.vxlan = shapes.geneve = 0;
  for (unsigned first = 0; first < count; first += kWidth) recognise_some(frames, first, last, shapes);
  shapes.tcp = shapes.common & ~shapes.udp;
  shapes.udp &= ~(shapes.roce_v2 | shapes.vxlan | shapes.geneve);
}

inline void hash(const BurstShapes& shapes, uint16_t count, const KeyMask& mask, uint32_t seed,
                 uint32_t* hashes) {
  constexpr uint32_t kKey4 = 12, kKey6 = 36;
  for (unsigned first = 0; first < count; first += kWidth) {
    const auto word = [&](uint32_t w) { return load_words(shapes.words[w] + first); };
    const uint32_t masks4[] = {mask.src_ip, mask.dst_ip, mask.ports};
    Words hashed = lookup3<Words>(kKey4, seed, [&](uint32_t w) { return word(w) & masks4[w]; });
    const PacketBits six = shapes.six >> first;
    if ((six & static_cast<PacketBits>((uint64_t{1} << kWidth) - 1)) != 0) {
      const Words of_six = lookup3<Words>(kKey6, seed, [&](uint32_t w) {
        return word(w) & (w < 4 ? mask.src_ip : w < 8 ? mask.dst_ip : mask.ports);
      });
      Words bit;
      for (unsigned i = 0; i < kWidth; ++i) bit[i] = 1u << i;
      hashed = choose(equal(bit & six, all(0)), hashed, of_six);
    }
    store_words(hashes + first, hashed);
  }
}

#if ROCEWAY_BURST_WIDTH > 4

// As FastModulo does, in 32 bits: the quotient by a reciprocal that is rounded down is right or one too
// small, for any 32-bit hash and divisor. A remainder that is too large then becomes the smaller one by
// subtraction, which would wrap for any other.
inline Words remainder(Words value, uint32_t divisor, uint32_t reciprocal) {
  const Words rest = value - product_high(value, reciprocal) * divisor;
  const Words less = rest - divisor;
  return choose(at_most(rest, less), rest, less);
}

// Whether FlowMeter::see would raise the register of a hash: its rank is above r when the 20 bits behind the
// index begin with r zeros.
inline Mask is_new(Words hash, const FlowMeter& meter) {
  const Words index = hash >> 20;
  const Words cells = gather(meter.registers(), index >> 2);  // four registers
  const Words held = cells >> ((index & 3) * 8) & 0xff;
  return equal((hash << 12 | 1u << 11) >> 1 >> (31 - held), all(0));
}

#endif

inline void spread(const uint32_t* hashes, uint16_t count, const SpreadRules& rules, const FlowMeter& meter,
                   BurstSpread& into) {
  PacketBits watched = 0, news = 0;
#if ROCEWAY_BURST_WIDTH > 4
  const uint32_t divisor = rules.buckets.divisor(), reciprocal = UINT32_MAX / divisor;
  const auto last_watched = static_cast<uint32_t>(rules.watch_below - 1);
  for (unsigned first = 0; first < count; first += kWidth) {
    const Words hash = load_words(hashes + first);
    store_words(into.buckets + first, remainder(hash, divisor, reciprocal));
    watched |= bits_of(at_most(hash * spread_hash(1), all(last_watched))) << first;
    news |= bits_of(is_new(hash, meter)) << first;
  }
#else  // these registers have neither products of 64 bits nor shifts by unlike numbers
  for (unsigned i = 0; i < count; ++i) {
    into.buckets[i] = rules.buckets(hashes[i]);
    watched |= PacketBits{spread_hash(hashes[i]) < rules.watch_below} << i;
    news |= PacketBits{meter.would_change(hashes[i])} << i;
  }
#endif
  const auto present = static_cast<PacketBits>((uint64_t{1} << count) - 1);
  into.watched = rules.watch_below == 0 ? 0 : watched & present;
  into.news = news & present;
}

}  // namespace
}  // namespace core
