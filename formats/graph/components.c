#include "formats/graph/components.h"

#include "formats/graph/union_find.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include "support/threads.h"

/* Neighbors of each vertex joined at most before all those outside the largest component are. */
#define NEIGHBOR_ROUNDS 3
#define NUM_SAMPLES 1024
#define ROOT_NEIGHBORS 1024

void qn_components_join_ends(uint32_t *parent, uint32_t a, uint32_t b) {
  union_join(parent, a, b);
}

void qn_components_end(uint32_t *parent, uint64_t num_vertices) {
  union_end(parent, 0, num_vertices);
}

void qn_components_end_some(uint32_t *parent, uint64_t begin, uint64_t end) {
  union_end(parent, begin, end);
}

static uint32_t first_of_row(const struct qn_csr *csr, uint32_t v, uint32_t otherwise) {
  uint64_t begin = csr->row_offsets[v];
  return begin < csr->row_offsets[v + 1] ? csr->column_indices[begin] : otherwise;
}

/* A vertex without neighbors is its own. */
static uint32_t smallest_neighbor(const struct qn_graph *graph, uint32_t v) {
  uint32_t out = first_of_row(&graph->out, v, v);
  if (graph->directedness == QN_UNDIRECTED || !graph->has_transpose)
    return out;
  uint32_t in = first_of_row(&graph->in, v, out);
  return in < out ? in : out;
}

/* Join every vertex with its smallest neighbor, and let it point at its root. Only a vertex's own
 * turn changes its parent: where the neighbor is larger, the vertex goes below that one's root,
 * which is never larger than the vertex if both see the edge. */
void qn_components_begin(const struct qn_graph *graph, uint32_t *parent) {
  uint64_t num_vertices = graph->out.num_vertices;
#pragma omp parallel for schedule(dynamic, 16384)
  for (uint64_t v = 0; v < num_vertices; v++) {
    uint32_t neighbor = smallest_neighbor(graph, (uint32_t)v);
    parent[v] = neighbor < v ? neighbor : (uint32_t)v;
  }
#pragma omp parallel for schedule(dynamic, 16384)
  for (uint64_t v = 0; v < num_vertices; v++) {
    uint32_t above = union_load(parent, (uint32_t)v);
    if (above == v)
      above = smallest_neighbor(graph, (uint32_t)v);
    uint32_t root = union_root(parent, above);
    if (root < v)
      __atomic_store_n(&parent[v], root, __ATOMIC_RELAXED);
  }
}

static void join_neighbors(const struct qn_csr *csr, uint32_t *parent, uint64_t round) {
#pragma omp parallel for schedule(dynamic, 16384)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    if (csr->row_offsets[v] + round < csr->row_offsets[v + 1])
      union_join(parent, (uint32_t)v, csr->column_indices[csr->row_offsets[v] + round]);
  qn_components_end(parent, csr->num_vertices);
}

/* The roots of vertices with neighbors, spread evenly. */
struct sample {
  uint32_t roots[NUM_SAMPLES];
  uint64_t count;
  uint32_t largest; /* the root of most of them, if more than half have the same */
  bool dominates;   /* nearly all have it */
};

/* A majority vote (Boyer, Moore) finds the root of more than half of the sample if there is one,
 * the only case worth finding. */
static void elect_largest(struct sample *sample) {
  uint64_t agreeing = 0;
  int64_t lead = 0;
  for (uint64_t i = 0; i < sample->count; i++) {
    if (lead == 0)
      sample->largest = sample->roots[i];
    lead += sample->roots[i] == sample->largest ? 1 : -1;
  }
  for (uint64_t i = 0; i < sample->count; i++)
    agreeing += sample->roots[i] == sample->largest;
  sample->dominates = agreeing >= sample->count - sample->count / 32;
}

static void take_sample(const uint32_t *parent, uint64_t num_vertices, qn_has_edges *has_edges,
                        const void *context, struct sample *sample) {
  *sample = (struct sample){.count = 0};
  for (uint64_t i = 0; i < NUM_SAMPLES; i++) {
    uint64_t begin, end;
    qn_part_of(num_vertices, NUM_SAMPLES, i, &begin, &end);
    /* Not always the first of its stretch: vertices at regular distances may be alike. */
    uint64_t vertex = begin + (end > begin ? i * 0x9E3779B97F4A7C15u % (end - begin) : 0);
    if (vertex < num_vertices && has_edges(context, vertex))
      sample->roots[sample->count++] = parent[vertex];
  }
  elect_largest(sample);
}

