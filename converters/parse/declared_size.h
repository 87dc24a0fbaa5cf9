/* Formats that say at their beginning how many vertices there are. */
#pragma once

#include "converters/parse/reader.h"

/* What a header says, and where. */
struct qn_declared_size {
  const char *file;
  const struct qn_input *text; /* that lists the edges; NULL: they were counted */
  uint64_t line;               /* from 1; 0 in binary files */
  uint64_t num_vertices;
  uint64_t num_edges;
};

/* Of the edges that are announced, as many as `text` (which may be NULL) can hold. */
uint64_t qn_credible_edges(const struct qn_input *text, uint64_t announced);
/* Said behind their number if they are fewer. */
#define QN_NO_MORE_EDGES " (the input cannot hold more)"

/* Would so many vertices cost much memory for little graph? */
bool qn_is_hollow(uint64_t num_vertices, uint64_t num_edges);

/* Declare vertices 0 to num_vertices - 1 in `result`, called 1 to num_vertices, unless
 * options->compact says that only those with edges count. `*first_id` is what a reader has to
 * push for vertex 1. QN_INVALID if there are too many: 2^32, or so many that have no edges that
 * the graph would be hollow; or if another input has declared vertices before. */
enum qn_status qn_declare_from_one(const struct qn_declared_size *size,
                                   const struct qn_read_options *options,
                                   struct qn_read_result *result, uint64_t *first_id,
                                   struct qn_error *error);

/* The same for vertices called 0 to num_vertices - 1: readers push ids as they are, and nothing has
 * to be released. */
enum qn_status qn_declare_from_zero(const struct qn_declared_size *size,
                                    const struct qn_read_options *options,
                                    struct qn_read_result *result, struct qn_error *error);

/* The release of readers that call qn_declare_from_one. */
void qn_release_declared(struct qn_read_result *result);

/* QN_INVALID unless `found` edges are what the header says; `what` is how the format calls them. */
enum qn_status qn_declared_edges_check(const struct qn_declared_size *size, uint64_t found,
                                       const char *what, struct qn_error *error);

/* A first line of two counts looks like an edge: QN_INVALID if it says how many follow, of `found`
 * with itself, and no other edge has an end above the vertices that it says. */
enum qn_status qn_counts_check(const struct qn_claims *claims, uint64_t found, const char *file,
                               struct qn_error *error);
