/* What sampling a batch needs besides the batch. */
#pragma once

#include "kernels/cpu/sampling/places.h"
#include "kernels/cpu/sampling/rows.h"

/* The row of a center, and where what is taken of it goes. */
struct qn_sampled_row {
  struct qn_sampling_row row; /* edges of the graph */
  uint64_t begin;             /* edges of the batch; those of the next row begin where it ends */
};

struct qn_sampling_scratch {
  uint32_t num_vertex_types;
  struct qn_places *places;    /* [num_vertex_types] */
  uint64_t *ends[2];           /* [num_vertex_types] the vertices before and after the last hop */
  struct qn_sampled_row *rows; /* [row_capacity] of a hop and a type */
  uint64_t row_capacity;
  uint32_t *columns; /* [column_capacity] neighbours on the edges of a hop and a type */
  uint64_t column_capacity;
  int64_t *tree_times; /* [tree_capacity] */
  uint64_t num_trees, tree_capacity;
};

/* What a batch is made of. */
struct qn_sampling_work {
  const struct qn_sampling *sampling;
  struct qn_sampling_scratch *scratch;
  struct qn_sampled *sampled;
  uint64_t key;
};

enum qn_status qn_sampling_reserve_rows(struct qn_sampling_scratch *scratch, uint64_t count,
                                        struct qn_error *error);
enum qn_status qn_sampling_reserve_columns(struct qn_sampling_scratch *scratch, uint64_t count,
                                           struct qn_error *error);

/* Clear what an earlier batch left, and put the seeds at the beginning; with `once` none twice. */
enum qn_status qn_sampling_begin(struct qn_sampling_work *work,
                                 const struct qn_sampling_seeds *seeds, bool once,
                                 struct qn_error *error);

/* Another vertex of a type gets a place, for which there is room: where it is in the table. */
enum qn_status qn_sampling_add(struct qn_sampling_work *work, uint32_t type, uint32_t vertex,
                               int64_t tree, struct qn_place *empty, struct qn_error *error);

/* The place of a vertex, which is added where it is new. There is room for it. */
static inline enum qn_status qn_sampling_place(struct qn_sampling_work *work, uint32_t type,
                                               uint32_t vertex, int64_t tree, int64_t *place,
                                               struct qn_error *error) {
  const struct qn_sampled_vertices *vertices = &work->sampled->vertices[type];
  struct qn_place *found = qn_places_find(&work->scratch->places[type], vertex, tree,
                                          work->sampling->disjoint ? vertices->trees : NULL);
  *place = found->place ? (int64_t)found->place - 1 : (int64_t)vertices->count;
  return found->place ? QN_OK : qn_sampling_add(work, type, vertex, tree, found, error);
}

/* The rows of the centers [first, first + count) of a type of edges, and behind them an end:
 * `begin` of each is 0. By several threads if they may be. */
enum qn_status qn_sampling_find_rows(struct qn_sampling_work *work, uint32_t edge_type,
                                     uint64_t first, uint64_t count, struct qn_error *error);

/* `read` of each piece of some rows, guarded, by several threads if they may be. It may set
 * reader->damaged to say that it found what cannot be. */
struct qn_sampling_reading {
  struct qn_sampling_work *work;
  const struct qn_sampling_edges *edges;
  uint32_t edge_type, hop;
  uint64_t first_center;
  void (*read)(const struct qn_sampling_reading *reading, uint64_t begin, uint64_t end,
               struct qn_row_reader *reader);
};
enum qn_status qn_sampling_read(const struct qn_sampling_reading *reading, uint64_t num_rows,
                                struct qn_error *error);

/* What qn_sampling_find_rows does, and the columns of the edges that the batch has from its `count`
 * on, where rows are read (struct qn_sampling_reads). */
enum qn_status qn_sampling_read_rows(struct qn_sampling_work *work, uint32_t edge_type,
                                     uint64_t first, uint64_t count, struct qn_error *error);
enum qn_status qn_sampling_read_columns(const struct qn_sampling_reading *reading, uint64_t count,
                                        struct qn_error *error);

/* Of edges that have those of `rows` by now, the numbers that they are to have. */
enum qn_status qn_sampling_number_edges(const struct qn_sampling_reading *reading, uint64_t count,
                                        struct qn_error *error);
