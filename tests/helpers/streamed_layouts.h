/* Containers of the layouts whose topology is streamed in units of their own, with small units. */
#pragma once

#include "helpers/streamed_test.h"
#include "partitioner/edge_partitions.h"
#include "partitioner/slotted_pages.h"

/* Are there units at all? */
static inline bool open_pages(const struct qn_graph *graph, uint32_t page_bytes,
                              struct qn_slotted_pages *view) {
  struct qn_page_options options = {.page_bytes = page_bytes};
  struct qn_error error;
  assert_int_equal(
      build_layout(QN_LAYOUT_SLOTTED_PAGES, &options, graph, scratch_path("pages.qrn"), &error),
      QN_OK);
  assert_int_equal(qn_slotted_pages_map(scratch_path("pages.qrn"), view, &error), QN_OK);
  return view->num_pages > 0;
}

static inline bool open_partitions(const struct qn_graph *graph, uint64_t partition_bytes,
                                   struct qn_edge_partitions *view) {
  struct qn_edge_partitions_options options = {.partition_bytes = partition_bytes};
  struct qn_error error;
  assert_int_equal(
      build_layout(QN_LAYOUT_EDGE_PARTITIONS, &options, graph, scratch_path("parts.qrn"), &error),
      QN_OK);
  assert_int_equal(qn_edge_partitions_map(scratch_path("parts.qrn"), view, &error), QN_OK);
  return view->num_edges > 0;
}
