/* What can be done with a container of any layout: view it, check it, describe it, give its graph
 * back. One row a layout; the rows are made from QN_GRAPH_LAYOUTS (quern/container.h). */
#ifndef QUERN_LAYOUTS_H
#define QUERN_LAYOUTS_H

#include <jansson.h>

#include <quern/container.h>
#include <quern/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One layout. A checkpoint holds no graph: of its row only name, verify, describe and restore are
 * set; the others are NULL or 0. */
struct qn_layout_operations {
  enum qn_layout layout;
  const char *name;    /* "blocked-csr" */
  const char *command; /* that makes it, "quern-block" */
  uint64_t view_bytes; /* sizeof(struct qn_LAYOUT), what kernels take */

  /* Fill `view`, which borrows the container and owns nothing, with structural checks. */
  enum qn_status (*view)(const struct qn_container *container, void *view, struct qn_error *error);

  /* Check all that kernels rely on when they index with the view: ids, offsets. */
  enum qn_status (*check)(const struct qn_container *container, const void *view,
                          struct qn_error *error);

  /* Out-degree of a vertex of the graph, by a checked view; any thread may call. */
  uint64_t (*out_degree)(const void *view, uint64_t vertex);

  /* Check every numbered rule of the layout's spec (checksums apart): QN_INVALID names the first
   * one broken. */
  enum qn_status (*verify)(const struct qn_container *container, struct qn_error *error);

  /* Add the layout's own figures (block counts, fill, bytes per edge, ...) to a JSON
   * object, under stable keys. Reads header and small sections only. */
  enum qn_status (*describe)(const struct qn_container *container, json_t *object,
                             struct qn_error *error);

  /* The way back: the graph that the container was built from, with the same vertices, sorted
   * rows, weights and ids. The result borrows the container's ids and, for the graph layout, all
   * arrays, so it must be given back (qn_graph_unmap) first. The container must have been checked.
   * QN_UNSUPPORTED of a checkpoint. */
  enum qn_status (*restore)(const struct qn_container *container, struct qn_graph *graph,
                            struct qn_error *error);
};

/* Every layout, ended by a row without a name. */
const struct qn_layout_operations *qn_layouts(void);

/* The operations of the container's layout; QN_UNSUPPORTED if this build has none. */
enum qn_status qn_layout_operations(const struct qn_container *container,
                                    const struct qn_layout_operations **out,
                                    struct qn_error *error);

/* Check all there is to check: padding, every checksum, every rule of the layout, the metadata. Of
 * an archive also that every section decodes to what was archived; the layout's rules are checked
 * of the plain form, which takes its disk space in TMPDIR (or /tmp) meanwhile. */
enum qn_status qn_container_check(const struct qn_container *container, struct qn_error *error);

/* Everything that quern-info shows of a container: header, sections, the layout's figures, the
 * metadata. A new reference. */
enum qn_status qn_container_describe(const struct qn_container *container, json_t **out,
                                     struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
