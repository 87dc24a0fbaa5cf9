/* What the benchmarks of kernels and of builders have in common: several trials for each of several
 * files; on standard output a table, or with --json the same figures as JSON. */
#pragma once

#include <argp.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/options.h"
#include "support/tool.h"

#define MAX_TRIALS 61

struct trials {
  struct qn_tool_options shared;
  char **files;
  int num_files;
  const char *json_path;
  uint64_t count; /* for each row of the table */
};

enum trials_key { KEY_JSON_FILE = 0x100, KEY_TRIALS, KEY_FREE };

#define TRIALS_OPTIONS                                                                             \
  {"json-file", KEY_JSON_FILE, "FILE", 0, "Write the figures as JSON to FILE too", 0}, {           \
    "trials", KEY_TRIALS, "N", 0, "Trials of each (default 5)", 0                                  \
  }

static inline error_t trials_parse(int key, char *argument, struct argp_state *state,
                                   struct trials *trials) {
  switch (key) {
  case ARGP_KEY_INIT:
    state->child_inputs[0] = &trials->shared;
    trials->count = 5;
    return 0;
  case KEY_JSON_FILE:
    trials->json_path = argument;
    return 0;
  case KEY_TRIALS:
    trials->count = qn_option_number(state, "--trials", argument, 1, MAX_TRIALS);
    return 0;
  case ARGP_KEY_ARGS:
    trials->files = state->argv + state->next;
    trials->num_files = state->argc - state->next;
    return 0;
  case ARGP_KEY_NO_ARGS:
    argp_error(state, "name a container");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static inline int compare_doubles(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static inline double median(const double *values, uint64_t count) {
  double sorted[MAX_TRIALS];
  memcpy(sorted, values, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_doubles);
  return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

/* Print a part of the table. */
__attribute__((format(printf, 2, 3))) static inline void trials_table(const struct trials *trials,
                                                                      const char *format, ...) {
  va_list arguments;
  if (trials->shared.json)
    return;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  fflush(stdout);
}

/* Call `bench` for every file, which adds rows; the exit code. `options` is what argp filled. */
static inline int trials_run(const struct trials *trials, const void *options,
                             enum qn_status (*bench)(const void *options, const char *file,
                                                     json_t *rows, struct qn_error *error)) {
  struct qn_error error;
  enum qn_status status = QN_OK;
  json_t *rows = json_array();
  for (int i = 0; i < trials->num_files && !status; i++)
    status = bench(options, trials->files[i], rows, &error);
  if (!status && trials->json_path && json_dump_file(rows, trials->json_path, JSON_INDENT(2)))
    status = qn_fail(&error, QN_SYSTEM, "cannot write %s", trials->json_path);
  if (!status && trials->shared.json &&
      (json_dumpf(rows, stdout, JSON_INDENT(2)) || puts("") < 0 || fflush(stdout)))
    status = qn_fail(&error, QN_SYSTEM, "cannot write the figures");
  json_decref(rows);
  return qn_tool_exit(status, &error);
}
