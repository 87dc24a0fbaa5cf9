/* Layered label propagation: communities at several resolutions, each of which refines the order
 * that those before it gave. */
#include "converters/graph/order.h"

#include <math.h>
#include <omp.h>
#include <string.h>

#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/random.h"
#include "support/threads.h"
#include <quern/transpose.h>

/* Resolutions are 2^0, 2^-1, ... 2^-(LAYERS - 2) and 0: what merges most comes last. */
#define LAYERS 14
/* A layer ends when fewer than a part of the vertices change, or after so many sweeps. */
#define FEW_CHANGES 256
#define MOST_SWEEPS 12
/* Vertices of a batch choose at once, by the labels that those before it left: so the labels do not
 * depend on threads. */
#define BATCHES 16
/* Which slices of vertices a batch has changes from sweep to sweep, or two could take each other's
 * label for ever. */
#define SLICES 256
/* Of longer rows every so many-th neighbour counts. */
#define MOST_COUNTED ((uint64_t)1 << 14)
#define TABLE_BITS 15
#define CHUNK 1024
/* Keys of hashes, beside those of sweeps. */
#define FIRST_SHINGLE (LAYERS * MOST_SWEEPS)
#define DIGITS ((uint64_t)1 << 16)

/* Places of vertices: those of a slice lie together, as their rows do, and within it in the order
 * that the layers begin with. Labels are places, too. */
struct layers {
  uint64_t num_vertices, num_ends, key;
  uint64_t *row_offsets; /* [V + 1] */
  uint32_t *neighbours;  /* [num_ends] places, out-edges' and in-edges' */
  uint32_t *labels;      /* [V] */
  uint32_t *chosen;      /* [V] what a vertex of the batch takes; else as its label */
  uint32_t *sizes;       /* [V] vertices of a label */
  uint8_t *waiting;      /* [V] 1: a neighbour left its label since the vertex chose */
};

/* What one thread counts with: labels of a row's neighbours, and how many have each, in open
 * addressing. */
struct slot {
  uint32_t label, count;
};

struct counts {
  struct slot *slots; /* [2^TABLE_BITS] counts are zero */
  uint32_t *labels;   /* [MOST_COUNTED + 1] */
};

/* ---- One vertex -------------------------------------------------------------------------------
 */

/* Where a label is counted, in a table of 2^bits slots. */
static struct slot *slot_of(struct slot *slots, unsigned bits, uint32_t label) {
  const uint32_t mask = ((uint32_t)1 << bits) - 1;
  uint32_t place = label * UINT32_C(0x9E3779B1) >> (32 - bits);
  while (slots[place].count && slots[place].label != label)
    place = (place + 1) & mask;
  return &slots[place];
}

/* Labels of neighbours become those that are found, one of each; returns their number. */
static uint64_t count_labels(const struct layers *layers, struct slot *slots, unsigned bits,
                             uint32_t *labels, uint64_t count) {
  uint64_t found = 0;
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t label = labels[i];
    struct slot *slot = slot_of(slots, bits, label);
    if (slot->count++ == 0) {
      __builtin_prefetch(&layers->sizes[label]);
      slot->label = label;
      labels[found++] = label;
    }
  }
  return found;
}

/* The label that most neighbours have, less what its other vertices weigh: absent ones count
 * against it by the resolution. Of equal ones its own stays, or chance chooses. */
static uint32_t best_label(const struct layers *layers, struct slot *slots, unsigned bits,
                           const uint32_t *labels, uint64_t count, uint32_t own, double stride,
                           double resolution, uint64_t key) {
  double best = -INFINITY;
  uint64_t chance = 0;
  uint32_t chosen = own;
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t label = labels[i];
    struct slot *slot = slot_of(slots, bits, label);
    const double inside = (double)slot->count * stride;
    const double others = layers->sizes[label] - (label == own);
    const double value = inside - resolution * (others - inside);
    if (value < best)
      continue;
    const uint64_t own_chance = label == own ? UINT64_MAX : qn_random_at(key, label);
    if (value > best || own_chance > chance) {
      best = value;
      chance = own_chance;
      chosen = label;
    }
  }
  return chosen;
}

