// SPDX-License-Identifier: BSD-3-Clause
// Checks captures with libpcap before net_pcap opens them; see captures.h.
#include "pmd_glue/captures.h"

#include <pcap/pcap.h>
#include <rte_kvargs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string_view>

#include "core/eal_options.h"
#include "pmd_glue/start_error.h"

namespace glue {
namespace {

struct KvargsDeleter {
  void operator()(rte_kvargs* list) const { rte_kvargs_free(list); }
};
struct PcapDeleter {
  void operator()(pcap_t* capture) const { pcap_close(capture); }
};

std::vector<std::string> values_of(const std::string& devargs, const char* key) {
  std::vector<std::string> values;
  const std::unique_ptr<rte_kvargs, KvargsDeleter> list(rte_kvargs_parse(devargs.c_str(), nullptr));
  if (!list) return values;
  const auto collect = [](const char*, const char* value, void* out) {
    static_cast<std::vector<std::string>*>(out)->emplace_back(value ? value : "");
    return 0;
  };
  rte_kvargs_process(list.get(), key, collect, &values);
  return values;
}

bool has_any(const std::string& devargs, std::initializer_list<const char*> keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const char* key) { return !values_of(devargs, key).empty(); });
}

// Arguments behind the name of each net_pcap device: ARGS of "--vdev=net_pcap0,ARGS".
std::vector<std::string> pcap_devargs(const std::vector<std::string>& eal_args) {
  std::vector<std::string> found;
  for (const std::string& device : core::option_values(eal_args, "--vdev")) {
    const size_t comma = device.find(',');
    // eth_pcap is the driver's older name.
    const bool is_pcap = device.starts_with("net_pcap") || device.starts_with("eth_pcap");
    if (is_pcap && comma != std::string::npos) found.push_back(device.substr(comma + 1));
  }
  return found;
}

void check_capture(const std::string& file) {
  char error[PCAP_ERRBUF_SIZE] = "";
  std::error_code unknown;  // libpcap then says why the file cannot be read
  const std::filesystem::file_status what = std::filesystem::status(file, unknown);
  if (exists(what) && !is_directory(what) && !is_regular_file(what)) {
    throw StartError("capture " + file +
                     ": is a pipe or device, and net_pcap would wait for it; name a file");
  }
  if (is_directory(what)) throw StartError("capture " + file + ": is a folder; name a pcap file");
  const std::unique_ptr<pcap_t, PcapDeleter> capture(pcap_open_offline(file.c_str(), error));
  if (!capture) {
    std::string_view reason = error;
    if (reason.starts_with(file + ": ")) reason.remove_prefix(file.size() + 2);
    throw StartError("capture " + file + ": " + std::string(reason) +
                     "; rx_pcap needs a pcap file that can be read (roceway-flows makes one)");
  }
  if (const int type = pcap_datalink(capture.get()); type != DLT_EN10MB) {
    const char* name = pcap_datalink_val_to_name(type);
    throw StartError("capture " + file + ": link type is " + (name ? name : std::to_string(type)) +
                     ", needs EN10MB (Ethernet); capture on an Ethernet interface, or give the frames "
                     "Ethernet headers, as with `tcprewrite --dlt=enet`");
  }
}

struct CaptureSize {
  uint32_t packets = 0;
  uint32_t longest_bytes = 0;
};
CaptureSize size_of(const std::string& file) {
  char error[PCAP_ERRBUF_SIZE] = "";
  const std::unique_ptr<pcap_t, PcapDeleter> capture(pcap_open_offline(file.c_str(), error));
  CaptureSize size;
  pcap_pkthdr* header = nullptr;
  const uint8_t* bytes = nullptr;
  while (capture && pcap_next_ex(capture.get(), &header, &bytes) == 1) {
    ++size.packets;
    size.longest_bytes = std::max(size.longest_bytes, header->caplen);
  }
  return size;
}

bool plays_without_end(const std::string& devargs) {
  const std::vector<std::string> infinite = values_of(devargs, "infinite_rx");
  return !infinite.empty() && infinite.front() != "0";
}

// What net_pcap asks of a capture that it keeps in mbufs.
void check_endless_capture(const std::string& file, uint16_t mbuf_bytes) {
  const CaptureSize size = size_of(file);
  if (size.packets == 0) {
    throw StartError("capture " + file +
                     ": holds no packet, and infinite_rx=1 plays it without end; take another, or "
                     "leave infinite_rx out");
  }
  if (size.longest_bytes > mbuf_bytes) {
    throw StartError(
        "capture " + file + ": its longest frame has " + std::to_string(size.longest_bytes) +
        " bytes, and infinite_rx=1 takes no more than fit one mbuf (" + std::to_string(mbuf_bytes) +
        "); set engine.mbuf_bytes = " + std::to_string(size.longest_bytes) + ", or leave infinite_rx out");
  }
}

