/* Weakly connected components on edge partitions: own/cc_joined.cuh. */
#include "kernels/cuda/own/cc_program.cuh"

#include "kernels/cuda/edge_partitions/engine.cuh"

#include "kernels/cuda/own/cc_joined.cuh"

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_edge_partitions_cuda, "edge partitions, union-find",
                    QN_LAYOUT_EDGE_PARTITIONS, qn_edge_partitions);
