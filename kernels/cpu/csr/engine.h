/* Plain CSR on the CPU, the baseline of all engines (view: struct qn_graph).
 *
 * All-active programs pull: each vertex sums up its in-edges' contributions, so
 * nothing is written twice and sums have one order (pull.h). Frontier programs push
 * from a queue or pull by a bitmap, whichever touches fewer edges (frontier.h); those
 * with a priority do it bucket by bucket (priority.h). */
#pragma once

#include "kernels/cpu/csr/view.h"

#include "kernels/cpu/csr/walk.h"
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cpu/csr/pull.h"
#elif PROGRAM_PRIORITY
#include "kernels/cpu/csr/priority.h"
#elif PROGRAM_IN_PLACE
#include "kernels/cpu/csr/pull_in_place.h"
#else
#include "kernels/cpu/csr/pull_collected.h"
#endif

#include "kernels/cpu/loop/run.h"

QN_DEFINE_KERNEL(QN_LAYOUT_GRAPH, QN_CPU,
                 PROGRAM_SCHEDULE == QN_ALL_ACTIVE ? "csr pull"
                 : PROGRAM_PRIORITY                ? "csr delta-stepping"
                                                   : "csr push/pull",
                 QN_KERNEL_DELTA);
