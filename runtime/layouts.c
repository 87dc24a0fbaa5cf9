#include "runtime/layouts.h"

#include <stddef.h>

#include <quern/blocked_csr.h>
#include <quern/edge_partitions.h>
#include <quern/graph.h>
#include <quern/hybrid.h>
#include <quern/shards.h>
#include <quern/slotted_pages.h>

static enum qn_status graph_map(const struct qn_container *container, void *view,
                                struct qn_error *error) {
  return qn_graph_view(container, view, error);
}

static enum qn_status graph_check(const struct qn_container *container, const void *view,
                                  struct qn_error *error) {
  return qn_graph_check(container, view, error);
}

static uint64_t graph_out_degree(const void *view, uint64_t vertex) {
  const struct qn_graph *graph = view;
  return graph->out.row_offsets[vertex + 1] - graph->out.row_offsets[vertex];
}

static enum qn_status blocked_csr_map(const struct qn_container *container, void *view,
                                      struct qn_error *error) {
  return qn_blocked_csr_view(container, view, error);
}

static enum qn_status blocked_csr_check(const struct qn_container *container, const void *view,
                                        struct qn_error *error) {
  return qn_blocked_csr_check(container, view, error);
}

static uint64_t blocked_csr_out_degree(const void *view, uint64_t vertex) {
  const struct qn_blocked_csr *blocked = view;
  return blocked->out_degrees[vertex];
}

static enum qn_status edge_partitions_map(const struct qn_container *container, void *view,
                                          struct qn_error *error) {
  return qn_edge_partitions_view(container, view, error);
}

static enum qn_status edge_partitions_check(const struct qn_container *container, const void *view,
                                            struct qn_error *error) {
  return qn_edge_partitions_check(container, view, error);
}

static uint64_t edge_partitions_out_degree(const void *view, uint64_t vertex) {
  return qn_edge_partitions_out_degree(view, vertex);
}

static enum qn_status slotted_pages_map(const struct qn_container *container, void *view,
                                        struct qn_error *error) {
  return qn_slotted_pages_view(container, view, error);
}

static enum qn_status slotted_pages_check(const struct qn_container *container, const void *view,
                                          struct qn_error *error) {
  return qn_slotted_pages_check(container, view, error);
}

static uint64_t slotted_pages_out_degree(const void *view, uint64_t vertex) {
  return qn_slotted_pages_out_degree(view, vertex);
}

static enum qn_status shards_map(const struct qn_container *container, void *view,
                                 struct qn_error *error) {
  return qn_shards_view(container, view, error);
}

static enum qn_status shards_check(const struct qn_container *container, const void *view,
                                   struct qn_error *error) {
  return qn_shards_check(container, view, error);
}

static uint64_t shards_out_degree(const void *view, uint64_t vertex) {
  const struct qn_shards *shards = view;
  return shards->out.row_offsets[vertex + 1] - shards->out.row_offsets[vertex];
}

static enum qn_status hybrid_map(const struct qn_container *container, void *view,
                                 struct qn_error *error) {
  return qn_hybrid_view(container, view, error);
}

static enum qn_status hybrid_check(const struct qn_container *container, const void *view,
                                   struct qn_error *error) {
  return qn_hybrid_check(container, view, error);
}

static uint64_t hybrid_out_degree(const void *view, uint64_t vertex) {
  const struct qn_hybrid *hybrid = view;
  return hybrid->out_degrees[vertex];
}

static const struct qn_layout_view views[] = {
    {QN_LAYOUT_GRAPH, sizeof(struct qn_graph), graph_map, graph_check, graph_out_degree,
     "quern-import"},
    {QN_LAYOUT_BLOCKED_CSR, sizeof(struct qn_blocked_csr), blocked_csr_map, blocked_csr_check,
     blocked_csr_out_degree, "quern-block"},
    {QN_LAYOUT_EDGE_PARTITIONS, sizeof(struct qn_edge_partitions), edge_partitions_map,
     edge_partitions_check, edge_partitions_out_degree, "quern-partition"},
    {QN_LAYOUT_SLOTTED_PAGES, sizeof(struct qn_slotted_pages), slotted_pages_map,
     slotted_pages_check, slotted_pages_out_degree, "quern-page"},
    {QN_LAYOUT_SHARDS, sizeof(struct qn_shards), shards_map, shards_check, shards_out_degree,
     "quern-shard"},
    {QN_LAYOUT_HYBRID, sizeof(struct qn_hybrid), hybrid_map, hybrid_check, hybrid_out_degree,
     "quern-hybrid"},
};

enum qn_status qn_layout_view_find(enum qn_layout layout, const struct qn_layout_view **out,
                                   struct qn_error *error) {
  for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) {
    *out = &views[i];
    if (views[i].layout == layout)
      return QN_OK;
  }
  *out = NULL;
  return qn_fail(error, QN_UNSUPPORTED, "this build has no kernels for the layout %s",
                 qn_layout_name(layout));
}
