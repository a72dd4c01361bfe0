// SPDX-License-Identifier: BSD-3-Clause
// Plans handed over and reclaimed; see publication.h.
#include "path/publication.h"

#include <cstdlib>
#include <new>
#include <utility>

namespace path {
namespace {

rte_rcu_qsbr* make_qsbr(unsigned workers) {
  const size_t bytes = rte_rcu_qsbr_get_memsize(workers);
  void* memory = std::aligned_alloc(RTE_CACHE_LINE_SIZE, RTE_ALIGN_CEIL(bytes, size_t{RTE_CACHE_LINE_SIZE}));
  if (memory == nullptr) throw std::bad_alloc();
  auto* qsbr = static_cast<rte_rcu_qsbr*>(memory);
  rte_rcu_qsbr_init(qsbr, workers);
  for (unsigned worker = 0; worker < workers; ++worker) rte_rcu_qsbr_thread_register(qsbr, worker);
  return qsbr;
}

}  // namespace

Publication::Publication(std::unique_ptr<core::Plan> first) : qsbr_(make_qsbr(first->workers), &std::free) {
  first->generation = 1;
  owned_ = std::move(first);
  current_.store(owned_.get(), std::memory_order_release);
}

Publication::~Publication() = default;

void Publication::publish(std::unique_ptr<core::Plan> next) {
  next->generation = owned_->generation + 1;
  std::unique_ptr<const core::Plan> before = std::exchange(owned_, std::move(next));
  current_.store(owned_.get(), std::memory_order_release);
  retired_.push_back({rte_rcu_qsbr_start(qsbr_.get()), std::move(before)});
}

size_t Publication::reclaim() {
  while (!retired_.empty() && rte_rcu_qsbr_check(qsbr_.get(), retired_.front().token, false) == 1) {
    retired_.pop_front();
  }
  return retired_.size();
}

bool Publication::taken_up_by_all() const {
  return retired_.empty() || rte_rcu_qsbr_check(qsbr_.get(), retired_.back().token, false) == 1;
}

void Publication::online(unsigned worker) {
  rte_rcu_qsbr_thread_online(qsbr_.get(), worker);
}

void Publication::offline(unsigned worker) {
  rte_rcu_qsbr_thread_offline(qsbr_.get(), worker);
}

}  // namespace path
