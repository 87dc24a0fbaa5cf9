/* Batches for training graph neural networks: what is sampled around some vertices.
 *
 * A graph has types of vertices, each numbered from 0, and types of edges; where it has none there
 * is one of both. Of each type of edges there are rows: row v has the edges of vertex v, which is
 * their *center*, and columns are *neighbours*.
 *
 * Whatever a mapping holds by now, nothing is read outside it, and a file that is cut meanwhile is
 * an error. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <quern/error.h>
#include <quern/packed.h>
#include <quern/view.h>

#define QN_ALL_NEIGHBORS (-1)

/* Rows that are read from where they lie, many places at a time, as a graph is that outgrows
 * memory: numbers of 64 bits and of 32. Both may be called by several threads. */
struct qn_sampling_reads {
  enum qn_status (*offsets)(void *context, const int64_t *places, uint64_t count, uint64_t *out,
                            struct qn_error *error);
  enum qn_status (*columns)(void *context, const int64_t *places, uint64_t count, uint32_t *out,
                            struct qn_error *error);
  void *context;
};

/* Row v has the edges [row_offsets[v], row_offsets[v + 1]), whose columns ascend. */
struct qn_sampling_rows {
  uint64_t num_vertices, num_edges;
  const uint64_t *row_offsets;    /* [num_vertices + 1] */
  const uint32_t *column_indices; /* [num_edges]; NULL: they are in one of these */
  const struct qn_packed_rows *packed;
  const struct qn_sampling_block *blocks; /* [num_blocks], by rows, and of these by columns */
  uint64_t num_blocks;
  const struct qn_sampling_reads *reads; /* how neighbours are sampled; NULL: where they are
                                            mapped, as all else is */
};

/* The edges of the rows [begin, end) from some columns, which it counts from the first one. */
struct qn_sampling_block {
  uint64_t begin, end;
  uint32_t first_column;
  struct qn_sampling_rows rows; /* of these rows; no blocks */
};

/* The rows [0, num_rows) of blocks, with offsets in memory, [num_rows + 1] pages to be freed. */
enum qn_status qn_sampling_rows_join(const struct qn_sampling_block *blocks, uint64_t num_blocks,
                                     uint64_t num_rows, struct qn_sampling_rows *rows,
                                     uint64_t **offsets, struct qn_error *error);

/* Those that are packed, with offsets in memory, [num_vertices + 1] pages to be freed. */
enum qn_status qn_sampling_rows_unpack_offsets(const struct qn_packed_rows *packed,
                                               struct qn_sampling_rows *rows, uint64_t **offsets,
                                               struct qn_error *error);

struct qn_sampling_edges {
  struct qn_sampling_rows rows;
  uint32_t center_type, neighbor_type;
  uint64_t first_row, first_column; /* which vertex 0 of these types has */
  const int64_t *fanouts;           /* [num_hops] or QN_ALL_NEIGHBORS */
  const int64_t *times;             /* [rows->num_edges], or NULL */
  /* The rows of the neighbours, in whose order edges are numbered; without offsets: in that of
   * `rows`. */
  struct qn_sampling_rows numbered;
};

struct qn_sampling {
  uint32_t num_vertex_types, num_edge_types, num_hops;
  const uint64_t *num_vertices;          /* [num_vertex_types] */
  const int64_t *const *times;           /* [num_vertex_types] each [num_vertices], or NULL */
  const struct qn_sampling_edges *edges; /* [num_edge_types] */
  uint64_t seed;
  bool replace;  /* a neighbour may be taken more than once */
  bool disjoint; /* every seed has a tree of its own */
  bool numbers;  /* of edges are asked for */
};

/* Where a batch begins: of each type of vertices some. */
struct qn_sampling_seeds {
  const int64_t *vertices;
  const int64_t *times; /* of what is newer than this nothing is taken; NULL: all is */
  uint64_t count;
};

/* ---- What was sampled --------------------------------------------------------- */