static uint32_t choose_label(const struct layers *layers, const struct counts *counts, uint64_t v,
                             double resolution, uint64_t key) {
  const uint64_t begin = layers->row_offsets[v], length = layers->row_offsets[v + 1] - begin;
  const uint64_t stride = length / MOST_COUNTED + 1;
  uint64_t count = 0;
  unsigned bits = 2;
  for (uint64_t i = 0; i < length; i += stride) {
    const uint32_t other = layers->neighbours[begin + i];
    counts->labels[count] = layers->labels[other];
    count += other != v;
  }
  while (bits < TABLE_BITS && (uint64_t)1 << bits < count + count / 2)
    bits++;
  count = count_labels(layers, counts->slots, bits, counts->labels, count);
  const uint32_t chosen =
      best_label(layers, counts->slots, bits, counts->labels, count, layers->labels[v],
                 (double)stride, resolution, qn_random_at(key, v));
  memset(counts->slots, 0, sizeof *counts->slots << bits);
  return chosen;
}

/* ---- A layer ----------------------------------------------------------------------------------
 */

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* The first place of a slice. */
static uint64_t slice_begin(uint64_t num_vertices, uint64_t slice) {
  return slice * (num_vertices / SLICES) + least(slice, num_vertices % SLICES);
}

static void shuffle_slices(uint64_t key, uint8_t *slices) {
  for (unsigned i = 0; i < SLICES; i++) {
    const uint64_t other = qn_random_below(qn_random_at(key, i), i + 1);
    slices[i] = slices[other];
    slices[other] = (uint8_t)i;
  }
}

/* A part of a slice that one thread takes. */
struct part {
  uint64_t begin, end;
};

/* Part number `number` of a batch, in which each slice has `parts`. */
static struct part part_of(const struct layers *layers, const uint8_t *slices, uint64_t parts,
                           uint64_t number) {
  const uint64_t slice = slices[number / parts];
  const uint64_t end = slice_begin(layers->num_vertices, slice + 1);
  const uint64_t begin = slice_begin(layers->num_vertices, slice) + number % parts * CHUNK;
  return (struct part){least(begin, end), least(begin + CHUNK, end)};
}

static void choose_labels(const struct layers *layers, const struct counts *counts,
                          struct part part, double resolution, uint64_t key) {
  for (uint64_t v = part.begin; v < part.end; v++) {
    const uint8_t *at = memchr(layers->waiting + v, 1, part.end - v);
    if (!at)
      return;
    v = (uint64_t)(at - layers->waiting);
    layers->waiting[v] = 0;
    layers->chosen[v] = choose_label(layers, counts, v, resolution, key);
  }
}

/* Neighbours of who changes choose again, but for those that have what it takes. */
static void wake_neighbours(const struct layers *layers, struct part part) {
  for (uint64_t v = part.begin; v < part.end; v++) {
    const uint32_t label = layers->chosen[v];
    if (layers->labels[v] == label)
      continue;
    for (uint64_t edge = layers->row_offsets[v]; edge < layers->row_offsets[v + 1]; edge++) {
      const uint32_t other = layers->neighbours[edge];
      if (layers->labels[other] != label)
        __atomic_store_n(&layers->waiting[other], 1, __ATOMIC_RELAXED);
    }
  }
}

static uint64_t take_labels(const struct layers *layers, struct part part) {
  uint64_t changed = 0;
  for (uint64_t v = part.begin; v < part.end; v++) {
    const uint32_t own = layers->labels[v], label = layers->chosen[v];
    if (own == label)
      continue;
    __atomic_fetch_sub(&layers->sizes[own], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&layers->sizes[label], 1, __ATOMIC_RELAXED);
    layers->labels[v] = label;
    changed++;
  }
  return changed;
}

static uint64_t sweep_once(const struct layers *layers, const struct counts *counts,
                           double resolution, uint64_t key) {
  const uint64_t parts = layers->num_vertices / SLICES / CHUNK + 1;
  const uint64_t of_batch = parts * (SLICES / BATCHES);
  uint8_t slices[SLICES] = {0};
  uint64_t changed = 0;
  shuffle_slices(key, slices);
#pragma omp parallel reduction(+ : changed) if (layers->num_ends > QN_TEAM_LEAST)
  for (unsigned first = 0; first < SLICES; first += SLICES / BATCHES) {
    const struct counts *mine = &counts[omp_get_thread_num()];
#pragma omp for schedule(dynamic, 1)
    for (uint64_t i = 0; i < of_batch; i++)
      choose_labels(layers, mine, part_of(layers, slices + first, parts, i), resolution, key);
#pragma omp for schedule(dynamic, 1)
    for (uint64_t i = 0; i < of_batch; i++)
      wake_neighbours(layers, part_of(layers, slices + first, parts, i));
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < of_batch; i++)
      changed += take_labels(layers, part_of(layers, slices + first, parts, i));
  }
  return changed;
}

