/* Weakly connected components of directed graphs on slotted pages (own/cc_directed.cuh): the
 * program `cc` is for undirected ones. */
#include "kernels/cuda/own/cc_program.cuh"

#include "kernels/cuda/slotted_pages/engine.cuh"

#include "kernels/cuda/own/cc_directed.cuh"

QN_DEFINE_CC_DIRECTED(qn_kernel_cc_directed_slotted_pages_cuda, "slotted pages, union-find",
                      QN_LAYOUT_SLOTTED_PAGES, qn_slotted_pages);