struct qn_sampled_vertices {
  uint64_t count, capacity;
  int64_t *vertices; /* [count] the seeds, then hop by hop those that are new */
  int64_t *trees;    /* [count] which seed's, where trees are disjoint */
  int64_t *hops;     /* [num_hops + 1] how many are new in each; the seeds come first */
};

/* Edge i is between the places neighbors[i] and centers[i] of the sampled vertices of its types. */
struct qn_sampled_edges {
  uint64_t count, capacity;
  int64_t *neighbors, *centers;
  int64_t *numbers; /* as struct qn_sampling_edges has them */
  int64_t *hops;    /* [num_hops] */
};

struct qn_sampled {
  uint32_t num_vertex_types, num_edge_types;
  struct qn_sampled_vertices *vertices; /* [num_vertex_types] */
  struct qn_sampled_edges *edges;       /* [num_edge_types] */
};

enum qn_status qn_sampled_create(const struct qn_sampling *sampling, struct qn_sampled *sampled,
                                 struct qn_error *error);
/* A zeroed one is allowed. */
void qn_sampled_release(struct qn_sampled *sampled);
/* As it was created, but with the memory that it took since. */
void qn_sampled_clear(const struct qn_sampling *sampling, struct qn_sampled *sampled);
/* Room for `count` in all. */
enum qn_status qn_sampled_reserve_vertices(struct qn_sampled_vertices *vertices, uint64_t count,
                                           struct qn_error *error);
enum qn_status qn_sampled_reserve_edges(struct qn_sampled_edges *edges, uint64_t count,
                                        struct qn_error *error);

/* ---- Sampling ----------------------------------------------------------------- */

/* Memory that a thread uses for one batch after another. */
struct qn_sampling_scratch;
enum qn_status qn_sampling_scratch_create(const struct qn_sampling *sampling,
                                          struct qn_sampling_scratch **out, struct qn_error *error);
/* NULL is allowed. */
void qn_sampling_scratch_destroy(struct qn_sampling_scratch *scratch);

/* Neighbours, hop by hop: of the edges of every vertex that is new in a hop, fanouts[hop] of each
 * type (Hamilton, Ying, Leskovec: Inductive Representation Learning on Large Graphs, NeurIPS 2017).
 * `sampled` is clear, `seeds` [num_vertex_types]. Random numbers depend on the sampling's seed, the
 * batch's number, the hop, the type and the vertex (and its tree) alone. By a team of threads, or
 * called by one. QN_USAGE: a seed is not a vertex. */
enum qn_status qn_sample_neighbors(const struct qn_sampling *sampling,
                                   struct qn_sampling_scratch *scratch,
                                   const struct qn_sampling_seeds *seeds, uint64_t number,
                                   struct qn_sampled *sampled, struct qn_error *error);

/* The seeds, each once, and all edges between them. */
enum qn_status qn_sample_induced(const struct qn_sampling *sampling,
                                 struct qn_sampling_scratch *scratch,
                                 const struct qn_sampling_seeds *seeds, struct qn_sampled *sampled,
                                 struct qn_error *error);

/* ---- Walks and pairs ---------------------------------------------------------- */

struct qn_sampling_walks {
  const int64_t *starts; /* [count] */
  uint64_t count, length;
  double restart;       /* the probability with which a step leads to the start */
  double back, outside; /* node2vec's p and q; 1 and 1: all neighbours are alike */
};

/* Walk i, which is the places [i * (length + 1), (i + 1) * (length + 1)) of `walks`, from its start
 * on along the edges of type 0. What comes after a vertex without edges is -1. Random numbers
 * depend on the seed, the batch's number and that of the walk. */
enum qn_status qn_sample_walks(const struct qn_sampling *sampling,
                               const struct qn_sampling_walks *asked, uint64_t number,
                               int64_t *walks, struct qn_error *error);

/* Pairs without an edge of a type between them: a center, given or random, and a random vertex of
 * the neighbours' type. A center for which none is found, as it is next to nearly all, gets -1. */
enum qn_status qn_sample_non_edges(const struct qn_sampling *sampling, uint32_t edge_type,
                                   const int64_t *given, uint64_t count, uint64_t number,
                                   int64_t *centers, int64_t *others, struct qn_error *error);
