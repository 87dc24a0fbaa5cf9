#include "converters/graph/generate.h"

#include <inttypes.h>
#include <stdlib.h>

#include "converters/graph/permutation.h"
#include "converters/graph/power_law.h"
#include "support/memory.h"
#include "support/random.h"

/* Purposes of random numbers under one seed. */
enum { STREAM_EDGES = 1, STREAM_VERTICES, STREAM_WEIGHTS };

#define MAX_SLOTS ((uint64_t)1 << 40)

uint64_t qn_generator_vertices(const struct qn_generator *generator) {
  return generator->num_vertices ? generator->num_vertices : (uint64_t)1 << generator->scale;
}

/* Of the edges, of the first vertex of a power law. */
static double first_share(const struct qn_generator *generator) {
  return (double)generator->max_degree / (double)qn_generator_slots(generator);
}

static enum qn_status check_power_law(const struct qn_generator *generator,
                                      struct qn_error *error) {
  const uint64_t num_vertices = qn_generator_vertices(generator);
  if (num_vertices > (uint64_t)1 << QN_MAX_SCALE)
    return qn_fail(error, QN_USAGE, "a power law has at most 2^%d vertices", QN_MAX_SCALE);
  if (generator->max_degree && !qn_generator_slots(generator))
    return qn_fail(error, QN_USAGE, "a graph without edges has no largest degree");
  return qn_power_law_check(num_vertices, generator->exponent,
                            generator->max_degree ? first_share(generator) : 0, error);
}

enum qn_status qn_generator_check(const struct qn_generator *generator, struct qn_error *error) {
  double a = generator->a, b = generator->b, c = generator->c;
  if (generator->scale > QN_MAX_WIDE_SCALE)
    return qn_fail(error, QN_USAGE, "scale %u is more than %d", generator->scale,
                   QN_MAX_WIDE_SCALE);
  if (generator->scale > QN_MAX_SCALE && generator->weights.type != QN_WEIGHT_NONE)
    return qn_fail(error, QN_USAGE, "graphs of a scale beyond %d have no weights", QN_MAX_SCALE);
  if (generator->num_edges && generator->model == QN_MODEL_GRID)
    return qn_fail(error, QN_USAGE, "the edges of a grid follow from --scale and --degree");
  if (generator->num_vertices && generator->model != QN_MODEL_POWER_LAW)
    return qn_fail(error, QN_USAGE, "only a power law takes --vertices: give --scale");
  if (!generator->num_edges && generator->degree > MAX_SLOTS / qn_generator_vertices(generator))
    return generator->num_vertices
               ? qn_fail(error, QN_USAGE,
                         "%" PRIu64 " vertices with degree %" PRIu64 " are more than 2^40 edges",
                         generator->num_vertices, generator->degree)
               : qn_fail(error, QN_USAGE,
                         "scale %u with degree %" PRIu64 " is more than 2^40 edges",
                         generator->scale, generator->degree);
  if (generator->model == QN_MODEL_GRID && generator->degree != 4 && generator->degree != 8)
    return qn_fail(error, QN_USAGE, "the degree of a grid is 4 or 8, not %" PRIu64,
                   generator->degree);
  if (generator->model == QN_MODEL_RMAT && !(a >= 0 && b >= 0 && c >= 0 && a + b + c <= 1 + 1e-9))
    return qn_fail(error, QN_USAGE,
                   "the probabilities of R-MAT must not be negative nor exceed 1 together");
  return generator->model == QN_MODEL_POWER_LAW ? check_power_law(generator, error) : QN_OK;
}

uint64_t qn_generator_slots(const struct qn_generator *generator) {
  return generator->num_edges ? generator->num_edges
                              : generator->degree * qn_generator_vertices(generator);
}

/* ---- Models --------------------------------------------------------------- */

/* R-MAT takes LEVELS levels at a time: their 4^LEVELS outcomes are drawn from one table by the
 * alias method (Walker 1977; Vose 1991). A slot stands for one outcome up to its threshold, and for
 * its alias beyond. An outcome is the source's bits and, LEVELS further up, the destination's. */
enum { LEVELS = 4, OUTCOMES = 1 << (2 * LEVELS) };

struct outcome_table {
  unsigned levels;
  uint32_t threshold[OUTCOMES]; /* of the 32 - 2 levels random bits beside the slot's number */
  uint8_t outcome[OUTCOMES];
  uint8_t alias[OUTCOMES];
};

static double outcome_probability(const struct qn_generator *generator, unsigned levels,
                                  unsigned outcome) {
  double quadrants[4] = {generator->a, generator->b, generator->c,
                         1 - generator->a - generator->b - generator->c};
  double probability = 1;
  for (unsigned level = 0; level < levels; level++) {
    unsigned lower = outcome >> level & 1, right = outcome >> (LEVELS + level) & 1;
    double quadrant = quadrants[2 * lower + right];
    probability *= quadrant > 0 ? quadrant : 0;
  }
  return probability;
}

