/* When engines with sweeps (sweeps.cuh) walk all rows, rather than push along those of active
 * vertices. */
#pragma once

#include "kernels/engine.h"

/* Walk all rows when more than one edge in so many begins at an active vertex: a pushed edge takes
 * two to three times what a pulled one takes (docs/papers.md), and a pull that leaves most rows
 * early looks at few. */
#define SWEEP_PULL_EDGES (PROGRAM_FIRST_SUFFICES ? 8 : 4)
/* Where a pull leaves most rows early, it is cheap when more than one vertex in so many is active;
 * their edges need not be counted. */
#define SWEEP_PULL_SHARE 20
/* So few active vertices (one in so many) are not worth waiting for the count of their edges. */
#define SWEEP_COUNT_SHARE 1024
