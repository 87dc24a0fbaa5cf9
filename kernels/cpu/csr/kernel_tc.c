/* Triangles of the simple undirected graph (loops, directions and multiplicities
 * ignored), each counted once, on CSR.
 *
 * A kernel of its own because a triangle needs the intersection of two rows, which is no
 * combination of messages. Vertices are renumbered by falling degree, and each edge is kept at
 * its later end, so that a triangle a < b < c is found once, at its edge (c, b), as a member of
 * both ends' lists. Earlier means higher degree, so lists are short: at most sqrt(2 E)
 * (Schank, Wagner: Finding, Counting and Listing All Triangles in Large Graphs, 2005).
 *
 * Lists are intersected as bitmaps: that of c is made once for all its edges. The first
 * vertices, the hubs, which are at the end of most edges, have theirs stored (row b has b
 * bits), so that one instruction compares 64 candidates; for later b each entry of its
 * short list is looked up in c's bitmap. */
#include <omp.h>
#include <string.h>

#include "kernels/own_kernel.h"
#include "support/memory.h"
#include "support/multiversion.h"
#include "support/threads.h"
#include <quern/graph.h>
#include <quern/transpose.h>

extern const struct qn_kernel qn_kernel_tc_csr_cpu;

/* Vertices with stored bitmaps: 2^15 take 64 MiB together. */
#define MAX_HUBS ((uint64_t)1 << 15)

/* Degrees are told apart up to this; beyond, all are hubs whose order matters little. */
#define DEGREE_CLASSES ((uint64_t)1 << 16)

struct work {
  const struct qn_graph *graph;
  const struct qn_csr *in; /* NULL for an undirected graph: the same as out */
  uint64_t num_vertices;
  uint32_t *old_vertex; /* [V] by new number */
  uint32_t *new_vertex; /* [V] by old number */
  uint64_t *offsets;    /* [V + 1] of `earlier`, by new number */
  uint32_t *earlier;    /* neighbours with smaller new numbers, each once, in any order */
  uint64_t num_earlier;
  uint64_t num_hubs;
  uint64_t *hub_bits; /* bitmaps of the hubs, row b beginning at word row_word(b) */
  uint64_t *bits;     /* [threads][words] scratch bitmaps, zero between uses */
  uint64_t words;     /* of a bitmap of all vertices */
};

/* Words of the bitmaps of 0 .. b-1, where bitmap b has ceil(b / 64). */
static uint64_t row_word(uint64_t b) {
  if (b == 0)
    return 0;
  uint64_t full = (b - 1) / 64, rest = (b - 1) % 64; /* rows 1 .. b-1 */
  return 64 * (full * (full + 1) / 2) + rest * (full + 1);
}

static uint64_t degree_of(const struct work *work, uint64_t v) {
  const uint64_t *out = work->graph->out.row_offsets;
  uint64_t degree = out[v + 1] - out[v];
  return work->in ? degree + work->in->row_offsets[v + 1] - work->in->row_offsets[v] : degree;
}

/* The class of a vertex's degree, the largest degrees first. */
static uint64_t degree_class(const struct work *work, uint64_t v) {
  uint64_t degree = degree_of(work, v);
  return DEGREE_CLASSES - 1 - (degree < DEGREE_CLASSES ? degree : DEGREE_CLASSES - 1);
}

/* A stable counting sort over the parts of the threads. */
static enum qn_status renumber(struct work *work, struct qn_error *error) {
  unsigned parts = qn_threads();
  uint64_t *places;
  enum qn_status status = qn_pages_alloc(&places, parts * DEGREE_CLASSES, sizeof *places,
                                         "histogram of degrees", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static, 1)
  for (unsigned part = 0; part < parts; part++) {
    uint64_t begin, end;
    qn_part_of(work->num_vertices, parts, part, &begin, &end);
    for (uint64_t v = begin; v < end; v++)
      places[part * DEGREE_CLASSES + degree_class(work, v)]++;
  }
  uint64_t sum = 0;
  for (uint64_t class = 0; class < DEGREE_CLASSES; class ++)
    for (unsigned part = 0; part < parts; part++) {
      uint64_t count = places[part * DEGREE_CLASSES + class];
      places[part * DEGREE_CLASSES + class] = sum;
      sum += count;
    }
#pragma omp parallel for schedule(static, 1)
  for (unsigned part = 0; part < parts; part++) {
    uint64_t begin, end;
    qn_part_of(work->num_vertices, parts, part, &begin, &end);
    for (uint64_t v = begin; v < end; v++) {
      uint64_t place = places[part * DEGREE_CLASSES + degree_class(work, v)]++;
      work->old_vertex[place] = (uint32_t)v;
      work->new_vertex[v] = (uint32_t)place;
    }
  }
  qn_pages_free(places, parts * DEGREE_CLASSES, sizeof *places);
  return QN_OK;
}

