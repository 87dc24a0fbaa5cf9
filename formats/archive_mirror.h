/* Undirected graphs from their upper triangle, the edges u -> v with u <= v: where the others
 * belong the row offsets tell (specs/archive.md, "Upper triangle"). */
#ifndef QN_FORMATS_ARCHIVE_MIRROR_H
#define QN_FORMATS_ARCHIVE_MIRROR_H

#include <stdbool.h>
#include <stdint.h>

#include "support/error.h"

/* Nothing of it is believed. All of it stays the caller's. */
struct qn_triangle {
  uint64_t num_vertices, num_edges; /* of the graph */
  const uint64_t *row_offsets;      /* [V + 1] of the graph */
  uint64_t count;
  const uint32_t *columns; /* [count] in row order */
  const uint32_t *weights; /* [count] bits; NULL without */
};

struct qn_mirror;

/* Judge `triangle` and find where its edges belong. `*out` is NULL if it does not fit the row
 * offsets. Takes, until destroyed, 8 bytes a vertex and 4 (with weights 8) an edge of
 * the triangle, and for the while 5 bytes a vertex for each of up to 8 threads. */
enum qn_status qn_mirror_create(const struct qn_triangle *triangle, struct qn_mirror **out,
                                struct qn_error *error);
/* NULL is allowed. */
void qn_mirror_destroy(struct qn_mirror *mirror);

/* Where the values of the graph's edges go. */
struct qn_mirror_output {
  uint32_t *values; /* [E] */
  /* If not NULL, `values` is the mapping of a file, in which this writes: quicker than letting the
   * kernel clear each page first. */
  enum qn_status (*put)(void *context, const void *bytes, uint64_t length, uint64_t offset,
                        struct qn_error *error);
  void *context;
};

/* Fill in the graph's columns, or its weights, by all threads. Only the columns tell whether an
 * edge leads back: then `*fits` is false. Takes up to 16 MiB a thread. */
enum qn_status qn_mirror_columns(const struct qn_mirror *mirror,
                                 const struct qn_mirror_output *output, bool *fits,
                                 struct qn_error *error);
enum qn_status qn_mirror_weights(const struct qn_mirror *mirror,
                                 const struct qn_mirror_output *output, struct qn_error *error);

#endif
