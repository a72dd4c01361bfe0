// SPDX-License-Identifier: BSD-3-Clause
// The generator of the latency comparison: sends frames with the TSC in them by its first port at a given
// rate, takes them back from its second port, and prints how long they were under way. Sending and receiving
// are one loop on one CPU, so that one TSC measures. Started by latency.py once the program under test waits
// at the other end of both net_memif ports.
//   latency_source EAL-OPTIONS -- (--rate PPS | --find-rate) [--seconds S] [--settle S] [--priority N]
//   latency_source --help
// The last line that it prints is one JSON object.
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <sched.h>
#include <time.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <cxxopts.hpp>
#include <stdexcept>
#include <string>

#include "perf/latency_histogram.h"

namespace perf {
namespace {

constexpr uint16_t kBurst = 32;
constexpr uint16_t kOut = 0, kBack = 1;       // ports
constexpr size_t kFrameBytes = 60;            // 64 with the FCS, which software NICs do not have
constexpr size_t kPayload = 14 + 20 + 8;      // behind Ethernet, IPv4, UDP
constexpr uint64_t kMark = 0x79636e6574616c;  // a frame without it is not ours
constexpr double kConnectS = 20, kDrainS = 0.1;

struct Stamp {
  uint64_t mark, sent_tsc;
};

uint64_t ticks(double seconds) {
  return static_cast<uint64_t>(seconds * static_cast<double>(rte_get_tsc_hz()));
}

double seconds(uint64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(rte_get_tsc_hz());
}

double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

// One flow of UDP from 10.0.0.1 to 10.0.0.2, port 4791: whatever the program's mode is, it is valid.
constexpr std::array<uint8_t, kFrameBytes> kFrame = {
    0x02, 0, 0,    0,    0, 2,  0x02, 0, 0,  0,  0,    1,    0x08, 0x00,  // Ethernet
    0x45, 0, 0,    46,   0, 0,  0x40, 0, 64, 17, 0x26, 0xbd, 10,   0,
    0,    1, 10,   0,    0, 2,            // IPv4, its checksum 26bd
    0xc0, 0, 0x12, 0xb7, 0, 26, 0,    0,  // UDP without checksum
};

class Source {
 public:
  Source();
  // Until both links are up and a frame has come back. Throws when that takes too long.
  void connect();
  // `per_second` 0: as fast as the program takes them.
  void run(double per_second, double settle_s, double measured_s);
  void print() const;

 private:
  void send(uint16_t wanted, uint64_t now);
  void receive(uint64_t now);
  void drain();
  bool is_measured(uint64_t tsc) const { return tsc >= from_tsc_ && tsc < to_tsc_; }

