/* Synthetic graphs: every edge is a function of the seed and its own number, so any
 * thread can make any range of them, in any order, with the same result. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "converters/graph/random_weights.h"
#include <quern/error.h>

enum qn_model {
  /* Recursive matrix: each bit of (source, destination) falls into one of four quadrants with
   * probabilities a, b, c, 1-a-b-c (Chakrabarti, Zhan, Faloutsos: R-MAT, SDM 2004; parameters of
   * the Graph500 benchmark: .57, .19, .19). Skewed degrees. */
  QN_MODEL_RMAT,
  /* Both ends uniformly random (Erdős and Rényi, with repetition). */
  QN_MODEL_UNIFORM,
  /* 2^ceil(scale/2) x 2^floor(scale/2) points, an edge to each of the 4 or 8 neighbours. Large
   * diameter, like roads. */
  QN_MODEL_GRID,
  /* Both ends drawn by one power law of degrees (converters/graph/power_law.h). */
  QN_MODEL_POWER_LAW,
};

/* The most with which vertices have 32 bits, and the most of all, for sets of blocks. */
#define QN_MAX_SCALE 31
#define QN_MAX_WIDE_SCALE 40

struct qn_generator {
  enum qn_model model;
  unsigned scale;        /* V = 2^scale; at most QN_MAX_WIDE_SCALE */
  uint64_t num_vertices; /* in its place, of a power law; 0: not */
  uint64_t degree;       /* V x degree edges; grid: 4 or 8, fewer at the border */
  uint64_t num_edges;    /* in its place, but for grids; 0: not */
  uint64_t seed;
  double a, b, c;                   /* of R-MAT */
  double exponent;                  /* of a power law */
  uint64_t max_degree;              /* of it: edges from, and to, its first vertex; 0: as Zipf */
  bool permute;                     /* number the vertices randomly, so that ids tell nothing */
  struct qn_random_weights weights; /* its seed is not used */
};

/* Generated edge: `weight` is bits of weights.type. */
struct qn_generated {
  uint64_t source;
  uint64_t destination;
  uint32_t weight;
};

/* QN_USAGE if the generator's fields make no sense, e.g. more than 2^40 edges. */
enum qn_status qn_generator_check(const struct qn_generator *generator, struct qn_error *error);

uint64_t qn_generator_vertices(const struct qn_generator *generator);

/* Edge numbers are [0, this). */
uint64_t qn_generator_slots(const struct qn_generator *generator);

/* What is computed once for all edges of a generator that was checked; many threads may share it.
 */
struct qn_generation;
enum qn_status qn_generation_create(const struct qn_generator *generator,
                                    struct qn_generation **out, struct qn_error *error);
void qn_generation_destroy(struct qn_generation *generation);

/* Make the edges with numbers [begin, end); returns how many there are: for grids some
 * numbers have no edge. `edges` has room for end - begin. */
uint64_t qn_generate(const struct qn_generation *generation, uint64_t begin, uint64_t end,
                     struct qn_generated *edges);
