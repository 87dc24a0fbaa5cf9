/* Weakly connected components on a set that is cut by columns, by one process: union-find over the
 * edges of one block after the other, with vertices of 64 bits.
 *
 * A kernel of its own because label propagation (kernels/programs/cc.h) needs in- and out-edges and
 * walks all blocks once for each step of the diameter; and kernel_cc_joined.c, which ranks share,
 * tells them trees of 32 bits. */
#include "kernels/set_view.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include "support/threads.h"

#define QN_UNION_VERTEX uint64_t
#include "formats/graph/union_find.h"

extern const struct qn_kernel qn_kernel_cc_blocks_set_cpu;

/* Where rows hold both ends of every edge one of them is enough. */
static void join_rows(const struct qn_part_rows *part, bool both_ends, uint64_t *parent) {
  const struct qn_csr *csr = part->csr;
#pragma omp parallel for schedule(dynamic, 4096)
  for (uint64_t row = 0; row < part->end - part->begin; row++) {
    const uint64_t v = part->begin + row;
    const uint64_t end = qn_part_row_end(part, row);
    for (uint64_t edge = csr->row_offsets[row]; edge < end; edge++) {
      const uint64_t other = part->columns_begin + csr->column_indices[edge];
      if (both_ends && other > v)
        break; /* columns ascend */
      union_join(parent, v, other);
    }
  }
}

static enum qn_status join_parts(const struct qn_set_view *view, uint64_t *parent,
                                 struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < view->num_parts; i++) {
    status = qn_part_enter(view, i, error);
    if (!status)
      join_rows(&view->parts[i], view->has_out_rows, parent);
    qn_part_leave(view, i);
  }
  return status;
}

/* The root of a tree is its first vertex, but not always in original order. */
static void take_least(uint64_t *least, uint64_t position) {
  uint64_t seen = __atomic_load_n(least, __ATOMIC_RELAXED);
  while (position < seen && !__atomic_compare_exchange_n(least, &seen, position, true,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

static enum qn_status label_by_position(uint64_t *labels, uint64_t num_vertices,
                                        const uint32_t *positions, struct qn_error *error) {
  uint64_t *first;
  enum qn_status status =
      qn_bulk_alloc(&first, num_vertices, sizeof *first, "first positions", error);
  if (status)
    return status;
#pragma omp parallel
  {
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < num_vertices; v++)
      first[v] = UINT64_MAX;
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < num_vertices; v++)
      take_least(&first[labels[v]], positions[v]);
#pragma omp for schedule(static)
    for (uint64_t v = 0; v < num_vertices; v++)
      labels[v] = first[labels[v]];
  }
  qn_pages_free(first, num_vertices, sizeof *first);
  return QN_OK;
}

static enum qn_status find_components(const struct qn_run_request *request, uint64_t *parent,
                                      struct qn_error *error) {
  const struct qn_set_view *view = request->view;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < view->num_vertices; v++)
    parent[v] = v;
  enum qn_status status = join_parts(view, parent, error);
  if (status)
    return status;
  union_end(parent, 0, view->num_vertices);
  return request->positions
             ? label_by_position(parent, view->num_vertices, request->positions, error)
             : QN_OK;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const uint64_t num_vertices = ((const struct qn_set_view *)request->view)->num_vertices;
  const double began = qn_seconds();
  uint64_t *parent;
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_bulk_alloc(&parent, num_vertices, sizeof *parent, "labels", error);
  if (status)
    return status;
  status = find_components(request, parent, error);
  if (status) {
    qn_pages_free(parent, num_vertices, sizeof *parent);
    return status;
  }
  *result = (struct qn_run_result){
      .type = QN_RESULT_U64,
      .num_values = num_vertices,
      .values = parent,
      .stats = {.iterations = 1, .converged = true, .kernel_seconds = qn_seconds() - began}};
  return QN_OK;
}

const struct qn_kernel qn_kernel_cc_blocks_set_cpu = QN_STANDALONE_KERNEL(
    cc, "blocks, union-find", QN_LAYOUT_SET, QN_CPU,
    QN_KERNEL_NO_FRONTIER | QN_KERNEL_ONE_WALK | QN_KERNEL_BLOCKS | QN_KERNEL_WIDE, QN_RESULT_U64,
    run, 0);
