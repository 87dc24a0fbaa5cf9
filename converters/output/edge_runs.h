/* The edges that formats of edges list: each stored edge, or an undirected one from the end that
 * comes first alone. They come as runs: listed edges of one row that follow each other.
 *
 *   struct qn_edge_runs runs = qn_edge_runs_of(&listed, begin, end);
 *   while (qn_edge_runs_next(&runs))
 *     for (e = runs.first; e < runs.last; e++)
 *       ... runs.row -> csr->column_indices[e] ... */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "converters/output/writer.h"
#include "formats/graph/csr_shares.h"

struct qn_listed_edges {
  const struct qn_csr *csr;
  bool once;           /* only edges whose destination is not before the source */
  uint64_t begin, end; /* of the stored edges */
};

/* What of `graph` the user wants listed. */
static inline struct qn_listed_edges qn_listed_edges_of(const struct qn_graph *graph,
                                                        const struct qn_write_options *options) {
  struct qn_listed_edges listed = {&graph->out, false, 0, graph->out.num_edges};
  listed.once = graph->directedness == QN_UNDIRECTED && !options->both_directions;
  if (options->in_part) {
    listed.begin = options->part_begin;
    listed.end = options->part_end;
  }
  return listed;
}

/* What to call a vertex in formats whose ids are numbers. */
static inline uint64_t qn_listed_id(const struct qn_ids *ids, uint64_t vertex) {
  return ids->kind == QN_IDS_NUMBERS ? ids->numbers[vertex] : vertex;
}

/* How many edges are listed of the stored ones in [begin, end). */
uint64_t qn_listed_edges_count(const struct qn_listed_edges *listed);

/* Where to cut the stored edges so that about as many are listed in each of `num_parts` parts (to
 * within one): part p is [cuts[p], cuts[p + 1]). */
enum qn_status qn_listed_edges_cut(const struct qn_listed_edges *listed, uint64_t num_parts,
                                   uint64_t *cuts, struct qn_error *error);

struct qn_edge_runs {
  const struct qn_csr *csr;
  bool once;
  uint64_t next, end; /* stored edges that are left */
  uint64_t row;
  uint64_t first, last; /* the run */
};

/* The runs in [begin, end), which may begin and end anywhere in a row. */
static inline struct qn_edge_runs qn_edge_runs_of(const struct qn_listed_edges *listed,
                                                  uint64_t begin, uint64_t end) {
  struct qn_edge_runs runs = {listed->csr, listed->once, begin, end, 0, begin, begin};
  runs.row = begin < end ? qn_row_of_edge(listed->csr, begin) : 0;
  return runs;
}

/* The first edge in [begin, end) that does not lead to a vertex before `row`. */
uint64_t qn_edge_runs_skip(const struct qn_csr *csr, uint64_t row, uint64_t begin, uint64_t end);

static inline bool qn_edge_runs_next(struct qn_edge_runs *runs) {
  while (runs->next < runs->end) {
    while (runs->csr->row_offsets[runs->row + 1] <= runs->next)
      runs->row++;
    uint64_t row_end = runs->csr->row_offsets[runs->row + 1];
    runs->first = runs->next;
    runs->last = runs->next = row_end < runs->end ? row_end : runs->end;
    if (runs->once)
      runs->first = qn_edge_runs_skip(runs->csr, runs->row, runs->first, runs->last);
    if (runs->first < runs->last)
      return true;
  }
  return false;
}
