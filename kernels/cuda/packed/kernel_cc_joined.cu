/* Weakly connected components on packed rows: own/cc_joined.cuh. */
#include "kernels/cuda/own/cc_program.cuh"

#define PACKED_SAMPLED
#include "kernels/cuda/packed/engine.cuh"

#include "kernels/cuda/own/cc_joined.cuh"

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_packed_cuda, "packed, union-find", QN_LAYOUT_PACKED,
                    qn_packed);
