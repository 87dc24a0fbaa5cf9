/* Communities by label propagation, as LDBC Graphalytics defines it (CDLP, after Raghavan, Albert,
 * Kumara: Near Linear Time Algorithm to Detect Community Structures, 2007, made deterministic):
 * every vertex begins with itself as label, and in each iteration all take, at once, the label that
 * most of their neighbours have, of several the smallest in original order. Every edge counts at
 * both its ends: two vertices with edges in both directions, or with parallel ones, count as often
 * for each other. A vertex without edges keeps its label.
 *
 * Labels are counted in a small hash table, a thread's own. A vertex none of whose neighbours has
 * changed keeps its label: where all rows are at hand and few have, only those beside them are
 * looked at. */
#pragma once

#include "kernels/registry.h"

/* The edges of some vertices: row v of both is of vertex begin + v. `in` is NULL where `out` has
 * both ends of every edge. */
struct qn_label_rows {
  uint64_t begin;
  const struct qn_csr *out, *in;
};

/* Where they come from, band by band: `take` brings one of them, and the one before is gone. */
struct qn_label_source {
  uint64_t num_vertices, num_bands;
  enum qn_status (*take)(void *context, uint64_t band, struct qn_label_rows *rows,
                         struct qn_error *error);
  void *context;
};

/* A kernel's run. */
enum qn_status qn_label_propagation(const struct qn_run_request *request,
                                    const struct qn_label_source *source,
                                    struct qn_run_result *result, struct qn_error *error);
