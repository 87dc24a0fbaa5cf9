/* Tables of blocks: rows of blocks, of which each has the edges from some columns. */
#pragma once

#include "formats/set/files.h"

/* Has the block all columns? */
static inline bool qn_set_is_whole(const struct qn_set *set, const struct qn_set_part *block) {
  return block->columns_begin == 0 && block->columns_end == set->num_vertices;
}

/* The block behind the row of blocks that begins with `first`. */
uint64_t qn_set_row_end(const struct qn_set *set, uint64_t first);

/* The fingerprint of the edges of a block's rows, in the numbers of all vertices; with `reverse` as
 * if each led the other way. */
uint64_t qn_set_block_fingerprint(const struct qn_set_part *block, const struct qn_csr *rows,
                                  bool reverse);

/* Into how many ranges vertices are cut at every `width` of them; none are one range. */
uint64_t qn_set_num_cuts(uint64_t num_vertices, uint64_t width);

/* Cut the vertices of `set`, which knows how many they are, at every `width` of them: its ranges,
 * and blocks of rows by columns, whose edges are still to be counted. QN_USAGE if there would be
 * more than QN_SET_MAX_PARTS. */
enum qn_status qn_set_cut(struct qn_set *set, uint64_t width, struct qn_error *error);

/* Add the edges of some rows to those of the blocks [first, end), one row of blocks. */
void qn_set_count_edges(const struct qn_set *set, uint64_t first, uint64_t end,
                        const struct qn_set_piece *rows, uint64_t *num_edges);

/* Rows without the edges from other columns than a block's, and which edges remain. */
struct qn_set_cut_rows {
  struct qn_set_piece piece; /* of all rows of the block; columns are still those of the graph */
  uint64_t *records;         /* [num_edges]; NULL: none were given */
  uint64_t num_rows, num_edges;
  unsigned weight_bytes;
};

/* The rows of `pieces`, which make up those of the block. `records` are numbers of their edges,
 * one piece behind the other, or NULL. Owned until release. */
enum qn_status qn_set_cut_rows(const struct qn_set *set, uint64_t index,
                               const struct qn_set_piece *pieces, uint64_t num_pieces,
                               const uint64_t *records, struct qn_set_cut_rows *cut,
                               struct qn_error *error);
/* Zeroed ones are allowed. */
void qn_set_cut_rows_release(struct qn_set_cut_rows *cut);
