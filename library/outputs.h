/* Containers that calls make. */
#pragma once

#include "support/memory_plan.h"
#include <quern/container.h>
#include <quern/job.h>
#include <quern/session.h>

/* Before anything: `*out` is NULL. QN_USAGE if a call has neither a path nor `out` to give its
 * result. */
enum qn_status qn_output_begin(const char *path, struct qn_session **out, struct qn_error *error);

/* The session that a call gives: on `container`, which it takes over and which may be NULL, made at
 * `path` (NULL: in memory). `out` may be NULL. */
enum qn_status qn_session_of_output(struct qn_container *container, const char *path,
                                    struct qn_session **out, struct qn_error *error);

/* The limits that a job sets; it may be NULL. */
struct qn_memory_options qn_memory_options_of(const struct qn_job *job);
