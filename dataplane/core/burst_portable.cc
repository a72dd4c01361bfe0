// SPDX-License-Identifier: BSD-3-Clause
// The burst kernels for 4 packets at once; see burst_lanes.h.
#define ROCEWAY_LANES 4
#include "core/burst_lanes.h"

namespace core {

extern const BurstKernels kPortableKernels;
constexpr BurstKernels kPortableKernels = {Simd::portable, recognise, hash, spread};

}  // namespace core
