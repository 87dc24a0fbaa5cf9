/* The neighbourhood of k hops: how many hops away from the source a vertex is, if it is at most k.
 *
 * One of the traversals of GTS (Kim et al., SIGMOD 2016), section 3.3, after GBASE (Kang et al.,
 * KDD 2011): a breadth-first search that ends after k levels. */
#pragma once

#define PROGRAM_NAME "neighborhood"
#define PROGRAM_TITLE "vertices within --hops of a source"
#define PROGRAM_HOPS 1
#define PROGRAM_ITERATIONS 1

#include "kernels/programs/bfs.h"
