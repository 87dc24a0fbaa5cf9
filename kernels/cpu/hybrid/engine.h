/* Hybrid ELL and COO on the CPU (view: struct qn_hybrid). From Yang et al., HPGraph (2018).
 *
 * An iteration is a generalised product of the matrix of in-edges with the vector of messages
 * (section 3.1, Algorithm 1): a kernel for the ELL part, one for the COO part, and an apply
 * step, with bitmaps of active vertices; a search goes bottom-up and stops at the first active
 * neighbour (section 3.2). Where the container has rows of out-edges too, small frontiers push
 * along them: the paper reads every row in every iteration, and so loses most on graphs of large
 * diameter. They are put together as plain CSR when the run begins, unless each vertex pushes once
 * at most (search.h). */
#pragma once

#include "kernels/cpu/hybrid/view.h"

#include "kernels/cpu/hybrid/walk.h"
#include "kernels/cpu/loop/run.h"

QN_DEFINE_KERNEL(QN_LAYOUT_HYBRID, QN_CPU,
                 PROGRAM_SCHEDULE == QN_ALL_ACTIVE ? "ELL + COO product"
                                                   : "ELL + COO product, bottom-up",
                 QN_KERNEL_DELTA);