/* Append the row's neighbours earlier than `c` that are not in `bits` yet to `list`. */
static uint64_t add_earlier(const struct work *work, const struct qn_csr *csr, uint32_t c,
                            uint64_t *bits, uint32_t *list) {
  uint64_t count = 0;
  uint32_t old = work->old_vertex[c];
  for (uint64_t edge = csr->row_offsets[old]; edge < csr->row_offsets[old + 1]; edge++) {
    uint32_t b = work->new_vertex[csr->column_indices[edge]];
    uint64_t bit = (uint64_t)1 << (b % 64);
    if (b < c && !(bits[b / 64] & bit)) {
      bits[b / 64] |= bit;
      list[count++] = b;
    }
  }
  return count;
}

static void clear_bits(uint64_t *bits, const uint32_t *list, uint64_t count) {
  for (uint64_t i = 0; i < count; i++)
    bits[list[i] / 64] = 0;
}

static uint64_t *scratch_bits(const struct work *work) {
  return work->bits + (uint64_t)omp_get_thread_num() * work->words;
}

/* Rows are written with room for all their edges, as offsets[c] must be known before: an upper
 * bound that costs address space alone. */
static enum qn_status orient_edges(struct work *work, uint64_t **counts, struct qn_error *error) {
  uint64_t sum = 0;
  enum qn_status status =
      qn_pages_alloc(counts, work->num_vertices, sizeof **counts, "list lengths", error);
  if (status)
    return status;
  for (uint64_t c = 0; c < work->num_vertices; c++) {
    uint64_t degree = degree_of(work, work->old_vertex[c]);
    work->offsets[c] = sum;
    sum += degree < c ? degree : c;
  }
  work->offsets[work->num_vertices] = work->num_earlier = sum;
  status = qn_pages_alloc(&work->earlier, sum, sizeof *work->earlier, "oriented edges", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 256)
  for (uint64_t c = 0; c < work->num_vertices; c++) {
    uint64_t *bits = scratch_bits(work);
    uint32_t *list = work->earlier + work->offsets[c];
    uint64_t count = add_earlier(work, &work->graph->out, (uint32_t)c, bits, list);
    if (work->in)
      count += add_earlier(work, work->in, (uint32_t)c, bits, list + count);
    clear_bits(bits, list, count);
    (*counts)[c] = count;
  }
  return QN_OK;
}

static enum qn_status store_hubs(struct work *work, const uint64_t *counts,
                                 struct qn_error *error) {
  work->num_hubs = work->num_vertices < MAX_HUBS ? work->num_vertices : MAX_HUBS;
  enum qn_status status = qn_pages_alloc(&work->hub_bits, row_word(work->num_hubs),
                                         sizeof *work->hub_bits, "bitmaps of hubs", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 64)
  for (uint64_t b = 0; b < work->num_hubs; b++) {
    uint64_t *row = work->hub_bits + row_word(b);
    for (uint64_t i = 0; i < counts[b]; i++) {
      uint32_t a = work->earlier[work->offsets[b] + i];
      row[a / 64] |= (uint64_t)1 << (a % 64);
    }
  }
  return QN_OK;
}

QN_COUNTING_CLONES static uint64_t count_common(const uint64_t *restrict a,
                                                const uint64_t *restrict b, uint64_t words) {
  uint64_t count = 0;
  for (uint64_t word = 0; word < words; word++)
    count += (uint64_t)__builtin_popcountll(a[word] & b[word]);
  return count;
}

