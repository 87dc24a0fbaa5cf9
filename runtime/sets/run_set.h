/* A set made ready to run kernels on, part by part. */
#pragma once

#include "formats/set/vertices.h"
#include "kernels/set_view.h"
#include "runtime/sets/ahead.h"
#include "runtime/sets/slices.h"

/* How ranks are to divide a set: in rows and columns, if both are given; as sends less, if there is
 * one column and no number of rows; zeroed: by whole rows. */
struct qn_grid {
  unsigned num_rows, num_columns;
};

/* How they did, the last time that they could choose. */
struct qn_division {
  struct qn_grid grid;       /* zeroed: nobody has asked */
  uint64_t bytes;            /* that this process gets of messages and sums in an iteration, */
  uint64_t whole_rows_bytes; /* and would by whole rows */
  uint64_t memory;           /* of this process's edges and what it needs beside them, in a grid */
  const char *reason;        /* of whole rows */
};

struct qn_run_changes;   /* changes.h */
struct qn_run_types;     /* types.h */
struct qn_set_selection; /* formats/set/project.h */

/* The parts that this process walks, open. */
struct qn_run_set {
  struct qn_set *set;
  struct qn_container_info info;   /* of the graph, as if one container held it */
  struct qn_all_vertices vertices; /* their names and out-degrees */
  uint64_t num_parts;
  struct qn_set_open_part *parts; /* [num_parts] */
  struct qn_part_rows *rows;      /* [num_parts] */
  uint64_t *first_parts, *first_vertices;
  const struct qn_exchange *exchange; /* NULL: no others */
  bool trusted;
  bool drops_rows;             /* of packed blocks, but while they are walked */
  bool limits_memory;          /* vertices' values lie in temporary files */
  uint64_t slice_bytes;        /* what rows may take beside values */
  struct qn_set_slices slices; /* of blocks whose rows are dropped, where values fit into memory */
  struct qn_grid asked;
  struct qn_division division;
  struct qn_set_block block;      /* made when it is first asked for (divide.h) */
  struct qn_run_changes *changes; /* of a set with generations, whose files are no parts of it */
  struct qn_run_types *types;     /* of a set with types, whose files have one each */
  struct qn_set_view *view;       /* of these, whose parts may change */
  struct qn_set_ahead ahead;      /* reads files before they are walked */
};

/* How a set is opened. */
struct qn_set_opening {
  const struct qn_exchange *exchange; /* of the process of this rank; NULL: it walks all parts */
  const struct qn_set_selection *selection; /* of a set with types: those that are walked */
  bool trust;                               /* without the checks that kernels rely on */
  struct qn_grid grid;                      /* that a user asks for */
  /* Of a set that is cut by columns: what vertices' values and the rows of packed blocks may take
   * (0: what is free), and where values lie that are more (NULL: the system's temporary folder). */
  uint64_t memory;
  const char *folder;
};

/* Open the parts of a set that this process walks. QN_USAGE if the grid is not of as many ranks as
 * there are. Takes over `set` whatever the outcome. `*view` is made, and belongs to the caller
 * (qn_free). Owned until qn_run_set_close. */
enum qn_status qn_run_set_open(struct qn_set *set, const struct qn_set_opening *opening,
                               struct qn_run_set **out, struct qn_set_view **view,
                               struct qn_error *error);
/* Before each run of a kernel: one that does not take listed rows has them joined. NULL: no set. */
enum qn_status qn_run_set_ready(struct qn_run_set *run, bool takes_listed_rows,
                                struct qn_error *error);
/* NULL is allowed. */
void qn_run_set_close(struct qn_run_set *set);

static inline bool qn_run_set_is_cut(const struct qn_run_set *run) {
  return run->set->features & QN_SET_COLUMN_RANGES;
}

/* A part of the set as kernels see it; `rows` are those of it, open. */
struct qn_part_rows qn_run_set_rows(const struct qn_set *set, uint64_t index,
                                    const struct qn_csr *rows);

/* The weights of the parts that are open. */
enum qn_status qn_run_set_verify_weights(const struct qn_run_set *set, struct qn_error *error);
