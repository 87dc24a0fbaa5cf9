#include "runtime/placement.h"

#include <string.h>

#include <quern/transpose.h>

/* Plain CSR of a directed graph may lack in-edges, which every run that pulls would make. */
static enum qn_status add_in_edges(struct qn_placement *placement, const struct qn_csr *in,
                                   struct qn_error *error) {
  const struct qn_run_input *input = &placement->input;
  if (input->info->layout != QN_LAYOUT_GRAPH)
    return QN_OK;
  placement->graph = *(const struct qn_graph *)input->view;
  enum qn_status status = QN_OK;
  if (placement->graph.has_transpose)
    return QN_OK;
  if (!in) {
    status = qn_graph_create_transpose(&placement->graph.out, &placement->made, error);
    in = &placement->made.out;
  }
  placement->graph.in = *in;
  placement->graph.has_transpose = true;
  placement->input.view = &placement->graph;
  return status;
}

static enum qn_status add_rows(struct qn_store *store, const struct qn_csr *csr,
                               struct qn_error *error) {
  enum qn_status status = qn_store_add(store, csr->row_offsets,
                                       (csr->num_vertices + 1) * sizeof *csr->row_offsets, error);
  if (!status)
    status = qn_store_add(store, csr->column_indices, csr->num_edges * sizeof *csr->column_indices,
                          error);
  if (!status && csr->weights.data)
    status = qn_store_add(store, csr->weights.data,
                          csr->num_edges * qn_weight_bytes(csr->weights.type), error);
  return status;
}

/* All that stays as it is while the placement lives. */
static enum qn_status fill_store(const struct qn_placement *placement, struct qn_error *error) {
  const struct qn_run_input *input = &placement->input;
  struct qn_store *store = placement->store;
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < input->info->num_sections && !status; i++) {
    const struct qn_section *section = qn_container_section_at(input->container, i);
    if (section->data)
      status = qn_store_add(store, section->data, section->count * section->element_bytes, error);
  }
  if (!status && input->view == &placement->graph)
    status = add_rows(store, &placement->graph.in, error);
  const uint64_t bytes = input->info->num_vertices * sizeof *input->order;
  if (!status && input->positions)
    status = qn_store_add(store, input->positions, bytes, error);
  if (!status && input->order)
    status = qn_store_add(store, input->order, bytes, error);
  return status;
}

enum qn_status qn_placement_create(const struct qn_run_input *input, const struct qn_csr *in,
                                   struct qn_placement *placement, struct qn_error *error) {
  memset(placement, 0, sizeof *placement);
  placement->input = *input;
  enum qn_status status = add_in_edges(placement, in, error);
  if (!status)
    status = qn_store_create(&placement->store, error);
  if (!status && placement->store)
    status = fill_store(placement, error);
  if (status)
    qn_placement_destroy(placement);
  return status;
}

void qn_placement_destroy(struct qn_placement *placement) {
  qn_store_destroy(placement->store);
  qn_graph_unmap(&placement->made);
  memset(placement, 0, sizeof *placement);
}
