/* quern-import --layout: a layout's container in one step, with the bytes that its builder makes of
 * the graph. */
#pragma once

#include <jansson.h>

#include "partitioner/builders.h"

struct qn_import_layout {
  struct qn_builder builder; /* without a tool: none was asked for */
  union qn_builder_options own;
};

/* `text` is "shards" or "shards,shard-vertices=64": a layout, and options of its builder's by their
 * names. `layout` is not copied afterwards. QN_USAGE if there is no such layout or option. */
enum qn_status qn_import_layout_parse(const char *text, struct qn_import_layout *layout,
                                      struct qn_error *error);

/* Build `path` from the graph, which is given back whatever the outcome. `object` gets "layout",
 * "bytes" and "layout_figures" of what was made. */
enum qn_status qn_import_layout_build(const struct qn_import_layout *layout,
                                      const struct qn_memory_options *memory,
                                      struct qn_container *graph, const char *path, bool replace,
                                      json_t *object, struct qn_error *error);