  rte_mempool* pool_;
  uint64_t from_tsc_ = UINT64_MAX, to_tsc_ = UINT64_MAX;  // the window
  // Of the window: by the time at which they were sent, but arrived_ by the time at which they came.
  uint64_t sent_ = 0, refused_ = 0, skipped_ = 0, received_ = 0, arrived_ = 0;
  uint64_t all_received_ = 0;
  uint64_t longest_away_ = 0;  // between two polls
  double cpu_share_ = 0;
  LatencyHistogram ticks_;
};

void set_up(uint16_t port, rte_mempool* pool) {
  const rte_eth_conf conf{};
  const int socket = rte_eth_dev_socket_id(port);
  if (rte_eth_dev_configure(port, 1, 1, &conf) != 0 ||
      rte_eth_rx_queue_setup(port, 0, 1024, static_cast<unsigned>(socket), nullptr, pool) != 0 ||
      rte_eth_tx_queue_setup(port, 0, 1024, static_cast<unsigned>(socket), nullptr) != 0 ||
      rte_eth_dev_start(port) != 0)
    throw std::runtime_error("port " + std::to_string(port) + " cannot be set up");
}

bool is_up(uint16_t port) {
  rte_eth_link link{};
  return rte_eth_link_get_nowait(port, &link) == 0 && link.link_status == RTE_ETH_LINK_UP;
}

Source::Source()
    : pool_(rte_pktmbuf_pool_create("source", 8191, 256, 0, RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY)) {
  if (pool_ == nullptr) throw std::runtime_error("no memory for mbufs");
  if (rte_eth_dev_count_avail() != 2) throw std::runtime_error("two ports are needed: --vdev=net_memif...");
  for (const uint16_t port : {kOut, kBack}) set_up(port, pool_);
}

void Source::connect() {
  const uint64_t deadline = rte_rdtsc() + ticks(kConnectS);
  uint64_t next = 0;
  while (all_received_ == 0) {
    const uint64_t now = rte_rdtsc();
    if (now > deadline)
      throw std::runtime_error(is_up(kOut) && is_up(kBack) ? "no frame came back"
                                                           : "no link: nobody connected");
    if (now >= next && is_up(kOut) && is_up(kBack)) {
      send(1, now);
      next = now + ticks(0.001);
    }
    receive(now);
    sched_yield();  // the links are brought up by other threads on this CPU, and by the program's
  }
}

void Source::send(uint16_t wanted, uint64_t now) {
  rte_mbuf* mbufs[kBurst];
  if (rte_pktmbuf_alloc_bulk(pool_, mbufs, wanted) != 0) throw std::runtime_error("mbufs were lost");
  const Stamp stamp = {kMark, now};
  for (uint16_t i = 0; i < wanted; ++i) {
    uint8_t* frame = rte_pktmbuf_mtod(mbufs[i], uint8_t*);
    std::memcpy(frame, kFrame.data(), kFrameBytes);
    std::memcpy(frame + kPayload, &stamp, sizeof stamp);
    mbufs[i]->data_len = kFrameBytes;
    mbufs[i]->pkt_len = kFrameBytes;
  }
  const uint16_t accepted = rte_eth_tx_burst(kOut, 0, mbufs, wanted);
  if (accepted < wanted) rte_pktmbuf_free_bulk(mbufs + accepted, wanted - accepted);
  if (!is_measured(now)) return;
  sent_ += accepted;
  refused_ += wanted - accepted;
}

void Source::receive(uint64_t now) {
  rte_mbuf* mbufs[kBurst];
  const uint16_t received = rte_eth_rx_burst(kBack, 0, mbufs, kBurst);
  if (received == 0) return;
  const uint64_t came = rte_rdtsc();
  for (uint16_t i = 0; i < received; ++i) {
    Stamp stamp;
    if (mbufs[i]->pkt_len != kFrameBytes) continue;
    std::memcpy(&stamp, rte_pktmbuf_mtod_offset(mbufs[i], uint8_t*, kPayload), sizeof stamp);
    if (stamp.mark != kMark) continue;
    ++all_received_;
    arrived_ += is_measured(now);
    if (!is_measured(stamp.sent_tsc)) continue;
    ++received_;
    ticks_.add(came - stamp.sent_tsc);
  }
  rte_pktmbuf_free_bulk(mbufs, received);
}

void Source::run(double per_second, double settle_s, double measured_s) {
  const double gap = per_second > 0 ? static_cast<double>(rte_get_tsc_hz()) / per_second : 0;
  const uint64_t begin = rte_rdtsc();
  from_tsc_ = begin + ticks(settle_s);
  to_tsc_ = from_tsc_ + ticks(measured_s);
  double due = 0, cpu = 0;  // due: ticks behind `begin` at which the next frame is due
  for (uint64_t now = begin, last = begin; now < to_tsc_; last = now, now = rte_rdtsc()) {
    if (now >= from_tsc_) {
      if (last < from_tsc_) cpu = cpu_seconds();
      longest_away_ = std::max(longest_away_, now - last);
    }
    const double behind = static_cast<double>(now - begin) - due;
    if (per_second == 0) {
      send(kBurst, now);
    } else if (behind >= 0) {
      const auto frames = static_cast<uint64_t>(behind / gap) + 1;
      const auto burst = static_cast<uint16_t>(std::min<uint64_t>(frames, kBurst));
      send(burst, now);
      // More than a burst behind: the source was off its CPU. Making up for it would be a higher rate than
      // the one that was asked for.
      if (is_measured(now)) skipped_ += frames - burst;
      due += static_cast<double>(frames) * gap;
    }
    receive(now);
  }
  cpu_share_ = (cpu_seconds() - cpu) / measured_s;
  drain();
}

// What is still under way; what does not come within the time is lost.
void Source::drain() {
  const uint64_t deadline = rte_rdtsc() + ticks(kDrainS);
  for (uint64_t now = 0; received_ < sent_ && now < deadline;) receive(now = rte_rdtsc());
}

void Source::print() const {
  const auto us = [](uint64_t ticks) { return seconds(ticks) * 1e6; };
  std::printf(
      "{\"median_us\": %.3f, \"p99_us\": %.3f, \"p999_us\": %.3f, \"highest_us\": %.3f, \"sent\": %lu, "
      "\"lost\": %lu, \"skipped\": %lu, \"refused\": %lu, \"mpps\": %.4f, \"cpu_share\": %.4f, "
      "\"longest_away_us\": %.1f}\n",
      us(ticks_.percentile(0.5)), us(ticks_.percentile(0.99)), us(ticks_.percentile(0.999)),
      us(ticks_.highest()), sent_, sent_ - received_, skipped_, refused_,
      static_cast<double>(arrived_) / seconds(to_tsc_ - from_tsc_) / 1e6, cpu_share_, us(longest_away_));
}

int measure(const cxxopts::ParseResult& options) {
  const double rate = options["rate"].as<double>();
  if ((rate > 0) == (options.count("find-rate") > 0)) throw std::runtime_error("--rate PPS or --find-rate");
  Source source;
  source.connect();
  // Only now: until here threads that this CPU runs were needed.
  const sched_param priority = {options["priority"].as<int>()};
  if (priority.sched_priority > 0 && sched_setscheduler(0, SCHED_FIFO, &priority) != 0)
    throw std::runtime_error("real-time priority is not allowed");
  source.run(rate, options["settle"].as<double>(), options["seconds"].as<double>());
  const sched_param ordinary = {0};
  sched_setscheduler(0, SCHED_OTHER, &ordinary);
  source.print();
  return 0;
}

}  // namespace
}  // namespace perf

int main(int argc, char** argv) {
  cxxopts::Options options("latency_source", "Sends frames and measures how long they are under way.\n");
  options.custom_help("EAL-OPTIONS -- [options]").set_width(110);
  options.add_options()("rate", "frames per second", cxxopts::value<double>()->default_value("0"))(
      "find-rate", "as fast as the program takes them")("seconds", "of the window",
                                                        cxxopts::value<double>()->default_value("2"))(
      "settle", "seconds before it", cxxopts::value<double>()->default_value("0.5"))(
      "priority", "of SCHED_FIFO; 0: ordinary", cxxopts::value<int>()->default_value("0"));
  // Before EAL takes it: bench_peers.py asks in this way whether a program is this one.
  if (argc == 2 && std::string(argv[1]) == "--help") {
    std::printf("latency_source: %s", options.help().c_str());
    return 0;
  }
  try {
    const int eal = rte_eal_init(argc, argv);
    if (eal < 0) throw std::runtime_error("EAL does not start");
    const int status = perf::measure(options.parse(argc - eal, argv + eal));
    std::fflush(stdout);
    return status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "latency_source: %s\n", error.what());
    return 2;
  }
}
