// SPDX-License-Identifier: BSD-3-Clause
// Which kernels; see burst.h.
#include "core/burst.h"

namespace core {

extern const BurstKernels kPortableKernels;
#if defined(__x86_64__)
extern const BurstKernels kAvx2Kernels, kAvx512Kernels;
#endif

KeyMask::KeyMask(const KeyFields& fields) {
  // Ports as they are loaded: the source's in the low half.
  src_ip = fields.src_ip ? ~0u : 0;
  dst_ip = fields.dst_ip ? ~0u : 0;
  ports = (fields.src_port ? 0xffffu : 0) | (fields.dst_port ? 0xffff0000u : 0);
}

bool KeyMask::covers(const KeyFields& fields) {
  return !(fields.proto | fields.vlan | fields.dest_qp | fields.packet_length | fields.port_range |
           fields.symmetric);
}

const BurstKernels& burst_kernels([[maybe_unused]] Simd simd) {
#if defined(__x86_64__)
  if (simd == Simd::avx512) return kAvx512Kernels;
  if (simd == Simd::avx2) return kAvx2Kernels;
#endif
  return kPortableKernels;
}

}  // namespace core
