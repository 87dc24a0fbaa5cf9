/* The rows of one block of a set, of edges that come in no order. */
#pragma once

#include "converters/build/build.h"
#include "formats/set/files.h"
#include "support/threads.h"

/* An edge of a block: row and column, counted from its first ones; of one with a weight its number
 * in the input and the weight's bits follow. */
#define QN_BLOCK_EDGE(row, column) ((uint64_t)(row) | (uint64_t)(column) << 32)
enum { QN_BLOCK_PLAIN_WORDS = 1, QN_BLOCK_WEIGHTED_WORDS = 3 };

static inline unsigned qn_block_edge_words(enum qn_weight_type type) {
  return type == QN_WEIGHT_NONE ? QN_BLOCK_PLAIN_WORDS : QN_BLOCK_WEIGHTED_WORDS;
}

struct qn_block_rows {
  uint64_t num_rows, num_edges;
  enum qn_weight_type weight_type;
  uint64_t *offsets; /* [num_rows + 1] */
  uint32_t *columns; /* ascending in each row; equal ones in the order of the input */
  char *weights;     /* or NULL */
  uint64_t room;     /* edges that there is memory for */
};

/* Are they worth a team of threads? */
static inline bool qn_block_rows_are_many(const struct qn_block_rows *rows) {
  return rows->num_rows + rows->num_edges > QN_TEAM_LEAST;
}

/* Room for the rows of `block`, with `num_edges` edges. Owned until free, for which zeroed ones are
 * allowed. */
enum qn_status qn_block_rows_create(const struct qn_set_part *block, uint64_t num_edges,
                                    enum qn_weight_type type, struct qn_block_rows *rows,
                                    struct qn_error *error);
void qn_block_rows_free(struct qn_block_rows *rows);

/* Put all edges into rows. */
enum qn_status qn_block_rows_fill(struct qn_block_rows *rows, const uint64_t *edges,
                                  struct qn_error *error);

/* Leave one of the edges with the same ends. False if a sum of weights leaves their type, of those
 * from `*row` to `*column`. */
bool qn_block_rows_merge(struct qn_block_rows *rows, enum qn_duplicates duplicates, uint64_t *row,
                         uint32_t *column);

/* A row that has a column twice; num_rows if none has. */
uint64_t qn_block_rows_repeated(const struct qn_block_rows *rows, uint32_t *column);

/* The edges, as qn_block_rows_fill takes them, [num_edges][words]. */
void qn_block_rows_list(const struct qn_block_rows *rows, uint64_t *edges);

struct qn_csr qn_block_rows_csr(const struct qn_block_rows *rows);

/* Write them as part `index` of `set`, in the layout of `builder` or, if that is NULL, as they are.
 * They may be gone afterwards. */
enum qn_status qn_block_rows_write(struct qn_block_rows *rows, struct qn_set *set, uint64_t index,
                                   const struct qn_set_builder *builder, const char *path,
                                   struct qn_error *error);
