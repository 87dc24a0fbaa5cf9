#include "formats/container/view.h"

enum qn_status qn_view_insist(const struct qn_container *container, enum qn_layout layout,
                              struct qn_error *error) {
  const enum qn_layout held = qn_container_info(container)->layout;
  if (held == layout)
    return QN_OK;
  qn_fail(error, QN_USAGE, "a container of the layout %s is needed; this one holds the layout %s%s",
          qn_layout_name(layout), qn_layout_name(held),
          layout == QN_LAYOUT_GRAPH ? ", of which quern-import takes the graph" : "");
  return qn_error_in_file(error, qn_container_path(container)), QN_USAGE;
}

enum qn_status qn_view_unsigned(const struct qn_container *container, const char *name,
                                uint32_t element_bytes, uint64_t count, const void *out,
                                struct qn_error *error) {
  const struct qn_section *section;
  enum qn_status status = qn_container_require(container, name, QN_ELEMENT_UNSIGNED, element_bytes,
                                               count, &section, error);
  if (!status)
    memcpy((void *)out, &section->data, sizeof section->data);
  return status;
}

enum qn_status qn_view_unsigned_any(const struct qn_container *container, const char *name,
                                    uint32_t element_bytes, uint64_t *count, const void *out,
                                    struct qn_error *error) {
  const struct qn_section *section;
  enum qn_status status = qn_container_require_any(container, name, QN_ELEMENT_UNSIGNED,
                                                   element_bytes, &section, error);
  if (status)
    return status;
  *count = section->count;
  memcpy((void *)out, &section->data, sizeof section->data);
  return QN_OK;
}
