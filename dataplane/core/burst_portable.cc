// SPDX-License-Identifier: BSD-3-Clause
// The burst kernels for 4 packets at once; see burst_wide.h.
#define ROCEWAY_BURST_WIDTH 4
#include "core/burst_wide.h"

namespace core {

extern const BurstKernels kPortableKernels;
constexpr BurstKernels kPortableKernels = {Simd::portable, recognise, hash, spread};

}  // namespace core
