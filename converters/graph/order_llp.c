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
#define FEW_CHANGES 1024
#define MOST_SWEEPS 12
/* Vertices of a batch choose at once, by the labels that those before it left: so the labels do not
 * depend on threads. */
#define BATCHES 16
#define RESTING 255
/* Of longer rows every so many-th neighbour counts. */
#define MOST_COUNTED ((uint64_t)1 << 15)
#define TABLE_SLOTS (4 * MOST_COUNTED)
#define CHUNK 4096
/* Keys of hashes, beside those of sweeps. */
#define FIRST_SHINGLE (LAYERS * MOST_SWEEPS)
#define DIGITS ((uint64_t)1 << 16)

struct layers {
  const struct qn_csr *out, *in; /* in: NULL for an undirected graph */
  uint64_t num_vertices, key;
  uint32_t *labels; /* [V] each a vertex */
  uint32_t *chosen; /* [V] what a vertex of the batch takes */
  uint32_t *sizes;  /* [V] vertices of a label */
  uint8_t *waiting; /* [V] 1: a neighbour took another label since the vertex chose */
  uint8_t *batches; /* [V] the batch in which a vertex chooses; RESTING */
};

/* Labels of neighbours and how many have each, in open addressing: what one thread counts with. */
struct slot {
  uint32_t label, count;
};

struct counts {
  struct slot *slots; /* [TABLE_SLOTS] counts are zero */
  uint32_t *found;    /* [2 MOST_COUNTED] slots at hand */
  uint64_t num_found;
};

/* ---- One vertex -------------------------------------------------------------------------------
 */

static void count_label(struct counts *counts, uint64_t mask, uint32_t label) {
  uint64_t place = qn_random_mix(label) & mask;
  while (counts->slots[place].count && counts->slots[place].label != label)
    place = (place + 1) & mask;
  if (counts->slots[place].count++ == 0) {
    counts->slots[place].label = label;
    counts->found[counts->num_found++] = (uint32_t)place;
  }
}

static void count_labels(const struct layers *layers, struct counts *counts,
                         const struct qn_csr *csr, uint64_t stride, uint64_t mask, uint32_t v) {
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge += stride) {
    const uint32_t other = csr->column_indices[edge];
    if (other != v && other < layers->num_vertices) /* not less: the file is being overwritten */
      count_label(counts, mask, layers->labels[other]);
  }
}

/* The label that most neighbours have, less what its other vertices weigh: absent ones count
 * against it by the resolution. Of equal ones its own stays, or chance chooses. */
static uint32_t best_label(const struct layers *layers, struct counts *counts, uint32_t own,
                           uint64_t stride, double resolution, uint64_t chance) {
  double best = -INFINITY;
  uint64_t equals = 0;
  uint32_t chosen = own;
  for (uint64_t i = 0; i < counts->num_found; i++) {
    struct slot *slot = &counts->slots[counts->found[i]];
    const uint32_t label = slot->label;
    const double inside = (double)slot->count * (double)stride;
    const double others = layers->sizes[label] - (label == own);
    const double value = inside - resolution * (others - inside);
    slot->count = 0;
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
  counts->num_found = 0;
  return chosen;
}

static uint64_t row_length(const struct qn_csr *csr, uint32_t v) {
  const uint64_t begin = csr->row_offsets[v], end = csr->row_offsets[v + 1];
  return end > begin ? end - begin : 0;
}

static uint32_t choose_label(const struct layers *layers, struct counts *counts, uint32_t v,
                             double resolution, uint64_t key) {
  const uint64_t out = row_length(layers->out, v), in = layers->in ? row_length(layers->in, v) : 0;
  const uint64_t longest = out > in ? out : in;
  const uint64_t stride = longest / MOST_COUNTED + 1;
  uint64_t slots = 4;
  while (slots < TABLE_SLOTS && 2 * slots < 3 * (out + in))
    slots *= 2;
  count_labels(layers, counts, layers->out, stride, slots - 1, v);
  if (layers->in)
    count_labels(layers, counts, layers->in, stride, slots - 1, v);
  return best_label(layers, counts, layers->labels[v], stride, resolution, qn_random_at(key, v));
}

/* ---- A layer ----------------------------------------------------------------------------------
 */

/* The next vertex of the batch in [v, end), or `end`. */
static uint64_t next_of_batch(const struct layers *layers, unsigned batch, uint64_t v,
                              uint64_t end) {
  const uint8_t *at = v < end ? memchr(layers->batches + v, (int)batch, end - v) : NULL;
  return at ? (uint64_t)(at - layers->batches) : end;
}

static void choose_labels(const struct layers *layers, struct counts *counts, unsigned batch,
                          uint64_t begin, uint64_t end, double resolution, uint64_t key) {
  for (uint64_t v = begin; (v = next_of_batch(layers, batch, v, end)) < end; v++) {
    __atomic_store_n(&layers->waiting[v], 0, __ATOMIC_RELAXED);
    layers->chosen[v] = choose_label(layers, counts, (uint32_t)v, resolution, key);
  }
}

static void wake(const struct layers *layers, const struct qn_csr *csr, uint64_t v) {
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
    const uint32_t other = csr->column_indices[edge];
    if (other < layers->num_vertices)
      __atomic_store_n(&layers->waiting[other], 1, __ATOMIC_RELAXED);
  }
}

