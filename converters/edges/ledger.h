/* The edge ledger: what became of every record that was read. It must balance:
 *
 *   records    = comments + rejected + edges_left_out + edges_read
 *   edges_read + edges_added = self_loops_removed + duplicates_removed + edges_written
 *
 * Readers fill the first equation, the builder the second (qn_build_graph). */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <quern/container.h>
#include <quern/error.h>

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
  uint64_t undirected_edges;   /* the same, each undirected edge once; 0 in directed graphs */
  uint64_t parallel_edges;     /* of these, those that have the ends of one before them; counted
                                  where reverses were added, and where the format adds them up */
};

/* Say of a matrix that some entries have the place of another. */
void qn_ledger_note_sums(const struct qn_ledger *ledger);

/* QN_SYSTEM with both sides of the broken equation if the ledger does not
 * balance: an error of this program, never of the input. */
enum qn_status qn_ledger_check(const struct qn_ledger *ledger, struct qn_error *error);

/* A new JSON object with every entry, keys as the fields (those that most graphs have none of only
 * if there are any); NULL if memory runs out. */
json_t *qn_ledger_json(const struct qn_ledger *ledger);

/* "3 vertices, 3 undirected edges (5 stored: both directions), weights f32": the graph that was
 * written, whose edges are in the ledger. Returns `text`. */
#define QN_GRAPH_TEXT 160
char *qn_ledger_graph_text(const struct qn_ledger *ledger, const struct qn_container_info *info,
                           char text[QN_GRAPH_TEXT]);

/* A note if adding reverses has left parallel edges, as it does where both directions were there
 * before; `option` would have removed them. */
void qn_ledger_note_parallel(const struct qn_ledger *ledger, const char *option);

/* The table for people, a line an entry. */
void qn_ledger_print(const struct qn_ledger *ledger, FILE *stream);