static void find_labels(const struct layers *layers, unsigned layer, const struct counts *counts) {
  const uint64_t num_vertices = layers->num_vertices;
  const double resolution = layer + 1 < LAYERS ? ldexp(1, -(int)layer) : 0;
  memset(layers->waiting, 1, num_vertices);
  for (uint64_t v = 0; v < num_vertices; v++) {
    layers->labels[v] = layers->chosen[v] = (uint32_t)v;
    layers->sizes[v] = 1;
  }
  for (unsigned round = 0; round < MOST_SWEEPS && !qn_context_check(NULL); round++) {
    const uint64_t key = qn_random_key(layers->key, layer * MOST_SWEEPS + round);
    if (sweep_once(layers, counts, resolution, key) <= num_vertices / FEW_CHANGES)
      break;
  }
}

/* ---- The order that layers refine -------------------------------------------------------------
 */

/* A graph and its in-edges; in: NULL for an undirected one. */
struct both_ways {
  const struct qn_csr *out, *in;
  uint64_t key;
};

static uint64_t row_length(const struct qn_csr *csr, uint64_t v) {
  const uint64_t begin = csr->row_offsets[v], end = csr->row_offsets[v + 1];
  return end > begin ? end - begin : 0;
}

static uint64_t least_hash(const struct qn_csr *csr, uint64_t key, uint64_t v) {
  uint64_t smallest = UINT32_MAX;
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++)
    smallest = least(smallest, qn_random_at(key, csr->column_indices[edge]) >> 32);
  return smallest;
}

/* Two hashes of a vertex's row, or of its in-neighbours if it has none: the more neighbours two
 * vertices share, the likelier each is equal. */
static uint64_t shingle(const struct both_ways *graph, uint64_t v) {
  const struct qn_csr *csr = graph->in && row_length(graph->out, v) == 0 ? graph->in : graph->out;
  return least_hash(csr, qn_random_key(graph->key, FIRST_SHINGLE), v) << 32 |
         least_hash(csr, qn_random_key(graph->key, FIRST_SHINGLE + 1), v);
}

/* By 16 bits of the keys, those from `shift` on; equal ones stay as they are. */
static void sort_by_digit(const uint32_t *from, uint64_t count, const uint64_t *keys,
                          unsigned shift, uint64_t *counters, uint32_t *to) {
  uint64_t place = 0;
  memset(counters, 0, DIGITS * sizeof *counters);
  for (uint64_t i = 0; i < count; i++)
    counters[keys[from[i]] >> shift & (DIGITS - 1)]++;
  for (uint64_t digit = 0; digit < DIGITS; digit++) {
    const uint64_t length = counters[digit];
    counters[digit] = place;
    place += length;
  }
  for (uint64_t i = 0; i < count; i++)
    to[counters[keys[from[i]] >> shift & (DIGITS - 1)]++] = from[i];
}

/* Vertices by their shingles (Chierichetti and others: On Compressing Social Networks, KDD 2009):
 * those of like rows are beside one another in the smallest communities. `scratch` is [V]. */
static enum qn_status order_by_shingles(const struct both_ways *graph, uint64_t *keys,
                                        uint32_t *scratch, uint32_t *order,
                                        struct qn_error *error) {
  const uint64_t num_vertices = graph->out->num_vertices;
  uint64_t *counters;
  enum qn_status status = qn_alloc(&counters, DIGITS, sizeof *counters, "shingles", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, CHUNK)
  for (uint64_t v = 0; v < num_vertices; v++) {
    keys[v] = shingle(graph, v);
    order[v] = (uint32_t)v;
  }
  for (unsigned shift = 0; shift < 64; shift += 32) {
    sort_by_digit(order, num_vertices, keys, shift, counters, scratch);
    sort_by_digit(scratch, num_vertices, keys, shift + 16, counters, order);
  }
  qn_free(counters);
  return QN_OK;
}