uint32_t qn_components_elect(const uint32_t *parent, uint64_t num_vertices, qn_has_edges *has_edges,
                             const void *context) {
  struct sample sample;
  take_sample(parent, num_vertices, has_edges, context, &sample);
  return sample.largest;
}

static bool has_neighbor(const void *context, uint64_t vertex) {
  return smallest_neighbor(context, (uint32_t)vertex) != vertex;
}

/* Join the first neighbors of the sample's roots. Where a few vertices have drawn most others
 * below them, these are what keeps trees apart. */
static void join_neighbors_of_roots(const struct qn_csr *csr, uint32_t *parent,
                                    const struct sample *sample) {
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t i = 0; i < sample->count; i++) {
    uint32_t root = sample->roots[i];
    if (union_load(parent, root) != root)
      continue; /* another one of the sample with this root was faster */
    uint64_t end = csr->row_offsets[root + 1];
    for (uint64_t edge = csr->row_offsets[root], n = 0; edge < end && n < ROOT_NEIGHBORS;
         edge++, n++)
      union_join(parent, root, csr->column_indices[edge]);
  }
  qn_components_end(parent, csr->num_vertices);
}

static bool in_tree_of(const uint32_t *parent, uint32_t v, uint32_t largest) {
  return union_root(parent, v) == union_root(parent, largest);
}

/* Edges from the largest tree to the outside are joined from their other ends, and only until that
 * one is in the tree. */
void qn_components_join(uint32_t *parent, uint32_t vertex, struct qn_neighbors neighbors,
                        uint32_t largest) {
  if (largest == QN_NO_LARGEST) {
    for (const uint32_t *other = neighbors.begin; other < neighbors.end; other++)
      union_join(parent, vertex, neighbors.base + *other);
  } else if (union_load(parent, vertex) != largest) {
    for (const uint32_t *other = neighbors.begin;
         other < neighbors.end && !in_tree_of(parent, vertex, largest); other++)
      union_join(parent, vertex, neighbors.base + *other);
  }
}

static void come_inside(uint64_t *outside, uint32_t vertex) {
  __atomic_fetch_and(&outside[vertex / 64], ~((uint64_t)1 << vertex % 64), __ATOMIC_RELAXED);
}

enum qn_status qn_components_find_outside(const uint32_t *parent, uint64_t num_vertices,
                                          uint32_t largest, uint64_t **outside,
                                          struct qn_error *error) {
  const uint64_t num_words = qn_components_outside_words(num_vertices);
  enum qn_status status =
      qn_pages_alloc(outside, num_words, sizeof **outside, "vertices outside a tree", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t word = 0; word < num_words; word++) {
    const uint64_t begin = word * 64, end = begin + 64 < num_vertices ? begin + 64 : num_vertices;
    uint64_t bits = 0;
    for (uint64_t v = begin; v < end; v++)
      bits |= (uint64_t)(parent[v] != largest) << (v - begin);
    (*outside)[word] = bits;
  }
  return QN_OK;
}

void qn_components_join_outside(uint32_t *parent, uint32_t vertex, struct qn_neighbors neighbors,
                                uint64_t *outside) {
  bool inside = !qn_components_is_outside(outside, vertex);
  for (const uint32_t *neighbor = neighbors.begin; neighbor < neighbors.end; neighbor++) {
    const uint32_t other = neighbors.base + *neighbor;
    const bool other_inside = !qn_components_is_outside(outside, other);
    if (inside && other_inside)
      continue;
    union_join(parent, vertex, other);
    if (inside || other_inside)
      come_inside(outside, inside ? other : vertex);
    inside = inside || other_inside;
  }
}

uint32_t qn_components_find_largest(const struct qn_graph *graph, uint32_t *parent) {
  const uint64_t num_vertices = graph->out.num_vertices;
  struct sample sample;
  take_sample(parent, num_vertices, has_neighbor, graph, &sample);
  for (uint64_t round = 0; round < NEIGHBOR_ROUNDS && !sample.dominates; round++) {
    if (round == 0)
      join_neighbors_of_roots(&graph->out, parent, &sample);
    else
      join_neighbors(&graph->out, parent, round);
    take_sample(parent, num_vertices, has_neighbor, graph, &sample);
  }
  return sample.largest;
}

