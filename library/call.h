/* Where the work of a call is done: on a thread of the library's, while the calling thread waits
 * and calls back.
 *
 * OpenMP keeps a pool of threads for every thread that has begun a parallel region, and in a forked
 * child the pool of the forking thread is gone but not forgotten: its next region waits for ever.
 * Here no thread of the program's begins one, so that a child's threads have no pool, and work of a
 * call in the child goes to new threads. Nor do signals or small stacks of the program's threads
 * reach the work. */
#pragma once

#include <quern/job.h>

typedef enum qn_status (*qn_work)(void *argument, struct qn_error *error);

/* Do `work` as `job` (NULL: defaults) says, in a context of its own (support/context.h). QN_SYSTEM
 * if there is no thread for it. */
enum qn_status qn_call(const struct qn_job *job, qn_work work, void *argument,
                       struct qn_error *error);
