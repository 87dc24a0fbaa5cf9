/* Weakly connected components of directed graphs on the hybrid layout (own/cc_directed.cuh): the
 * program `cc` is for undirected ones. */
#include "kernels/cuda/own/cc_program.cuh"

#include "kernels/cuda/hybrid/engine.cuh"

#include "kernels/cuda/own/cc_directed.cuh"

QN_DEFINE_CC_DIRECTED(qn_kernel_cc_directed_hybrid_cuda, "hybrid, union-find", QN_LAYOUT_HYBRID,
                      qn_hybrid);
