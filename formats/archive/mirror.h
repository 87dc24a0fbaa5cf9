/* Undirected graphs from their upper triangle, the edges u -> v with u <= v: where the others
 * belong the row offsets tell (specs/archive.md, "Upper triangle"). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "formats/archive/strips.h"
#include <quern/error.h>

/* A graph on its way. The callbacks are called by several threads at once. */
struct qn_mirror {
  uint64_t num_edges;             /* of the graph */
  const uint64_t *row_offsets;    /* [V + 1] of the graph, not believed */
  const struct qn_strips *strips; /* how its triangle is cut */
  unsigned weight_bytes;          /* of a weight, 4 or 8; 0 without */
  void *context;

  /* Give the rows of a frame that is not empty, whose columns are vertices of its strip or beyond
   * where they are not in bits, and its weights [count]: both stay valid until the same thread asks
   * again. */
  enum qn_status (*read)(void *context, uint64_t frame, struct qn_archive_rows *rows,
                         const void **weights, struct qn_error *error);
  /* Take the columns or the weights of the graph's edges [first, first + count). If this waits for
   * other threads it must not go on once `*stop` is true. */
  enum qn_status (*put)(void *context, bool weights, const void *values, uint64_t count,
                        uint64_t first, const bool *stop, struct qn_error *error);
  /* Say that the triangle does not fit the row offsets. */
  enum qn_status (*misfit)(void *context, struct qn_error *error);
  /* Say that the bits of a frame are not rows. */
  enum qn_status (*corrupt)(void *context, uint64_t frame, struct qn_error *error);
};

/* Put all edges of the graph, every one once, in rising stretches, by all threads. Where the frames
 * contradict each other what is put is not all of it, or makes no sense. Takes 4 bytes and those of
 * a weight for an edge of the triangle, from qn_bulk_alloc, for those of about one strip and, for
 * 2^19 edges, for each thread. */
enum qn_status qn_mirror_restore(const struct qn_mirror *mirror, struct qn_error *error);
