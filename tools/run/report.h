/* What quern-run says for people, of the same JSON that --json prints (docs/json.md). */
#pragma once

#include <jansson.h>
#include <stdio.h>

#include "runtime/run.h"

/* What qn_run_report_json has made of a run; with `explain` why it ran where it did. */
void qn_run_report_print(const struct qn_run_input *input, const struct qn_run *run,
                         const json_t *report, bool explain, FILE *stream);
/* A line of qn_ranks_json's; nothing for NULL. */
void qn_ranks_print(const json_t *ranks, FILE *stream);
/* What qn_kernel_list has made: what each algorithm finds, and where it runs. */
void qn_kernel_list_print(const json_t *list);
