/* In-degree: how many edges, loops and parallel ones included, arrive at a vertex.
 * Counted by walking the edges, so it also measures an engine's bare traversal. */
#pragma once

#define PROGRAM_NAME "indegree"
#define PROGRAM_TITLE "number of edges that arrive"
#define PROGRAM_ITERATIONS 1

#include "kernels/programs/degree.h"
