/* Shards on the CPU (view: struct qn_shards), after Garaph, section 4: every vertex pulls from its
 * in-edges, page by page, in chunks of equal numbers of edges with replicas of the accumulators
 * of the rows that chunks cut (chunks.h). In frontier programs, while active vertices have
 * at most half of all out-edges, they notify their destinations, and only these pull
 * (notify.h). Programs that end at one result in any order may, in every iteration, let a batch of
 * pages see what the ones before it have applied (all.h). */
#pragma once

#include "kernels/cpu/shards/view.h"

#include "kernels/cpu/shards/walk.h"
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cpu/shards/all.h"
#else
#include "kernels/cpu/shards/notify.h"
#endif

#include "kernels/cpu/loop/run.h"

QN_DEFINE_KERNEL(QN_LAYOUT_SHARDS, QN_CPU,
                 PROGRAM_SCHEDULE == QN_ALL_ACTIVE ? "shards, pull" : "shards, notify-pull",
                 QN_KERNEL_DELTA | (PROGRAM_SCHEDULE == QN_ALL_ACTIVE ? 0 : QN_KERNEL_DIRECTION) |
                     (PROGRAM_CONTRACTS ? QN_KERNEL_SEES : 0));