// A file that net_pcap will write from its start: not one that is read, and in a folder that takes it.
void check_output(const std::string& file, const std::vector<std::string>& inputs,
                  const std::vector<std::string>& outputs) {
  std::error_code unknown;
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, unknown)) {
    throw StartError("capture " + file + ": its folder is not there; make it: mkdir -p " + folder.string());
  }
  for (const std::string& input : inputs) {
    if (same_file(file, input)) {
      throw StartError("capture " + file +
                       ": is read by rx_pcap, and tx_pcap would overwrite it; name another file");
    }
  }
  for (const std::string& output : outputs) {
    // Nothing is lost on a device such as /dev/null.
    if (same_file(file, output) && !std::filesystem::is_character_file(file, unknown)) {
      throw StartError("capture " + file +
                       ": is named by tx_pcap twice, and one queue would overwrite the other; name "
                       "a file for each");
    }
  }
  const bool there = std::filesystem::exists(file, unknown);
  const std::string place = folder.empty() ? "." : folder.string();
  if (access(there ? file.c_str() : place.c_str(), W_OK) != 0) {
    throw StartError("capture " + file + ": cannot be written: " + std::strerror(errno) +
                     "; name a file in a folder that is yours");
  }
}

}  // namespace

void check_captures(const std::vector<std::string>& eal_args, uint16_t mbuf_bytes) {
  std::vector<std::string> inputs, outputs;
  for (const std::string& devargs : pcap_devargs(eal_args)) {
    for (const std::string& file : values_of(devargs, "rx_pcap")) inputs.push_back(file);
  }
  for (const std::string& devargs : pcap_devargs(eal_args)) {
    for (const std::string& file : values_of(devargs, "rx_pcap")) {
      check_capture(file);
      if (plays_without_end(devargs)) check_endless_capture(file, mbuf_bytes);
    }
    for (const std::string& file : values_of(devargs, "tx_pcap")) {
      check_output(file, inputs, outputs);
      outputs.push_back(file);
    }
  }
}

uint32_t preloaded_packets(const std::string& devargs) {
  if (!plays_without_end(devargs)) return 0;
  uint32_t packets = 0;
  for (const std::string& file : values_of(devargs, "rx_pcap")) packets += size_of(file).packets;
  return packets;
}

uint32_t preloaded_packets(const std::vector<std::string>& eal_args) {
  uint32_t packets = 0;
  for (const std::string& devargs : pcap_devargs(eal_args)) packets += preloaded_packets(devargs);
  return packets;
}

bool same_file(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  std::error_code unknown;
  return fs::equivalent(one, other, unknown) || fs::weakly_canonical(fs::absolute(one), unknown) ==
                                                    fs::weakly_canonical(fs::absolute(other), unknown);
}

bool writes_capture(const std::string& devargs) {
  return has_any(devargs, {"tx_pcap", "tx_iface", "iface"});
}

bool reads_capture(const std::string& devargs) {
  return has_any(devargs, {"rx_pcap", "rx_iface", "rx_iface_in", "iface"});
}

std::vector<std::string> capture_files(const std::vector<std::string>& eal_args) {
  std::vector<std::string> files;
  for (const std::string& devargs : pcap_devargs(eal_args)) {
    for (const char* key : {"rx_pcap", "tx_pcap"}) {
      const std::vector<std::string> named = values_of(devargs, key);
      files.insert(files.end(), named.begin(), named.end());
    }
  }
  return files;
}

Outcome<std::vector<uint8_t>> frame_of_capture(const std::string& file, uint64_t number) {
  using Answer = Outcome<std::vector<uint8_t>>;
  // Opening a pipe would wait for somebody who writes, and the control thread must not wait.
  std::error_code unknown;
  if (std::filesystem::exists(file, unknown) && !std::filesystem::is_regular_file(file, unknown))
    return Answer::refuse(file + ": is no regular file");
  char error[PCAP_ERRBUF_SIZE] = "";
  const std::unique_ptr<pcap_t, void (*)(pcap_t*)> capture(pcap_open_offline(file.c_str(), error),
                                                           &pcap_close);
  if (!capture)
    return Answer::refuse(std::string_view(error).starts_with(file) ? error : file + ": " + error);
  if (pcap_datalink(capture.get()) != DLT_EN10MB)
    return Answer::refuse(file + ": is not an Ethernet capture");
  pcap_pkthdr* header = nullptr;
  const u_char* bytes = nullptr;
  for (uint64_t at = 1; pcap_next_ex(capture.get(), &header, &bytes) == 1; ++at) {
    if (at == number) return {.value = {bytes, bytes + header->caplen}};
    if (at == UINT32_MAX) break;
  }
  return Answer::refuse(file + ": has no packet " + std::to_string(number));
}

}  // namespace glue