/* ---- Rows of both directions, by slices -------------------------------------------------------
 */

/* The place of what is number i of the order: slices take from it in turn. */
static uint32_t place_of(uint64_t num_vertices, uint64_t i) {
  return (uint32_t)(slice_begin(num_vertices, i % SLICES) + i / SLICES);
}

/* Places of a row's neighbours, as many as there is room for; returns their number. */
static uint64_t put_row(const struct qn_csr *csr, uint64_t v, const uint32_t *places, uint64_t room,
                        uint32_t *neighbours) {
  const uint64_t begin = csr->row_offsets[v], length = least(row_length(csr, v), room);
  for (uint64_t i = 0; i < length; i++) {
    const uint32_t other = csr->column_indices[begin + i];
    /* Not less: the file is being overwritten. */
    neighbours[i] = places[other < csr->num_vertices ? other : v];
  }
  return length;
}

/* `vertices`: of each place; `places`: of each vertex. */
static enum qn_status put_rows(const struct both_ways *graph, const uint32_t *vertices,
                               const uint32_t *places, struct layers *layers,
                               struct qn_error *error) {
  const uint64_t num_vertices = layers->num_vertices;
  uint64_t *offsets = layers->row_offsets;
  offsets[0] = 0;
  for (uint64_t place = 0; place < num_vertices; place++)
    offsets[place + 1] = offsets[place] + row_length(graph->out, vertices[place]) +
                         (graph->in ? row_length(graph->in, vertices[place]) : 0);
  layers->num_ends = offsets[num_vertices];
  enum qn_status status = qn_pages_alloc(&layers->neighbours, layers->num_ends,
                                         sizeof *layers->neighbours, "rows by labels", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, CHUNK)
  for (uint64_t place = 0; place < num_vertices; place++) {
    uint32_t *row = layers->neighbours + offsets[place];
    const uint64_t room = offsets[place + 1] - offsets[place], v = vertices[place];
    uint64_t count = put_row(graph->out, v, places, room, row);
    if (graph->in)
      count += put_row(graph->in, v, places, room - count, row + count);
    for (; count < room; count++)
      row[count] = (uint32_t)place;
  }
  return QN_OK;
}

/* `order` becomes the places in the order that layers begin with, `keys` is [V]. */
static enum qn_status begin_layers(const struct both_ways *graph, uint64_t *keys,
                                   uint32_t *vertices, uint32_t *order, struct layers *layers,
                                   struct qn_error *error) {
  const uint64_t num_vertices = layers->num_vertices;
  uint32_t *places = layers->labels; /* so long */
  enum qn_status status = order_by_shingles(graph, keys, places, order, error);
  if (status)
    return status;
  for (uint64_t i = 0; i < num_vertices; i++) {
    const uint32_t place = place_of(num_vertices, i), v = order[i];
    vertices[place] = v;
    places[v] = place;
    order[i] = place;
  }
  return put_rows(graph, vertices, places, layers, error);
}

/* ---- The order --------------------------------------------------------------------------------
 */

/* Vertices of one label beside one another, labels by where their vertex is in the order, vertices
 * within as they are in it. */
static void refine(const struct layers *layers, uint32_t *order, uint32_t *next_order,
                   uint64_t *begins) {
  const uint64_t num_vertices = layers->num_vertices;
  uint64_t begin = 0;
  for (uint64_t i = 0; i < num_vertices; i++) {
    begins[order[i]] = begin;
    begin += layers->sizes[order[i]];
  }
  for (uint64_t i = 0; i < num_vertices; i++)
    next_order[begins[layers->labels[order[i]]]++] = order[i];
  memcpy(order, next_order, num_vertices * sizeof *order);
}

static enum qn_status refine_by_layers(const struct layers *layers, const struct counts *counts,
                                       uint32_t *order, uint64_t *begins, struct qn_error *error) {
  enum qn_status status = QN_OK;
  qn_progress_begin("ordering", "layers", LAYERS);
  for (unsigned layer = 0; !status && layer < LAYERS && layers->num_vertices; layer++) {
    find_labels(layers, layer, counts);
    refine(layers, order, layers->chosen, begins);
    qn_progress_add(1);
    status = qn_context_check(error);
  }
  qn_progress_end();
  return status;
}

