/* Packing one tile (specs/packed.md, "A tile"): its widths are chosen, then its words written. */
#pragma once

#include <stdint.h>

#include <quern/packed.h>

struct qn_tile_packing {
  uint32_t first_row, num_rows, num_edges;
  uint32_t first_vertex;                               /* of the first row, among columns */
  uint32_t lengths[QN_PACKED_RANGE + QN_PACKED_GROUP]; /* [num_rows], which add up to num_edges */
  uint32_t gaps[QN_PACKED_TILE + QN_PACKED_GROUP];
  uint8_t length_widths[QN_PACKED_RANGE / QN_PACKED_GROUP]; /* of groups; their codes */
  uint8_t gap_codes[QN_PACKED_TILE / QN_PACKED_GROUP];
  uint8_t head[QN_PACKED_HEAD];
};

/* What the tile packs, from its sizes, its lengths and its columns, which ascend in each row.
 * Returns its words. */
uint64_t qn_tile_pack(struct qn_tile_packing *tile, const uint32_t *columns);
/* Write the words of what was packed: zeroed, and as many as qn_tile_pack said. */
void qn_tile_write(const struct qn_tile_packing *tile, uint32_t *words);
