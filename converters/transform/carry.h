/* What becomes of properties when a graph is transformed: they go with their vertices and edges. */
#pragma once

#include "converters/transform/run.h"

/* Write the properties of `container`, whose graph is `graph`, to the result of the same
 * transformation, `writer`, which has all sections but metadata. Nothing if there are none. The
 * transformation is done once more with the numbers of edges in place of weights: where these end
 * up their values belong. That takes 16 bytes an edge and 8 a vertex beyond what it takes itself.
 */
enum qn_status qn_transform_carry(const struct qn_transform_options *options,
                                  const struct qn_container *container,
                                  const struct qn_graph *graph, struct qn_writer *writer,
                                  struct qn_error *error);
