/* What a batch holds, and the memory of it. */
#include "kernels/cpu/sampling/rows.h"

#include <inttypes.h>
#include <string.h>

#include "support/memory.h"
#include "support/arrays/reserve.h"

enum qn_status qn_sampled_create(const struct qn_sampling *sampling, struct qn_sampled *sampled,
                                 struct qn_error *error) {
  const uint64_t hops = sampling->num_hops;
  *sampled = (struct qn_sampled){0};
  enum qn_status status = qn_alloc_zeroed(&sampled->vertices, sampling->num_vertex_types,
                                          sizeof *sampled->vertices, "a batch", error);
  if (!status)
    status = qn_alloc_zeroed(&sampled->edges, sampling->num_edge_types, sizeof *sampled->edges,
                             "a batch", error);
  if (!status) {
    sampled->num_vertex_types = sampling->num_vertex_types;
    sampled->num_edge_types = sampling->num_edge_types;
  }
  for (uint32_t t = 0; t < sampling->num_vertex_types && !status; t++)
    status = qn_alloc_zeroed(&sampled->vertices[t].hops, hops + 1, sizeof(int64_t), "hops", error);
  for (uint32_t t = 0; t < sampling->num_edge_types && !status; t++)
    status = qn_alloc_zeroed(&sampled->edges[t].hops, hops, sizeof(int64_t), "hops", error);
  if (status)
    qn_sampled_release(sampled);
  return status;
}

void qn_sampled_release(struct qn_sampled *sampled) {
  for (uint32_t t = 0; t < sampled->num_vertex_types; t++) {
    qn_free(sampled->vertices[t].vertices);
    qn_free(sampled->vertices[t].trees);
    qn_free(sampled->vertices[t].hops);
  }
  for (uint32_t t = 0; t < sampled->num_edge_types; t++) {
    qn_free(sampled->edges[t].neighbors);
    qn_free(sampled->edges[t].centers);
    qn_free(sampled->edges[t].numbers);
    qn_free(sampled->edges[t].hops);
  }
  qn_free(sampled->vertices);
  qn_free(sampled->edges);
  *sampled = (struct qn_sampled){0};
}

void qn_sampled_clear(const struct qn_sampling *sampling, struct qn_sampled *sampled) {
  for (uint32_t t = 0; t < sampled->num_vertex_types; t++) {
    sampled->vertices[t].count = 0;
    memset(sampled->vertices[t].hops, 0, (sampling->num_hops + (uint64_t)1) * sizeof(int64_t));
  }
  for (uint32_t t = 0; t < sampled->num_edge_types; t++) {
    sampled->edges[t].count = 0;
    memset(sampled->edges[t].hops, 0, sampling->num_hops * sizeof(int64_t));
  }
}

enum qn_status qn_sampled_reserve_vertices(struct qn_sampled_vertices *vertices, uint64_t count,
                                           struct qn_error *error) {
  uint64_t capacity = vertices->capacity;
  enum qn_status status = qn_reserve(&vertices->vertices, &capacity, count,
                                     sizeof *vertices->vertices, "sampled vertices", error);
  return status ? status
                : qn_reserve(&vertices->trees, &vertices->capacity, count, sizeof *vertices->trees,
                             "trees of a batch", error);
}

enum qn_status qn_sampled_reserve_edges(struct qn_sampled_edges *edges, uint64_t count,
                                        struct qn_error *error) {
  int64_t **const arrays[] = {&edges->neighbors, &edges->centers, &edges->numbers};
  uint64_t capacity = edges->capacity;
  enum qn_status status = QN_OK;
  for (int i = 0; i < 3 && !status; i++) {
    capacity = edges->capacity;
    status = qn_reserve(arrays[i], &capacity, count, sizeof **arrays[i], "sampled edges", error);
  }
  edges->capacity = status ? edges->capacity : capacity;
  return status;
}

enum qn_status qn_not_a_vertex(int64_t vertex, uint64_t count, struct qn_error *error) {
  return qn_fail(error, QN_USAGE, "there is not a vertex %" PRId64 " among %" PRIu64 " of its type",
                 vertex, count);
}
