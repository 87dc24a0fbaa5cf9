/* What a run did and found, as quern-run says it (docs/json.md). */
#pragma once

#include <jansson.h>

#include "runtime/run.h"

/* Seconds since the process began to work, split up. */
struct qn_report_times {
  double begin;
  double write;
  double report;
  double device_start; /* beside the rest, of a device that was started ahead */
};

/* With the object that qn_summary_create made of the result: a new reference. */
json_t *qn_run_report_json(const struct qn_run_input *input, const struct qn_run *run,
                           const struct qn_watch *watch, const struct qn_report_times *times,
                           json_t *summary);
/* What ranks have told each other, and how they divided the set (NULL: there is none): a new
 * reference; NULL where there is one process. */
json_t *qn_ranks_json(const struct qn_run_set *set);
