// SPDX-License-Identifier: BSD-3-Clause
// The burst kernels for 16 packets at once; see burst_wide.h.
#define ROCEWAY_BURST_WIDTH 16
#include "core/burst_wide.h"

namespace core {

extern const BurstKernels kAvx512Kernels;
constexpr BurstKernels kAvx512Kernels = {Simd::avx512, recognise, hash, spread};

}  // namespace core