static uint64_t take_labels(const struct layers *layers, unsigned batch, uint64_t begin,
                            uint64_t end) {
  uint64_t changed = 0;
  for (uint64_t v = begin; (v = next_of_batch(layers, batch, v, end)) < end; v++) {
    const uint32_t own = layers->labels[v], label = layers->chosen[v];
    if (own == label)
      continue;
    __atomic_fetch_sub(&layers->sizes[own], 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&layers->sizes[label], 1, __ATOMIC_RELAXED);
    layers->labels[v] = label;
    wake(layers, layers->out, v);
    if (layers->in)
      wake(layers, layers->in, v);
    changed++;
  }
  return changed;
}

static uint64_t sweep_once(const struct layers *layers, struct counts *counts, double resolution,
                           uint64_t key) {
  const uint64_t num_vertices = layers->num_vertices;
  const uint64_t chunks = (num_vertices + CHUNK - 1) / CHUNK;
  uint64_t changed = 0;
#pragma omp parallel reduction(+ : changed)
  {
    struct counts *mine = &counts[omp_get_thread_num()];
#pragma omp for
    for (uint64_t v = 0; v < num_vertices; v++)
      layers->batches[v] =
          layers->waiting[v] ? (uint8_t)qn_random_below(qn_random_at(key, v), BATCHES) : RESTING;
    for (unsigned batch = 0; batch < BATCHES; batch++) {
#pragma omp for schedule(dynamic, 1)
      for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        const uint64_t begin = chunk * CHUNK, end = begin + CHUNK;
        choose_labels(layers, mine, batch, begin, end < num_vertices ? end : num_vertices,
                      resolution, key);
      }
#pragma omp for schedule(dynamic, 1)
      for (uint64_t chunk = 0; chunk < chunks; chunk++) {
        const uint64_t begin = chunk * CHUNK, end = begin + CHUNK;
        changed += take_labels(layers, batch, begin, end < num_vertices ? end : num_vertices);
      }
    }
  }
  return changed;
}

