/* The line that quern-export --header puts before a text edge list, so that the same graph comes
 * back: whether it is directed, which vertices there are, how many edges follow.
 *
 *   # Quern edges: undirected, each edge once; 8 vertices from 0; 12 edges
 *   # Quern edges: directed; ids are names; 3 edges */
#pragma once

#include "converters/parse/reader.h"
#include <quern/ids.h>

struct qn_edges_header {
  bool undirected;
  bool both_ways;        /* of undirected: every edge is listed from either end */
  enum qn_id_kind ids;   /* dense: all vertices from 0 on, with edges or not */
  uint64_t num_vertices; /* of dense ids */
  uint64_t num_edges;    /* listed */
};

#define QN_EDGES_HEADER_TEXT 160

/* The line, with its end; returns how long it is. */
int qn_edges_header_text(const struct qn_edges_header *header, char text[QN_EDGES_HEADER_TEXT]);

/* Do these bytes begin with such a line, of a graph whose ids are names? What follows it are edges,
 * their columns separated by tabs. */
bool qn_edges_header_has_names(const char *head, uint64_t bytes);

/* Does the input, of which nothing has been read, begin with such a line? QN_INVALID in `*status`
 * if it begins like one but is none. */
bool qn_edges_header_peek(struct qn_input *input, struct qn_edges_header *header,
                          enum qn_status *status, struct qn_error *error);

/* Read an input with `read`, to which the line is a comment, as a reader does (reader.h), and heed
 * what the header says if there is one. QN_INVALID if other than the announced edges come. */
enum qn_status qn_read_announced(
    struct qn_input *input, const struct qn_read_options *options, struct qn_edge_list *list,
    uint64_t *sequence, struct qn_read_result *result,
    enum qn_status (*read)(struct qn_input *, const struct qn_read_options *, struct qn_edge_list *,
                           uint64_t *, struct qn_read_result *, struct qn_error *),
    struct qn_error *error);
