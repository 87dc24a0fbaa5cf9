/* Slotted pages on the CPU (view: struct qn_slotted_pages): the engine of GTS.
 *
 * After GTS, section 3: the topology is swept page by page, vertices' values (WA) stay, and what a
 * page's vertices send (RA) is read along with it. A page is either small, with many vertices, or
 * large, with edges of one (K_SP and K_LP of appendix B): a task walks slots of the one, edges of
 * the other.
 *
 * Programs that combine into the value itself do so as they go, and only on pages that nextPIDSet
 * names (in_place.h). The others collect contributions in bins of WA that fit in the
 * cache, so that sums have one order (collect.h). */
#pragma once

#include "kernels/cpu/slotted_pages/view.h"

#include "kernels/cpu/slotted_pages/walk.h"
#if PROGRAM_IN_PLACE
#include "kernels/cpu/slotted_pages/in_place.h"
#else
#include "kernels/cpu/slotted_pages/collect.h"
#endif

#include "kernels/cpu/loop/run.h"

QN_DEFINE_KERNEL(QN_LAYOUT_SLOTTED_PAGES, QN_CPU,
                 PROGRAM_IN_PLACE ? "slotted-pages nextPIDSet" : "slotted-pages sweep",
                 QN_KERNEL_DELTA);
