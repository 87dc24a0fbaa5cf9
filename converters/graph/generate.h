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
};

/* The most with which vertices have 32 bits, and the most of all, for sets of blocks. */
#define QN_MAX_SCALE 31
#define QN_MAX_WIDE_SCALE 40

struct qn_generator {
  enum qn_model model;
  unsigned scale;     /* V = 2^scale; at most QN_MAX_WIDE_SCALE */
  uint64_t degree;    /* 2^scale x degree edges; grid: 4 or 8, fewer at the border */
  uint64_t num_edges; /* in its place, but for grids; 0: not */
  uint64_t seed;
  double a, b, c;                   /* of R-MAT */
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

/* Edge numbers are [0, this). */
uint64_t qn_generator_slots(const struct qn_generator *generator);

/* Make the edges with numbers [begin, end); returns how many there are: for grids some
 * numbers have no edge. `edges` has room for end - begin. */
uint64_t qn_generate(const struct qn_generator *generator, uint64_t begin, uint64_t end,
                     struct qn_generated *edges);
