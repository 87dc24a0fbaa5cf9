/* Weakly connected components of directed graphs on shards (own/cc_directed.cuh): the program `cc`
 * is for undirected ones. */
#include "kernels/cuda/own/cc_program.cuh"

#include "kernels/cuda/shards/engine.cuh"

#include "kernels/cuda/own/cc_directed.cuh"

QN_DEFINE_CC_DIRECTED(qn_kernel_cc_directed_shards_cuda, "shards, union-find", QN_LAYOUT_SHARDS,
                      qn_shards);
