/* Layered label propagation: communities at several resolutions, each of which refines the order
 * that those before it gave. */
#include "converters/graph/order.h"

#include <math.h>
#include <string.h>

#include "support/context.h"
#include "support/memory.h"
#include "support/random.h"
#include <quern/transpose.h>

/* Resolutions are 0 and 2^0, 2^-1, ... 2^-(LAYERS - 2): what merges most comes last. */
#define LAYERS 14
/* A layer ends when fewer than a part of the vertices change, or after so many sweeps. */
#define FEW_CHANGES 1024
#define MOST_SWEEPS 40

struct layers {
  const struct qn_csr *out, *in; /* in: NULL for an undirected graph */
  uint64_t num_vertices, key;
  uint32_t *labels; /* [LAYERS][V] each a vertex */
};

/* What one thread works on. */
struct sweep {
  uint32_t *sizes;  /* [V] vertices of a label */
  uint32_t *counts; /* [V] zero but for the labels at hand */
  uint32_t *found;  /* [V] labels at hand */
  uint32_t *visits; /* [V] a random order */
  uint64_t num_found;
};

/* ---- A layer ----------------------------------------------------------------------------------
 */

static void count_labels(struct sweep *sweep, const struct qn_csr *csr, const uint32_t *labels,
                         uint32_t v) {
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
    const uint32_t other = csr->column_indices[edge];
    if (other == v)
      continue;
    const uint32_t label = labels[other];
    if (sweep->counts[label]++ == 0)
      sweep->found[sweep->num_found++] = label;
  }
}

/* The label that most neighbours have, less what its other vertices weigh: absent ones count
 * against it by the resolution. Of equal ones its own stays, or chance chooses. */
static uint32_t best_label(struct sweep *sweep, uint32_t own, double resolution, uint64_t chance) {
  double best = -INFINITY;
  uint64_t equals = 0;
  uint32_t chosen = own;
  for (uint64_t i = 0; i < sweep->num_found; i++) {
    const uint32_t label = sweep->found[i];
    const double inside = sweep->counts[label];
    const double value = inside - resolution * ((double)sweep->sizes[label] - inside);
    sweep->counts[label] = 0;
    if (value > best) {
      best = value;
      chosen = label;
      equals = 1;
    } else if (value == best && (label == own || chosen != own)) {
      const bool takes =
          label == own || qn_random_below(qn_random_at(chance, equals), equals + 1) == 0;
      chosen = takes ? label : chosen;
      equals++;
    }
  }
  sweep->num_found = 0;
  return chosen;
}

static void shuffle(uint32_t *visits, uint64_t count, uint64_t key) {
  for (uint64_t i = count; i > 1; i--) {
    const uint64_t other = qn_random_below(qn_random_at(key, i), i);
    const uint32_t kept = visits[i - 1];
    visits[i - 1] = visits[other];
    visits[other] = kept;
  }
}

static uint64_t sweep_once(const struct layers *layers, struct sweep *sweep, uint32_t *labels,
                           double resolution, uint64_t key) {
  uint64_t changed = 0;
  for (uint64_t i = 0; i < layers->num_vertices; i++) {
    const uint32_t v = sweep->visits[i], own = labels[v];
    count_labels(sweep, layers->out, labels, v);
    if (layers->in)
      count_labels(sweep, layers->in, labels, v);
    sweep->sizes[own]--;
    const uint32_t label = best_label(sweep, own, resolution, qn_random_at(key, v));
    sweep->sizes[label]++;
    labels[v] = label;
    changed += label != own;
  }
  return changed;
}

static void find_labels(const struct layers *layers, unsigned layer, struct sweep *sweep) {
  const uint64_t num_vertices = layers->num_vertices;
  uint32_t *labels = layers->labels + layer * num_vertices;
  const double resolution = layer + 1 < LAYERS ? ldexp(1, -(int)layer) : 0;
  for (uint64_t v = 0; v < num_vertices; v++) {
    labels[v] = sweep->visits[v] = (uint32_t)v;
    sweep->sizes[v] = 1;
  }
  for (unsigned round = 0; round < MOST_SWEEPS && !qn_context_check(NULL); round++) {
    const uint64_t key = qn_random_key(layers->key, layer * MOST_SWEEPS + round);
    shuffle(sweep->visits, num_vertices, key);
    if (sweep_once(layers, sweep, labels, resolution, key) <= num_vertices / FEW_CHANGES)
      break;
  }
}

