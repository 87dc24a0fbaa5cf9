/* Weakly connected components of directed graphs on edge partitions (own/cc_directed.cuh): the
 * program `cc` is for undirected ones. */
#include "kernels/cuda/own/cc_program.cuh"

#include "kernels/cuda/edge_partitions/engine.cuh"

#include "kernels/cuda/own/cc_directed.cuh"

QN_DEFINE_CC_DIRECTED(qn_kernel_cc_directed_edge_partitions_cuda, "edge partitions, union-find",
                      QN_LAYOUT_EDGE_PARTITIONS, qn_edge_partitions);
