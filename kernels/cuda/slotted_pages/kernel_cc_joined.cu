/* Weakly connected components on slotted pages: own/cc_joined.cuh. */
#include "kernels/cuda/own/cc_program.cuh"

#include "kernels/cuda/slotted_pages/engine.cuh"

#include "kernels/cuda/own/cc_joined.cuh"

QN_DEFINE_CC_JOINED(qn_kernel_cc_joined_slotted_pages_cuda, "slotted pages, union-find",
                    QN_LAYOUT_SLOTTED_PAGES, qn_slotted_pages);
