/* The builders of all layouts, with their options by the names of their tools'. */
#pragma once

#include "partitioner/blocked_csr.h"
#include "partitioner/build_common.h"
#include "partitioner/edge_partitions.h"
#include "partitioner/hybrid.h"
#include "partitioner/packed.h"
#include "partitioner/shards.h"
#include "partitioner/slotted_pages.h"

/* The options of any of them. */
union qn_builder_options {
  struct qn_blocked_csr_options blocked_csr;
  struct qn_edge_partitions_options edge_partitions;
  struct qn_hybrid_options hybrid;
  struct qn_packed_options packed;
  struct qn_shards_options shards;
  struct qn_page_options slotted_pages;
};

/* Every builder, ended by one without a tool. */
extern const struct qn_builder qn_builders[];

/* NULL if there is none. */
const struct qn_builder *qn_builder_find(enum qn_layout layout);
/* Of the layout of this name; QN_USAGE, with the closest name, if there is none. */
enum qn_status qn_builder_named(const char *layout, const struct qn_builder **out,
                                struct qn_error *error);

/* A builder of the table with options of its own, by which nothing is asked for. */
struct qn_builder qn_builder_with(const struct qn_builder *builder,
                                  union qn_builder_options *options);
