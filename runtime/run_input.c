#include "runtime/run_input.h"

#include "support/memory.h"
#include "support/threads.h"
#include <quern/open.h>

enum qn_status qn_run_input_order(struct qn_run_input *input, struct qn_error *error) {
  uint64_t num_vertices = input->info->num_vertices;
  enum qn_status status = qn_ids_original_order(&input->ids, &input->order, error);
  if (status || !input->order)
    return status;
  status = qn_pages_alloc(&input->positions, num_vertices, sizeof *input->positions,
                          "positions in original order", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t position = 0; position < num_vertices; position++)
    input->positions[input->order[position]] = (uint32_t)position;
  return QN_OK;
}

static enum qn_status view_container(struct qn_run_input *input, struct qn_error *error) {
  enum qn_status status = qn_layout_operations(input->container, &input->layout, error);
  if (status)
    return status;
  if (!input->layout->view)
    return qn_fail(error, QN_UNSUPPORTED, "this build has no kernels for the layout %s",
                   input->layout->name);
  status = qn_alloc_zeroed(&input->view, 1, input->layout->view_bytes, "view", error);
  if (!status)
    status = input->layout->view(input->container, input->view, error);
  if (!status)
    status = qn_ids_view(input->container, &input->ids, error);
  return status;
}

enum qn_status qn_run_input_view(struct qn_container *container, struct qn_run_input *input,
                                 struct qn_error *error) {
  *input = (struct qn_run_input){.container = container, .info = qn_container_info(container)};
  enum qn_status status = view_container(input, error);
  if (status)
    qn_run_input_forget(input);
  return status;
}

enum qn_status qn_run_input_check(struct qn_run_input *input, struct qn_error *error) {
  return qn_container_confirm(input->container,
                              input->layout->check(input->container, input->view, error),
                              qn_container_verify_structure, error);
}

enum qn_status qn_run_input_open(const char *path, bool trust, struct qn_run_input *input,
                                 struct qn_error *error) {
  struct qn_container *container;
  *input = (struct qn_run_input){0};
  double begin = qn_seconds();
  enum qn_status status = qn_container_open(path, 0, &container, error);
  if (status)
    return status;
  status = qn_run_input_view(container, input, error);
  if (status) {
    qn_container_unmap(container);
    return status;
  }
  input->trusted = trust;
  input->map_seconds = qn_seconds() - begin;
  begin = qn_seconds();
  if (!trust)
    status = qn_run_input_check(input, error);
  if (!status)
    status = qn_run_input_order(input, error);
  input->validate_seconds = qn_seconds() - begin;
  if (status)
    qn_run_input_close(input);
  return status;
}

void qn_run_input_forget(struct qn_run_input *input) {
  uint64_t num_vertices = input->info ? input->info->num_vertices : 0;
  qn_pages_free(input->order, num_vertices, sizeof *input->order);
  qn_pages_free(input->positions, num_vertices, sizeof *input->positions);
  qn_free(input->view);
  *input = (struct qn_run_input){0};
}

void qn_run_input_close(struct qn_run_input *input) {
  struct qn_container *container = input->container;
  qn_run_input_forget(input);
  qn_container_unmap(container);
}
