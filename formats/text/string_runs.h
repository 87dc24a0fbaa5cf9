/* Names on disk, in runs that are sorted each by itself. Numbers of names are those of their runs,
 * one run after the other. Internal to maps of names and those who put their runs together. */
#pragma once

#include <stdbool.h>

#include "formats/text/string_map.h"

/* Owned until destroy (NULL is allowed). */
enum qn_status qn_string_runs_create(struct qn_string_runs **out, struct qn_error *error);
void qn_string_runs_destroy(struct qn_string_runs *runs);

/* Add the names of a map, as sorted, as one run. */
enum qn_status qn_string_runs_add(struct qn_string_runs *runs, const struct qn_sorted_names *names,
                                  struct qn_error *error);

/* How many names all runs have, and bytes. */
uint64_t qn_string_runs_count(const struct qn_string_runs *runs);
uint64_t qn_string_runs_bytes(const struct qn_string_runs *runs);
uint64_t qn_string_runs_num(const struct qn_string_runs *runs);
/* The number of the first name of run `index`, that of all names if there are no more runs. */
uint64_t qn_string_run_first(const struct qn_string_runs *runs, uint64_t index);

/* For each number of a run, counted from its first one, the place of the name in the run. */
enum qn_status qn_string_run_places(const struct qn_string_runs *runs, uint64_t index,
                                    uint32_t *places, struct qn_error *error);

/* The names of all runs together, ascending. */
struct qn_string_merge;
struct qn_merged_name {
  const char *bytes; /* until the next one */
  uint32_t length;
  bool repeated;  /* it is the one before it, of another run */
  uint64_t place; /* the first number of its run, and its place in it */
};

/* Owned until close (NULL is allowed). */
enum qn_status qn_string_merge_open(const struct qn_string_runs *runs, struct qn_string_merge **out,
                                    struct qn_error *error);
void qn_string_merge_close(struct qn_string_merge *merge);
/* The next name; there are as many as the runs have. */
enum qn_status qn_string_merge_next(struct qn_string_merge *merge, struct qn_merged_name *name,
                                    struct qn_error *error);
