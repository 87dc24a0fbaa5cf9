/* Containers of vertices and edges, of one type each or more, put together as a set. */
#pragma once

#include <jansson.h>

#include "converters/typed/sources.h"
#include "formats/set/set.h"

/* Write the set `path` of what `sources` have; with `replace` in place of one that is there.
 * `metadata` say where it came from. `*out` describes what was made; owned until qn_set_close. */
enum qn_status qn_typed_assemble(const struct qn_typed_sources *sources, const json_t *metadata,
                                 const char *tool, const char *path, bool replace,
                                 struct qn_set **out, struct qn_error *error);
