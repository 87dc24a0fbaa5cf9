/* The whole of an import: edges from files or from memory, built into a graph container. */
#pragma once

#include <jansson.h>

#include "converters/build/build_estimate.h"
#include "converters/import/options.h"
#include "formats/set/set.h"
#include "support/memory_plan.h"
#include "support/ranks/collective.h"
#include <quern/properties.h>

struct qn_set_builder; /* formats/set/files.h */

/* Edges that come from elsewhere than files. */
struct qn_edge_feed {
  /* As a reader's read (converters/parse/reader.h). */
  enum qn_status (*read)(void *context, const struct qn_read_options *options,
                         struct qn_edge_list *list, uint64_t *sequence,
                         struct qn_read_result *result, struct qn_error *error);
  void (*release)(struct qn_read_result *result); /* as a reader's; NULL: there is nothing */
  void *context;
  struct qn_expected_edges expected;
  /* With `properties` wanted, all edges are pushed to this list, too, each with the number of its
   * row for a weight (i64), in streams of the same numbers. Set before `read`, else NULL. */
  struct qn_edge_list *numbered;
  /* It brings properties of vertices, or of edges that the options ask for: the columns, when all
   * is read and a graph with these ids is built. Values live as long as the feed, `columns` are
   * given back by qn_free. Row `of_vertex[v]` [V] is about vertex v; QN_NO_RECORD: none is. */
  enum qn_status (*properties)(void *context, const struct qn_ids *ids,
                               struct qn_properties *properties, uint64_t *of_vertex,
                               struct qn_error *error);
};

struct qn_import_job {
  const struct qn_import_options *options;
  struct qn_memory_options memory;
  char *const *inputs; /* [num_inputs] files and folders (converters/input_paths.h), "-" for
                           standard input */
  int num_inputs;
  char *const *names; /* [num_names] lists of names that folders hold; not for callers */
  int num_names;
  struct qn_edge_feed *feed; /* instead of files; NULL: files */
  const char *tool;          /* for the provenance */
  const char *output;        /* NULL: in memory */
  bool replace;
  /* What is imported has no name: the caller makes `output` of it. */
  bool nameless;
  /* Make a set, shared by these ranks; NULL: a container. */
  const struct qn_collective *ranks;
  struct qn_set_options set;
  const struct qn_set_builder *builder; /* of the layout that blocks get; NULL: plain rows */
  /* For tests: a set of more vertices is built block by block (converters/blocks/build.h). 0: as
   * many as 32 bits number. */
  uint64_t most_vertices;
};

struct qn_import_report {
  struct qn_container_info info;
  struct qn_ledger ledger;
  struct qn_memory_plan plan;
  json_t *provenance;
  struct qn_set *set; /* that was made, or NULL */
  double read_seconds, build_seconds, write_seconds, total_seconds;
};

/* Import. `*out`, unless `out` is NULL, becomes the container, mapped; one in memory has to be
 * taken. On success the report is ended by qn_import_report_end. */
enum qn_status qn_import_run(const struct qn_import_job *job, struct qn_import_report *report,
                             struct qn_container **out, struct qn_error *error);
/* A zeroed report is allowed. */
void qn_import_report_end(struct qn_import_report *report);
