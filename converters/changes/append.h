/* A generation of changes: what is added to a graph, and what is removed from it, beside the files
 * that it has, which are never written. */
#pragma once

#include <jansson.h>

#include "converters/edges/ledger.h"
#include "formats/set/set.h"
#include "support/memory_plan.h"
#include "support/options.h"

/* "append", "append-vertices", "remove": of this. Their group in a tool's help, before which the
 * tool may have a heading. */
#define QN_APPEND_GROUP 18
extern const struct qn_setting qn_append_settings[];

struct qn_append_options {
  const char **appended, **removed; /* [num_appended], [num_removed] files of edges */
  uint64_t num_appended, num_removed;
  const char *vertices; /* a table of new vertices; NULL: none */
};

static inline bool qn_append_is_asked(const struct qn_append_options *options) {
  return options->num_appended || options->num_removed || options->vertices;
}
/* When all is said: QN_USAGE if some of it is missing. */
enum qn_status qn_append_options_settle(const struct qn_append_options *options,
                                        struct qn_error *error);
void qn_append_options_release(struct qn_append_options *options);

struct qn_append_job {
  const struct qn_append_options *options;
  struct qn_memory_options memory;
  const char *base;   /* a container, or a set, which may have generations */
  const char *output; /* the folder of a set; that of `base`: it gets one generation more */
  bool replace;
  bool strict; /* refuse what is warned of, edges to be removed that are not there, and damage
                  anywhere in the base */
  const char *tool;
};

struct qn_append_report {
  struct qn_set *set; /* that there is now; owned */
  uint64_t bytes;     /* of the files that were written */
  uint64_t new_vertices;
  struct qn_ledger ledger; /* of what was added */
  json_t *provenance;      /* owned */
  double seconds;
};

/* QN_SYSTEM if another process is changing the set at this moment. The report is ended by
 * qn_append_report_end, also after a failure. */
enum qn_status qn_append_run(const struct qn_append_job *job, struct qn_append_report *report,
                             struct qn_error *error);
/* What happened, of an append that did, with its provenance: a new reference; NULL without memory.
 */
json_t *qn_append_describe(const struct qn_append_report *report, const char *output);
void qn_append_report_end(struct qn_append_report *report);
