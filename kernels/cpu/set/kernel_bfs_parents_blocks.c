/* Parents of a search by hops on a set that is cut by columns: one walk over its blocks, with
 * vertices of 64 bits.
 *
 * A kernel of its own because the program (kernels/programs/bfs_parents.h) keeps what it needs for
 * edges of no length, three times the memory, and is applied once a row, not once a block. */
#include "kernels/set_view.h"
#include "kernels/standalone_kernel.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include "support/threads.h"

QN_DECLARE_ALGORITHM(bfs_parents);
extern const struct qn_kernel qn_kernel_bfs_parents_blocks_set_cpu;

#define NO_PARENT UINT64_MAX

/* The first in original order of the sources of a row's edges that are one hop nearer, if it comes
 * before `best`. */
static uint64_t find_parent(const struct qn_part_rows *part, uint64_t row,
                            const uint32_t *positions, const uint32_t *hops, uint32_t own,
                            uint64_t best) {
  const struct qn_csr *csr = part->csr;
  const uint64_t end = qn_part_row_end(part, row);
  for (uint64_t edge = csr->row_offsets[row]; edge < end; edge++) {
    const uint64_t u = part->columns_begin + csr->column_indices[edge];
    const uint64_t position = positions ? positions[u] : u;
    if (position >= best && !positions)
      break; /* columns ascend, in a row and from block to block */
    if (hops[u] + 1 == own && position < best)
      best = position;
  }
  return best;
}

static void walk_rows(const struct qn_run_request *request, const struct qn_part_rows *part,
                      uint64_t *parents) {
  const uint32_t *hops = request->inputs.initial;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = part->begin; v < part->end; v++)
    if (hops[v] != 0 && hops[v] != UINT32_MAX)
      parents[v] =
          find_parent(part, v - part->begin, request->positions, hops, hops[v], parents[v]);
}

static enum qn_status walk_parts(const struct qn_run_request *request, uint64_t *parents,
                                 struct qn_error *error) {
  const struct qn_set_view *view = request->view;
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < view->num_parts; i++) {
    status = qn_part_enter(view, i, error);
    if (!status)
      walk_rows(request, &view->parts[i], parents);
    qn_part_leave(view, i);
  }
  return status;
}

/* The source is its own parent. */
static void begin(const struct qn_run_request *request, uint64_t num_vertices, uint64_t *parents) {
  const uint32_t *hops = request->inputs.initial, *positions = request->positions;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    parents[v] = hops[v] != 0 ? NO_PARENT : positions ? positions[v] : v;
}

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const uint64_t num_vertices = ((const struct qn_set_view *)request->view)->num_vertices;
  const double began = qn_seconds();
  uint64_t *parents;
  *result = (struct qn_run_result){0};
  enum qn_status status = qn_bulk_alloc(&parents, num_vertices, sizeof *parents, "parents", error);
  if (status)
    return status;
  begin(request, num_vertices, parents);
  status = walk_parts(request, parents, error);
  if (status) {
    qn_pages_free(parents, num_vertices, sizeof *parents);
    return status;
  }
  *result = (struct qn_run_result){
      .type = QN_RESULT_U64,
      .num_values = num_vertices,
      .values = parents,
      .stats = {.iterations = 1, .converged = true, .kernel_seconds = qn_seconds() - began}};
  return QN_OK;
}

const struct qn_kernel qn_kernel_bfs_parents_blocks_set_cpu = QN_STANDALONE_KERNEL(
    bfs_parents, "blocks", QN_LAYOUT_SET, QN_CPU,
    QN_KERNEL_NO_FRONTIER | QN_KERNEL_BLOCKS | QN_KERNEL_WIDE, QN_RESULT_U64, run, 0);
