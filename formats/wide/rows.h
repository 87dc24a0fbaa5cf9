/* The rows of a set where they lie, of any number of vertices, some at a time: for who needs no
 * graph that is put together.
 *
 *   qn_wide_open(path, QN_SET_CHECK_FILE, &wide, &error);
 *   for (block = 0; block < set->num_parts; block = qn_wide_blocks_end(wide, block))
 *     qn_wide_walk(wide, block, visit, context, &error);
 *   qn_wide_close(wide); */
#pragma once

#include "formats/set/set.h"

struct qn_wide;

/* Is it a set without types and generations, of the newest version? */
bool qn_wide_takes(const struct qn_set *set);

/* Open such a set; QN_UNSUPPORTED for others. With QN_SET_CHECK_ALL every rule of a block
 * is checked as it is opened. Owned until close (NULL is allowed). */
enum qn_status qn_wide_open(const char *path, enum qn_set_check check, struct qn_wide **out,
                            struct qn_error *error);
void qn_wide_close(struct qn_wide *wide);
const struct qn_set *qn_wide_set(const struct qn_wide *wide);

/* What vertices are called. */
enum qn_id_kind qn_wide_id_kind(const struct qn_wide *wide);
/* As qn_ids_text. */
const char *qn_wide_id(const struct qn_wide *wide, uint64_t vertex, char *buffer, uint64_t *length);
/* The vertex called `text`; QN_USAGE if there is none. */
enum qn_status qn_wide_find(const struct qn_wide *wide, const char *text, uint64_t *vertex,
                            struct qn_error *error);
/* The out-degree of a vertex. */
uint64_t qn_wide_degree(const struct qn_wide *wide, uint64_t vertex);

/* The rows of the vertices [begin, end): row v has the edges of csr[b] from its row v - begin, for
 * each block b, whose columns count from columns_begin[b]. */
struct qn_wide_rows {
  uint64_t begin, end;
  uint64_t num_blocks;
  const struct qn_csr *csr;
  const uint64_t *columns_begin;
};

/* The block behind those that have the same rows as `first`. */
uint64_t qn_wide_blocks_end(const struct qn_wide *wide, uint64_t first);

/* All rows of the blocks from `first` on that have the same ones, slice by slice in their order. An
 * offset that leaves the block, or a column, is QN_INVALID. */
typedef enum qn_status qn_wide_visit(void *context, const struct qn_wide_rows *rows,
                                     struct qn_error *error);
enum qn_status qn_wide_walk(struct qn_wide *wide, uint64_t first, qn_wide_visit *visit,
                            void *context, struct qn_error *error);

/* The edges out of a vertex, or into it. */
struct qn_wide_row {
  uint64_t num_edges;
  uint64_t *vertices; /* [num_edges] at the other end, ascending */
  void *weights;      /* [num_edges] of the set's type; NULL: there are none */
};

/* Owned until qn_wide_row_free, for which a zeroed one is allowed. Edges that are not in the
 * vertex's row are in the rows of others: then all of these are looked through. */
enum qn_status qn_wide_row(struct qn_wide *wide, uint64_t vertex, bool into,
                           struct qn_wide_row *row, struct qn_error *error);
void qn_wide_row_free(struct qn_wide_row *row);
