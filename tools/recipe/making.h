/* A container made by a recipe: its files found, its steps run, and what comes out compared. */
#pragma once

#include "support/memory_plan.h"
#include "support/tool.h"
#include "tools/recipe/sources.h"

struct qn_recipe_job {
  const struct qn_recipe *recipe;
  struct qn_sources sources;
  struct qn_memory_options memory;
  const struct qn_tool_options *shared; /* threads, quiet, force */
  const char *output;
  bool keep; /* the container gets its name; else it is made beside it, compared and dropped */
};

struct qn_recipe_made {
  struct qn_atomic_folder *folder; /* in which the container lies, beside the output */
  struct qn_source_file *files;    /* one for each of the recipe's; closed, with their sums */
  uint64_t num_files;
  struct qn_recipe_result result;
  bool known; /* the recipe says what must come out */
};

/* QN_NEGATIVE, with nothing kept, if it is not what the recipe makes. A failed step has said why on
 * standard error. Given back by qn_recipe_made_end in any case. */
enum qn_status qn_recipe_make(const struct qn_recipe_job *job, struct qn_recipe_made *made,
                              struct qn_error *error);
/* After the summary was printed: the container gets its name, if it is to be kept. */
enum qn_status qn_recipe_keep(const struct qn_recipe_job *job, const struct qn_recipe_made *made,
                              struct qn_error *error);
void qn_recipe_made_end(struct qn_recipe_made *made);

/* For messages: the recipe as JSON (a new reference) with what was found, so that the next one who
 * follows it gets the same or is told. */
json_t *qn_recipe_pinned(const struct qn_recipe *recipe, const struct qn_recipe_made *made);
/* [{"name", "from", "bytes", "sha256"}] */
json_t *qn_recipe_made_files_json(const struct qn_recipe *recipe,
                                  const struct qn_recipe_made *made);