static enum qn_status create_sweep(uint64_t num_vertices, struct sweep *sweep,
                                   struct qn_error *error) {
  uint32_t **const arrays[] = {&sweep->sizes, &sweep->counts, &sweep->found, &sweep->visits};
  enum qn_status status = QN_OK;
  for (unsigned i = 0; i < 4 && !status; i++)
    status = qn_pages_alloc(arrays[i], num_vertices, sizeof **arrays[i], "labels", error);
  return status;
}

static void destroy_sweep(uint64_t num_vertices, struct sweep *sweep) {
  uint32_t *const arrays[] = {sweep->sizes, sweep->counts, sweep->found, sweep->visits};
  for (unsigned i = 0; i < 4; i++)
    qn_pages_free(arrays[i], num_vertices, sizeof *arrays[i]);
}

/* Layers do not know each other: a thread does one at a time. */
static enum qn_status find_layers(const struct layers *layers, struct qn_error *error) {
  enum qn_status status = QN_OK;
#pragma omp parallel
  {
    struct sweep sweep = {0};
    struct qn_error failure;
    enum qn_status mine = create_sweep(layers->num_vertices, &sweep, &failure);
#pragma omp for schedule(dynamic, 1)
    for (unsigned layer = 0; layer < LAYERS; layer++)
      if (!mine)
        find_labels(layers, LAYERS - 1 - layer, &sweep);
    destroy_sweep(layers->num_vertices, &sweep);
    if (mine) {
#pragma omp critical
      {
        status = mine;
        if (error)
          *error = failure;
      }
    }
  }
  return status ? status : qn_context_check(error);
}

/* ---- The order --------------------------------------------------------------------------------
 */

/* Vertices of one label beside one another, labels by where their vertex is in the order, vertices
 * within as they are in it. */
static void refine(const uint32_t *labels, uint64_t num_vertices, uint32_t *order,
                   uint32_t *next_order, uint64_t *places) {
  memset(places, 0, num_vertices * sizeof *places);
  for (uint64_t v = 0; v < num_vertices; v++)
    places[labels[v]]++;
  uint64_t place = 0;
  for (uint64_t i = 0; i < num_vertices; i++) {
    const uint64_t size = places[order[i]];
    places[order[i]] = place;
    place += size;
  }
  for (uint64_t i = 0; i < num_vertices; i++)
    next_order[places[labels[order[i]]]++] = order[i];
  memcpy(order, next_order, num_vertices * sizeof *order);
}

static enum qn_status refine_by_layers(const struct layers *layers, uint32_t *order,
                                       struct qn_error *error) {
  const uint64_t num_vertices = layers->num_vertices;
  uint32_t *next_order = NULL;
  uint64_t *places = NULL;
  enum qn_status status =
      qn_pages_alloc(&next_order, num_vertices, sizeof *next_order, "an order", error);
  if (!status)
    status = qn_pages_alloc(&places, num_vertices, sizeof *places, "places", error);
  for (uint64_t v = 0; !status && v < num_vertices; v++)
    order[v] = (uint32_t)v;
  for (uint64_t layer = 0; !status && layer < LAYERS && num_vertices; layer++)
    refine(layers->labels + layer * num_vertices, num_vertices, order, next_order, places);
  qn_pages_free(next_order, num_vertices, sizeof *next_order);
  qn_pages_free(places, num_vertices, sizeof *places);
  return status;
}

enum qn_status qn_order_llp(const struct qn_graph *graph, uint64_t seed, uint32_t *order,
                            struct qn_error *error) {
  enum { STREAM_LAYERS = 19 };
  struct layers layers = {.out = &graph->out,
                          .num_vertices = graph->out.num_vertices,
                          .key = qn_random_key(seed, STREAM_LAYERS)};
  struct qn_graph transposed = {0};
  enum qn_status status = QN_OK;
  if (graph->directedness != QN_UNDIRECTED) {
    layers.in = graph->has_transpose ? &graph->in : &transposed.out;
    if (!graph->has_transpose)
      status = qn_graph_create_transpose(&graph->out, &transposed, error);
  }
  if (!status)
    status = qn_pages_alloc(&layers.labels, LAYERS * layers.num_vertices, sizeof *layers.labels,
                            "labels of layers", error);
  if (!status)
    status = find_layers(&layers, error);
  if (!status)
    status = refine_by_layers(&layers, order, error);
  qn_pages_free(layers.labels, LAYERS * layers.num_vertices, sizeof *layers.labels);
  qn_graph_unmap(&transposed);
  return status;
}