static enum qn_status create_counts(struct counts *counts, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(&counts->slots, (uint64_t)1 << TABLE_BITS,
                                          sizeof *counts->slots, "labels", error);
  return status
             ? status
             : qn_alloc(&counts->labels, MOST_COUNTED + 1, sizeof *counts->labels, "labels", error);
}

static enum qn_status create_layers(struct layers *layers, struct counts **counts,
                                    struct qn_error *error) {
  uint32_t **const numbers[] = {&layers->labels, &layers->chosen, &layers->sizes};
  enum qn_status status = qn_alloc_zeroed(counts, qn_threads(), sizeof **counts, "labels", error);
  for (unsigned i = 0; !status && i < 3; i++)
    status = qn_pages_alloc(numbers[i], layers->num_vertices, sizeof **numbers[i], "labels", error);
  if (!status)
    status = qn_pages_alloc(&layers->waiting, layers->num_vertices, 1, "labels", error);
  if (!status)
    status = qn_pages_alloc(&layers->row_offsets, layers->num_vertices + 1,
                            sizeof *layers->row_offsets, "rows by labels", error);
  for (unsigned i = 0; !status && i < qn_threads(); i++)
    status = create_counts(&(*counts)[i], error);
  return status;
}

static void destroy_layers(const struct layers *layers, struct counts *counts) {
  const uint64_t num_vertices = layers->num_vertices;
  qn_pages_free(layers->row_offsets, num_vertices + 1, sizeof *layers->row_offsets);
  qn_pages_free(layers->neighbours, layers->num_ends, sizeof *layers->neighbours);
  qn_pages_free(layers->labels, num_vertices, sizeof *layers->labels);
  qn_pages_free(layers->chosen, num_vertices, sizeof *layers->chosen);
  qn_pages_free(layers->sizes, num_vertices, sizeof *layers->sizes);
  qn_pages_free(layers->waiting, num_vertices, 1);
  for (unsigned i = 0; counts && i < qn_threads(); i++) {
    qn_free(counts[i].slots);
    qn_free(counts[i].labels);
  }
  qn_free(counts);
}

/* In-edges are needed for the rows alone. */
static enum qn_status begin_by_graph(const struct qn_graph *graph, uint64_t *keys,
                                     uint32_t *vertices, uint32_t *order, struct layers *layers,
                                     struct qn_error *error) {
  struct both_ways both = {.out = &graph->out, .key = layers->key};
  struct qn_graph transposed = {0};
  enum qn_status status = QN_OK;
  if (graph->directedness != QN_UNDIRECTED) {
    both.in = graph->has_transpose ? &graph->in : &transposed.out;
    if (!graph->has_transpose)
      status = qn_graph_create_transpose(&graph->out, &transposed, error);
  }
  if (!status)
    status = begin_layers(&both, keys, vertices, order, layers, error);
  qn_graph_unmap(&transposed);
  return status;
}

enum qn_status qn_order_llp(const struct qn_graph *graph, uint64_t seed, uint32_t *order,
                            struct qn_error *error) {
  enum { STREAM_LAYERS = 19 };
  const uint64_t num_vertices = graph->out.num_vertices;
  struct layers layers = {.num_vertices = num_vertices, .key = qn_random_key(seed, STREAM_LAYERS)};
  struct counts *counts = NULL;
  uint32_t *vertices = NULL; /* [V] of each place */
  uint64_t *begins = NULL;   /* [V] of labels in the order; at first shingles */
  enum qn_status status = create_layers(&layers, &counts, error);
  if (!status)
    status = qn_pages_alloc(&vertices, num_vertices, sizeof *vertices, "places", error);
  if (!status)
    status = qn_pages_alloc(&begins, num_vertices, sizeof *begins, "places", error);
  if (!status)
    status = begin_by_graph(graph, begins, vertices, order, &layers, error);
  if (!status)
    status = refine_by_layers(&layers, counts, order, begins, error);
  for (uint64_t i = 0; !status && i < num_vertices; i++)
    order[i] = vertices[order[i]];
  qn_pages_free(begins, num_vertices, sizeof *begins);
  qn_pages_free(vertices, num_vertices, sizeof *vertices);
  destroy_layers(&layers, counts);
  return status;
}
