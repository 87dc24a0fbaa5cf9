/* How a graph was built, as its metadata say: what is added to it is built in the same way. */
#pragma once

#include <jansson.h>

#include "converters/import/options.h"
#include "formats/set/changed.h"

struct qn_change_policy {
  struct qn_import_options added, removed; /* how the inputs are read */
  bool keeps_ids;        /* vertex v is the one called v, and those below it are */
  uint64_t num_vertices; /* declared; 0: they are those that edges name */
  bool drops_weights;    /* the import left them out, and so do appends */
  json_t *metadata;      /* of the base: options borrow its texts */
  char *properties;      /* the same */
};

/* From the graph of `changed`. Owned until release, also after a failure. */
enum qn_status qn_change_policy_make(const struct qn_changed *changed,
                                     struct qn_change_policy *policy, struct qn_error *error);
/* A zeroed one is allowed. */
void qn_change_policy_release(struct qn_change_policy *policy);
