/* Edge partitions on the CPU (view: struct qn_edge_partitions), after Graphie: partition by
 * partition, only those with an active source, each edge's contribution going from its source to
 * its destination.
 *
 * Programs that combine into the value itself do so as they go (in_place.h). The
 * others collect contributions in bins by destination first, so that they are added up in the cache
 * and always in the order of the edges (collect.h).
 *
 * Inside the engine a vertex is its dense number. */
#pragma once

#include "kernels/cpu/edge_partitions/view.h"

#include "kernels/cpu/edge_partitions/walk.h"
#if PROGRAM_IN_PLACE
#include "kernels/cpu/edge_partitions/in_place.h"
#endif

#include "kernels/cpu/loop/run.h"

QN_DEFINE_KERNEL(QN_LAYOUT_EDGE_PARTITIONS, QN_CPU,
                 PROGRAM_IN_PLACE ? "edge partitions, sweeps" : "edge partitions, binned",
                 QN_KERNEL_DELTA);
