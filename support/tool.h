/* What every command-line tool shares: the options -T, --quiet, --json and
 * --force, and how an error becomes a message and an exit code. */
#pragma once

#include <argp.h>
#include <jansson.h>
#include <stdbool.h>
#include <string.h>

#include "support/system/program_path.h"
#include <quern/error.h>

#define QN_VERSION "1.0.0"

/* The folder of the running program, with a slash at its end: its siblings are the tools. False,
 * and "", if it is not known. */
#define QN_TOOL_FOLDER_BYTES 4096
static inline bool qn_tool_folder(char folder[QN_TOOL_FOLDER_BYTES]) {
  qn_program_path(folder, QN_TOOL_FOLDER_BYTES);
  char *slash = strrchr(folder, '/');
  folder[slash ? slash + 1 - folder : 0] = '\0';
  return slash != NULL;
}

struct qn_tool_options {
  unsigned threads; /* 0: nobody said how many */
  bool quiet;
  bool json;
  bool force;
};

/* Children for an argp parser; their input is a `struct qn_tool_options`.
 * qn_tool_argp: -T/--threads, -q/--quiet, --json; qn_tool_output_argp adds
 * -f/--force for tools that write a file. */
extern const struct argp qn_tool_argp;
extern const struct argp qn_tool_output_argp;

/* Parse the command line with `argp` (exit code 2 on a bad one), whose input is `input`, then
 * put the shared options to work. `name` is the tool's name, e.g. "quern-import". */
void qn_tool_parse(const char *name, const struct argp *argp, int argc, char **argv, void *input,
                   const struct qn_tool_options *options);

/* Are the inputs so few bytes that one thread is done before several have met, and none of them
 * one that `names_others`, which may be large? Then take one, unless somebody said how many. */
void qn_tool_spare_threads(const struct qn_tool_options *options, const char *const *inputs,
                           int num_inputs, uint64_t few, bool (*names_others)(const char *input));
#define QN_FEW_BYTES ((uint64_t)2 << 20) /* where each is looked at a few times */

/* While parsing: what is printed of a run, and what it writes to `output`, must not both go to
 * standard output. */
void qn_tool_check_output(const struct qn_tool_options *options, const char *output,
                          struct argp_state *state);

/* Print "name: message" for a failure; with --json also an object with the key "error" on standard
 * output. NULL: another process says it. Returns the process's exit code. */
int qn_tool_exit(enum qn_status status, const struct qn_error *error);

/* Print an object, which is taken over, on standard output: what --json prints of a run, with the
 * notes that were made (support/progress.h). NULL: memory ran out, which ends the process. */
void qn_tool_print_json(json_t *report);

/* The message alone, of tools that say in their own object what failed. */
void qn_tool_print_error(const struct qn_error *error);
