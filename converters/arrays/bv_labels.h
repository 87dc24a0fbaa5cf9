/* Labels of a WebGraph's arcs: a number for each arc, one after the other in the order of the arcs
 * (.labels), the lengths in bits of what each node's arcs have (.labeloffsets, in gamma code, after
 * a 0), and .properties that say what the numbers are and of which graph. */
#pragma once

#include "converters/arrays/bv_scan.h"
#include <quern/graph.h>

struct qn_bv_labels {
  char graph[256];     /* the name of the graph without .graph, from the folder of the properties */
  bool is_gamma;       /* numbers are in gamma code; else of so many bits: */
  unsigned width;      /* 0 to 63 */
  struct qn_bits bits; /* the content of the .labels file, from its begin */
  const char *file;    /* for messages */
  struct qn_bv_offsets offsets;
};

/* Parse the properties, of `file`. QN_UNSUPPORTED for labels of other kinds, by their name;
 * QN_INVALID for what describes no labels. */
enum qn_status qn_bv_labels_parse(const char *text, uint64_t bytes, const char *file,
                                  struct qn_bv_labels *labels, struct qn_error *error);

/* What holds them as weights: u32 or i64. */
enum qn_weight_type qn_bv_labels_type(const struct qn_bv_labels *labels);

/* Fill `weights`, of that type, one for each arc of the rows, by all threads as far as it is known
 * where labels begin. QN_INVALID with the node for labels that are too few, too many, too large, or
 * not as long as the offsets say; the same for any number of threads. */
enum qn_status qn_bv_labels_read(const struct qn_bv_labels *labels, uint64_t nodes,
                                 const uint64_t *row_offsets, void *weights,
                                 struct qn_error *error);
