/* The properties of an import: the graph is built first, then its tables are read once more. */
#pragma once

#include "converters/distributed/distributed.h"
#include "converters/import/state.h"

static inline bool qn_import_wants_properties(const struct qn_import *import) {
  const struct qn_edge_feed *feed = import->job->feed;
  const struct qn_import_options *options = import->options;
  return feed && feed->properties ? true : options->properties || options->vertex_table;
}

/* Before the edges are built: read the ids of the table of vertices (a feed has done so).
 * QN_UNSUPPORTED if properties are wanted of a format that is no table. */
enum qn_status qn_import_vertex_table(struct qn_import *import, uint64_t *sequence,
                                      struct qn_error *error);

/* Build the graph of `list`, whose weights are numbers of records (i64), by the same rules, where
 * they end up: `*numbers` [E] of `*out`, which the caller unmaps. QN_SYSTEM if that has other rows
 * than `graph`. */
enum qn_status qn_import_number(const struct qn_graph *graph, struct qn_edge_list *list,
                                const struct qn_build *rules, struct qn_container **out,
                                const uint64_t **numbers, struct qn_error *error);

/* Write `graph`, which has just been built, with its properties into `writer`. */
enum qn_status qn_import_attach(struct qn_import *import, const struct qn_container *graph,
                                struct qn_writer *writer, struct qn_error *error);

/* What qn_distributed asks for (converters/distributed/distributed.h), of an import that is shared
 * by ranks: each reads the same lines of tables again; files of elements are read by the first. */
enum qn_status qn_import_distributed_properties(void *import, const struct qn_graph *about,
                                                struct qn_distributed_properties *properties,
                                                struct qn_error *error);
void qn_import_distributed_release(struct qn_import *import);
