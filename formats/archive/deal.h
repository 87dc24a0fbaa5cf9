/* A frame's edges on their way to their rows and tiles. For mirror.c only. */
#ifndef QN_FORMATS_ARCHIVE_DEAL_H
#define QN_FORMATS_ARCHIVE_DEAL_H

#include "formats/archive/rows.h"

struct qn_dealing {
  const struct qn_packed_rows *rows;
  const uint32_t *weights; /* NULL without */
  uint64_t num_vertices;
  unsigned span_log2;
  uint32_t strip;
  const uint64_t *row_offsets; /* of the rows' first on */
  uint64_t begin;              /* of the strip's edges */
  uint32_t *row_columns, *row_weights;
  uint32_t *ends;                 /* of tiles: where the next edge goes */
  uint32_t *edges, *edge_weights; /* by tiles */
};

enum qn_dealt {
  QN_DEALT,
  QN_DEALT_NO_ROOM, /* a row is longer than its offsets say */
  QN_DEALT_NO_ROWS  /* the bits are not rows */
};

/* Put every column into its row and, as an edge, into its tile. */
enum qn_dealt qn_deal(const struct qn_dealing *dealing);

#endif
