/* Local clustering coefficients on CSR: of the pairs of a vertex's neighbours, in both orders, the
 * part that an edge leads along (LDBC Graphalytics, section on LCC). Neighbours are the ends of
 * out- and in-edges, each once, without the vertex itself; parallel edges count once. Below two
 * neighbours it is 0.
 *
 * A kernel of its own because it looks at triangles (kernel_tc.c). Each triangle a < b < c is found
 * once, at its last vertex c, as a member of both c's list and b's, and told to all three. What the
 * first vertices are told, the hubs, which are the a of nearly all triangles, each thread sums up
 * by itself; only others are told at once. */
#include <omp.h>

#include "kernels/cpu/triangles/hub_bitmaps.h"
#include "kernels/cpu/triangles/triangles.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/multiversion.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_lcc_csr_cpu;

/* Vertices whose sums each thread has: 2^16 of them fit into its cache. */
#define MAX_SUMMED ((uint64_t)1 << 16)

/* What a vertex is told. */
struct sums {
  uint64_t links;     /* edges between neighbours */
  uint64_t neighbors; /* their number */
};

struct work {
  struct qn_orientation edges;
  struct qn_hub_bitmaps hubs; /* of an undirected graph */
  struct sums *sums;          /* [V] by new number */
  uint64_t num_summed, longest /* list */, words /* of a bitmap of all vertices */;
  /* Of each thread: */
  struct sums *own_sums; /* [num_summed] */
  uint64_t *bits;        /* [words] the list of the vertex at hand, zero between uses */
  uint64_t *both;        /* [words] what of it has edges in both directions; NULL: undirected */
  uint32_t *found;       /* [longest] */
};

/* One thread's. */
struct hand {
  const struct work *work;
  struct sums *own_sums;
  uint64_t *bits, *both;
  uint32_t *found;
};

static struct hand hand_of(const struct work *work, uint64_t thread) {
  return (struct hand){.work = work,
                       .own_sums = work->own_sums + thread * work->num_summed,
                       .bits = work->bits + thread * work->words,
                       .both = work->both ? work->both + thread * work->words : NULL,
                       .found = work->found + thread * work->longest};
}

static void tell(const struct hand *hand, uint64_t vertex, uint64_t links, uint64_t neighbors) {
  if (vertex < hand->work->num_summed) {
    hand->own_sums[vertex].links += links;
    hand->own_sums[vertex].neighbors += neighbors;
    return;
  }
  struct sums *sums = &hand->work->sums[vertex];
  if (links)
    __atomic_fetch_add(&sums->links, links, __ATOMIC_RELAXED);
  if (neighbors)
    __atomic_fetch_add(&sums->neighbors, neighbors, __ATOMIC_RELAXED);
}

/* Where in a list what is marked stands: no branch depends on the marks. Returns how many. */
QN_SCALAR_CLONES static uint64_t find_marked(const uint32_t *list, uint64_t count,
                                             const uint64_t *bits, uint32_t *found) {
  uint64_t num_found = 0;
  for (uint64_t j = 0; j < count; j++) {
    found[num_found] = (uint32_t)j;
    num_found += qn_is_marked(bits, list[j]);
  }
  return num_found;
}

/* The same of two bitmaps, telling each common neighbour of both directions of the edge between the
 * others. */
QN_SCALAR_CLONES static uint64_t tell_common(const struct hand *hand, const uint64_t *row,
                                             uint64_t words) {
  uint64_t count = 0;
  for (uint64_t word = 0; word < words; word++)
    for (uint64_t common = hand->bits[word] & row[word]; common; common &= common - 1) {
      tell(hand, 64 * word + (uint64_t)__builtin_ctzll(common), 2, 0);
      count++;
    }
  return count;
}

/* The triangles of c with its neighbour b in an undirected graph. Returns their number. */
static uint64_t find_undirected(const struct hand *hand, uint64_t b) {
  const struct qn_orientation *edges = &hand->work->edges;
  const uint32_t *list = edges->earlier + edges->offsets[b];
  const struct qn_hub_bitmaps *hubs = &hand->work->hubs;
  if (b < hubs->num_hubs && edges->counts[b] > b / 64)
    return tell_common(hand, hubs->bits + qn_hub_word(b), (b + 63) / 64);
  const uint64_t num_found = find_marked(list, edges->counts[b], hand->bits, hand->found);
  for (uint64_t k = 0; k < num_found; k++)
    tell(hand, list[hand->found[k]], 2, 0);
  return num_found;
}

/* The same in a directed graph, where each edge leads one way or both. `*a_to_c` are the edges
 * between c and all a. Returns those between b and all a. */
static uint64_t find_directed(const struct hand *hand, uint64_t b, uint64_t c_to_b,
                              uint64_t *a_to_c) {
  const struct qn_orientation *edges = &hand->work->edges;
  const uint32_t *list = edges->earlier + edges->offsets[b];
  const uint8_t *ways = edges->ways + edges->offsets[b];
  const uint64_t num_found = find_marked(list, edges->counts[b], hand->bits, hand->found);
  uint64_t a_to_b = 0;
  *a_to_c = num_found;
  for (uint64_t k = 0; k < num_found; k++) {
    const uint32_t j = hand->found[k];
    a_to_b += ways[j];
    *a_to_c += qn_is_marked(hand->both, list[j]);
    tell(hand, list[j], c_to_b, 0);
  }
  return a_to_b;
}

static void mark_both(const struct qn_orientation *edges, uint64_t c, uint64_t *both) {
  const uint32_t *list = edges->earlier + edges->offsets[c];
  for (uint64_t i = 0; i < edges->counts[c]; i++)
    if (edges->ways[edges->offsets[c] + i] == 2)
      both[list[i] / 64] |= (uint64_t)1 << (list[i] % 64);
}

