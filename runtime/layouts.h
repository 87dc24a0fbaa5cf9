/* What the runtime needs to know of each layout: one row in layouts.c. */
#ifndef QN_RUNTIME_LAYOUTS_H
#define QN_RUNTIME_LAYOUTS_H

#include <quern/container.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_layout_view {
  enum qn_layout layout;
  uint64_t view_bytes; /* size of the struct that kernels of this layout take as request.view */
  /* Fill `view` from a mapped container. Views own nothing that must be given back. */
  enum qn_status (*map)(const struct qn_container *container, void *view, struct qn_error *error);
  /* Check all that kernels rely on when they index: ids, offsets. */
  enum qn_status (*check)(const struct qn_container *container, const void *view,
                          struct qn_error *error);
  /* Out-degree of a vertex of the graph layout, for the default source; any thread may call. */
  uint64_t (*out_degree)(const void *view, uint64_t vertex);
  const char *from_graph; /* the command that makes this layout, for messages */
};

/* QN_UNSUPPORTED if this build cannot run on the layout. */
enum qn_status qn_layout_view_find(enum qn_layout layout, const struct qn_layout_view **out,
                                   struct qn_error *error);

#ifdef __cplusplus
}
#endif
#endif
