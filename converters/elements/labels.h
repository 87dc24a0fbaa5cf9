/* Labels that are the names of vertices, where a file numbers these by ids of its own. */
#pragma once

#include "formats/text/string_map.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_output.h"

/* A zeroed one has none. */
struct qn_labels {
  struct qn_string_map *ids, *names;
  uint64_t *ends; /* [room]: where in `text` the label of each id ends */
  uint64_t room;
  struct qn_text_buffer text;
};

/* The vertex with this id is called so. QN_INVALID if the label is no name, or either was there. */
enum qn_status qn_labels_add(struct qn_labels *labels, const char *id, struct qn_text label,
                             struct qn_error *error);

/* What the vertex with this id is called, until the next one is added. QN_INVALID if it was not
 * added. */
enum qn_status qn_labels_find(const struct qn_labels *labels, const char *id, struct qn_text *label,
                              struct qn_error *error);

void qn_labels_release(struct qn_labels *labels);
