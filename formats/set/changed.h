/* A base and the generations that changed it, opened: the rows of the graph that they are.
 *
 *   qn_changed_open(set, QN_CHANGED_ROWS, &changed, &error);
 *   count = qn_changed_row(&changed, set->num_generations, v, pieces);
 *   ... the edges of v are those of pieces[0 .. count), parallel ones in this order ...
 *   qn_changed_close(&changed);
 *
 * Vertices are numbered as they came: those of the base, then the new ones of each generation. */
#pragma once

#include "formats/set/set.h"

/* What a generation adds, and the rows that it replaces. */
struct qn_changed_block {
  struct qn_container *container;
  struct qn_csr rows;
  const uint32_t *vertices; /* [rows] whose rows they are, ascending */
  uint32_t *listed;         /* these, where the block has bits; owned */
  const uint8_t *replaced;  /* bit r % 8 of byte r / 8: row r replaces what was there before */
  struct qn_properties properties;
};

struct qn_changed {
  const struct qn_set *set; /* NULL: a base alone */
  struct qn_container *base;
  struct qn_graph graph; /* of the base */
  struct qn_properties properties;
  uint64_t num_blocks;
  struct qn_changed_block *blocks; /* of the generations, from the first one on */
};

/* How much of the base is checked; from QN_CHANGED_FILES on blocks are checked whole. */
enum qn_changed_check {
  QN_CHANGED_HEADERS, /* that files are those of the manifest: what else they hold is not read */
  QN_CHANGED_FILES,   /* and blocks */
  QN_CHANGED_ROWS,    /* and what those who walk rows rely on */
  QN_CHANGED_EDGES,   /* and weights */
  QN_CHANGED_ALL,     /* every rule, and the properties */
};

/* SET-42 to SET-44, and SET-46. The set outlives it. Owned until close, also after a failure. */
enum qn_status qn_changed_open(const struct qn_set *set, enum qn_changed_check check,
                               struct qn_changed *changed, struct qn_error *error);
/* A container or set that is to be a base. */
enum qn_status qn_changed_open_base(const char *path, enum qn_changed_check check,
                                    struct qn_changed *changed, struct qn_error *error);
/* Check more of the base than when it was opened, and of its blocks. */
enum qn_status qn_changed_check_base(const struct qn_changed *changed, enum qn_changed_check check,
                                     struct qn_error *error);
enum qn_status qn_changed_check_blocks(const struct qn_changed *changed, struct qn_error *error);
/* Instead of these, for those who look up names alone: that these are right, and no file of the
 * base or of a generation is damaged. */
enum qn_status qn_changed_verify(const struct qn_changed *changed, struct qn_error *error);
/* A zeroed one is allowed. */
void qn_changed_close(struct qn_changed *changed);

/* Edges [begin, end) of `rows`, which are the base's (source 0) or a generation's (its number). */
struct qn_row_piece {
  const struct qn_csr *rows;
  uint32_t source;
  uint64_t begin, end;
};

static inline bool qn_replaces(const struct qn_changed_block *block, uint64_t row) {
  return block->replaced[row / 8] >> (row % 8) & 1;
}

/* The row of vertex v after so many generations; `pieces` has room for one more than these. Returns
 * how many there are. Columns of each ascend. */
uint64_t qn_changed_row(const struct qn_changed *changed, uint64_t generations, uint64_t v,
                        struct qn_row_piece *pieces);

/* The same for one vertex after the other: `cursors` [num_blocks] are set for the first one, and
 * moved on. */
void qn_changed_begin(const struct qn_changed *changed, uint64_t v, uint64_t *cursors);
uint64_t qn_changed_next(const struct qn_changed *changed, uint64_t v, uint64_t *cursors,
                         struct qn_row_piece *pieces);

/* The sum of a row's edges (quern/fingerprint.h). */
uint64_t qn_row_fingerprint(uint64_t v, const struct qn_row_piece *pieces, uint64_t count);

/* What all vertices are called, as they came: owned until release, which takes zeroed ones, too. */
struct qn_changed_ids {
  struct qn_ids ids;
  bool owned;
};
enum qn_status qn_changed_ids_make(const struct qn_changed *changed, struct qn_changed_ids *made,
                                   struct qn_error *error);
void qn_changed_ids_release(struct qn_changed_ids *made);
/* As qn_ids_original_order, of ids that were made so. */
enum qn_status qn_changed_ids_order(const struct qn_changed *changed, const struct qn_ids *ids,
                                    uint32_t **order, struct qn_error *error);

/* Write the graph as an import of all its edges numbers and sorts it: where the vertices of the
 * base are in the order of their ids, all are. SET-16 and SET-45. */
enum qn_status qn_changed_write(const struct qn_changed *changed, struct qn_writer *writer,
                                struct qn_error *error);
/* SET-45 of every generation, and SET-16. */
enum qn_status qn_changed_check_sums(const struct qn_changed *changed, struct qn_error *error);

/* What the metadata of that graph is: a new reference. If each generation only added, to what
 * quern-import made, those of an import of all inputs; else what happened. */
enum qn_status qn_changed_metadata(const struct qn_changed *changed, json_t **out,
                                   struct qn_error *error);
