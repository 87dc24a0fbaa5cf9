/* What random walks and neighbour sampling find: rows of vertices, and edges. Internal to
 * results.c.
 *
 * In arrays a vertex is its place in original order, a little-endian i8; none is -1. */
#pragma once

#include "formats/text/text_output.h"
#include "kernels/registry.h"
#include "kernels/sample.h"
#include "kernels/set_view.h"
#include "results/labels.h"

/* A line of ids for each walk, without those that it has not come to. */
enum qn_status qn_walk_lines_write(struct qn_text_output *output, char separator,
                                   const struct qn_labels *labels,
                                   const struct qn_run_result *result, struct qn_error *error);
/* Of shape (walks, length + 1). */
enum qn_status qn_walk_array_write(struct qn_text_output *output,
                                   const struct qn_run_result *result, struct qn_error *error);

/* A line "hop id id" for each edge that was sampled, from the neighbour to whose it is; hops count
 * from 1. */
enum qn_status qn_sample_lines_write(struct qn_text_output *output, char separator,
                                     const struct qn_labels *labels, const struct qn_sample *sample,
                                     struct qn_error *error);
/* The edges by places in `nodes`, of shape (2, edges): neighbours, and whose they are. */
enum qn_status qn_sample_edges_write(struct qn_text_output *output, const struct qn_sample *sample,
                                     struct qn_error *error);
enum qn_status qn_sample_nodes_write(struct qn_text_output *output, const struct qn_sample *sample,
                                     struct qn_error *error);
/* Of shape (2, hops + 1): how many nodes, and edges, there are after so many hops. */
enum qn_status qn_sample_ends_write(struct qn_text_output *output, const struct qn_sample *sample,
                                    struct qn_error *error);
