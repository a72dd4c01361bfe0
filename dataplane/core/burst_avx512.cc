// SPDX-License-Identifier: BSD-3-Clause
// The burst kernels for 16 packets at once; see burst_lanes.h.
#define ROCEWAY_LANES 16
#include "core/burst_lanes.h"

namespace core {

extern const BurstKernels kAvx512Kernels;
constexpr BurstKernels kAvx512Kernels = {Simd::avx512, recognise, hash, spread};

}  // namespace core
