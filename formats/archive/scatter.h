/* A frame's edges on their way to their rows and tiles. For mirror.c only. */
#pragma once

#include "formats/archive/rows.h"
#include <quern/inline.h>

struct qn_scattering {
  const struct qn_archive_rows *rows;
  const void *weights;   /* NULL without */
  unsigned weight_bytes; /* 4 or 8 with weights */
  uint64_t num_vertices;
  unsigned span_log2;
  uint32_t strip;
  const uint64_t *row_offsets; /* of the rows' first on */
  uint64_t begin;              /* of the strip's edges */
  uint32_t *row_columns;
  void *row_weights;
  uint32_t *ends;  /* of tiles: where the next edge goes */
  uint32_t *edges; /* by tiles */
  void *edge_weights;
};

enum qn_bucketed {
  QN_DEALT,
  QN_DEALT_NO_ROOM, /* a row is longer than its offsets say */
  QN_DEALT_NO_ROWS  /* the bits are not rows */
};

/* Copy weight `i` of `from` to place `j` of `to`. The width is a constant where it is inlined. */
QN_ALWAYS_INLINE void qn_bucket_weight(void *__restrict to, uint64_t j, const void *__restrict from,
                                       uint64_t i, unsigned weight_bytes) {
  if (weight_bytes == sizeof(uint64_t))
    ((uint64_t *)to)[j] = ((const uint64_t *)from)[i];
  else if (weight_bytes)
    ((uint32_t *)to)[j] = ((const uint32_t *)from)[i];
}

/* Put every column into its row and, as an edge, into its tile. */
enum qn_bucketed qn_scatter(const struct qn_scattering *scattering);
