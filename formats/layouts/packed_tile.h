/* The places of a tile's parts (specs/packed.md, "A tile"), for what reads tiles and what writes
 * them. */
#pragma once

#include <quern/packed.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Words of zero after the last tile: four numbers of any width can be read from any bit of it. */
#define QN_PACKED_PADDING 8

/* In bytes from the tile's first one. */
struct qn_packed_parts {
  uint32_t length_codes, gap_codes, numbers; /* where they begin, the numbers at a word */
};

/* Codes of two groups are a byte. */
static inline uint32_t qn_packed_code_bytes(uint32_t count) {
  return (count + 2 * QN_PACKED_GROUP - 1) / (2 * QN_PACKED_GROUP);
}

static inline uint32_t qn_packed_code(const uint8_t *codes, uint32_t group) {
  return codes[group / 2] >> 4 * (group % 2) & 15;
}

static inline uint32_t qn_packed_groups(uint32_t count) {
  return (count + QN_PACKED_GROUP - 1) / QN_PACKED_GROUP;
}

static inline struct qn_packed_parts qn_packed_parts_of(uint32_t num_rows, uint32_t num_edges) {
  struct qn_packed_parts parts;
  parts.length_codes = QN_PACKED_HEAD;
  parts.gap_codes = parts.length_codes + qn_packed_code_bytes(num_rows);
  parts.numbers = (parts.gap_codes + qn_packed_code_bytes(num_edges) + 3) / 4 * 4;
  return parts;
}

/* A first neighbour relative to its row: small numbers for what is near, on either side. Modulo
 * 2^32. */
static inline uint32_t qn_packed_zigzag(uint32_t difference) {
  return difference << 1 ^ (uint32_t) - (int32_t)(difference >> 31);
}

static inline uint32_t qn_packed_unzigzag(uint32_t number) {
  return number >> 1 ^ (uint32_t) - (int32_t)(number & 1);
}

/* The edges of `row` in tile `number`: 0 if it has none there. */
uint32_t qn_packed_length(const struct qn_packed_rows *rows, uint64_t number, uint32_t row);

/* Decode a tile as far as who goes through whole rows needs it: the column of edge e of row
 * first_row + i is columns[e] + bases[i], modulo 2^32; `bases` [QN_PACKED_RANGE] of rows without
 * edges mean nothing. It is less than V of tiles that were checked; else it may be any number, so
 * use it for arrays that fault behind their end (support/memory.h). Otherwise as qn_packed_decode.
 */
void qn_packed_decode_sums(const struct qn_packed_rows *rows, uint64_t number,
                           struct qn_packed_tile *tile, uint32_t *bases);

/* As qn_packed_decode, but columns are what the bytes say; behind them is what fills their last
 * group. */
void qn_packed_decode_unbounded(const struct qn_packed_rows *rows, uint64_t number,
                                struct qn_packed_tile *tile);

/* A tile of which rows are looked at one by one, each as far as somebody wants to. */
struct qn_packed_search {
  const uint8_t *first;
  uint64_t bits, gaps; /* of all of it; before the gaps */
  const uint8_t *codes;
  uint32_t num_edges, least, most;
  uint32_t first_vertex; /* of row 0, modulo 2^32 */
  uint8_t widths[QN_PACKED_HEAD];
  bool has_places;
  uint16_t places[QN_PACKED_TILE / QN_PACKED_GROUP + 1]; /* of groups, in 4 bits from the gaps on */
};

/* Where somebody is in a row. */
struct qn_packed_place {
  uint32_t row;       /* in the tile */
  uint32_t edge, end; /* of the tile: the next one, and behind the row's last one */
  bool has_begun;
  uint32_t column; /* the last one */
};

/* Decodes `tile->begins` alone. */
void qn_packed_search_begin(const struct qn_packed_rows *rows, uint64_t number,
                            struct qn_packed_tile *tile, struct qn_packed_search *search);

/* The next columns of a row with some left: returns how many, 1 to QN_PACKED_GROUP. `place` begins
 * with the row's edges and nothing else. Columns are less than V, whatever the bytes are. */
uint32_t qn_packed_search_next(struct qn_packed_search *search, struct qn_packed_place *place,
                               uint32_t *columns);

#ifdef __cplusplus
}
#endif
