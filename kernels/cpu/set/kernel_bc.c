/* Betweenness centrality on a set (kernels/cpu/loop/brandes.h), part after part. Rows hold
 * in-edges: forwards they take, and backwards they give to their columns, but for undirected
 * graphs.
 *
 * A kernel of its own because it has two phases. */
#include <omp.h>

#include "kernels/cpu/csr/brandes_row.h"
#include "kernels/set_view.h"
#include "support/threads.h"

struct brandes_edges {
  const struct qn_set_view *view;
};

/* The vertices of a level that have rows in a part. */
static const uint32_t *find_rows(const struct brandes_step *step, uint64_t level,
                                 const struct qn_part_rows *part, uint64_t *count) {
  uint64_t num_vertices;
  const uint32_t *first = brandes_level(step->levels, level, &num_vertices);
  const uint64_t begin = qn_lower_bound_u32(first, 0, num_vertices, (uint32_t)part->begin);
  *count = part->end > UINT32_MAX
               ? num_vertices - begin
               : qn_lower_bound_u32(first, begin, num_vertices, (uint32_t)part->end) - begin;
  return first + begin;
}

static void take_part(const struct brandes_step *step, const struct qn_part_rows *part,
                      const uint32_t *vertices, uint64_t count) {
#pragma omp parallel for schedule(dynamic, 64) if (count > FEW_VERTICES)
  for (uint64_t i = 0; i < count; i++)
    step->into[vertices[i]] +=
        qn_sum_offers(part->csr, step->offer + part->columns_begin, vertices[i] - part->begin);
}

/* Each thread has columns of its own. */
static void give_part(const struct brandes_step *step, const struct qn_part_rows *part,
                      const uint32_t *vertices, uint64_t count) {
#pragma omp parallel if (count > FEW_VERTICES)
  {
    uint64_t begin, end;
    qn_part_of(part->columns_end - part->columns_begin, (unsigned)omp_get_num_threads(),
               (unsigned)omp_get_thread_num(), &begin, &end);
    for (uint64_t i = 0; i < count; i++)
      qn_give_offer(part->csr, step, vertices[i] - part->begin, step->offer[vertices[i]],
                    part->columns_begin, begin, end);
  }
}

static enum qn_status brandes_collect(const struct brandes_edges *edges,
                                      const struct brandes_step *step, struct qn_error *error) {
  const struct qn_set_view *view = edges->view;
  const bool takes = step->is_forwards || view->has_out_rows;
  uint64_t num_takers;
  const uint32_t *takers = brandes_level(step->levels, step->to, &num_takers);
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(static) if (num_takers > FEW_VERTICES)
  for (uint64_t i = 0; i < num_takers; i++)
    step->into[takers[i]] = 0;
  for (uint64_t i = 0; !status && i < view->num_parts; i++) {
    const struct qn_part_rows *part = &view->parts[i];
    uint64_t count;
    const uint32_t *vertices = find_rows(step, takes ? step->to : step->from, part, &count);
    if (count == 0)
      continue;
    status = qn_part_enter(view, i, error);
    if (!status)
      (takes ? take_part : give_part)(step, part, vertices, count);
    qn_part_leave(view, i);
  }
  return status;
}

#include "kernels/cpu/loop/brandes.h"

extern const struct qn_kernel qn_kernel_bc_set_cpu;

static enum qn_status run(const struct qn_run_request *request, struct qn_run_result *result,
                          struct qn_error *error) {
  const struct qn_set_view *view = request->view;
  struct work work = {.edges.view = view,
                      .search = qn_kernel_find("bfs", QN_LAYOUT_SET, QN_CPU, QN_WEIGHT_NONE),
                      .view = view};
  return brandes_run(request, view->num_vertices, &work, qn_seconds(), result, error);
}

const struct qn_kernel qn_kernel_bc_set_cpu =
    QN_BC_KERNEL("Brandes by levels", QN_LAYOUT_SET, QN_CPU, QN_KERNEL_ALONE, run);
