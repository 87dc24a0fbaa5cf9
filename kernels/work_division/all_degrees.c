#include "kernels/work_division/all_degrees.h"

#include "kernels/work_division/edge_partitions_index.h"
#include "kernels/work_division/packed_units.h"
#include "kernels/work_division/page_tasks.h"
#include "support/memory.h"

static enum qn_status of_partitions(uint64_t **degrees, const struct qn_edge_partitions *view,
                                    struct qn_error *error) {
  struct qn_ep_index index;
  enum qn_status status = qn_ep_index_create(&index, view, error);
  if (status)
    return status;
  status = qn_pages_alloc(degrees, view->num_vertices, sizeof **degrees, "out-degrees", error);
  if (!status) {
    uint64_t *found = *degrees;
#pragma omp parallel for schedule(static)
    for (uint64_t dense = 0; dense < view->num_vertices; dense++)
      found[view->new_to_old[dense]] = index.row_offsets[dense + 1] - index.row_offsets[dense];
  }
  qn_ep_index_destroy(&index);
  return status;
}

static enum qn_status of_packed(uint64_t **degrees, const struct qn_packed *view,
                                struct qn_error *error) {
  uint32_t *lengths;
  enum qn_status status = qn_packed_degrees_create(&lengths, view, error);
  if (status)
    return status;
  status = qn_pages_alloc(degrees, view->num_vertices, sizeof **degrees, "out-degrees", error);
  for (uint64_t v = 0; v < view->num_vertices && !status; v++)
    (*degrees)[v] = lengths[v];
  qn_pages_free(lengths, view->num_vertices, sizeof *lengths);
  return status;
}

enum qn_status qn_all_degrees_create(uint64_t **degrees, enum qn_layout layout, const void *view,
                                     struct qn_error *error) {
  *degrees = NULL;
  switch (layout) {
  case QN_LAYOUT_EDGE_PARTITIONS:
    return of_partitions(degrees, view, error);
  case QN_LAYOUT_PACKED:
    return of_packed(degrees, view, error);
  case QN_LAYOUT_SLOTTED_PAGES:
    return qn_page_degrees_create(degrees, view, error);
  default:
    return QN_OK;
  }
}
