/* Where the lists of a WebGraph begin, and how long they are: by the .offsets file beside it, or
 * else by passing over all codes. */
#pragma once

#include "converters/arrays/bv_graph.h"

/* The .offsets file: the lengths of the lists in bits, each in the code that the properties say,
 * after a 0. */
struct qn_bv_offsets {
  const char *data; /* NULL: there is none */
  uint64_t bytes;
  const char *file;
};

/* Under way from the first list to the last. */
struct qn_bv_scan {
  const struct qn_bv_graph *graph; /* whose places are not used */
  const struct qn_bv_offsets *offsets;
  const struct qn_bv_places *places; /* to be filled; NULL: only the offsets are passed over */
  uint64_t *row_offsets;             /* [nodes + 1], to be filled */
  struct qn_bits bits, lengths;      /* of the lists, and of the offsets */
  uint64_t node;                     /* the next one */
  bool is_far;                       /* it has failed only because lists are too long for places */
  bool is_end_bad;                   /* of the next list, by the offsets: it is ... */
  uint64_t end;
};

/* Begin. The fields that are to be filled stay with the scan. */
enum qn_status qn_bv_scan_begin(struct qn_bv_scan *scan, const struct qn_bv_graph *graph,
                                const struct qn_bv_offsets *offsets,
                                const struct qn_bv_places *places, uint64_t *row_offsets,
                                struct qn_error *error);

/* Fill in places and offsets of rows for about so many bits more. QN_INVALID with the node, which
 * is scan->node, for what leads nowhere, and for more arcs than announced; lists that decode to
 * nothing sensible are not noticed. */
enum qn_status qn_bv_scan_on(struct qn_bv_scan *scan, uint64_t bits, struct qn_error *error);

/* The end of the next node's list by the .offsets file, which counts from `begin`. */
enum qn_status qn_bv_scan_end_of_list(struct qn_bv_scan *scan, uint64_t begin, uint64_t *end,
                                      struct qn_error *error);
/* After the last node: does the .offsets file end, too? */
enum qn_status qn_bv_scan_end(const struct qn_bv_scan *scan, struct qn_error *error);
