/* What the views of all layouts have in common. */
#pragma once

#include <string.h>

#include <quern/ids.h>

/* QN_USAGE unless the container holds this layout. */
enum qn_status qn_view_insist(const struct qn_container *container, enum qn_layout layout,
                              struct qn_error *error);

/* `*out`, a pointer of any type, gets the content of the section `name`, which must be there with
 * `count` unsigned numbers of so many bytes, else QN_INVALID. */
enum qn_status qn_view_unsigned(const struct qn_container *container, const char *name,
                                uint32_t element_bytes, uint64_t count, const void *out,
                                struct qn_error *error);
/* The same with any count, which `*count` gets. */
enum qn_status qn_view_unsigned_any(const struct qn_container *container, const char *name,
                                    uint32_t element_bytes, uint64_t *count, const void *out,
                                    struct qn_error *error);

/* As qn_ids_find (quern/ids.h), of 2^32 vertices and more, too. */
enum qn_status qn_ids_find_any(const struct qn_ids *ids, const char *text, uint64_t *vertex,
                               struct qn_error *error);

/* Defines qn_LAYOUT_map of a layout that has qn_LAYOUT_view and qn_LAYOUT_unmap. */
#define QN_DEFINE_MAP(layout)                                                                      \
  enum qn_status qn_##layout##_map(const char *path, struct qn_##layout *view,                     \
                                   struct qn_error *error) {                                       \
    struct qn_container *container;                                                                \
    memset(view, 0, sizeof *view);                                                                 \
    enum qn_status status = qn_container_map(path, 0, &container, error);                          \
    if (status)                                                                                    \
      return status;                                                                               \
    status = qn_##layout##_view(container, view, error);                                           \
    if (status) {                                                                                  \
      qn_container_unmap(container);                                                               \
      memset(view, 0, sizeof *view);                                                               \
      return status;                                                                               \
    }                                                                                              \
    view->container = container;                                                                   \
    return QN_OK;                                                                                  \
  }

/* Defines qn_LAYOUT_unmap of a layout whose view owns nothing but its container. */
#define QN_DEFINE_UNMAP(layout)                                                                    \
  void qn_##layout##_unmap(struct qn_##layout *view) {                                             \
    qn_container_unmap(view->container);                                                           \
    memset(view, 0, sizeof *view);                                                                 \
  }
