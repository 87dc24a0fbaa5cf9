/* What quern-run writes of a run beside its summary: values, parents and a timeline. */
#pragma once

#include <stdbool.h>

#include "runtime/deliver/files.h"
#include "runtime/run.h"
#include "runtime/watch/watch.h"

struct qn_output_options {
  const char *values, *parents; /* files; NULL: none */
  const char *parts; /* NULL, or of what kind the files are that `values`, a folder, has */
  bool no_ids;
};

/* QN_USAGE if these, and a timeline (NULL: none), cannot be together. With `several` algorithms
 * `values` is a folder. */
enum qn_status qn_output_options_check(const struct qn_output_options *options, bool force,
                                       const char *timeline, bool several, struct qn_error *error);
bool qn_output_options_take_stdout(const struct qn_output_options *options);

/* QN_USAGE if the timeline would replace what is read: the container `file`, or what `run` names.
 */
enum qn_status qn_outputs_check_timeline(const char *timeline, const char *file,
                                         const struct qn_run_options *run, struct qn_error *error);

/* After a run that came to `status`, also if it was interrupted: that counts more then than what
 * becomes of the timeline. */
enum qn_status qn_outputs_commit_timeline(struct qn_watch *watch, enum qn_status status,
                                          struct qn_error *error);

/* NULL: nothing is written. */
struct qn_outputs {
  struct qn_results *values, *parents;
};

/* Zero them before. Given back by abort, also after a failure. */
enum qn_status qn_outputs_create(const struct qn_output_options *options, bool force,
                                 const char *file, const struct qn_run_options *run,
                                 const struct qn_run_input *input, struct qn_outputs *outputs,
                                 struct qn_error *error);
enum qn_status qn_outputs_commit(struct qn_outputs *outputs, const struct qn_run_input *input,
                                 const struct qn_run *run, struct qn_error *error);
void qn_outputs_abort(struct qn_outputs *outputs);
