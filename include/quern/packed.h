/* The packed layout: rows of sorted neighbours as gaps in few bits, in tiles of 2048 edges that
 * decode alone (specs/packed.md). */
#ifndef QUERN_PACKED_H
#define QUERN_PACKED_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>
#include <quern/graph.h>
#include <quern/ids.h>
#include <quern/inline.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The most edges of a tile; the rows of a range, in which all rows of a tile lie. */
#define QN_PACKED_TILE 2048
#define QN_PACKED_RANGE 1024
/* Numbers of a group, which have one width. */
#define QN_PACKED_GROUP 4
/* Bytes at the beginning of a tile: its least gap, and widths by their codes 1 to 15. */
#define QN_PACKED_HEAD 16
/* Bits of a number of edges of a tile. */
#define QN_PACKED_LENGTH_BITS 12

/* Header parameters */
enum qn_packed_parameter {
  QN_PACKED_DIRECTIONS = 0, /* set of enum qn_packed_directions, not empty */
  QN_PACKED_WEIGHTS = 1,    /* enum qn_packed_weights */
};

enum qn_packed_directions { QN_PACKED_IN = 1, QN_PACKED_OUT = 2 };

/* How weights are stored: plain, or as codes of equally few bits. A code is the difference from the
 * least weight (of whole numbers), or an index into an array of all values that occur. */
enum qn_packed_weights { QN_PACKED_PLAIN, QN_PACKED_SUMS, QN_PACKED_DICTIONARY };
#define QN_PACKED_MOST_VALUES 65536 /* of a dictionary */

/* Weights that are not plain: the code of edge e is bits [bits * e, bits * (e + 1)) of `words`. */
struct qn_packed_codes {
  enum qn_packed_weights kind;
  unsigned bits;            /* of a code, at most 32 */
  uint32_t most;            /* the greatest code */
  uint64_t num_values;      /* N */
  struct qn_weights values; /* [N] the least and the greatest weight, or all of them */
  const uint32_t *words;    /* enough for all codes, and two more */
};

/* All edges in one direction: row v holds the in-edges (or out-edges) of v, columns are their other
 * ends, ascending. Tile t has the edges [tile_edges[t], tile_edges[t+1]) and the words
 * [tile_starts[t], tile_starts[t+1]); its first edge is of row tile_rows[t] or a later one. */
struct qn_packed_rows {
  uint64_t num_vertices;       /* V; of rectangular containers the rows */
  uint64_t num_edges;          /* E */
  uint64_t num_tiles;          /* T */
  uint64_t num_words;          /* W */
  const uint32_t *tile_rows;   /* [T + 1] */
  const uint64_t *tile_edges;  /* [T + 1] */
  const uint64_t *tile_starts; /* [T + 1] */
  const uint32_t *words;       /* [W] */
  struct qn_weights weights;   /* [E]; their type alone if they are not plain */
  struct qn_packed_codes codes;
  uint64_t num_columns; /* V: columns are less */
  uint32_t first_row;   /* row 0 among them, modulo 2^32: 0 unless it is rectangular */
};

struct qn_packed {
  struct qn_container *container; /* owned; NULL for borrowed containers */
  enum qn_directedness directedness;
  uint64_t num_vertices;
  uint64_t num_edges;
  const uint32_t *out_degrees; /* [V], or NULL if `out` tells */
  bool has_in;                 /* stored, or the same as `out` when undirected */
  bool has_out;                /* stored */
  struct qn_packed_rows in;
  struct qn_packed_rows out;
  struct qn_ids ids;
};

/* Is tile `tile` the first of its range? If not, its first row is also the last row of the tile
 * before, and may have edges in both. */
QN_INLINE bool qn_packed_begins_range(const uint32_t *tile_rows, uint64_t tile) {
  return tile == 0 || tile_rows[tile - 1] / QN_PACKED_RANGE != tile_rows[tile] / QN_PACKED_RANGE;
}

/* Rows of a tile, those without edges in it included: at most QN_PACKED_RANGE. The last one is the
 * first of the next tile, unless that begins a range. */