/* Triangles whose last vertex is `c`. */
static uint64_t count_at(const struct work *work, const uint64_t *counts, uint64_t c,
                         uint64_t *bits) {
  const uint32_t *list = work->earlier + work->offsets[c];
  uint64_t triangles = 0;
  for (uint64_t i = 0; i < counts[c]; i++)
    bits[list[i] / 64] |= (uint64_t)1 << (list[i] % 64);
  for (uint64_t i = 0; i < counts[c]; i++) {
    uint64_t b = list[i];
    if (b < work->num_hubs && counts[b] > b / 256) {
      triangles += count_common(bits, work->hub_bits + row_word(b), (b + 63) / 64);
      continue;
    }
    const uint32_t *other = work->earlier + work->offsets[b];
    for (uint64_t j = 0; j < counts[b]; j++)
      triangles += bits[other[j] / 64] >> (other[j] % 64) & 1;
  }
  clear_bits(bits, list, counts[c]);
  return triangles;
}

static uint64_t count_triangles(const struct work *work, const uint64_t *counts) {
  uint64_t triangles = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : triangles)
  for (uint64_t c = 0; c < work->num_vertices; c++)
    if (counts[c] > 1)
      triangles += count_at(work, counts, c, scratch_bits(work));
  return triangles;
}

static enum qn_status create_arrays(struct work *work, struct qn_error *error) {
  uint64_t num_vertices = work->num_vertices;
  work->words = (num_vertices + 63) / 64;
  enum qn_status status = qn_pages_alloc(&work->old_vertex, num_vertices, sizeof *work->old_vertex,
                                         "vertices by degree", error);
  if (!status)
    status = qn_pages_alloc(&work->new_vertex, num_vertices, sizeof *work->new_vertex,
                            "vertices by degree", error);
  if (!status)
    status = qn_pages_alloc(&work->offsets, num_vertices + 1, sizeof *work->offsets,
                            "oriented rows", error);
  if (!status)
    status = qn_pages_alloc(&work->bits, qn_threads() * work->words, sizeof *work->bits,
                            "bitmaps of vertices", error);
  return status;
}

static void destroy_arrays(struct work *work, uint64_t *counts) {
  uint64_t num_vertices = work->num_vertices;
  qn_pages_free(counts, num_vertices, sizeof *counts);
  qn_pages_free(work->old_vertex, num_vertices, sizeof *work->old_vertex);
  qn_pages_free(work->new_vertex, num_vertices, sizeof *work->new_vertex);
  qn_pages_free(work->offsets, num_vertices + 1, sizeof *work->offsets);
  qn_pages_free(work->earlier, work->num_earlier, sizeof *work->earlier);
  qn_pages_free(work->hub_bits, row_word(work->num_hubs), sizeof *work->hub_bits);
  qn_pages_free(work->bits, qn_threads() * work->words, sizeof *work->bits);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_graph *graph = request->view;
  struct work work = {.graph = graph, .num_vertices = graph->out.num_vertices};
  struct qn_graph transposed = {0};
  uint64_t *counts = NULL;
  enum qn_status status = QN_OK;
  double begin = qn_seconds();
  *result = (struct qn_run_result){.converged = true, .iterations = 1};
  if (graph->directedness != QN_UNDIRECTED) {
    work.in = graph->has_transpose ? &graph->in : &transposed.out;
    if (!graph->has_transpose)
      status = qn_graph_create_transpose(&graph->out, &transposed, error);
  }
  if (!status)
    status = create_arrays(&work, error);
  if (!status)
    status = renumber(&work, error);
  if (!status)
    status = orient_edges(&work, &counts, error);
  if (!status)
    status = store_hubs(&work, counts, error);
  result->prepare_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!status)
    result->count = count_triangles(&work, counts);
  result->kernel_seconds = qn_seconds() - begin;
  destroy_arrays(&work, counts);
  qn_graph_unmap(&transposed);
  return status;
}

const struct qn_kernel qn_kernel_tc_csr_cpu =
    QN_TC_KERNEL("csr bitmaps by degree", QN_LAYOUT_GRAPH, QN_CPU, run);
