/* Which units of shards have something to receive, against looking at every edge. */
#include <stdlib.h>
#include <string.h>

#include "helpers/random_graph.h"
#include "helpers/test.h"
#include "kernels/work_division/shard_units.h"

#define MOST_VERTICES 3000
#define MOST_EDGES 40000
#define MOST_SHARDS 5

/* A third of the edges goes to one vertex, none to two vertices of five. */
struct sample {
  uint64_t in_offsets[MOST_VERTICES + 1], out_offsets[MOST_VERTICES + 1];
  uint32_t sources[MOST_EDGES], targets[MOST_EDGES]; /* by target; by source */
  uint32_t vertex_offsets[MOST_SHARDS + 1];
  struct qn_shards view;
};

/* Count the edges into rows by one of their ends, and list the other ends. */
static void sort_by(const uint32_t *ends, const uint32_t *others, uint64_t num_vertices,
                    uint64_t num_edges, uint64_t *offsets, uint32_t *columns) {
  uint64_t next = 0;
  for (uint64_t v = 0; v < num_vertices; v++) {
    offsets[v] = next;
    for (uint64_t e = 0; e < num_edges; e++)
      if (ends[e] == v)
        columns[next++] = others[e];
  }
  offsets[num_vertices] = next;
}

static void make_sample(struct sample *sample, uint64_t num_vertices, uint64_t num_edges,
                        uint64_t num_shards, uint64_t *seed) {
  static uint32_t from[MOST_EDGES], to[MOST_EDGES];
  const uint64_t hub = random_next(seed) % num_vertices;
  for (uint64_t e = 0; e < num_edges; e++) {
    const uint64_t v = random_next(seed) % num_vertices;
    from[e] = (uint32_t)(random_next(seed) % num_vertices);
    to[e] = (uint32_t)(random_next(seed) % 3 == 0 ? hub : v - v % 5 % 2);
  }
  sort_by(to, from, num_vertices, num_edges, sample->in_offsets, sample->sources);
  sort_by(from, to, num_vertices, num_edges, sample->out_offsets, sample->targets);
  for (uint64_t s = 0; s <= num_shards; s++)
    sample->vertex_offsets[s] = (uint32_t)(s * num_vertices / num_shards);
  sample->view = (struct qn_shards){.num_vertices = num_vertices,
                                    .num_edges = num_edges,
                                    .num_shards = num_shards,
                                    .vertex_offsets = sample->vertex_offsets};
  sample->view.in = (struct qn_csr){.num_vertices = num_vertices,
                                    .num_edges = num_edges,
                                    .row_offsets = sample->in_offsets,
                                    .column_indices = sample->sources};
  sample->view.out = (struct qn_csr){.num_vertices = num_vertices,
                                     .num_edges = num_edges,
                                     .row_offsets = sample->out_offsets,
                                     .column_indices = sample->targets};
}

static bool has(const uint64_t *bits, uint64_t v) {
  return bits[v / 64] >> v % 64 & 1;
}

/* A part of a hub's row may be flagged for what another part of it receives. */
static bool may_receive(const struct sample *sample, const struct qn_sh_unit *unit,
                        const uint64_t *active, const uint64_t *open) {
  const uint64_t end = unit->first_edge + unit->num_edges;
  for (uint64_t row = unit->first_row; sample->in_offsets[row] < end; row++)
    for (uint64_t e = sample->in_offsets[row]; e < sample->in_offsets[row + 1]; e++)
      if ((!open || has(open, row)) && (!active || has(active, sample->sources[e])))
        return true;
  return false;
}

/* Each bit with a chance of so many in 4096. */
static void set_some(uint64_t *bits, uint64_t num_vertices, uint64_t chance, uint64_t *seed) {
  memset(bits, 0, (num_vertices / 64 + 1) * sizeof *bits);
  for (uint64_t v = 0; v < num_vertices; v++)
    if (random_next(seed) % 4096 < chance)
      bits[v / 64] |= (uint64_t)1 << v % 64;
}

static void check_receivers(struct qn_sh_receivers *receivers, const struct sample *sample,
                            const uint64_t *active, const uint64_t *open) {
  static uint8_t flags[MOST_EDGES];
  const struct qn_sh_units *units = receivers->units;
  uint64_t edges = 0;
  for (uint64_t v = 0; v < sample->view.num_vertices; v++)
    edges += has(active, v) ? sample->out_offsets[v + 1] - sample->out_offsets[v] : 0;
  const bool are_many = edges > sample->view.num_edges / QN_SH_NOTIFY_SHARE;
  memset(flags, 2, sizeof flags);
  assert_int_equal(qn_sh_receivers_find(receivers, active, open, flags), are_many && !open);
  for (uint64_t u = 0; u < units->num_units; u++)
    assert_int_equal(flags[u],
                     may_receive(sample, &units->units[u], are_many ? NULL : active, open));
}

