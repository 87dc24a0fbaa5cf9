/* Packed rows on the CPU (view: struct qn_packed). A thread decodes a tile of 2048 edges into its
 * level-1 cache and consumes it there, so that memory moves what the container holds: a third of
 * plain CSR's bytes and less.
 *
 * All-active programs pull (all.h). Frontier programs push from the tiles that have active
 * vertices, or pull (senders.h). */
#pragma once

#include "kernels/cpu/packed/view.h"

#include "kernels/cpu/packed/walk.h"
#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE
#include "kernels/cpu/packed/all.h"
#else
#include "kernels/cpu/packed/senders.h"
#endif

#include "kernels/cpu/loop/run.h"

QN_DEFINE_KERNEL(QN_LAYOUT_PACKED, QN_CPU,
                 PROGRAM_SCHEDULE == QN_ALL_ACTIVE ? "packed pull" : "packed push",
                 QN_KERNEL_DELTA);