/* Vose's construction: slots with less than their share are filled up by one that has more. */
static void outcome_table_fill(const struct qn_generator *generator, unsigned levels,
                               struct outcome_table *table) {
  unsigned slots = 1u << (2 * levels), side = 1u << levels;
  unsigned small[OUTCOMES], large[OUTCOMES], num_small = 0, num_large = 0;
  double share[OUTCOMES], whole = (double)((uint64_t)1 << (32 - 2 * levels));
  table->levels = levels;
  for (unsigned i = 0; i < slots; i++) {
    table->outcome[i] = table->alias[i] = (uint8_t)(i / side | i % side << LEVELS);
    share[i] = outcome_probability(generator, levels, table->outcome[i]) * slots;
    if (share[i] < 1)
      small[num_small++] = i;
    else
      large[num_large++] = i;
  }
  while (num_small && num_large) {
    unsigned poor = small[--num_small], rich = large[num_large - 1];
    table->threshold[poor] = (uint32_t)(share[poor] * whole);
    table->alias[poor] = table->outcome[rich];
    share[rich] -= 1 - share[poor];
    if (share[rich] < 1) {
      num_large--;
      small[num_small++] = rich;
    }
  }
  /* What is left over is full, but for rounding: its alias is itself. */
  while (num_large)
    table->threshold[large[--num_large]] = 0;
  while (num_small)
    table->threshold[small[--num_small]] = 0;
}

static inline void descend(const struct outcome_table *table, uint32_t random,
                           struct qn_generated *edge) {
  unsigned levels = table->levels;
  uint32_t slot = random >> (32 - 2 * levels);
  uint32_t rest = random & (UINT32_MAX >> (2 * levels));
  /* Without a branch, which nothing could predict. */
  unsigned use_alias = rest >= table->threshold[slot];
  unsigned outcome =
      table->outcome[slot] ^ ((table->outcome[slot] ^ table->alias[slot]) & (0u - use_alias));
  edge->source = edge->source << levels | (outcome & ((1u << LEVELS) - 1));
  edge->destination = edge->destination << levels | outcome >> LEVELS;
}

static void generate_rmat(const struct qn_generator *generator,
                          const struct outcome_table tables[2], uint64_t begin, uint64_t end,
                          struct qn_generated *edges) {
  uint64_t key = qn_random_key(generator->seed, STREAM_EDGES);
  unsigned steps = generator->scale / LEVELS; /* and one of the levels that are left */
  uint64_t draws = steps / 2 + 1;             /* each for two steps */
  for (uint64_t i = begin; i < end; i++) {
    struct qn_generated edge = {0, 0, 0};
    uint64_t random = 0;
    for (unsigned step = 0; step < steps; step++) {
      random = step % 2 ? random >> 32 : qn_random_at(key, i * draws + step / 2);
      descend(&tables[0], (uint32_t)random, &edge);
    }
    if (tables[1].levels) {
      random = steps % 2 ? random >> 32 : qn_random_at(key, i * draws + steps / 2);
      descend(&tables[1], (uint32_t)random, &edge);
    }
    edges[i - begin] = edge;
  }
}

static void generate_uniform(const struct qn_generator *generator, uint64_t begin, uint64_t end,
                             struct qn_generated *edges) {
  uint64_t key = qn_random_key(generator->seed, STREAM_EDGES);
  uint64_t mask = ((uint64_t)1 << generator->scale) - 1;
  const bool wide = generator->scale > 32; /* a number has no bits for two ends */
  for (uint64_t i = begin; i < end; i++) {
    uint64_t random = qn_random_at(key, wide ? 2 * i : i);
    edges[i - begin].source = (wide ? qn_random_at(key, 2 * i + 1) : random >> 32) & mask;
    edges[i - begin].destination = random & mask;
  }
}

/* Slot i is neighbour i % degree of point i / degree; returns the number of edges. */
static uint64_t generate_grid(const struct qn_generator *generator, uint64_t begin, uint64_t end,
                              struct qn_generated *edges) {
  static const int across[8] = {0, -1, 1, 0, -1, 1, -1, 1};
  static const int down[8] = {-1, 0, 0, 1, -1, -1, 1, 1};
  unsigned column_bits = generator->scale / 2;
  int64_t columns = (int64_t)1 << column_bits;
  int64_t rows = (int64_t)1 << (generator->scale - column_bits);
  uint64_t count = 0;
  for (uint64_t i = begin; i < end; i++) {
    uint64_t point = i / generator->degree, direction = i % generator->degree;
    int64_t row = (int64_t)(point >> column_bits) + down[direction];
    int64_t column = (int64_t)(point & ((uint64_t)columns - 1)) + across[direction];
    if (row < 0 || row >= rows || column < 0 || column >= columns)
      continue;
    edges[count].source = point;
    edges[count].destination = (uint64_t)(row << column_bits | column);
    count++;
  }
  return count;
}

