/* The edge ledger: what became of every record that was read. It must balance:
 *
 *   records    = comments + rejected + edges_left_out + edges_read
 *   edges_read + edges_added = self_loops_removed + duplicates_removed + edges_written
 *
 * Readers fill the first equation, the builder the second (qn_build_graph). */
#ifndef QN_CONVERTERS_EDGES_LEDGER_H
#define QN_CONVERTERS_EDGES_LEDGER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_ledger {
  uint64_t records;            /* lines; where a line holds several edges, edges and other lines */
  uint64_t comments;           /* comments, headers and blank lines */
  uint64_t rejected;           /* bad ones that --max-bad allowed to skip */
  uint64_t edges_left_out;     /* edges outside of the part of the graph that was asked for */
  uint64_t edges_read;         /* edges as the input lists them */
  uint64_t edges_added;        /* reverses, by symmetrising or because the input implies them */
  uint64_t self_loops_removed; /* edges from a vertex to itself */
  uint64_t duplicates_removed; /* edges dropped or merged since one of the same ends was there */
  uint64_t edges_written;      /* edges in the container; an undirected edge counts twice */
};

/* QN_SYSTEM with both sides of the broken equation if the ledger does not
 * balance: an error of this program, never of the input. */
enum qn_status qn_ledger_check(const struct qn_ledger *ledger, struct qn_error *error);

/* A new JSON object with every entry, keys as the fields (edges_left_out only if there are any);
 * NULL if memory runs out. */
json_t *qn_ledger_json(const struct qn_ledger *ledger);

/* The table for people, a line an entry. */
void qn_ledger_print(const struct qn_ledger *ledger, FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
