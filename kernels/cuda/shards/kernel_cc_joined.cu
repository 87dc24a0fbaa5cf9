/* Weakly connected components on shards: own/cc_joined.cuh. */
#include "kernels/cuda/own/cc_program.cuh"

#include "kernels/cuda/shards/engine.cuh"

#include "kernels/cuda/own/cc_joined.cuh"

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_shards_cuda, "shards, union-find", QN_LAYOUT_SHARDS,
                    qn_shards);
