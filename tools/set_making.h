/* Tools that make a set of what they read or generate, alone or as one of several ranks. */
#pragma once

#include <argp.h>
#include <jansson.h>

#include "formats/set/set.h"
#include "support/ranks/collective.h"
#include "support/tool.h"

struct qn_set_making {
  struct qn_set_options set;         /* no parts: none is made */
  const struct qn_collective *ranks; /* NULL: the same */
};

/* A child for an argp parser, without input: --rank-timeout, and what help says above the options
 * of such a set (qn_set_settings). */
extern const struct argp qn_set_making_argp;

/* Join the ranks, if a launcher has started several: all but the first fall silent. */
enum qn_status qn_set_making_begin(struct qn_set_making *making, struct qn_tool_options *shared,
                                   struct qn_error *error);

/* As qn_tool_exit, for all ranks: one of them says what failed. */
int qn_set_making_end(enum qn_status status, const struct qn_error *error);

/* Is it for this rank to tell of the result? */
bool qn_set_making_tells(const struct qn_set_making *making);

/* What is said of a set that was made: "parts", and "ranks" if there are several. Adds to `json`.
 */
void qn_set_making_json(const struct qn_set_making *making, const struct qn_set *set, json_t *json);
void qn_set_making_print(const struct qn_set_making *making, const struct qn_set *set,
                         FILE *stream);
