/* A graph being spread over ranks. Internal to this folder. */
#pragma once

#include "converters/build/build_job.h"
#include "converters/spread/spread.h"
#include "formats/set/files.h"

struct qn_spread {
  const struct qn_spread_job *job;
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

  /* send.c */
  uint64_t *first_rows; /* [P + 1]: rank r builds rows [first_rows[r], first_rows[r + 1]) */
  struct qn_edge_list *received; /* this rank's rows: row, then column */

  /* rows.c */
  struct qn_container *built;
  struct qn_graph graph; /* in it; only this rank's rows have edges */
  uint64_t edges_before; /* in the rows of ranks before */

  /* records.c */
  struct qn_spread_properties properties;
  struct qn_container *numbered;
  bool has_records;        /* edges have properties, */
  const uint64_t *records; /* those of `graph` these */

  /* parts.c */
  struct qn_set *set;
  struct qn_set_writer *writer;
};

enum qn_status qn_spread_number(struct qn_spread *spread, struct qn_error *error);
enum qn_status qn_spread_send(struct qn_spread *spread, struct qn_error *error);
enum qn_status qn_spread_build(struct qn_spread *spread, struct qn_error *error);
enum qn_status qn_spread_records(struct qn_spread *spread, struct qn_error *error);
enum qn_status qn_spread_write(struct qn_spread *spread, struct qn_error *error);

/* The first of the parts that rank `rank` writes; of num_ranks the number of parts. */
uint64_t qn_spread_first_part(const struct qn_spread *spread, uint64_t rank);

/* What qn_spread_build does of what was received, but for sums. */
enum qn_status qn_spread_build_rows(struct qn_spread *spread, struct qn_error *error);
/* Is the graph directed? */
bool qn_spread_is_directed(const struct qn_spread *spread);

/* Values of edges, from the ranks that have read them. */
struct qn_spread_values {
  struct qn_set_edge_values values;
  struct qn_properties columns;
  struct qn_fetched_column *fetched;
  uint64_t *places; /* [count] */
  uint64_t count;
};

/* Those of edges with these records, in their order. All ranks call it. Given back by
 * qn_spread_values_free, also after a failure. */
enum qn_status qn_spread_values_fetch(const struct qn_spread *spread, const uint64_t *records,
                                      uint64_t count, struct qn_spread_values *values,
                                      struct qn_error *error);
void qn_spread_values_free(struct qn_spread_values *values);
