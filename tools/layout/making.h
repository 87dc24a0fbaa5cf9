/* --layout of the tools that make graphs: a layout's container in one step, with the bytes that its
 * builder makes of the graph. */
#pragma once

#include <argp.h>
#include <jansson.h>

#include "partitioner/builders.h"

struct qn_layout_making {
  struct qn_builder builder; /* without a tool: none was asked for */
  union qn_builder_options own;
};

/* The option: "shards" or "shards,shard-vertices=64", a layout and options of its builder's by
 * their names. Its input is a struct qn_layout_making, which is not copied afterwards. */
extern const struct argp qn_layout_making_argp;

/* QN_USAGE for a set whose parts cannot have the layout: they are plain rows, or packed ones. */
enum qn_status qn_layout_making_check(const struct qn_layout_making *making, bool set,
                                      struct qn_error *error);

/* Build `path` from the graph, which is given back whatever the outcome. `object` gets "layout",
 * "bytes" and "layout_figures" of what was made. */
enum qn_status qn_layout_making_build(const struct qn_layout_making *making,
                                      const struct qn_memory_options *memory,
                                      struct qn_container *graph, const char *path, bool replace,
                                      json_t *object, struct qn_error *error);
