/* Blocked CSR on the CPU (view: struct qn_blocked_csr). From Chen, GraphCage (2019).
 *
 * All-active programs walk the blocks (section 3.1, TOCAB), pulling where there are
 * pull blocks, else pushing (walk.h). Frontier programs push along the plain out-edges
 * while the frontier is small and pull by blocks while it is large (section 3.3), as
 * rows/frontier.h says; the out-edges are derived when the run begins where the container has none,
 * unless each vertex of an undirected graph pushes once at most (search.h).
 *
 * What differs from the paper is where a CPU is not a GPU: pushing needs no atomics since the
 * destinations of a block belong to one thread, which also keeps sums in one order. */
#pragma once

#include "kernels/cpu/blocked_csr/view.h"

#include "kernels/cpu/blocked_csr/walk.h"
#include "kernels/cpu/loop/run.h"

QN_DEFINE_KERNEL(QN_LAYOUT_BLOCKED_CSR, QN_CPU,
                 PROGRAM_SCHEDULE == QN_ALL_ACTIVE ? "TOCAB pull or push" : "push/TOCAB pull",
                 QN_KERNEL_DELTA | QN_KERNEL_DIRECTION);
