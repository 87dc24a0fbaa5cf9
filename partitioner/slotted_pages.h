/* From a graph to slotted pages (quern/slotted_pages.h, specs/slotted-pages.md). */
#pragma once

#include "partitioner/build_common.h"
#include <quern/slotted_pages.h>

struct qn_page_options {
  struct qn_page_address address; /* zero: the first of 2,2, 3,3, 2,4, 4,2 that fits */
  uint64_t page_bytes;            /* 0: by the size of the graph */
};

/* The format that `options` give a graph. QN_USAGE, with the limit that is missed, by how much, and
 * what would fit, if there is none. */
enum qn_status qn_page_format_choose(const struct qn_csr *csr,
                                     const struct qn_page_options *options,
                                     struct qn_page_format *format, struct qn_error *error);

/* How many pages of this format a graph takes. */
uint64_t qn_page_count(const struct qn_csr *csr, const struct qn_page_format *format);

/* Build slotted pages of the out-edges: a `build` of struct qn_builder, whose options are a
 * struct qn_page_options. Beside the output it takes 4 bytes a vertex, 8 with ids of 6 bytes. */
enum qn_status qn_slotted_pages_build(struct qn_source *source, const void *options,
                                      struct qn_writer *writer, json_t **used,
                                      struct qn_error *error);
