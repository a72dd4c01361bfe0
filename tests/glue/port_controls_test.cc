// SPDX-License-Identifier: BSD-3-Clause
// Requests to devices in software, and what is told of them.
#include "pmd_glue/port_controls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "core/plan.h"
#include "pmd_glue/pools.h"
#include "pmd_glue/port_info.h"
#include "pmd_glue/port_rss.h"
#include "pmd_glue/ports.h"

namespace {

constexpr uint16_t kNoPort = 31;

// net_null with two queues each way, configured as the engine does it; attached and detached by what is under
// test.
class Controls : public testing::Test {
 protected:
  void SetUp() override {
    const auto attached = glue::attach("net_null7,size=128");
    ASSERT_TRUE(attached) << *attached.problem;
    ASSERT_EQ(attached.value.size(), 1u);
    port_ = attached.value.front();
    const core::PortFacts facts = glue::port_facts("net_null7", "");
    pools_ = std::make_unique<glue::Pools>(std::vector<core::PoolNeed>{{.numa_node = 0, .reserve = 4096}},
                                           uint16_t{2048});
    device_ = std::make_unique<glue::Port>(facts);
    device_->set_up({.rx_queues = 2,
                     .tx_queues = 2,
                     .rx_descriptors = 1024,
                     .tx_descriptors = 1024,
                     .mtu = 1500,
                     .pool = pools_->on_node(0)});
  }
  void TearDown() override {
    device_.reset();
    EXPECT_EQ(glue::detach("net_null7"), std::nullopt);
    EXPECT_EQ(glue::detach("net_null7"), "net_null7: EAL has no such device");
  }

  glue::PortInfo info() const {
    const auto told = glue::port_info(port_);
    EXPECT_TRUE(told);
    return told.value;
  }

  uint16_t port_ = 0;
  std::unique_ptr<glue::Pools> pools_;
  std::unique_ptr<glue::Port> device_;
};

TEST_F(Controls, TheDeviceIsDescribed) {
  const glue::PortInfo told = info();
  EXPECT_EQ(told.port, port_);
  EXPECT_EQ(told.device, "net_null7");
  EXPECT_EQ(told.driver, "net_null");
  EXPECT_EQ(told.bus, "vdev");
  EXPECT_EQ(told.devargs, "size=128");
  EXPECT_EQ(told.firmware, "");
  EXPECT_EQ(told.link_speed, "10 Gbps");
  EXPECT_EQ(told.rx_queues, 2);
  EXPECT_EQ(told.tx_queues, 2);
  EXPECT_EQ(told.mtu, 1500);
  EXPECT_EQ(told.reta_size, 128);
  EXPECT_EQ(told.error_handling, "none");
  EXPECT_NE(std::find(told.rss_types.begin(), told.rss_types.end(), "ipv4-udp"), told.rss_types.end());

  const std::vector<glue::DeviceInfo> devices = glue::devices("net_null7");
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].bus, "vdev");
  EXPECT_EQ(devices[0].driver, "net_null");
  ASSERT_EQ(devices[0].ports.size(), 1u);
  EXPECT_EQ(devices[0].ports[0].port, port_);
  EXPECT_TRUE(glue::devices("net_null99").empty());
}

TEST_F(Controls, ALinkIsUpOnceItsDeviceIsStarted) {
  EXPECT_FALSE(info().link_up);
  device_->start();
  EXPECT_TRUE(info().link_up);
}

// net_ring has the switches that net_null lacks.
TEST(ControlsOfARing, SwitchesAreSeen) {
  const auto attached = glue::attach("net_ring7");
  ASSERT_TRUE(attached) << *attached.problem;
  const uint16_t port = attached.value.front();
  const auto told = [port] { return glue::port_info(port).value; };
  for (const bool on : {true, false, true}) {
    EXPECT_EQ(glue::set_promiscuous(port, on), std::nullopt);
    EXPECT_EQ(told().promiscuous, on);
    EXPECT_EQ(glue::set_allmulticast(port, on), std::nullopt);
    EXPECT_EQ(told().allmulticast, on);
    EXPECT_EQ(glue::set_link(port, on), std::nullopt);
    EXPECT_EQ(told().link_up, on);
  }
  EXPECT_EQ(told().rx_offloads.port, std::vector<std::string>{"SCATTER"});
  EXPECT_EQ(told().tx_offloads.port, std::vector<std::string>{"MULTI_SEGS"});
  EXPECT_EQ(glue::reta(port).problem, "net_ring7: redirection table: Operation not supported");
  EXPECT_EQ(glue::reset(port), "net_ring7: reset: Operation not supported");
  EXPECT_EQ(glue::detach("net_ring7"), std::nullopt);
}

