/* What the builders of all layouts share: from a graph container to a container
 * of another layout.
 *
 * A builder adds its sections to a writer:
 *
 *   enum qn_status qn_NAME_build(const struct qn_source *source,
 *                                const struct qn_NAME_options *options,
 *                                struct qn_writer *writer, struct qn_error *error);
 *
 * and builders.c describes it in a `struct qn_builder`. qn_builder_run prepares the
 * writer (header fields that do not depend on the layout), calls the builder, adds
 * ids and metadata, and commits. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "support/memory_plan.h"
#include "support/options.h"
#include <quern/graph.h>

/* ---- The input ------------------------------------------------------------ */

/* The graph that a layout is built from. */
struct qn_source {
  struct qn_graph graph; /* mapped, or borrowed */
  bool unchecked;        /* qn_builder_run checks it */
  json_t
      *steps; /* an object that builders add the seconds of their steps to; borrowed; NULL: none */
};

/* Map the graph container `path` (quern/open.h); check its checksums and everything that builders
 * index with. Owned until qn_source_close. */
enum qn_status qn_source_open(const char *path, struct qn_source *source, struct qn_error *error);
/* The same for a container that is mapped already, and belongs to the source from now on, whatever
 * the outcome. */
enum qn_status qn_source_take(struct qn_container *container, struct qn_source *source,
                              struct qn_error *error);
/* The same without a check, which qn_builder_run makes up for while pages of the output are taken.
 */
enum qn_status qn_source_view(struct qn_container *container, struct qn_source *source,
                              struct qn_error *error);
/* A zeroed source is allowed. */
void qn_source_close(struct qn_source *source);

/* ---- The output ----------------------------------------------------------- */

/* Add an unsigned, float or opaque array section; `*out` points to its zero-filled elements (NULL
 * if count is 0). */
enum qn_status qn_builder_section(struct qn_writer *writer, const char *name,
                                  enum qn_element_type type, uint32_t element_bytes, uint64_t count,
                                  void *out, struct qn_error *error);
/* A weights section as the writer's header says; `*out` is NULL without weights. */
enum qn_status qn_builder_weights(struct qn_writer *writer, const char *name, uint64_t count,
                                  void **out, struct qn_error *error);

/* The section out_degrees, u32 [V], that layouts have which do not hold rows of out-edges. QN_USAGE
 * if a degree is too large. */
enum qn_status qn_builder_degrees(const struct qn_source *source, struct qn_writer *writer,
                                  struct qn_error *error);

/* Fill the header fields that every layout takes from its graph: layout, weight type, directedness,
 * vertices, edges. qn_builder_run does it; tests use it alone. */
void qn_builder_header(const struct qn_source *source, enum qn_layout layout,
                       struct qn_writer *writer);

struct qn_builder {
  const char *tool; /* "quern-block" */
  enum qn_layout layout;
  /* Add the sections of the layout and set the header's parameters. `*used` becomes the options
   * that shaped the result, with defaults resolved, as a JSON object (a new reference). */
  enum qn_status (*build)(struct qn_source *source, const void *options, struct qn_writer *writer,
                          json_t **used, struct qn_error *error);
  const void *options;
  /* What it is asked for by name, and when all is said: QN_USAGE if some of it does not go
   * together. NULL: everything goes. */
  const struct qn_setting *settings;
  enum qn_status (*settle)(const void *options, struct qn_error *error);
  /* What it takes of memory for each vertex, to look things up; and of output, about. */
  uint64_t vertex_memory;
  uint64_t edge_output; /* without weights */
  uint64_t expected;    /* of that, at least, unless options say so */
};

/* Plan memory for a build of `output` (NULL: in memory) from a container with this header; see
 * qn_memory_plan_make. */
enum qn_status qn_builder_plan(const struct qn_builder *builder,
                               const struct qn_container *container,
                               const struct qn_memory_options *memory, const char *output,
                               struct qn_memory_plan *plan, struct qn_error *error);

/* Build `path` (NULL: in memory) from an open source. `*out`, unless `out` is NULL, becomes the
 * container, mapped. */
enum qn_status qn_builder_run(const struct qn_builder *builder, struct qn_source *source,
                              const char *path, bool force, struct qn_container **out,
                              struct qn_error *error);
