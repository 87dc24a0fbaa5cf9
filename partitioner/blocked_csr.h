/* Building blocked-csr containers (specs/blocked-csr.md, "How to build it"). */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "partitioner/build_common.h"
#include <quern/blocked_csr.h>

/* The L2 cache that blocks are made for unless another is named: 60 MB. */
#define QN_DEFAULT_L2_BYTES ((uint64_t)60 << 20)

struct qn_blocked_csr_options {
  uint32_t directions;      /* set of enum qn_blocked_csr_directions; 0: pull */
  uint64_t block_vertices;  /* 0: by l2_bytes */
  uint64_t l2_bytes;        /* 0: QN_DEFAULT_L2_BYTES */
  bool out_edges;           /* store the out-edges as plain CSR too */
  uint64_t max_block_edges; /* 0: what the format allows, 2^32 - 1; tests take less */
};

/* The block whose vertex values, 4 bytes each, take about a third of an L2 cache of `l2_bytes` (as
 * the paper's 1 MiB of 2.75 MB): the power of two nearest to l2_bytes / 12, at least
 * QN_RANGE_VERTICES. */
uint64_t qn_block_vertices_for(uint64_t l2_bytes);

/* The `build` of a struct qn_builder; `options` is a struct qn_blocked_csr_options. Parallel;
 * beside the output it takes 4 bytes for each range of 1024 vertices of each block and, for pull
 * blocks of a directed graph that stores no transpose, what qn_rows_open_in takes. */
enum qn_status qn_blocked_csr_build(struct qn_source *source, const void *options,
                                    struct qn_writer *writer, json_t **used,
                                    struct qn_error *error);