QN_INLINE uint32_t qn_packed_num_rows(const uint32_t *tile_rows, uint64_t tile,
                                      uint64_t num_vertices) {
  const uint32_t first = tile_rows[tile], next = tile_rows[tile + 1];
  const bool shares = first / QN_PACKED_RANGE == next / QN_PACKED_RANGE && next < num_vertices;
  const uint32_t rows = next - first + shares;
  return rows < QN_PACKED_RANGE ? rows : QN_PACKED_RANGE;
}

/* A tile decoded. */
struct qn_packed_tile {
  uint64_t first_edge;
  uint32_t first_row, num_rows, num_edges;
  uint32_t length; /* of all rows: num_edges, unless the tile breaks PK-7 */
  /* Row first_row + i has the edges [begins[i], begins[i + 1]), counted from first_edge. */
  uint32_t begins[QN_PACKED_RANGE + 1 + 2 * QN_PACKED_GROUP];
  uint32_t columns[QN_PACKED_TILE + QN_PACKED_GROUP];
  uint64_t weights[QN_PACKED_TILE]; /* room for whoever loads them */
};

/* Decode a tile: `tile->columns` alone, `tile->begins` alone, or both. Whatever the bytes are, no
 * memory outside the rows' is read, rows are within the tile, and columns are less than V. */
void qn_packed_decode(const struct qn_packed_rows *rows, uint64_t number,
                      struct qn_packed_tile *tile);
void qn_packed_decode_begins(const struct qn_packed_rows *rows, uint64_t number,
                             struct qn_packed_tile *tile);

/* The edges [first, end) of row `row`, as many as the tile has of them, of which the first one
 * there is the row's first there: `tile` is these alone, without `begins`. Columns may be any
 * numbers. */
void qn_packed_decode_row(const struct qn_packed_rows *rows, uint64_t number, uint64_t row,
                          uint64_t first, uint64_t end, struct qn_packed_tile *tile);

/* The first tile whose first row is `row` or a later one; T if there is none. */
uint64_t qn_packed_find(const struct qn_packed_rows *rows, uint64_t row);

/* The weights of the edges [first, first + count), which are at most E, as if they were plain.
 * Whatever the codes are, no memory outside the rows' is read, and weights are within the values.
 */
void qn_packed_load_weights(const struct qn_packed_rows *rows, uint64_t first, uint64_t count,
                            void *weights);

/* Count the edges of every row, in parallel. `lengths` has V elements, which are zero before. */
enum qn_status qn_packed_count_rows(const struct qn_packed_rows *rows, uint32_t *lengths,
                                    struct qn_error *error);

/* The out-degree of a vertex of the graph. */
uint64_t qn_packed_out_degree(const struct qn_packed *packed, uint64_t vertex);

/* Structure: PK-1, sections, and the ends of the tiles' places. Check: PK-2 to PK-8 and ID-1 to
 * ID-4. Content: PK-9 to PK-12. */
QN_DECLARE_LAYOUT(packed)

/* Unpack rows: `graph` becomes a graph in memory whose out-rows are `rows`, which must have been
 * checked. */
enum qn_status qn_packed_unpack(const struct qn_packed_rows *rows, struct qn_graph *graph,
                                struct qn_error *error);

/* How many edges the rows [begin, end) have, which are whole ranges of QN_PACKED_RANGE rows. */
uint64_t qn_packed_count_between(const struct qn_packed_rows *rows, uint64_t begin, uint64_t end);

/* Unpack these rows alone, into memory for them: offsets [end - begin + 1], which count from their
 * first edge, columns and, if there are some, weights, of so many edges; NULL: they are not wanted.
 * Whatever the bytes are, nothing else is written; false if they are not those of such rows. */
bool qn_packed_unpack_between(const struct qn_packed_rows *rows, uint64_t begin, uint64_t end,
                              uint64_t *offsets, uint32_t *columns, void *weights,
                              struct qn_packed_tile *tiles);

#ifdef __cplusplus
}
#endif
#endif
