/* Weakly connected components of directed graphs on blocked CSR (own/cc_directed.cuh): the program
 * `cc` is for undirected ones. */
#include "kernels/cuda/own/cc_program.cuh"

#include "kernels/cuda/blocked_csr/engine.cuh"

#include "kernels/cuda/own/cc_directed.cuh"

QN_DEFINE_CC_DIRECTED(qn_kernel_cc_directed_blocked_csr_cuda, "blocked CSR, union-find",
                      QN_LAYOUT_BLOCKED_CSR, qn_blocked_csr);