TEST(finds_units_of_receivers) {
  static struct sample sample;
  static uint64_t active[MOST_VERTICES / 64 + 1], open[MOST_VERTICES / 64 + 1];
  const uint64_t sizes[] = {1, 63, 64, 65, 500, MOST_VERTICES};
  struct qn_error error;
  uint64_t seed = 3;
  for (unsigned i = 0; i < 4 * sizeof sizes / sizeof *sizes; i++) {
    struct qn_sh_units units;
    struct qn_sh_receivers receivers;
    const uint64_t num_vertices = sizes[i / 4];
    make_sample(&sample, num_vertices, i % 4 * num_vertices, 1 + i % MOST_SHARDS, &seed);
    assert_int_equal(qn_sh_units_create(&units, &sample.view, i % 2 ? 4 : 24, 4, NULL, 0, &error),
                     QN_OK);
    assert_int_equal(qn_sh_receivers_create(&receivers, &units, &error), QN_OK);
    for (unsigned round = 0; round < 65; round++) {
      set_some(active, num_vertices, (uint64_t)1 << round % 13, &seed);
      set_some(open, num_vertices, (uint64_t)1 << round % 5 * 3, &seed);
      check_receivers(&receivers, &sample, active, NULL);
      check_receivers(&receivers, &sample, active, open);
    }
    qn_sh_receivers_destroy(&receivers);
    qn_sh_units_destroy(&units);
  }
}

/* A ring, and a hub in it that is active alone: its word is looked at for those around it. */
TEST(finds_units_of_a_hub) {
  enum { NUM_VERTICES = 1 << 18, HUB_EDGES = 4000, NUM_EDGES = NUM_VERTICES + HUB_EDGES };
  static uint64_t in_offsets[NUM_VERTICES + 1], out_offsets[NUM_VERTICES + 1];
  static uint32_t sources[NUM_EDGES], targets[NUM_EDGES];
  static uint64_t active[NUM_VERTICES / 64 + 1] = {1};
  static uint8_t flags[NUM_EDGES];
  uint32_t vertex_offsets[] = {0, NUM_VERTICES};
  struct qn_shards view = {.num_vertices = NUM_VERTICES,
                           .num_edges = NUM_EDGES,
                           .num_shards = 1,
                           .vertex_offsets = vertex_offsets};
  struct qn_sh_units units;
  struct qn_sh_receivers receivers;
  struct qn_error error;
  uint64_t out = 0, in = 0;
  for (uint32_t v = 0; v < NUM_VERTICES; v++) {
    out_offsets[v] = out;
    in_offsets[v] = in;
    for (uint32_t t = 1; t <= (v ? 1 : 1 + HUB_EDGES); t++)
      targets[out++] = (v + t) % NUM_VERTICES;
    if (v > 1 && v <= 1 + HUB_EDGES)
      sources[in++] = 0;
    sources[in++] = (v + NUM_VERTICES - 1) % NUM_VERTICES;
  }
  out_offsets[NUM_VERTICES] = in_offsets[NUM_VERTICES] = NUM_EDGES;
  view.in = (struct qn_csr){.num_vertices = NUM_VERTICES,
                            .num_edges = NUM_EDGES,
                            .row_offsets = in_offsets,
                            .column_indices = sources};
  view.out = (struct qn_csr){.num_vertices = NUM_VERTICES,
                             .num_edges = NUM_EDGES,
                             .row_offsets = out_offsets,
                             .column_indices = targets};
  assert_int_equal(qn_sh_units_create(&units, &view, 24, 4, NULL, 0, &error), QN_OK);
  assert_int_equal(qn_sh_receivers_create(&receivers, &units, &error), QN_OK);
  assert_false(qn_sh_receivers_find(&receivers, active, NULL, flags));
  for (uint64_t u = 0; u < units.num_units; u++) {
    const uint64_t end = u + 1 < units.num_units ? units.units[u + 1].first_row : NUM_VERTICES;
    assert_int_equal(flags[u], end > 1 && units.units[u].first_row <= 1 + HUB_EDGES);
  }
  qn_sh_receivers_destroy(&receivers);
  qn_sh_units_destroy(&units);
}

TEST_MAIN(NULL, NULL)
