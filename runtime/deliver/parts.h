/* Results as a folder with a file for each part of a set, which whoever walks the part writes: the
 * same files by any number of ranks. In a part values have the order of its vertices, and arrays
 * have ids beside them (results.h). Internal to results.c. */
#pragma once

#include "runtime/deliver/files.h"

struct qn_result_parts;

/* As those of struct qn_results. QN_USAGE where no parts are walked. */
enum qn_status qn_result_parts_create(const struct qn_results_options *options,
                                      const struct qn_run_input *input,
                                      struct qn_result_parts **out, struct qn_error *error);
enum qn_status qn_result_parts_commit(struct qn_result_parts *parts,
                                      const struct qn_run_input *input,
                                      const struct qn_algorithm *algorithm,
                                      const struct qn_run_result *result, struct qn_error *error);
void qn_result_parts_abort(struct qn_result_parts *parts);
