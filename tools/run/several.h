/* quern-run ALGORITHM,ALGORITHM,... FILE: several algorithms in one process, on one graph, which
 * stays on the device between them. */
#pragma once

#include "runtime/run.h"

struct qn_several_options {
  const char *algorithms; /* "bfs,cc" */
  const char *file;
  const struct qn_exchange *exchange; /* NULL: one process */
  const char *output;         /* folder for bfs.tsv, cc.tsv, ...; NULL: nothing is written */
  struct qn_run_options *run; /* each algorithm is told what it has a use for */
  int64_t top;
  bool trust, json, quiet;
};

/* QN_USAGE if an option is of use to none of them, or an algorithm is named twice. */
enum qn_status qn_run_several(const struct qn_several_options *options, struct qn_error *error);
