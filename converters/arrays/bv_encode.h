/* The other way of bv_graph.h: lists of successors as WebGraph writes them by default, each by
 * reference to that of the seven before it which saves most bits. */
#pragma once

#include "converters/arrays/bit_writer.h"
#include <quern/error.h>

/* The parameters that WebGraph has by default. */
enum {
  QN_BV_WINDOW = 7,        /* how far back a reference goes */
  QN_BV_LONGEST_CHAIN = 3, /* of references to lists that have a reference themselves */
  QN_BV_LEAST_INTERVAL = 4,
  QN_BV_ZETA = 3,
};

/* Successors, ascending, each once. */
struct qn_bv_list {
  const uint32_t *ids;
  uint64_t count;
};

/* A thread's memory, all zero to begin with, which grows with the lists that are coded. */
struct qn_bv_encoder {
  uint32_t *flips;  /* places in the reference where copying ends or begins again */
  uint32_t *others; /* successors that are not copied; then those in no interval */
  uint32_t *ends;   /* pairs: first id and length of intervals */
  uint64_t num_flips, num_others, num_ends;
  uint64_t flips_capacity, others_capacity, ends_capacity;
};

void qn_bv_encoder_free(struct qn_bv_encoder *encoder);

/* The bits that *list, of `node`, takes: bits[0] without a reference, and for 1 <= r <= back
 * bits[r] with a reference to list[-r]; UINT64_MAX where that is no better than bits[0].
 * back <= QN_BV_WINDOW. */
enum qn_status qn_bv_measure(struct qn_bv_encoder *encoder, uint64_t node,
                             const struct qn_bv_list *list, unsigned back, uint64_t *bits,
                             struct qn_error *error);

/* Put the list, with a reference to list[-back], or to none if back == 0. */
enum qn_status qn_bv_put(struct qn_bv_encoder *encoder, uint64_t node,
                         const struct qn_bv_list *list, unsigned back, struct qn_bit_writer *writer,
                         struct qn_error *error);
