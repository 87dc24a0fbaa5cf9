/* What algorithms are told of vertices, beside the graph: sources, a target, pairs, groups, a
 * number for each. */
#pragma once

#include "formats/vertices/number_file.h"
#include "formats/vertices/vertex_file.h"
#include "runtime/options.h"
#include "runtime/run_input.h"

/* An option that says an input. */
struct qn_input_option {
  const char *name, *unit, *help;
  uint32_t inputs; /* set of enum qn_input_kind that it says */
};
/* All of them, ended by one without a name. */
extern const struct qn_input_option qn_input_options[];

/* What a run has of them. */
struct qn_run_inputs {
  uint32_t *sources; /* [num_sources] vertices; NULL: all */
  uint32_t num_sources;
  uint64_t wide_source; /* of a set of 2^32 vertices or more, which has no list of them */
  bool is_wide;
  double *source_weights; /* [num_sources]; NULL: all the same */
  uint32_t target;
  bool has_target;
  struct qn_vertex_groups groups;
  struct qn_pair_list pairs;
  void *initial; /* [num_given] of 8 bytes: what each vertex is given, or NULL */
  uint64_t num_initial;
  uint32_t num_samples; /* vertices that are given a number */
};

/* Find what was said for an algorithm. QN_USAGE or QN_INVALID for what is no vertex, or no number.
 * Owned until qn_run_inputs_destroy, also on failure. Without a source the vertex of the largest
 * out-degree is taken, the first such one in original order: a source that reaches much of most
 * graphs, and the same on every layout. */
enum qn_status qn_run_inputs_find(const struct qn_run_input *input,
                                  const struct qn_run_options *options,
                                  const struct qn_algorithm *algorithm,
                                  const struct qn_arguments *arguments,
                                  struct qn_run_inputs *inputs, struct qn_error *error);
/* As kernels are told them; they stay the run's. */
struct qn_inputs qn_run_inputs_told(const struct qn_run_inputs *inputs);
/* Zeroed inputs are allowed. */
void qn_run_inputs_destroy(struct qn_run_inputs *inputs);
/* How many sources were said, as far as can be told before the graph is there; 0: none, or a file.
 */
uint32_t qn_run_options_sources(const struct qn_run_options *options);
/* The files that inputs and a program are read from, at most `most`. Returns how many. */
uint32_t qn_run_options_files(const struct qn_run_options *options, const char **files,
                              uint32_t most);
