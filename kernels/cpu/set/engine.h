/* Parts of a set on the CPU (view: struct qn_set_view), by one process or by several ranks.
 *
 * Values of all vertices are at hand; the edges are walked part by part, in the order of their
 * rows, so that a graph larger than memory is read from its files from front to end. Each vertex
 * pulls, so nothing is written twice and sums have one order. */
#ifndef QN_KERNELS_CPU_SET_ENGINE_H
#define QN_KERNELS_CPU_SET_ENGINE_H

#include "kernels/cpu/set/view.h"

#include "kernels/cpu/set/walk.h"
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cpu/set/all.h"
#else
#include "kernels/cpu/set/frontier.h"
#endif

#include "kernels/cpu/loop/run.h"

QN_DEFINE_KERNEL(QN_LAYOUT_SET, QN_CPU, "rows of parts", 0);

#endif
