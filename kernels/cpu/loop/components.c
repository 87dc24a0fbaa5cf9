#include "kernels/cpu/loop/components.h"

#include "kernels/cpu/loop/labels.h"
#include "support/memory.h"
#include "support/threads.h"

/* One is not enough: the smallest neighbors of most vertices are few, and nothing joins these. */
#define FIRST_EDGES 2

/* A vertex that has joined another has edges. */
static bool has_edges(const void *context, uint64_t vertex) {
  return ((const uint32_t *)context)[vertex] != vertex;
}

bool qn_joining_next(struct qn_joining *joining) {
  const bool is_first = joining->most == 0, was_last = joining->most == UINT64_MAX;
  joining->most = is_first && joining->is_undirected ? FIRST_EDGES : UINT64_MAX;
  if (is_first || was_last)
    return is_first;
  /* Flat trees are joined faster, and the vertices of the largest one hang below its root. */
  qn_components_end(joining->parent, joining->num_vertices);
  joining->largest =
      qn_components_elect(joining->parent, joining->num_vertices, has_edges, joining->parent);
  return true;
}

/* Labels by the layout's numbers become those by the graph's, `named`. */
static enum qn_status name_labels(const uint32_t *order, const uint32_t *positions,
                                  uint64_t num_vertices, uint32_t *labels, uint32_t *named,
                                  struct qn_error *error) {
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    named[v] = positions ? positions[order[v]] : order[v];
  enum qn_status status = qn_label_by_position(labels, num_vertices, named, error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    named[order[v]] = labels[v];
  return QN_OK;
}

static enum qn_status find_trees(const struct qn_run_request *request,
                                 const struct qn_joined_layout *layout, qn_join_edges *join_edges,
                                 uint32_t *parent, struct qn_error *error) {
  struct qn_joining joining = {.parent = parent,
                               .num_vertices = layout->num_vertices,
                               .is_undirected = layout->directedness == QN_UNDIRECTED,
                               .largest = QN_NO_LARGEST};
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < layout->num_vertices; v++)
    parent[v] = (uint32_t)v;
  enum qn_status status = join_edges(request->view, &joining, error);
  if (!status)
    qn_components_end(parent, layout->num_vertices);
  return status;
}

/* `*labels` [V] is owned, or NULL. */
static enum qn_status find_components(const struct qn_run_request *request,
                                      const struct qn_joined_layout *layout,
                                      qn_join_edges *join_edges, uint32_t **labels,
                                      struct qn_error *error) {
  const uint64_t num_vertices = layout->num_vertices;
  uint32_t *named = NULL;
  enum qn_status status = qn_pages_alloc(labels, num_vertices, sizeof **labels, "labels", error);
  if (!status)
    status = find_trees(request, layout, join_edges, *labels, error);
  if (!status && !layout->order && request->positions)
    status = qn_label_by_position(*labels, num_vertices, request->positions, error);
  if (status || !layout->order)
    return status;
  status = qn_pages_alloc(&named, num_vertices, sizeof *named, "labels", error);
  if (!status)
    status = name_labels(layout->order, request->positions, num_vertices, *labels, named, error);
  qn_pages_free(*labels, num_vertices, sizeof **labels);
  *labels = named;
  return status;
}

enum qn_status qn_components_run(const struct qn_run_request *request,
                                 const struct qn_joined_layout *layout, qn_join_edges *join_edges,
                                 struct qn_run_result *result, struct qn_error *error) {
  uint32_t *labels = NULL;
  const double begin = qn_seconds();
  *result = (struct qn_run_result){0};
  enum qn_status status = find_components(request, layout, join_edges, &labels, error);
  if (status) {
    qn_pages_free(labels, layout->num_vertices, sizeof *labels);
    return status;
  }
  *result = (struct qn_run_result){
      .type = QN_RESULT_U32,
      .num_values = layout->num_vertices,
      .values = labels,
      .stats = {.iterations = 1, .converged = true, .kernel_seconds = qn_seconds() - begin}};
  return QN_OK;
}
