// SPDX-License-Identifier: BSD-3-Clause
// Which hash over which fields, as an option names it, and the hashes of many flows at once on all CPUs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/flow_hash.h"
#include "hashlab/traffic.h"

namespace hashlab {

// The name is the algorithm's, for Toeplitz with its key behind: "jenkins", "toeplitz-mlx5".
struct HashChoice {
  core::HashAlgorithm algorithm = core::HashAlgorithm::jenkins;
  core::ToeplitzKey key = core::ToeplitzKey::microsoft;
  uint32_t seed = 0;
  core::FlowHash hash() const { return core::FlowHash(algorithm, seed, key); }
};
std::string name_of(const HashChoice& choice);
// One hash: a name as above; "toeplitz" alone has Microsoft's key. Throws BadInput, which lists what there
// is.
HashChoice hash_choice_of(std::string_view name);
// All nine, jenkins first.
std::vector<HashChoice> all_hashes();

inline core::FlowKey key_of(const core::KeyMaterial& material, const core::KeyFields& fields) {
  core::FlowKey key;
  core::make_flow_key(material, fields, key);
  return key;
}
// 64 bits that stand for a key, to tell keys apart: two of ten million share them once in 300,000 inputs.
uint64_t wide_hash(const core::FlowKey& key);

// "src_ip,dst_ip": words of core::kKeyFieldNames, and "symmetric" beside at least one of them, with commas.
// The ranges of port_range are left to the caller. Throws BadInput.
core::KeyFields key_fields_of(std::string_view names);
// "src_ip,dst_ip", the order of the key.
std::string name_of(const core::KeyFields& fields);
// Those worth comparing: addresses; ports; both (the default); with proto; with dest_qp; symmetric.
std::vector<core::KeyFields> usual_fields();

}  // namespace hashlab
