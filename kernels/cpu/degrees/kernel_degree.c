/* Out-degrees, as each layout knows them without a walk along its edges: a kernel for each. A set's
 * parts may be other processes', so there the program (kernels/programs/degree.h) runs. */
#include "kernels/standalone_kernel.h"
#include "kernels/work_division/all_degrees.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/blocked_csr.h>
#include <quern/edge_partitions.h>
#include <quern/graph.h>
#include <quern/hybrid.h>
#include <quern/packed.h>
#include <quern/shards.h>
#include <quern/slotted_pages.h>

QN_DECLARE_ALGORITHM(degree);

typedef uint64_t degree_of(const void *view, uint64_t vertex);

static enum qn_status ask_each(uint64_t **degrees, const void *view, uint64_t num_vertices,
                               degree_of *degree, struct qn_error *error) {
  enum qn_status status =
      qn_pages_alloc(degrees, num_vertices, sizeof **degrees, "out-degrees", error);
  if (status)
    return status;
  uint64_t *found = *degrees;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    found[v] = degree(view, v);
  return QN_OK;
}

static enum qn_status find_degrees(enum qn_layout layout, const void *view, uint64_t num_vertices,
                                   degree_of *degree, struct qn_run_result *result,
                                   struct qn_error *error) {
  const double begin = qn_seconds();
  uint64_t *degrees;
  *result = (struct qn_run_result){.type = QN_RESULT_U64, .stats.converged = true};
  enum qn_status status = qn_all_degrees_create(&degrees, layout, view, error);
  if (!status && !degrees)
    status = ask_each(&degrees, view, num_vertices, degree, error);
  if (status)
    return status;
  result->num_values = num_vertices;
  result->values = degrees;
  result->stats.kernel_seconds = qn_seconds() - begin;
  return QN_OK;
}

#define qn_kernel_degree_graph_cpu                                                                 \
  qn_kernel_degree_csr_cpu /* as kernels of plain CSR are called                                   \
                            */

static uint64_t num_vertices_graph(const struct qn_graph *view) {
  return view->out.num_vertices;
}

#define NUM_VERTICES(layout)                                                                       \
  static uint64_t num_vertices_##layout(const struct qn_##layout *view) {                          \
    return view->num_vertices;                                                                     \
  }
NUM_VERTICES(blocked_csr)
NUM_VERTICES(edge_partitions)
NUM_VERTICES(slotted_pages)
NUM_VERTICES(shards)
NUM_VERTICES(hybrid)
NUM_VERTICES(packed)

#define DEGREE_KERNEL(LAYOUT, code, layout, title, command)                                        \
  static uint64_t degree_##layout(const void *view, uint64_t vertex) {                             \
    return qn_##layout##_out_degree(view, vertex);                                                 \
  }                                                                                                \
  static enum qn_status run_##layout(const struct qn_run_request *request,                         \
                                     struct qn_run_result *result, struct qn_error *error) {       \
    return find_degrees(QN_LAYOUT_##LAYOUT, request->view, num_vertices_##layout(request->view),   \
                        degree_##layout, result, error);                                           \
  }                                                                                                \
  extern const struct qn_kernel qn_kernel_degree_##layout##_cpu;                                   \
  const struct qn_kernel qn_kernel_degree_##layout##_cpu = QN_STANDALONE_KERNEL(                   \
      degree, "as stored", QN_LAYOUT_##LAYOUT, QN_CPU,                                             \
      QN_KERNEL_ALL_ACTIVE | QN_KERNEL_NO_FRONTIER, QN_RESULT_U64, run_##layout, 0);
QN_GRAPH_LAYOUTS(DEGREE_KERNEL)
