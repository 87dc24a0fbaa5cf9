/* Harmonic centrality (Marchiori, Latora 2000; Boldi, Vigna: Axioms for Centrality, 2014): the sum
 * of 1 / distance over the vertices that reach a vertex. From k samples other than v it is the sum
 * over these, times (V - 1) / k: closeness.h, with another sum. */
#pragma once

#define PROGRAM_NAME "harmonic"
#define PROGRAM_TITLE "sum of 1 / distance to it"
#define CLOSENESS_OF_LEVEL(level) (1 / (double)(level))
#define CLOSENESS_OF(sum, reached, others, vertices) ((sum) * (((vertices)-1) / (others)))

#include "kernels/programs/closeness.h"
