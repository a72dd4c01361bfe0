// SPDX-License-Identifier: BSD-3-Clause
// Opens and reads captures with libpcap; see capture_file.h. The stream is opened here, not by libpcap, so
// that it has a large buffer and so that "no such file" is told apart from "not a capture".
#include "hashlab/capture_file.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "hashlab/bad_input.h"
#include "hashlab/progress.h"

namespace hashlab {
namespace {

constexpr size_t kBufferBytes = 1 << 20;
constexpr const char* kNeeds = "; needs a pcap or pcapng file, unpacked, or - for standard input";

using Stream = std::unique_ptr<FILE, decltype([](FILE* stream) {
                                 if (stream != stdin) std::fclose(stream);
                               })>;

// A signal ends a call that waits, which is no fault of the file.
void check_not_stopped(const std::string& name) {
  if (stopped()) throw BadInput(name + ": stopped before its first packet was read");
}

Stream open(const std::string& file, const std::string& name) {
  if (file == "-") {
    if (isatty(STDIN_FILENO)) throw BadInput(name + ": is a terminal; send a pcap or pcapng file into it");
    return Stream(stdin);
  }
  std::error_code unknown;  // fopen then says why the file cannot be read
  if (std::filesystem::is_directory(file, unknown)) throw BadInput(name + ": is a folder" + kNeeds);
  Stream stream(std::fopen(file.c_str(), "rb"));
  const std::string why = stream ? "" : std::strerror(errno);
  if (!stream) check_not_stopped(name);
  if (!stream) throw BadInput(name + ": " + why + kNeeds);
  std::setvbuf(stream.get(), nullptr, _IOFBF, kBufferBytes);
  return stream;
}

uint64_t size_of(const std::string& file) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return 0;
  const uintmax_t bytes = std::filesystem::file_size(file, unknown);
  return unknown ? 0 : bytes;
}

void check_link_type(pcap_t* capture, const std::string& name) {
  const int type = pcap_datalink(capture);
  if (type == DLT_EN10MB) return;
  const char* known = pcap_datalink_val_to_name(type);
  throw BadInput(name + ": link type is " + (known ? std::string(known) + " (" : "unknown (") +
                 std::to_string(type) +
                 "), needs EN10MB (Ethernet); capture on an Ethernet interface, or give the frames Ethernet "
                 "headers, as with `tcprewrite --dlt=enet`");
}

}  // namespace

core::PacketView CaptureFile::Packet::view() const {
  return {data, std::min(captured_bytes, core::kParseWindowBytes), frame_bytes};
}

CaptureFile::CaptureFile(const std::string& file)
    : name_(file == "-" ? "capture on standard input" : "capture " + file),
      short_name_(file == "-" ? "standard input" : std::filesystem::path(file).filename().string()),
      size_bytes_(size_of(file)) {
  char error[PCAP_ERRBUF_SIZE] = "";
  Stream stream = open(file, name_);
  capture_.reset(pcap_fopen_offline(stream.get(), error));
  if (!capture_) {
    check_not_stopped(name_);
    const bool empty = std::strstr(error, "only got 0") != nullptr;
    throw BadInput(name_ + ": " + (empty ? "is empty" : error) + kNeeds);
  }
  stream.release();  // libpcap closes it
  check_link_type(capture_.get(), name_);
}

std::optional<CaptureFile::Packet> CaptureFile::next() {
  pcap_pkthdr* header = nullptr;
  const u_char* bytes = nullptr;
  const int got = pcap_next_ex(capture_.get(), &header, &bytes);
  if (got != 1) {
    if (got == PCAP_ERROR) note_break();
    return std::nullopt;
  }
  ++packets_;
  packet_bytes_ += header->caplen;
  return Packet{bytes, header->caplen, std::max(header->len, header->caplen)};
}

void CaptureFile::note_break() {
  const bool ended = std::feof(pcap_file(capture_.get())) != 0;
  const std::string why = pcap_geterr(capture_.get());
  broken_ = std::string(ended ? "ends in the middle of" : "cannot be read from") + " packet " +
            std::to_string(packets_ + 1) + (ended ? " (" : " on (") + why + ")";
  if (packets_ > 0) broken_ += "; the " + std::to_string(packets_) + " before it are used";
  // pcapng; a limit of libpcap.
  if (why.starts_with("an interface has"))
    broken_ += "; with `editcap -F pcap`, interfaces of one link type become one";
}

uint64_t CaptureFile::read_bytes() const {
  const off_t place = ftello(pcap_file(capture_.get()));
  return place >= 0 ? static_cast<uint64_t>(place) : packet_bytes_;
}

}  // namespace hashlab
