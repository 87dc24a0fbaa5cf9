/* Weakly connected components on blocked CSR: own/cc_joined.cuh. */
#include "kernels/cuda/own/cc_program.cuh"

#include "kernels/cuda/blocked_csr/engine.cuh"

#include "kernels/cuda/own/cc_joined.cuh"

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_blocked_csr_cuda, "blocked CSR, union-find",
                    QN_LAYOUT_BLOCKED_CSR, qn_blocked_csr);
