/* What can be done with a container of any layout: check it, describe it, give
 * its graph back. One row a layout; the table is in layouts.c. */
#ifndef QUERN_LAYOUTS_H
#define QUERN_LAYOUTS_H

#include <jansson.h>

#include <quern/container.h>
#include <quern/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_layout_operations {
  enum qn_layout layout;

  /* Check every numbered invariant of the layout's spec (checksums apart): QN_INVALID names the
   * first one broken. */
  enum qn_status (*check)(const struct qn_container *container, struct qn_error *error);

  /* Add the layout's own figures (block counts, fill, bytes per edge, ...) to a JSON
   * object, under stable keys. Reads header and small sections only. */
  enum qn_status (*describe)(const struct qn_container *container, json_t *object,
                             struct qn_error *error);

  /* The way back: the graph that the container was built from, with the same vertices, sorted
   * rows, weights and ids. The result borrows the container's ids and, for the graph layout, all
   * arrays, so it must be given back (qn_graph_unmap) first. The container must have been checked.
   */
  enum qn_status (*restore)(const struct qn_container *container, struct qn_graph *graph,
                            struct qn_error *error);
};

/* The operations of the container's layout; QN_UNSUPPORTED if this build has none. */
enum qn_status qn_layout_operations(const struct qn_container *container,
                                    const struct qn_layout_operations **out,
                                    struct qn_error *error);

/* Check all there is to check: padding, every checksum, every rule of the layout, the metadata; in
 * archive form, that every section decodes to what was archived. */
enum qn_status qn_container_check(const struct qn_container *container, struct qn_error *error);

/* Everything that quern-info shows of a container: header, sections, the layout's figures, the
 * metadata. A new reference. */
enum qn_status qn_container_describe(const struct qn_container *container, json_t **out,
                                     struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
