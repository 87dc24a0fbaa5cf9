/* Weakly connected components on the hybrid layout: own/cc_joined.cuh. */
#include "kernels/cuda/own/cc_program.cuh"

#include "kernels/cuda/hybrid/engine.cuh"

#include "kernels/cuda/own/cc_joined.cuh"

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_hybrid_cuda, "hybrid, union-find", QN_LAYOUT_HYBRID,
                    qn_hybrid);
