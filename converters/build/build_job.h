/* What the builder's parts share: build.c, build_sorted.c for edges that come as they will lie, and
 * build_on_disk.c for those that do not fit into memory. Internal to the builder. */
#pragma once

#include "converters/build/build.h"
#include "converters/build/edge_buckets.h"
#include "converters/build/id_map.h"
#include "converters/edges/edge_blocks.h"

struct qn_build_job {
  struct qn_edge_list *list;
  const struct qn_build *build;
  struct qn_writer *writer;
  struct qn_ledger *ledger;
  enum qn_weight_type weight_type;
  uint64_t num_vertices;
  struct qn_id_map *ids;
  struct qn_edge_buckets buckets;
  uint64_t self_loops; /* that were not removed, before duplicates were */
  struct qn_csr out;   /* as written */
};

/* Put the blocks of a list in memory into the order of the input. */
void qn_build_order_blocks(struct qn_edge_list *list);

/* job->weight_type, from what job->list knows of its weights. QN_INVALID if they do not fit what is
 * asked for. */
enum qn_status qn_build_choose_weight_type(struct qn_build_job *job, struct qn_error *error);

/* When all weights have their type: QN_INVALID if some were rounded, and nobody asked for it. */
enum qn_status qn_build_check_rounding(const struct qn_build_job *job, struct qn_error *error);

/* Make a block's ids vertices, take out self loops if they are not wanted, and count them. */
void qn_build_prepare_block(const struct qn_build_job *job, struct qn_edge_block *block,
                            uint64_t *self_loops);

/* The block's weights in the graph's type, NULL if that is none. They are in `*scratch` if they
 * were of another type: memory from the pool that is taken when it is needed first, and is the
 * caller's to give back. QN_SYSTEM if there is none. */
enum qn_status qn_build_weights(const struct qn_build_job *job, struct qn_edge_block *block,
                                void **scratch, const void **weights);

/* Spread the blocks of a list in memory, which are used up, over `num_lanes` lanes of job->buckets
 * from `first_lane` on; with `turned` as if each edge led the other way. */
enum qn_status qn_build_spread(struct qn_build_job *job, uint64_t first_lane, uint64_t num_lanes,
                               bool turned, struct qn_error *error);

/* Enter in the ledger what was read, with so many self loops. */
void qn_build_count_read(struct qn_build_job *job, uint64_t self_loops);

/* Sort job->buckets, whose sources count from vertex `first_row`. */
enum qn_status qn_build_sort(struct qn_build_job *job, uint64_t first_row, struct qn_error *error);
uint64_t qn_build_count_sorted(const struct qn_edge_buckets *buckets);
enum qn_status qn_build_fail_overflow(const struct qn_build_job *job, uint64_t source,
                                      uint64_t destination, struct qn_error *error);

/* A row that has a column twice; V if none has. */
uint64_t qn_build_find_repeated(const struct qn_csr *csr, uint32_t *column);

/* Add the sections of the out-edges, to be filled, and note where they are. */
enum qn_status qn_build_add_sections(struct qn_build_job *job, uint64_t num_edges,
                                     struct qn_graph_arrays *arrays, struct qn_error *error);

/* Note where the out-edges are. */
void qn_build_set_out(struct qn_build_job *job, const uint64_t *row_offsets,
                      const uint32_t *columns, const void *weights, uint64_t num_edges);

/* Do the blocks of a list in memory, in the order of the input, hold the edges as rows will? Then
 * write the out-edges as they are, without sorting. */
bool qn_build_is_sorted(const struct qn_build_job *job);
enum qn_status qn_build_sorted(struct qn_build_job *job, struct qn_error *error);

/* Write the out-edges of a list on disk and fill job->out. */
enum qn_status qn_build_on_disk(struct qn_build_job *job, struct qn_error *error);
