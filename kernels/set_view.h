/* A set (specs/set.md) as kernels see it: the parts that this process walks, and the others that
 * walk the rest, its ranks. */
#pragma once

#include <stdbool.h>

#include <quern/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a rank gets from the others. A zeroed one is allowed; it may be used again, and is freed
 * by exchange->drop. */
struct qn_parcel {
  char *bytes;
  uint64_t capacity;
  uint64_t *offsets; /* [num_ranks + 1] what rank r sent is [offsets[r], offsets[r + 1]) */
};

/* The ways in which ranks talk: all of them call these, in the same order. */
struct qn_exchange {
  unsigned rank, num_ranks;
  /* `all` is bytes [0, offsets[num_ranks]); rank r has filled [offsets[r], offsets[r + 1]), and
   * afterwards all ranks have all of it. */
  enum qn_status (*gather)(void *all, const uint64_t *offsets, struct qn_error *error);
  /* The same of the memory of a device, whose default stream has been waited for, and goes on
   * behind; NULL if it goes through the host's. */
  enum qn_status (*gather_on_device)(void *all, const uint64_t *offsets, struct qn_error *error);
  /* Each rank has something else for every rank: for rank r bytes [offsets[r], offsets[r + 1]) of
   * `out`. `in` is what they have for this one. */
  enum qn_status (*trade)(const void *out, const uint64_t *offsets, struct qn_parcel *in,
                          struct qn_error *error);
  void (*drop)(struct qn_parcel *in);
  /* Zeroed memory of `count` items that all ranks see, where all are on one machine; else NULL. The
   * same answer everywhere. What one has written there others may read when all have met. Owned
   * until qn_pages_free. */
  enum qn_status (*share)(uint64_t count, uint64_t size, void **memory, struct qn_error *error);
  enum qn_status (*meet)(struct qn_error *error);
  /* Has each rank memory for so many bytes more? The same answer everywhere. */
  enum qn_status (*has_room)(uint64_t bytes, bool *has, struct qn_error *error);
  /* A gather while its bytes are made, one at a time; the functions above may be called meanwhile.
   * `made`: of this rank's bytes those before `end` are there. `advance`, now and then, by the
   * thread that began. When all bytes are made `end_gather` waits until all have all;
   * `leave_gather` does in its place after a failure, and asks nobody whether they failed. */
  void (*begin_gather)(void *all, const uint64_t *offsets);
  void (*made)(uint64_t end);
  void (*advance)(void);
  enum qn_status (*end_gather)(struct qn_error *error);
  void (*leave_gather)(void);
  /* Where ranks form a grid (struct qn_set_block). As `gather`, of the ranks of a column alone:
   * offsets [num_rows + 1]. */
  enum qn_status (*gather_column)(void *all, const uint64_t *offsets, struct qn_error *error);
  /* Each rank of a row has `out` for the one `distance` columns behind it, where the first column
   * follows the last one, and gets `in` from the one as far before it. Called with distances 1, 2,
   * ..., num_columns - 1, between which no rank fails. */
  enum qn_status (*turn_row)(unsigned distance, const void *out, uint64_t out_bytes, void *in,
                             uint64_t in_bytes, struct qn_error *error);
};

/* The rows of the vertices [begin, end): row v of `csr` holds the edges into begin + v, or those of
 * them from some columns. Parts of the same rows follow one another. */
struct qn_part_rows {
  const struct qn_csr *csr; /* [end - begin] */
  uint64_t begin, end;
  uint64_t columns_begin;    /* its columns count from there, */
  uint64_t columns_end;      /* and end before this vertex */
  uint64_t num_edges;        /* those of `csr`, when it is there */
  const uint64_t *skipped;   /* bits of rows that are not walked, as another part has all of them;
                                NULL: none are */
  bool begins_row, ends_row; /* the first, the last of the parts with these rows */
  uint64_t index;            /* of the part in the set */
};

