/* Building packed containers (specs/packed.md, "How to build it"). */
#pragma once

#include <jansson.h>
#include <stdint.h>

#include "partitioner/build_common.h"
#include <quern/packed.h>

struct qn_packed_options {
  uint32_t directions; /* set of enum qn_packed_directions; 0: both */
};

/* The `build` of a struct qn_builder; `options` is a struct qn_packed_options. Parallel; beside the
 * output it takes 8 bytes for each 1024 vertices, some KiB a thread, and, for the in-edges of a
 * directed graph that stores no transpose, what qn_rows_open_in takes. */
enum qn_status qn_packed_build(struct qn_source *source, const void *options,
                               struct qn_writer *writer, json_t **used, struct qn_error *error);
