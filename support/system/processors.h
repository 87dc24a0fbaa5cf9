/* How many threads a tool has if -T does not say so. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Does OMP_NUM_THREADS say how many? */
bool qn_processors_are_given(void);

/* As many as it says; else as many processors as the process may run on, and where a control group
 * is given less of their time as many as that is worth: more threads would take it from each other
 * while they wait for each other. */
unsigned qn_processors_usual(void);

/* What the least limit of the control groups of this process is worth, rounded up: `mounted` and
 * `own` as in control_groups.h. UINT_MAX: there is none. */
unsigned qn_processors_of_groups(const char *mounted, const char *own);

/* Are these files of fewer than `few` bytes together? What is not a file may be large, and so may
 * what nobody names here. */
bool qn_files_are_small(const char *const *paths, int num_paths, uint64_t few);
