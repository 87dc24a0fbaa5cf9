/* Local clustering coefficients on CSR: of the pairs of a vertex's neighbours, in both orders, the
 * part that an edge leads along (LDBC Graphalytics, section on LCC). Neighbours are the ends of
 * out- and in-edges, each once, without the vertex itself; parallel edges count once. Below two
 * neighbours it is 0.
 *
 * A kernel of its own because it looks at triangles (kernel_tc.c). Each triangle is found once, at
 * its last vertex c, and told to all three: a and b are in c's list, so what they are told is
 * summed up beside that list and added to the vertices once. */
#include <omp.h>

#include "kernels/cpu/csr/orientation.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_lcc_csr_cpu;

struct work {
  struct qn_orientation edges;
  uint64_t *links;     /* [V] edges between neighbours, by new number */
  uint32_t *neighbors; /* [V] their number */
  uint64_t longest;    /* list */
  uint32_t
      *places;    /* [threads][V] 1 + place in the list of the vertex at hand, zero between uses */
  uint64_t *told; /* [threads][longest] beside that list, zero between uses */
};

/* Edges between c and the i-th of its list, in both directions. */
static uint64_t ways_of(const struct qn_orientation *edges, uint64_t c, uint64_t i) {
  return edges->ways ? edges->ways[edges->offsets[c] + i] : 2;
}

/* Find the triangles of c with its i-th neighbour b. Returns the edges between b and all a. */
static uint64_t find_triangles(const struct qn_orientation *edges, uint64_t c, uint64_t i,
                               const uint32_t *places, uint64_t *told) {
  const uint64_t b = edges->earlier[edges->offsets[c] + i], c_to_b = ways_of(edges, c, i);
  const uint32_t *list = edges->earlier + edges->offsets[b];
  uint64_t a_to_b = 0, a_to_c = 0;
  for (uint64_t j = 0; j < edges->counts[b]; j++) {
    const uint32_t place = places[list[j]];
    if (!place)
      continue;
    a_to_b += ways_of(edges, b, j);
    a_to_c += ways_of(edges, c, place - 1);
    told[place - 1] += c_to_b;
  }
  told[i] += a_to_c;
  return a_to_b;
}

static void count_at(const struct work *work, uint64_t c, uint32_t *places, uint64_t *told) {
  const struct qn_orientation *edges = &work->edges;
  const uint32_t *list = edges->earlier + edges->offsets[c];
  const uint64_t length = edges->counts[c];
  uint64_t links = 0;
  for (uint64_t i = 0; i < length; i++)
    places[list[i]] = (uint32_t)i + 1;
  for (uint64_t i = 0; i < length; i++)
    links += find_triangles(edges, c, i, places, told);
  for (uint64_t i = 0; i < length; i++) {
    places[list[i]] = 0;
    __atomic_fetch_add(&work->neighbors[list[i]], 1, __ATOMIC_RELAXED);
    if (told[i])
      __atomic_fetch_add(&work->links[list[i]], told[i], __ATOMIC_RELAXED);
    told[i] = 0;
  }
  __atomic_fetch_add(&work->neighbors[c], (uint32_t)length, __ATOMIC_RELAXED);
  __atomic_fetch_add(&work->links[c], links, __ATOMIC_RELAXED);
}

static void count_all(const struct work *work) {
  const uint64_t num_vertices = work->edges.num_vertices;
#pragma omp parallel for schedule(dynamic, 64)
  for (uint64_t c = 0; c < num_vertices; c++) {
    const uint64_t thread = (uint64_t)omp_get_thread_num();
    count_at(work, c, work->places + thread * num_vertices, work->told + thread * work->longest);
  }
}

static void divide(const struct work *work, double *coefficients) {
#pragma omp parallel for schedule(static)
  for (uint64_t c = 0; c < work->edges.num_vertices; c++) {
    const double neighbors = work->neighbors[c];
    if (neighbors > 1)
      coefficients[work->edges.old_vertex[c]] =
          (double)work->links[c] / (neighbors * (neighbors - 1));
  }
}

static uint64_t longest_list(const struct qn_orientation *edges) {
  uint64_t longest = 0;
  for (uint64_t c = 0; c < edges->num_vertices; c++)
    longest = edges->counts[c] > longest ? edges->counts[c] : longest;
  return longest;
}

static enum qn_status create_arrays(struct work *work, struct qn_error *error) {
  const uint64_t num_vertices = work->edges.num_vertices;
  enum qn_status status =
      qn_pages_alloc(&work->links, num_vertices, sizeof *work->links, "links", error);
  work->longest = longest_list(&work->edges);
  if (!status)
    status = qn_pages_alloc(&work->neighbors, num_vertices, sizeof *work->neighbors,
                            "numbers of neighbours", error);
  if (!status)
    status = qn_pages_alloc(&work->places, qn_threads() * num_vertices, sizeof *work->places,
                            "places in lists", error);
  if (!status)
    status = qn_pages_alloc(&work->told, qn_threads() * work->longest, sizeof *work->told,
                            "sums beside lists", error);
  return status;
}

static void destroy_arrays(struct work *work) {
  const uint64_t num_vertices = work->edges.num_vertices;
  qn_pages_free(work->links, num_vertices, sizeof *work->links);
  qn_pages_free(work->neighbors, num_vertices, sizeof *work->neighbors);
  qn_pages_free(work->places, qn_threads() * num_vertices, sizeof *work->places);
  qn_pages_free(work->told, qn_threads() * work->longest, sizeof *work->told);
  qn_orientation_destroy(&work->edges);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  struct work work = {0};
  double *coefficients = NULL, begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_orientation_create(request->view, true, &work.edges, error);
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

const struct qn_kernel qn_kernel_lcc_csr_cpu =
    QN_LCC_KERNEL("csr, triangles by degree", QN_LAYOUT_GRAPH, QN_CPU, run);
