/* The whole of a generation: a model and its numbers into a graph container, with its provenance.
 */
#pragma once

#include <jansson.h>

#include "converters/build/build.h"
#include "converters/edges/ledger.h"
#include "converters/graph/generate.h"
#include "formats/set/set.h"
#include "support/memory_plan.h"
#include "support/options.h"
#include "support/ranks/collective.h"

struct qn_set_builder; /* formats/set/files.h */

struct qn_generate_options {
  struct qn_generator generator;
  struct qn_build build; /* qn_build_settings are of this */
  bool scale_given, degree_given, permute_given, law_given;
};

/* By the names of quern-generate's options. */
extern const struct qn_setting qn_generate_settings[];
/* What models are called, in the order of enum qn_model; ended by NULL. */
extern const char *const qn_model_words[];

void qn_generate_options_begin(struct qn_generate_options *options);
/* When all is said, the model too: what was not follows from it. QN_USAGE if it makes no sense. */
enum qn_status qn_generate_options_settle(struct qn_generate_options *options,
                                          struct qn_error *error);

struct qn_generate_report {
  struct qn_container_info info;
  struct qn_ledger ledger;
  struct qn_memory_plan plan;
  json_t *provenance;
  struct qn_set *set; /* that was made, or NULL */
};

/* Generate the graph into `path` (NULL: in memory), for `tool`. `*out`, unless `out` is NULL,
 * becomes the result, mapped. The caller gives the report's provenance back, also after a failure.
 */
enum qn_status qn_generate_run(const struct qn_generate_options *options,
                               const struct qn_memory_options *memory, const char *tool,
                               const char *path, bool replace, struct qn_generate_report *report,
                               struct qn_container **out, struct qn_error *error);

/* The same into a set, each of `ranks` a part of it; the caller closes the report's set, too.
 * `builder` is of the layout that each block gets as it is made, by one process that makes one
 * after the other (converters/generate/blocks.h), else QN_USAGE; NULL: plain rows. */
enum qn_status qn_generate_set(const struct qn_generate_options *options,
                               const struct qn_memory_options *memory, const char *tool,
                               const struct qn_collective *ranks, const struct qn_set_options *set,
                               const struct qn_set_builder *builder, const char *path, bool replace,
                               struct qn_generate_report *report, struct qn_error *error);
