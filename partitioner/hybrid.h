/* Building hybrid containers (specs/hybrid.md, "How to build it"). */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "partitioner/build_common.h"
#include <quern/hybrid.h>

#define QN_HYBRID_AUTO_WIDTH UINT64_MAX

struct qn_hybrid_options {
  uint32_t directions; /* set of enum qn_hybrid_directions; 0: in */
  uint64_t width;      /* K, or QN_HYBRID_AUTO_WIDTH: as qn_hybrid_width chooses */
};

/* The paper's width (section 3.2): the largest K such that at least a third of the rows have K or
 * more entries. 0 without rows. `row_offsets` [V + 1]. */
uint64_t qn_hybrid_width(const uint64_t *row_offsets, uint64_t num_vertices);

/* The `build` of a struct qn_builder; `options` is a struct qn_hybrid_options. Parallel; beside
 * the output it takes nothing but, for the in-edges of a directed graph that stores no
 * transpose, what qn_rows_open_in takes. QN_USAGE if the width exceeds the longest row. */
enum qn_status qn_hybrid_build(struct qn_source *source, const void *options,
                               struct qn_writer *writer, json_t **used, struct qn_error *error);