/* Where the edges of a row end. */
static inline uint64_t qn_part_row_end(const struct qn_part_rows *part, uint64_t row) {
  const bool skips = part->skipped && part->skipped[row / 64] >> (row % 64) & 1;
  return part->csr->row_offsets[row + !skips];
}

/* Edges beside those of parts: row r of `csr` holds edges out of vertices[r], and these are as many
 * as its rows, all different. */
struct qn_listed_rows {
  const struct qn_csr *csr;
  const uint32_t *vertices;
  const uint64_t *skipped; /* bits of rows that do not count; NULL: all do */
};

/* What a run that recomputes all vertices tells and keeps. */
struct qn_set_demand {
  uint32_t message_bytes, sum_bytes; /* of a vertex, in an iteration */
  uint32_t num_iterations;           /* at most */
  bool takes_weights;
};

/* The edges of a rank where ranks form a grid: rank r is in row r / num_columns and in column
 * r % num_columns, and has the edges from the vertices of its column's ranks to those of its row's.
 */
struct qn_set_block {
  unsigned num_rows, num_columns;
  unsigned row, column;
  uint64_t begin;         /* the first vertex of the row's ranks */
  struct qn_csr csr;      /* row v: the edges into vertex begin + v; columns are the places of the
                             sources among the vertices of the column's ranks, in their order */
  const uint64_t *places; /* [num_rows + 1] where those of each of these ranks begin */
};

struct qn_run_set;

struct qn_set_view {
  uint64_t num_vertices, num_edges; /* of the graph */
  struct qn_degrees out_degrees;    /* [V] in the graph */
  bool has_cut_rows;                /* parts have some columns of rows */
  bool has_out_rows;                /* row v holds the edges out of v, too: they are the same */
  /* Not NULL: row v holds the edges out of v alone. Who cannot do with these has in-edges made by
   * this, once: then `parts` are of them. */
  enum qn_status (*find_in_rows)(struct qn_run_set *set, struct qn_error *error);
  uint64_t num_parts; /* that this process walks */
  /* Of a run that goes on from the result before edges were added: so many parts, the first ones,
   * have no new edge. Searches then push: a vertex that was reached may come nearer. 0: it begins.
   */
  uint64_t num_known_parts;
  const struct qn_part_rows *parts; /* [num_parts], one behind the other */
  /* Of a graph with generations, for kernels with QN_KERNEL_LISTED_ROWS: edges that no part has.
   * There are no out-degrees then. NULL: there are none. */
  uint64_t num_listed;
  const struct qn_listed_rows *listed; /* [num_listed] */
  /* NULL: the rows of all parts are there. Else those of one part at a time are, between these two;
   * of the others `csr` is empty. */
  enum qn_status (*enter)(struct qn_run_set *set, uint64_t part, struct qn_error *error);
  void (*leave)(struct qn_run_set *set, uint64_t part);
  uint64_t num_all_parts;
  const struct qn_exchange *exchange; /* NULL: no others */
  const uint64_t *first_parts;        /* [num_ranks + 1] rank r walks these parts, */
  const uint64_t *first_vertices;     /* and holds these vertices' new values */
  /* All ranks ask whether a run is to go by a grid: `*block` is this one's, or NULL if each walks
   * the whole rows of its parts. It belongs to the set, until this is called again. */
  enum qn_status (*divide)(struct qn_run_set *set, const struct qn_set_demand *demand,
                           const struct qn_set_block **block, struct qn_error *error);
  struct qn_run_set *set;
};

/* Does row `row` count? */
static inline bool qn_listed_row_counts(const struct qn_listed_rows *listed, uint64_t row) {
  return !listed->skipped || !(listed->skipped[row / 64] >> (row % 64) & 1);
}

/* Before and after a part of this process is walked. */
static inline enum qn_status qn_part_enter(const struct qn_set_view *view, uint64_t part,
                                           struct qn_error *error) {
  return view->enter ? view->enter(view->set, part, error) : QN_OK;
}

static inline void qn_part_leave(const struct qn_set_view *view, uint64_t part) {
  if (view->leave)
    view->leave(view->set, part);
}

#ifdef __cplusplus
}
#endif