static void find_labels(const struct layers *layers, unsigned layer, struct counts *counts) {
  const uint64_t num_vertices = layers->num_vertices;
  const double resolution = layer + 1 < LAYERS ? ldexp(1, -(int)layer) : 0;
  memset(layers->waiting, 1, num_vertices);
  for (uint64_t v = 0; v < num_vertices; v++) {
    layers->labels[v] = (uint32_t)v;
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

static uint64_t least_hash(const struct qn_csr *csr, uint64_t key, uint64_t v) {
  uint64_t least = UINT32_MAX;
  for (uint64_t edge = csr->row_offsets[v]; edge < csr->row_offsets[v + 1]; edge++) {
    const uint64_t hash = qn_random_at(key, csr->column_indices[edge]) >> 32;
    least = hash < least ? hash : least;
  }
  return least;
}

/* Two hashes of a vertex's row, or of its in-neighbours if it has none: the more neighbours two
 * vertices share, the likelier each is equal. */
static uint64_t shingle(const struct layers *layers, uint64_t v) {
  const struct qn_csr *csr =
      layers->in && row_length(layers->out, (uint32_t)v) == 0 ? layers->in : layers->out;
  return least_hash(csr, qn_random_key(layers->key, FIRST_SHINGLE), v) << 32 |
         least_hash(csr, qn_random_key(layers->key, FIRST_SHINGLE + 1), v);
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
 * those of like rows are beside one another in the smallest communities. */
static enum qn_status order_by_shingles(const struct layers *layers, uint64_t *keys,
                                        uint32_t *order, struct qn_error *error) {
  const uint64_t num_vertices = layers->num_vertices;
  uint64_t *counters;
  enum qn_status status = qn_alloc(&counters, DIGITS, sizeof *counters, "shingles", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, CHUNK)
  for (uint64_t v = 0; v < num_vertices; v++) {
    keys[v] = shingle(layers, v);
    order[v] = (uint32_t)v;
  }
  for (unsigned shift = 0; shift < 64; shift += 32) {
    sort_by_digit(order, num_vertices, keys, shift, counters, layers->chosen);
    sort_by_digit(layers->chosen, num_vertices, keys, shift + 16, counters, order);
  }
  qn_free(counters);
  return QN_OK;
}

/* ---- The order --------------------------------------------------------------------------------
 */

/* Vertices of one label beside one another, labels by where their vertex is in the order, vertices
 * within as they are in it. */
static void refine(const struct layers *layers, uint32_t *order, uint32_t *next_order,
                   uint64_t *places) {
  const uint64_t num_vertices = layers->num_vertices;
  uint64_t place = 0;
  for (uint64_t i = 0; i < num_vertices; i++) {
    places[order[i]] = place;
    place += layers->sizes[order[i]];
  }
  for (uint64_t i = 0; i < num_vertices; i++)
    next_order[places[layers->labels[order[i]]]++] = order[i];
  memcpy(order, next_order, num_vertices * sizeof *order);
}

static enum qn_status refine_by_layers(const struct layers *layers, struct counts *counts,
                                       uint32_t *order, struct qn_error *error) {
  const uint64_t num_vertices = layers->num_vertices;
  uint64_t *places = NULL;
  enum qn_status status = qn_pages_alloc(&places, num_vertices, sizeof *places, "places", error);
  if (!status)
    status = order_by_shingles(layers, places, order, error);
  qn_progress_begin("ordering", "layers", LAYERS);
  for (unsigned layer = 0; !status && layer < LAYERS && num_vertices; layer++) {
    find_labels(layers, layer, counts);
    refine(layers, order, layers->chosen, places);
    qn_progress_add(1);
    status = qn_context_check(error);
  }
  qn_progress_end();
  qn_pages_free(places, num_vertices, sizeof *places);
  return status;
}

static enum qn_status create_counts(struct counts *counts, struct qn_error *error) {
  enum qn_status status =
      qn_alloc_zeroed(&counts->slots, TABLE_SLOTS, sizeof *counts->slots, "labels", error);
  return status
             ? status
             : qn_alloc(&counts->found, 2 * MOST_COUNTED, sizeof *counts->found, "labels", error);
}

static enum qn_status create_layers(struct layers *layers, struct counts **counts,
                                    struct qn_error *error) {
  uint32_t **const numbers[] = {&layers->labels, &layers->chosen, &layers->sizes};
  uint8_t **const bytes[] = {&layers->waiting, &layers->batches};
  enum qn_status status = qn_alloc_zeroed(counts, qn_threads(), sizeof **counts, "labels", error);
  for (unsigned i = 0; !status && i < 3; i++)
    status = qn_pages_alloc(numbers[i], layers->num_vertices, sizeof **numbers[i], "labels", error);
  for (unsigned i = 0; !status && i < 2; i++)
    status = qn_pages_alloc(bytes[i], layers->num_vertices, 1, "labels", error);
  for (unsigned i = 0; !status && i < qn_threads(); i++)
    status = create_counts(&(*counts)[i], error);
  return status;
}

static void destroy_layers(const struct layers *layers, struct counts *counts) {
  qn_pages_free(layers->labels, layers->num_vertices, sizeof *layers->labels);
  qn_pages_free(layers->chosen, layers->num_vertices, sizeof *layers->chosen);
  qn_pages_free(layers->sizes, layers->num_vertices, sizeof *layers->sizes);
  qn_pages_free(layers->waiting, layers->num_vertices, 1);
  qn_pages_free(layers->batches, layers->num_vertices, 1);
  for (unsigned i = 0; counts && i < qn_threads(); i++) {
    qn_free(counts[i].slots);
    qn_free(counts[i].found);
  }
  qn_free(counts);
}

enum qn_status qn_order_llp(const struct qn_graph *graph, uint64_t seed, uint32_t *order,
                            struct qn_error *error) {
  enum { STREAM_LAYERS = 19 };
  struct layers layers = {.out = &graph->out,
                          .num_vertices = graph->out.num_vertices,
                          .key = qn_random_key(seed, STREAM_LAYERS)};
  struct counts *counts = NULL;
  struct qn_graph transposed = {0};
  enum qn_status status = QN_OK;
  if (graph->directedness != QN_UNDIRECTED) {
    layers.in = graph->has_transpose ? &graph->in : &transposed.out;
    if (!graph->has_transpose)
      status = qn_graph_create_transpose(&graph->out, &transposed, error);
  }
  if (!status)
    status = create_layers(&layers, &counts, error);
  if (!status)
    status = refine_by_layers(&layers, counts, order, error);
  destroy_layers(&layers, counts);
  qn_graph_unmap(&transposed);
  return status;
}