TEST_F(Controls, RefusalsNameTheDeviceTheStepAndTheReason) {
  device_->start();
  EXPECT_EQ(glue::set_link(port_, false), "net_null7: link down: Operation not supported");
  EXPECT_EQ(glue::set_available_threshold(port_, 0, 10),
            "net_null7: available threshold of RX queue 0: Operation not supported");
  EXPECT_EQ(glue::set_available_threshold(port_, 0, 100), "available threshold: found 100; allowed: 0 to 99");
  EXPECT_EQ(glue::set_promiscuous(kNoPort, true), "port 31: promiscuous mode on: EAL has no such port");
  EXPECT_EQ(glue::port_info(kNoPort).problem,
            "port 31: the driver does not describe it: EAL has no such port");
  EXPECT_EQ(glue::attach("net_null7").problem, "net_null7: is there already");
  const auto attached = glue::attach("net_nonesuch0");
  ASSERT_FALSE(attached);
  EXPECT_NE(attached.problem->find("net_nonesuch0: cannot be attached: "), std::string::npos)
      << *attached.problem;
}

TEST_F(Controls, QueuesThatAreNotThereAreRefused) {
  device_->start();
  EXPECT_EQ(glue::rx_descriptor_status(port_, 2, 0).problem, "RX queue: found 2; allowed: 0 to 1");
  EXPECT_EQ(glue::tx_descriptor_status(port_, 65535, 0).problem, "TX queue: found 65535; allowed: 0 to 1");
  EXPECT_EQ(glue::rx_descriptors_used(port_, 2).problem, "RX queue: found 2; allowed: 0 to 1");
  // What net_null does not have.
  EXPECT_EQ(glue::rx_descriptor_status(port_, 0, 0).problem,
            "net_null7: RX descriptor 0: Operation not supported");
  EXPECT_EQ(glue::rx_queue_info(port_, 0).problem, "net_null7: RX queue 0: Operation not supported");
  EXPECT_EQ(glue::rx_descriptor_status(kNoPort, 0, 0).problem, "port 31: queues: EAL has no such port");
}

TEST_F(Controls, StatisticsAreRead) {
  device_->start();
  ASSERT_TRUE(glue::port_statistics(port_));
  EXPECT_EQ(glue::port_statistics(port_).value.packets.rx_packets, 0u);
  const auto extended = glue::extended_statistics(port_);
  ASSERT_TRUE(extended);
  ASSERT_FALSE(extended.value.empty());
  EXPECT_EQ(extended.value.front().first, "rx_good_packets");
  EXPECT_EQ(extended.value.back().first, "tx_q1_bytes");
  EXPECT_FALSE(glue::extended_statistics(kNoPort));
}

TEST_F(Controls, Rss) {
  device_->start();
  EXPECT_EQ(glue::set_rss_types(port_, {"ip", "ipv4-udp"}), std::nullopt);
  const auto hash = glue::rss_hash(port_);
  ASSERT_TRUE(hash) << *hash.problem;
  ASSERT_FALSE(hash.value.types.empty());
  EXPECT_EQ(hash.value.types.front(), "ip");  // a whole group first
  EXPECT_NE(std::find(hash.value.types.begin(), hash.value.types.end(), "ipv4-udp"), hash.value.types.end());
  EXPECT_EQ(std::find(hash.value.types.begin(), hash.value.types.end(), "ipv4-tcp"), hash.value.types.end());
  const auto unknown = glue::set_rss_types(port_, {"ipv5"});
  ASSERT_TRUE(unknown);
  EXPECT_NE(unknown->find("RSS type: found \"ipv5\"; allowed: all, ip, udp"), std::string::npos) << *unknown;
  const auto unable = glue::set_rss_types(port_, {"esp"});
  ASSERT_TRUE(unable);
  EXPECT_NE(unable->find("RSS type: found \"esp\"; this device has: ipv4, "), std::string::npos) << *unable;
}

TEST_F(Controls, RedirectionTable) {
  device_->start();
  EXPECT_EQ(glue::set_reta(port_, {{0, 1}, {127, 1}, {64, 0}}), std::nullopt);
  const auto queues = glue::reta(port_);
  ASSERT_TRUE(queues) << *queues.problem;
  ASSERT_EQ(queues.value.size(), 128u);
  EXPECT_EQ(queues.value[0], 1);
  EXPECT_EQ(queues.value[127], 1);
  EXPECT_EQ(queues.value[64], 0);
  EXPECT_EQ(glue::set_reta(port_, {{1, 1}}), std::nullopt);
  EXPECT_EQ(glue::reta(port_).value[0], 1);  // the others stay
  EXPECT_EQ(glue::set_reta(port_, {{128, 0}}), "redirection table, hash index: found 128; allowed: 0 to 127");
  EXPECT_EQ(glue::set_reta(port_, {{0, 2}}), "redirection table, queue: found 2; allowed: 0 to 1");
}

}  // namespace
