/* Triangles of the simple undirected graph, on CSR.
 *
 * A kernel of its own because a triangle needs the intersection of two rows, which is no
 * combination of messages. Rows are the lists of orientation.h, so a triangle is found once.
 *
 * Lists are intersected as bitmaps: that of c is made once for all its edges. The first
 * vertices, the hubs, which are at the end of most edges, have theirs stored (row b has b
 * bits), so that one instruction compares 64 candidates; for later b each entry of its
 * short list is looked up in c's bitmap. */
#include "kernels/cpu/triangles/triangles.h"

#include <omp.h>

#include "kernels/cpu/triangles/hub_bitmaps.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/multiversion.h"
#include "support/threads.h"

extern const struct qn_kernel qn_kernel_tc_csr_cpu;

struct work {
  const struct qn_orientation *edges;
  struct qn_hub_bitmaps hubs;
  uint64_t *bits; /* [threads][words] scratch bitmaps, zero between uses */
  uint64_t words; /* of a bitmap of all vertices */
};

QN_COUNTING_CLONES static uint64_t count_common(const uint64_t *restrict a,
                                                const uint64_t *restrict b, uint64_t words) {
  uint64_t count = 0;
  for (uint64_t word = 0; word < words; word++)
    count += (uint64_t)__builtin_popcountll(a[word] & b[word]);
  return count;
}

/* Triangles whose last vertex is `c`. */
static uint64_t count_at(const struct work *work, uint64_t c, uint64_t *bits) {
  const struct qn_orientation *edges = work->edges;
  const uint32_t *list = edges->earlier + edges->offsets[c];
  const uint64_t *counts = edges->counts;
  uint64_t triangles = 0;
  qn_mark_list(list, counts[c], bits);
  for (uint64_t i = 0; i < counts[c]; i++) {
    uint64_t b = list[i];
    if (b < work->hubs.num_hubs && counts[b] > b / 256) {
      triangles += count_common(bits, work->hubs.bits + qn_hub_word(b), (b + 63) / 64);
      continue;
    }
    const uint32_t *other = edges->earlier + edges->offsets[b];
    for (uint64_t j = 0; j < counts[b]; j++)
      triangles += qn_is_marked(bits, other[j]);
  }
  qn_clear_list(list, counts[c], bits);
  return triangles;
}

static uint64_t count_triangles(const struct work *work) {
  uint64_t triangles = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : triangles)
  for (uint64_t c = 0; c < work->edges->num_vertices; c++)
    if (work->edges->counts[c] > 1)
      triangles += count_at(work, c, work->bits + (uint64_t)omp_get_thread_num() * work->words);
  return triangles;
}

static enum qn_status count(const struct qn_orientation *edges, struct qn_run_result *result,
                            struct qn_error *error) {
  struct work work = {.edges = edges, .words = (edges->num_vertices + 63) / 64};
  double begin = qn_seconds();
  enum qn_status status = qn_pages_alloc(&work.bits, qn_threads() * work.words, sizeof *work.bits,
                                         "bitmaps of vertices", error);
  if (!status)
    status = qn_hub_bitmaps_create(edges, &work.hubs, error);
  result->stats.prepare_seconds += qn_seconds() - begin;
  begin = qn_seconds();
  if (!status)
    result->number = count_triangles(&work);
  result->stats.kernel_seconds = qn_seconds() - begin;
  qn_hub_bitmaps_destroy(&work.hubs);
  qn_pages_free(work.bits, qn_threads() * work.words, sizeof *work.bits);
  return status;
}

enum qn_status qn_triangles_run(const struct qn_run_request *request, qn_orient_view *orient,
                                struct qn_run_result *result, struct qn_error *error) {
  struct qn_orientation edges = {0};
  double begin = qn_seconds();
  *result = (struct qn_run_result){
      .shape = QN_SHAPE_NUMBER, .stats.converged = true, .stats.iterations = 1};
  enum qn_status status = orient(request->view, false, &edges, error);
  result->stats.prepare_seconds = qn_seconds() - begin;
  if (!status)
    status = count(&edges, result, error);
  qn_orientation_destroy(&edges);
  return status;
}

static enum qn_status orient_graph(const void *view, bool wants_ways, struct qn_orientation *edges,
                                   struct qn_error *error) {
  return qn_orientation_create(view, wants_ways, edges, error);
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  return qn_triangles_run(request, orient_graph, result, error);
}

const struct qn_kernel qn_kernel_tc_csr_cpu =
    QN_TC_KERNEL("csr bitmaps by degree", QN_LAYOUT_GRAPH, QN_CPU, run);
