// SPDX-License-Identifier: BSD-3-Clause
// Captures are checked before DPDK's driver opens them.
#include "pmd_glue/captures.h"

#include <gtest/gtest.h>
#include <pcap/pcap.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "pmd_glue/start_error.h"

namespace {

namespace fs = std::filesystem;

class Captures : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  // A capture of `packets` frames of 60 zero bytes.
  std::string capture(const std::string& name, int link_type, int packets) const {
    const std::string path = folder_ / name;
    pcap_t* dead = pcap_open_dead(link_type, 65535);
    pcap_dumper_t* dumper = pcap_dump_open(dead, path.c_str());
    const uint8_t bytes[60] = {};
    const pcap_pkthdr header{{}, sizeof(bytes), sizeof(bytes)};
    for (int i = 0; i < packets; ++i) pcap_dump(reinterpret_cast<uint8_t*>(dumper), &header, bytes);
    pcap_dump_close(dumper);
    pcap_close(dead);
    return path;
  }

  const fs::path folder_ = fs::temp_directory_path() / ("roceway-captures-" + std::to_string(getpid()));
};

TEST_F(Captures, GoodOnesPass) {
  const std::string file = capture("in.pcap", DLT_EN10MB, 1);
  EXPECT_NO_THROW(glue::check_captures({"--vdev=net_pcap0,rx_pcap=" + file}, 2048));
  EXPECT_NO_THROW(glue::check_captures({"--vdev", "net_pcap0,rx_pcap=" + file + ",tx_pcap=new.pcap"}, 2048));
  EXPECT_NO_THROW(glue::check_captures({"--vdev=net_null0,no-rx=1", "-l", "0,1"}, 2048));
}

TEST_F(Captures, BadOnesAreNamedWithCauseAndFix) {
  std::ofstream(folder_ / "text.pcap") << "this is not a capture, but long enough to be read as one\n";
  const fs::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  struct Row {
    const char* name;
    std::string devargs, says;
  };
  const Row rows[] = {
      {"missing", "rx_pcap=" + (folder_ / "none.pcap").string(), "No such file"},
      {"a folder", "rx_pcap=" + folder_.string(), "is a folder"},
      {"no capture", "rx_pcap=" + (folder_ / "text.pcap").string(), "needs a pcap file"},
      {"raw IP", "rx_pcap=" + capture("raw.pcap", DLT_RAW, 1), "link type is RAW, needs EN10MB"},
      {"the second of two",
       "rx_pcap=" + capture("ok.pcap", DLT_EN10MB, 1) + ",rx_pcap=" + capture("sll.pcap", DLT_LINUX_SLL, 1),
       "LINUX_SLL"},
      {"read and written",
       "rx_pcap=" + capture("both.pcap", DLT_EN10MB, 1) + ",tx_pcap=" + (folder_ / "both.pcap").string(),
       "would overwrite it"},
      {"written twice, not there yet",
       "tx_pcap=" + (folder_ / "new.pcap").string() + ",tx_pcap=" + (folder_ / "." / "new.pcap").string(),
       "named by tx_pcap twice"},
      {"a pipe", "rx_pcap=" + pipe.string(), "is a pipe or device"},
      {"output folder missing", "tx_pcap=" + (folder_ / "no" / "out.pcap").string(), "folder is not there"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    try {
      glue::check_captures({"--vdev=net_pcap0," + row.devargs}, 2048);
      ADD_FAILURE() << "was accepted";
    } catch (const glue::StartError& error) {
      EXPECT_NE(std::string(error.what()).find(row.says), std::string::npos) << error.what();
    }
  }
}

// net_pcap keeps a capture that it plays without end in one mbuf a packet.
TEST_F(Captures, EndlessOnesMustFit) {
  const std::string empty = capture("empty.pcap", DLT_EN10MB, 0),
                    small = capture("small.pcap", DLT_EN10MB, 2);
  struct Row {
    const char* name;
    std::string device;
    uint16_t mbuf_bytes;
    const char* says;  // null: accepted
  };
  for (const Row& row :
       {Row{"fits", "net_pcap0,rx_pcap=" + small + ",infinite_rx=1", 60, nullptr},
        Row{"too long", "net_pcap0,rx_pcap=" + small + ",infinite_rx=1", 59, "mbuf_bytes = 60"},
        Row{"too long, the older name", "eth_pcap0,rx_pcap=" + small + ",infinite_rx=1", 59, "mbuf_bytes"},
        Row{"too long, but played once", "net_pcap0,rx_pcap=" + small, 59, nullptr},
        Row{"empty", "net_pcap0,rx_pcap=" + empty + ",infinite_rx=1", 2048, "holds no packet"},
        Row{"empty, but played once", "net_pcap0,rx_pcap=" + empty, 2048, nullptr}}) {
    SCOPED_TRACE(row.name);
    std::string said;
    try {
      glue::check_captures({"--vdev=" + row.device}, row.mbuf_bytes);
    } catch (const glue::StartError& error) {
      said = error.what();
    }
    EXPECT_EQ(said.empty(), row.says == nullptr) << said;
    if (row.says != nullptr) {
      EXPECT_NE(said.find(row.says), std::string::npos) << said;
    }
  }
}

// As an ordinary user, whom root's tests become for a moment.
TEST_F(Captures, AFolderThatIsClosedIsSaidSo) {
  const fs::path closed = folder_ / "closed";
  fs::create_directories(closed);
  const std::string inside = capture("closed/in.pcap", DLT_EN10MB, 1);
  fs::permissions(closed, fs::perms::none);
  const bool root = geteuid() == 0;
  ASSERT_TRUE(!root || seteuid(65534) == 0);
  std::string said;
  try {
    glue::check_captures({"--vdev=net_pcap0,rx_pcap=" + inside}, 2048);
  } catch (const glue::StartError& error) {
    said = error.what();
  }
  ASSERT_TRUE(!root || seteuid(0) == 0);
  fs::permissions(closed, fs::perms::owner_all);
  EXPECT_NE(said.find("Permission denied"), std::string::npos) << said;
}

TEST_F(Captures, PreloadedPacketsAreThoseOfInfiniteCaptures) {
  const std::string three = capture("three.pcap", DLT_EN10MB, 3), five = capture("five.pcap", DLT_EN10MB, 5);
  const std::string once = "rx_pcap=" + three, twice = once + ",rx_pcap=" + five + ",infinite_rx=1";
  EXPECT_EQ(glue::preloaded_packets(once), 0u);
  EXPECT_EQ(glue::preloaded_packets(once + ",infinite_rx=0"), 0u);
  EXPECT_EQ(glue::preloaded_packets(twice), 8u);
  EXPECT_EQ(glue::preloaded_packets({"--vdev=net_pcap0," + twice, "--vdev", "net_pcap1," + twice}), 16u);
}

TEST_F(Captures, WhatADeviceWrites) {
  EXPECT_FALSE(glue::writes_capture("rx_pcap=a.pcap"));
  EXPECT_TRUE(glue::writes_capture("rx_pcap=a.pcap,tx_pcap=b.pcap"));
  EXPECT_TRUE(glue::writes_capture("iface=veth0"));
  EXPECT_TRUE(glue::reads_capture("rx_pcap=a.pcap"));
  EXPECT_TRUE(glue::reads_capture("iface=veth0"));
  EXPECT_FALSE(glue::reads_capture("tx_pcap=b.pcap"));
  EXPECT_EQ(glue::capture_files(
                {"--vdev=net_pcap0,rx_pcap=a,tx_pcap=b", "-l", "0", "--vdev", "eth_pcap1,rx_pcap=c"}),
            (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
