/* A program run by this one, to its end, without a shell. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

#define QN_CHILD_UNKNOWN (-1)

/* Run `argv` (argv[0] is looked for in PATH; NULL ends it) and wait for it. The first bytes of what
 * it says on standard output and error go to `said`, of `size` bytes with the terminator; the rest
 * is dropped. `exit_code` is that of the program, or 128 and a signal's number, or
 * QN_CHILD_UNKNOWN: a process that ignores SIGCHLD, or waits for children that are not its own,
 * keeps it from us. It ends with this process,
 * whatever ends that, and so does all that it started. QN_SYSTEM if it cannot be run;
 * QN_INTERRUPTED: it was ended, as the call was cancelled. */
enum qn_status qn_child_run(const char *const argv[], char *said, uint64_t size, int *exit_code,
                            struct qn_error *error);

/* The same, but what it says on standard error goes where this process's own goes. */
enum qn_status qn_child_run_shown(const char *const argv[], char *said, uint64_t size,
                                  int *exit_code, struct qn_error *error);
