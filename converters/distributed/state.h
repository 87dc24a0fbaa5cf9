/* A graph being spread over ranks. Internal to this folder. */
#pragma once

#include "converters/build/build_job.h"
#include "converters/distributed/distributed.h"
#include "formats/set/files.h"

/* Rows of all vertices, of which a rank has the edges of its own. */
struct qn_distributed_rows {
  struct qn_csr csr;
  struct qn_container *container; /* that they are mapped from; NULL: they are in memory */
};

/* Rows in groups of so many as a power of two, and the edges in each. */
struct qn_row_groups {
  uint64_t *edges; /* [count + 1] */
  uint64_t count;
  unsigned shift;
};

struct qn_distributed {
  const struct qn_distributed_job *job;
  const struct qn_collective *ranks;
  const struct qn_build *build;
  struct qn_ledger *ledger;
  struct qn_build_job sender; /* of this rank's list: its map of ids, its weights' type */
  bool turned;                /* rows have the edges into their vertex */

  /* numbering.c */
  uint64_t num_vertices;
  uint32_t *given; /* vertices of this rank's far ids, or names */
  uint64_t num_given;
  struct qn_ids names;                   /* of all vertices, at the first rank */
  uint64_t *name_numbers, *name_offsets; /* what they are */
  char *name_bytes;

  /* trade.c, send.c */
  uint64_t *first_rows; /* [P + 1]: rank r builds rows [first_rows[r], first_rows[r + 1]) */
  /* This rank's rows: row, then column. In memory they are in sender.buckets. */
  struct qn_edge_list *received;
  struct qn_bucket_shape shape; /* of buckets that were made before */

  /* rows.c */
  struct qn_distributed_rows rows;
  uint64_t edges_before; /* in the rows of ranks before */

  /* records.c */
  struct qn_distributed_properties properties;
  struct qn_distributed_rows numbered;
  bool has_records;        /* edges have properties, */
  const uint64_t *records; /* those of `rows` these */

  /* parts.c */
  struct qn_set *set;
  struct qn_set_writer *writer;
};

enum qn_status qn_distributed_number(struct qn_distributed *distributed, struct qn_error *error);
/* Edges to the ranks that build their rows: in memory, or with a limit of memory on disk. */
enum qn_status qn_distributed_give(struct qn_distributed *distributed, struct qn_error *error);
enum qn_status qn_distributed_trade(struct qn_distributed *distributed, struct qn_error *error);
enum qn_status qn_distributed_send(struct qn_distributed *distributed, struct qn_error *error);
/* Choose these rows, with `num_edges` edges in all, of which those of groups were counted. */
enum qn_status qn_distributed_share_rows(struct qn_distributed *distributed,
                                         struct qn_row_groups *groups, uint64_t num_edges,
                                         struct qn_error *error);
enum qn_status qn_distributed_build(struct qn_distributed *distributed, struct qn_error *error);
enum qn_status qn_distributed_records(struct qn_distributed *distributed, struct qn_error *error);
enum qn_status qn_distributed_write(struct qn_distributed *distributed, struct qn_error *error);

uint64_t qn_distributed_num_parts(const struct qn_distributed *distributed);
/* The first of the parts that rank `rank` writes; of num_ranks the number of parts. */
uint64_t qn_distributed_first_part(const struct qn_distributed *distributed, uint64_t rank);

/* What qn_distributed_build does of what was received, but for sums. */
enum qn_status qn_distributed_build_rows(struct qn_distributed *distributed,
                                         struct qn_error *error);
/* Zeroed ones are allowed. */
void qn_distributed_rows_free(struct qn_distributed_rows *rows);
/* Is the graph directed? */
bool qn_distributed_is_directed(const struct qn_distributed *distributed);

/* Values of edges, from the ranks that have read them. */
struct qn_distributed_values {
  struct qn_set_edge_values values;
  struct qn_properties columns;
  struct qn_fetched_column *fetched;
  uint64_t *places; /* [count] */
  uint64_t count;
};

/* Those of edges with these records, in their order. All ranks call it. Given back by
 * qn_distributed_values_free, also after a failure. */
enum qn_status qn_distributed_values_fetch(const struct qn_distributed *distributed,
                                           const uint64_t *records, uint64_t count,
                                           struct qn_distributed_values *values,
                                           struct qn_error *error);
void qn_distributed_values_free(struct qn_distributed_values *values);
