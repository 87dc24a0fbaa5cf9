/* A base and the generations that changed it, as kernels walk them: the base's rows where they lie,
 * but for those that a generation replaced, and beside them what all generations have added. */
#pragma once

#include "formats/set/changed.h"
#include "runtime/sets/run_set.h"

/* The rows [0, base), which base and generations have, and those behind them, of new vertices. */
#define QN_CHANGES_PARTS 3

struct qn_run_changes {
  struct qn_changed changed;
  struct qn_changed_ids ids;
  struct qn_listed_rows *listed; /* [blocks] the rows of generations that still count */
  uint64_t **skipped;            /* [blocks] bits of those that do not; NULL: all do */
  struct qn_csr added;   /* [V] the edges of generations that still are, a generation after the
                            other in each row; owned, as all below */
  uint64_t *replaced;    /* [V / 64 + 1] bits of vertices whose rows in the base no longer count */
  uint64_t num_skipped;  /* of the base's rows */
  uint32_t *degrees;     /* [V] out-degrees */
  struct qn_csr kept;    /* the base without those rows, if its transpose is made of it */
  struct qn_graph in[2]; /* transposes of base and added edges that were made */
  struct qn_csr csr[QN_CHANGES_PARTS];
  uint64_t *tail_offsets; /* [V - base + 1] of new vertices' rows, from 0 on */
  struct qn_part_rows parts[QN_CHANGES_PARTS];
};

/* Open base and generations of run->set, and fill in what the run knows of them; with `trust` the
 * base's rows are not checked. Owned by the run, which closes it, also after a failure. */
enum qn_status qn_run_changes_open(struct qn_run_set *run, bool trust, struct qn_error *error);
/* Kernels that do not take rows as generations list them see parts from now on, in which each row
 * has what all generations have added to it. Once is enough. */
enum qn_status qn_run_changes_join(struct qn_run_set *run, struct qn_error *error);
/* What kernels see. */
void qn_run_changes_view(struct qn_run_set *run, struct qn_set_view *view);
/* NULL is allowed. */
void qn_run_changes_close(struct qn_run_changes *changes);
