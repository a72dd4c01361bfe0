// SPDX-License-Identifier: BSD-3-Clause
// net_pcap's arguments and the files behind them. The driver accepts captures of any link type and says
// little about a file it cannot read, so libpcap is asked first. Called by main before EAL starts,
// and by ports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pmd_glue/outcome.h"

namespace glue {

// Every rx_pcap of every --vdev=net_pcap* in these EAL arguments is an Ethernet capture that can be read;
// else throws StartError naming file, cause and fix. Folders of tx_pcap files must be there.
// With infinite_rx=1 no frame may be longer than `mbuf_bytes`: the driver keeps such packets in one mbuf
// each.
void check_captures(const std::vector<std::string>& eal_args, uint16_t mbuf_bytes);

// Packets that net_pcap with infinite_rx=1 keeps in mbufs: all packets of all its rx_pcap files. 0 without
// it.
uint32_t preloaded_packets(const std::string& devargs);
// The same, summed over the net_pcap devices of EAL arguments.
uint32_t preloaded_packets(const std::vector<std::string>& eal_args);

// True when the device has a tx_pcap, tx_iface or iface; without, net_pcap throws away what it is given to
// send.
bool writes_capture(const std::string& devargs);
// True when it has an rx_pcap, rx_iface, rx_iface_in or iface; without, nothing comes in by it.
bool reads_capture(const std::string& devargs);
// True when both names mean one file, there already or not.
bool same_file(const std::string& one, const std::string& other);
// All files that net_pcap devices of these arguments read or write.
std::vector<std::string> capture_files(const std::vector<std::string>& eal_args);

// Frame `number`, counted from 1, of an Ethernet capture.
Outcome<std::vector<uint8_t>> frame_of_capture(const std::string& file, uint64_t number);

}  // namespace glue