static void count_at(const struct hand *hand, uint64_t c) {
  const struct qn_orientation *edges = &hand->work->edges;
  const uint32_t *list = edges->earlier + edges->offsets[c];
  const uint64_t length = edges->counts[c];
  uint64_t links = 0;
  qn_mark_list(list, length, hand->bits);
  if (hand->both)
    mark_both(edges, c, hand->both);
  for (uint64_t i = 0; i < length; i++) {
    uint64_t of_b;
    if (hand->both)
      links += find_directed(hand, list[i], edges->ways[edges->offsets[c] + i], &of_b);
    else
      links += of_b = 2 * find_undirected(hand, list[i]);
    tell(hand, list[i], of_b, 1);
  }
  tell(hand, c, links, length);
  qn_clear_list(list, length, hand->bits);
  if (hand->both)
    qn_clear_list(list, length, hand->both);
}

static void count_all(const struct work *work) {
#pragma omp parallel
  {
    const struct hand hand = hand_of(work, (uint64_t)omp_get_thread_num());
#pragma omp for schedule(dynamic, 64)
    for (uint64_t c = 0; c < work->edges.num_vertices; c++)
      count_at(&hand, c);
    for (uint64_t v = 0; v < work->num_summed; v++) {
      __atomic_fetch_add(&work->sums[v].links, hand.own_sums[v].links, __ATOMIC_RELAXED);
      __atomic_fetch_add(&work->sums[v].neighbors, hand.own_sums[v].neighbors, __ATOMIC_RELAXED);
    }
  }
}

static void divide(const struct work *work, double *coefficients) {
#pragma omp parallel for schedule(static)
  for (uint64_t c = 0; c < work->edges.num_vertices; c++) {
    const double neighbors = (double)work->sums[c].neighbors;
    if (neighbors > 1)
      coefficients[work->edges.old_vertex[c]] =
          (double)work->sums[c].links / (neighbors * (neighbors - 1));
  }
}

static uint64_t longest_list(const struct qn_orientation *edges) {
  uint64_t longest = 0;
  for (uint64_t c = 0; c < edges->num_vertices; c++)
    longest = edges->counts[c] > longest ? edges->counts[c] : longest;
  return longest;
}

static enum qn_status create_arrays(struct work *work, struct qn_error *error) {
  const uint64_t num_vertices = work->edges.num_vertices, threads = qn_threads();
  work->longest = longest_list(&work->edges);
  work->words = (num_vertices + 63) / 64;
  work->num_summed = num_vertices < MAX_SUMMED ? num_vertices : MAX_SUMMED;
  enum qn_status status =
      qn_pages_alloc(&work->sums, num_vertices, sizeof *work->sums, "links of neighbours", error);
  if (!status)
    status = qn_pages_alloc(&work->own_sums, threads * work->num_summed, sizeof *work->own_sums,
                            "links of hubs' neighbours", error);
  if (!status)
    status = qn_pages_alloc(&work->bits, threads * work->words, sizeof *work->bits,
                            "bitmaps of vertices", error);
  if (!status && work->edges.ways)
    status = qn_pages_alloc(&work->both, threads * work->words, sizeof *work->both,
                            "bitmaps of vertices", error);
  if (!status)
    status = qn_pages_alloc(&work->found, threads * work->longest, sizeof *work->found,
                            "common neighbours", error);
  return status || work->edges.ways ? status
                                    : qn_hub_bitmaps_create(&work->edges, &work->hubs, error);
}

static void destroy_arrays(struct work *work) {
  const uint64_t num_vertices = work->edges.num_vertices, threads = qn_threads();
  qn_pages_free(work->sums, num_vertices, sizeof *work->sums);
  qn_pages_free(work->own_sums, threads * work->num_summed, sizeof *work->own_sums);
  qn_pages_free(work->bits, threads * work->words, sizeof *work->bits);
  qn_pages_free(work->both, threads * work->words, sizeof *work->both);
  qn_pages_free(work->found, threads * work->longest, sizeof *work->found);
  qn_hub_bitmaps_destroy(&work->hubs);
  qn_orientation_destroy(&work->edges);
}

enum qn_status qn_clustering_run(const struct qn_run_request *request, qn_orient_view *orient,
                                 struct qn_run_result *result, struct qn_error *error) {
  double begin = qn_seconds(), *coefficients = NULL;
  struct work work = {0};
  *result = (struct qn_run_result){0};
  enum qn_status status = orient(request->view, true, &work.edges, error);
  if (!status)
    status = create_arrays(&work, error);
  if (!status)
    status = qn_pages_alloc(&coefficients, work.edges.num_vertices, sizeof *coefficients,
                            "result values", error);
  if (!status) {
    *result = (struct qn_run_result){.type = QN_RESULT_F64,
                                     .num_values = work.edges.num_vertices,
                                     .values = coefficients,
                                     .stats.iterations = 1,
                                     .stats.converged = true,
                                     .stats.prepare_seconds = qn_seconds() - begin};
    begin = qn_seconds();
    count_all(&work);
    divide(&work, coefficients);
    result->stats.kernel_seconds = qn_seconds() - begin;
  }
  destroy_arrays(&work);
  return status;
}

static enum qn_status orient_graph(const void *view, bool wants_ways, struct qn_orientation *edges,
                                   struct qn_error *error) {
  return qn_orientation_create(view, wants_ways, edges, error);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  return qn_clustering_run(request, orient_graph, result, error);
}

const struct qn_kernel qn_kernel_lcc_csr_cpu =
    QN_LCC_KERNEL("csr, triangles by degree", QN_LAYOUT_GRAPH, QN_CPU, run);
