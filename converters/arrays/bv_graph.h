/* Graphs as WebGraph compresses them: lists of successors, each by reference to one before it, runs
 * of consecutive ids, and gaps [Boldi and Vigna, "The WebGraph Framework I: Compression
 * Techniques", WWW 2004]. */
#pragma once

#include "converters/arrays/bit_reader.h"
#include <quern/error.h>

/* What the .properties file says. */
struct qn_bv_properties {
  uint64_t nodes, arcs;
  uint64_t window;       /* how far back a reference goes; 0: there are none */
  uint64_t min_interval; /* least length of a run; 0: there are none */
  unsigned zeta;         /* the k of zeta codes */
  enum qn_bit_code degrees, references, block_counts, blocks, residuals;
};

/* Parse `text`, the content of `file`. QN_INVALID for what is no such file, QN_UNSUPPORTED for
 * graphs and codes of other kinds. */
enum qn_status qn_bv_parse(const char *text, uint64_t bytes, const char *file,
                           struct qn_bv_properties *properties, struct qn_error *error);

struct qn_bv_decoder;

/* Decode the graph in `data`, node by node; `properties` is copied, `data` and `file` are borrowed.
 * nodes < 2^32. Takes memory for the lists in the window, as they come. */
enum qn_status qn_bv_create(const struct qn_bv_properties *properties, const char *data,
                            uint64_t bytes, const char *file, struct qn_bv_decoder **out,
                            struct qn_error *error);
void qn_bv_destroy(struct qn_bv_decoder *decoder);

/* The successors of the next node, ascending and all below `nodes`, valid until the next call.
 * QN_INVALID with the offset for lists that are none, and for more arcs than announced. To be
 * called `nodes` times. */
enum qn_status qn_bv_next(struct qn_bv_decoder *decoder, const uint32_t **successors,
                          uint64_t *count, struct qn_error *error);

/* After the last node: is that all that was announced, and nothing more? */
enum qn_status qn_bv_end(const struct qn_bv_decoder *decoder, struct qn_error *error);
