/* Results as files: every vertex's value, in original order. The name of the file says how:
 *
 *   NAME.npy   an array, and unless the vertices are called 0, 1, ... their ids beside it, in
 *              NAME.ids.npy; several columns are its rows (results/arrays.h). Of pairs
 *              the ids are two rows
 *              Of walks an array of them and of samples one of edges, with NAME.nodes.npy and
 *              NAME.hops.npy beside it (results/rows.h)
 *   NAME.csv   lines "id,value" below a header (results/lines.h)
 *   others     lines "id<TAB>value"; "-" is standard output */
#pragma once

#include <stdbool.h>

#include "runtime/run.h"
#include "support/ranks/collective.h"

#define QN_RESULTS_INPUTS 8

struct qn_results_options {
  const char *path;
  const struct qn_collective *ranks; /* that write it together, all of which have all values; NULL:
                                        this process alone */
  const char *parts; /* NULL: one file. Else, of a set whose parts are walked, `path` is a folder
                        of files part-NNNNN.tsv, .csv or .npy, as this says */
  const struct qn_part_rows *rows; /* of a part alone; NULL: all */
  bool force;                      /* replace files */
  bool no_ids;                     /* no ids beside an array */
  enum qn_shape shape;             /* of the result */
  bool ahead; /* of the work, during which room is made for a value of each vertex */
  const char *inputs[QN_RESULTS_INPUTS]; /* files that must not be replaced, or NULL */
};

/* Does the name ask for an array? */
bool qn_results_are_array(const char *path);
/* The one of both paths to which results at the other would write, too, be it what lies beside an
 * array; NULL if there is none, as where a path is NULL. */
const char *qn_results_both_write(const char *one, const char *other);

struct qn_results;

/* Begin to write, before the work, so that it is not done in vain. Owned until commit or abort. */
enum qn_status qn_results_create(const struct qn_results_options *options,
                                 const struct qn_run_input *input, struct qn_results **out,
                                 struct qn_error *error);

/* Write what the kernel found. Frees `results` whatever the outcome. */
enum qn_status qn_results_commit(struct qn_results *results, const struct qn_run_input *input,
                                 const struct qn_algorithm *algorithm,
                                 const struct qn_run_result *result, struct qn_error *error);
/* NULL is allowed. */
void qn_results_abort(struct qn_results *results);
