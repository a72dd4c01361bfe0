// SPDX-License-Identifier: BSD-3-Clause
// The burst kernels for 8 packets at once; see burst_wide.h.
#define ROCEWAY_BURST_WIDTH 8
#include "core/burst_wide.h"

namespace core {

extern const BurstKernels kAvx2Kernels;
constexpr BurstKernels kAvx2Kernels = {Simd::avx2, recognise, hash, spread};

}  // namespace core