static void generate_power_law(const struct qn_generator *generator, const struct qn_power_law *law,
                               uint64_t begin, uint64_t end, struct qn_generated *edges) {
  const uint64_t key = qn_random_key(generator->seed, STREAM_EDGES);
  for (uint64_t i = begin; i < end; i++) {
    edges[i - begin].source = qn_power_law_draw(law, qn_random_at(key, 2 * i));
    edges[i - begin].destination = qn_power_law_draw(law, qn_random_at(key, 2 * i + 1));
  }
}

/* ---- The whole ------------------------------------------------------------ */

/* An edge of a grid and its reverse have the same weight: that of the pair. */
static uint64_t weight_counter(const struct qn_generator *generator,
                               const struct qn_generated *edge, uint64_t slot) {
  if (generator->model != QN_MODEL_GRID)
    return slot;
  uint64_t u = edge->source, v = edge->destination;
  return u < v ? u << 32 | v : v << 32 | u;
}

struct qn_generation {
  struct qn_generator generator;
  uint64_t num_vertices;
  struct qn_permutation permutation;
  union {
    struct outcome_table tables[2]; /* of LEVELS levels, and of those left over (perhaps none) */
    struct qn_power_law law;
  };
};

enum qn_status qn_generation_create(const struct qn_generator *generator,
                                    struct qn_generation **out, struct qn_error *error) {
  struct qn_generation *generation;
  unsigned bits = 0;
  enum qn_status status =
      qn_alloc(&generation, 1, sizeof *generation, "the model of a graph", error);
  if (status)
    return status;
  generation->generator = *generator;
  generation->num_vertices = qn_generator_vertices(generator);
  while ((uint64_t)1 << bits < generation->num_vertices)
    bits++;
  generation->permutation =
      qn_permutation_of(bits, qn_random_key(generator->seed, STREAM_VERTICES));
  if (generator->model == QN_MODEL_RMAT) {
    outcome_table_fill(generator, LEVELS, &generation->tables[0]);
    outcome_table_fill(generator, generator->scale % LEVELS, &generation->tables[1]);
  }
  if (generator->model == QN_MODEL_POWER_LAW)
    qn_power_law_fill(generation->num_vertices, generator->exponent,
                      generator->max_degree ? first_share(generator) : 0, &generation->law);
  *out = generation;
  return QN_OK;
}

void qn_generation_destroy(struct qn_generation *generation) {
  free(generation);
}

/* Of [0, num_vertices), which need not be all numbers of so many bits: those beyond are passed
 * over, so that the rest is a bijection, too. */
static uint64_t renumber(const struct qn_generation *generation, uint64_t vertex) {
  do
    vertex = qn_permute(&generation->permutation, vertex);
  while (vertex >= generation->num_vertices);
  return vertex;
}

/* In batches, so that numbering and weighting find the edges in the cache. */
enum { BATCH = 1024 };

static uint64_t generate_batch(const struct qn_generation *generation, uint64_t begin, uint64_t end,
                               struct qn_generated *edges) {
  const struct qn_generator *generator = &generation->generator;
  uint64_t count = end - begin;
  if (generator->model == QN_MODEL_RMAT)
    generate_rmat(generator, generation->tables, begin, end, edges);
  else if (generator->model == QN_MODEL_UNIFORM)
    generate_uniform(generator, begin, end, edges);
  else if (generator->model == QN_MODEL_POWER_LAW)
    generate_power_law(generator, &generation->law, begin, end, edges);
  else
    count = generate_grid(generator, begin, end, edges);
  if (generator->weights.type != QN_WEIGHT_NONE) {
    uint64_t key = qn_random_key(generator->seed, STREAM_WEIGHTS);
    for (uint64_t i = 0; i < count; i++) {
      uint64_t counter = weight_counter(generator, &edges[i], begin + i);
      edges[i].weight = qn_random_weight(&generator->weights, qn_random_at(key, counter));
    }
  }
  if (generator->permute)
    for (uint64_t i = 0; i < count; i++) {
      edges[i].source = renumber(generation, edges[i].source);
      edges[i].destination = renumber(generation, edges[i].destination);
    }
  return count;
}

uint64_t qn_generate(const struct qn_generation *generation, uint64_t begin, uint64_t end,
                     struct qn_generated *edges) {
  uint64_t count = 0;
  for (uint64_t at = begin; at < end; at += BATCH) {
    uint64_t next = end - at < BATCH ? end : at + BATCH;
    count += generate_batch(generation, at, next, edges + count);
  }
  return count;
}
