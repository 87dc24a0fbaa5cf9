/* The files of one generation more, and the manifest that names them. */
#pragma once

#include <jansson.h>

#include "converters/changes/policy.h"
#include "converters/changes/rows.h"
#include "converters/changes/target.h"

/* Vertices that come to a graph, behind those that it has. */
struct qn_new_vertices {
  uint64_t begin, count;
  uint32_t *map;   /* which vertex of the graph each of those is that were read */
  uint64_t *reads; /* [count] which of those each new one is; QN_NO_RECORD: none */
  struct qn_ids ids;
  uint64_t *numbers, *offsets; /* of `ids`; NULL: there are none */
  char *texts;
};

/* `read`: what the vertices that were read are called; NULL: none were. Owned until release, also
 * after a failure. QN_INVALID if they cannot be vertices of the graph. */
enum qn_status qn_new_vertices_make(const struct qn_known_vertices *known,
                                    const struct qn_change_policy *policy,
                                    const struct qn_ids *read, struct qn_new_vertices *added,
                                    struct qn_error *error);
void qn_new_vertices_release(struct qn_new_vertices *added);

struct qn_new_generation {
  const struct qn_changed *changed; /* the graph before */
  const struct qn_change_rows *rows;
  const struct qn_new_vertices *vertices;
  const struct qn_properties *properties; /* of what was read */
  const struct qn_container *more;        /* that has these; NULL: there are none */
  uint64_t missing;
  const json_t *provenance;
  const char *tool;
};

/* Write it. `*out` describes the set that there is then, owned until qn_set_close; `*bytes` are
 * those of its new files. The generation appears with the manifest. */
enum qn_status qn_generation_write(const struct qn_new_generation *made,
                                   const struct qn_change_target *target, struct qn_set **out,
                                   uint64_t *bytes, struct qn_error *error);
