/* Layouts built from graphs in memory, and mapped. */
#pragma once

#include "helpers/round_trip.h"
#include "helpers/scratch.h"
#include "partitioner/blocked_csr.h"
#include "partitioner/edge_partitions.h"
#include "partitioner/hybrid.h"
#include "partitioner/packed.h"
#include "partitioner/shards.h"
#include "partitioner/slotted_pages.h"

/* open_LAYOUT(graph, options, view): false if the options do not suit the graph. */
#define DEFINE_OPEN(name, code, options_type)                                                      \
  static inline bool open_##name(const struct qn_graph *graph, struct options_type options,        \
                                 struct qn_##name *view) {                                         \
    const char *path = scratch_path(#name ".qrn");                                                 \
    struct qn_error error = {0};                                                                   \
    enum qn_status status = build_layout(code, &options, graph, path, &error);                     \
    if (status && status != QN_USAGE)                                                              \
      fail_msg("%s", error.message);                                                               \
    if (!status)                                                                                   \
      assert_int_equal(qn_##name##_map(path, view, &error), QN_OK);                                \
    return !status;                                                                                \
  }

DEFINE_OPEN(blocked_csr, QN_LAYOUT_BLOCKED_CSR, qn_blocked_csr_options)
DEFINE_OPEN(edge_partitions, QN_LAYOUT_EDGE_PARTITIONS, qn_edge_partitions_options)
DEFINE_OPEN(hybrid, QN_LAYOUT_HYBRID, qn_hybrid_options)
DEFINE_OPEN(packed, QN_LAYOUT_PACKED, qn_packed_options)
DEFINE_OPEN(shards, QN_LAYOUT_SHARDS, qn_shards_options)
DEFINE_OPEN(slotted_pages, QN_LAYOUT_SLOTTED_PAGES, qn_page_options)