/* ---- Sizes ---------------------------------------------------------------------------------- */

#define GUESSES ((uint64_t)64)

/* Most vertices have one label, that of the largest component, if there is such: its members are
 * counted apart, so that its counter is not fought over. */
static uint32_t guess_largest(const uint32_t *labels, uint64_t num_vertices) {
  uint32_t guess = 0;
  uint64_t lead = 0; /* majority vote of a few (Boyer, Moore) */
  for (uint64_t i = 0; i < GUESSES; i++) {
    const uint32_t label = labels[num_vertices / GUESSES * i];
    if (lead == 0)
      guess = label;
    lead = label == guess ? lead + 1 : lead - 1;
  }
  return guess;
}

/* Another member with this label; before the first of them `count` is what is counted already. */
static void add_member(uint32_t *members, uint32_t label, uint64_t *count, uint64_t *largest) {
  const uint64_t before = __atomic_fetch_add(&members[label], 1, __ATOMIC_RELAXED);
  *count += before == 0;
  *largest = before >= *largest ? before + 1 : *largest;
}

/* Where each label is that of one of its members, its own, those need no counter: most components
 * of large graphs are single vertices. `members` are 0. */
enum qn_status qn_component_sizes(const uint32_t *labels, uint64_t num_vertices,
                                  struct qn_component_sizes *sizes, struct qn_error *error) {
  uint32_t *members;
  uint64_t apart = 0, own = 0, count = 0, largest = 0;
  bool are_own = true;
  enum qn_status status =
      qn_pages_alloc(&members, num_vertices, sizeof *members, "sizes of components", error);
  if (status)
    return status;
  const uint32_t guess = num_vertices ? guess_largest(labels, num_vertices) : 0;
#pragma omp parallel for schedule(static) reduction(+ : apart, own, count)                         \
    reduction(max : largest) reduction(&& : are_own)
  for (uint64_t v = 0; v < num_vertices; v++) {
    /* Which of both it is cannot be foretold, so there is no branch. */
    const uint32_t label = labels[v], is_apart = label == guess, is_own = label == v;
    apart += is_apart;
    own += is_own & ~is_apart;
    if ((is_apart | is_own) == 0) {
      add_member(members, label, &count, &largest);
      are_own = are_own && labels[label] == label;
    }
  }
  if (are_own) {
    count = own;
    largest += own > 0;
  } else {
#pragma omp parallel for schedule(static) reduction(+ : count) reduction(max : largest)
    for (uint64_t v = 0; v < num_vertices; v++)
      if (labels[v] == v && v != guess)
        add_member(members, (uint32_t)v, &count, &largest);
  }
  *sizes = (struct qn_component_sizes){count + (apart > 0), apart > largest ? apart : largest};
  qn_pages_free(members, num_vertices, sizeof *members);
  return QN_OK;
}

/* Vertices that are components alone, as most are, need no counter; and one component, that of the
 * first vertex that is not a first member, is counted apart: it is the largest of most graphs. */
enum qn_status qn_component_sizes_wide(const uint64_t *labels, uint64_t num_vertices,
                                       struct qn_component_sizes *sizes, struct qn_error *error) {
  uint64_t *members, count = 0, largest = 0, apart = 0, guess = UINT64_MAX;
  enum qn_status status =
      qn_bulk_alloc(&members, num_vertices, sizeof *members, "sizes of components", error);
  if (status)
    return status;
  for (uint64_t v = 0; v < num_vertices && guess == UINT64_MAX; v++)
    guess = labels[v] != v ? labels[v] : guess;
#pragma omp parallel for schedule(static) reduction(+ : count, apart)
  for (uint64_t v = 0; v < num_vertices; v++) {
    count += labels[v] == v;
    apart += labels[v] == guess;
    if (labels[v] != v && labels[v] != guess)
      __atomic_fetch_add(&members[labels[v]], 1, __ATOMIC_RELAXED);
  }
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (uint64_t v = 0; v < num_vertices; v++) {
    const uint64_t size = labels[v] == v ? members[v] + 1 : 0;
    largest = size > largest ? size : largest;
  }
  *sizes = (struct qn_component_sizes){count, apart > largest ? apart : largest};
  qn_pages_free(members, num_vertices, sizeof *members);
  return QN_OK;
}
