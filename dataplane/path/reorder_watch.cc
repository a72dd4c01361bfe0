// SPDX-License-Identifier: BSD-3-Clause
// Numbers of packets that leave; see reorder_watch.h. Worker lcores.
#include "path/reorder_watch.h"

#include "path/frame_bytes.h"

namespace path {

ReorderWatch::ReorderWatch(const core::Plan& plan)
    : below_(plan.reorder_sample == 0 ? 0 : (uint64_t{1} << 32) / plan.reorder_sample),
      vlan_tag_(plan.vlan_tag),
      meters_(below_ == 0 ? 0 : plan.groups.size()) {
  if (meters_.empty()) below_ = 0;
  seen_.reserve(core::kMaxBurst);
}

void ReorderWatch::look_at(std::span<rte_mbuf* const> mbufs) {
  ParseScratch scratch;
  seen_.clear();
  for (uint16_t place = 0; place < mbufs.size(); ++place) {
    const FlowNote note = read_note(mbufs[place]);
    if (note.mark.group() >= meters_.size() || note.mark.metered() || !watches(note.hash)) continue;
    const core::PacketView view = view_of(mbufs[place], scratch);
    Seen seen{place, note.mark.group(), {}};
    if (!core::read_sequence(view, core::parse(view, vlan_tag_), seen.sample)) continue;
    seen_.push_back(seen);
    meters_[seen.group].prefetch(seen.sample);  // while the driver takes the packets
  }
}

void ReorderWatch::left(uint16_t taken) {
  for (const Seen& seen : seen_) {
    if (seen.place < taken) meters_[seen.group].see(seen.sample);
  }
  seen_.clear();
}

}  // namespace path
