/* Arguments of an algorithm from what a user has said, by the algorithm's description. */
#pragma once

#include <jansson.h>

#include "runtime/options.h"

/* The algorithm that the options name: "pagerank" with the flag "weighted" is pagerank-weighted, if
 * there is such an algorithm. QN_USAGE with what was probably meant if there is none. */
enum qn_status qn_run_algorithm(const struct qn_run_options *options,
                                const struct qn_algorithm **algorithm, struct qn_error *error);

/* Is this the name of a parameter or an input of the algorithm? */
bool qn_algorithm_takes(const struct qn_algorithm *algorithm, const char *name);

/* What was said, and defaults for the rest. QN_USAGE for what the algorithm does not have, with
 * what it has, a value out of range, with the range, and for what it needs and was not said. */
enum qn_status qn_arguments_bind(const struct qn_algorithm *algorithm,
                                 const struct qn_run_options *options,
                                 struct qn_arguments *arguments, struct qn_error *error);
/* Was the parameter said, if the algorithm has it? */
bool qn_argument_is_said(const struct qn_algorithm *algorithm, const struct qn_arguments *arguments,
                         const char *name);

#define QN_PARAMETER_TEXT 96
/* "0.85", "jaccard", "15,10", "all"; "" where there is none, or the algorithm chooses. In `text`
 * [QN_PARAMETER_TEXT], which is returned. */
const char *qn_parameter_default(const struct qn_parameter *parameter, char *text);
/* An argument in the same form. */
const char *qn_argument_text(const struct qn_algorithm *algorithm,
                             const struct qn_arguments *arguments, uint32_t index, char *text);
/* "at least 0 and below 1", likewise. */
const char *qn_parameter_range(const struct qn_parameter *parameter, char *text);

/* {"name", "aliases", "title", "purpose", "parameters", "inputs", "shape"}: a new reference. */
json_t *qn_algorithm_json(const struct qn_algorithm *algorithm);
/* {"tolerance": 1e-6, ...}: a new reference. */
json_t *qn_arguments_json(const struct qn_algorithm *algorithm,
                          const struct qn_arguments *arguments);
