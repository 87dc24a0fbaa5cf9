/* Where a sampler's rows come from: the mapping of a session, or what was made of it; the files of
 * a set, where they lie; or reads of a file. */
#pragma once

#include <quern/sample.h>

#include "kernels/cpu/sampling/sampling.h"

struct qn_sampler_rows;

/* The rows that `given` names, and what numbers them if they are `numbered`: `edges->rows` and
 * `edges->numbered`. `*num_vertices` is how many the graph has. Owned until close. */
enum qn_status qn_sampler_rows_open(const struct qn_sampler_edges *given, bool numbered,
                                    const struct qn_job *job, struct qn_sampling_edges *edges,
                                    uint64_t *num_vertices, struct qn_sampler_rows **out,
                                    struct qn_error *error);
/* NULL is allowed. */
void qn_sampler_rows_close(struct qn_sampler_rows *rows);

/* Nothing that was read of a file that others wrote meanwhile counts. */
enum qn_status qn_sampler_rows_unchanged(const struct qn_sampler_rows *rows,
                                         struct qn_error *error);
