/* What a layout expects of a container's sections and parameters. */
#include <quern/container.h>

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "formats/container/verifier.h"

enum qn_status qn_container_violation(const struct qn_container *container, struct qn_error *error,
                                      const char *rule, const char *format, ...) {
  char what[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  qn_fail(error, QN_INVALID, "%s: %s", rule, what);
  if (container)
    qn_error_in_file(error, qn_container_path(container));
  return QN_INVALID;
}

enum qn_status qn_container_require_any(const struct qn_container *container, const char *name,
                                        enum qn_element_type type, uint32_t element_bytes,
                                        const struct qn_section **out, struct qn_error *error) {
  const struct qn_section *section = qn_container_section(container, name);
  *out = section;
  if (!section)
    return qn_container_violation(container, error, "C-22", "section %s is missing", name);
  if (section->element_type != type || section->element_bytes != element_bytes)
    return qn_container_violation(
        container, error, "C-22",
        "section %s holds %s elements of %" PRIu32 " bytes; expected %s of %" PRIu32, name,
        qn_element_type_name(section->element_type), section->element_bytes,
        qn_element_type_name(type), element_bytes);
  return QN_OK;
}

enum qn_status qn_container_require(const struct qn_container *container, const char *name,
                                    enum qn_element_type type, uint32_t element_bytes,
                                    uint64_t count, const struct qn_section **out,
                                    struct qn_error *error) {
  enum qn_status status =
      qn_container_require_any(container, name, type, element_bytes, out, error);
  if (!status && (*out)->count != count)
    return qn_container_violation(container, error, "C-22",
                                  "section %s has %" PRIu64 " elements; expected %" PRIu64, name,
                                  (*out)->count, count);
  return status;
}

static enum qn_status refuse_unknown(const struct qn_container *container,
                                     const struct qn_section *section, struct qn_error *error) {
  qn_fail(error, QN_UNSUPPORTED,
          "C-23: section %s is critical and unknown to this build: install a newer Quern",
          section->name);
  return qn_error_in_file(error, qn_container_path(container)), QN_UNSUPPORTED;
}

enum qn_status qn_container_check_sections(const struct qn_container *container,
                                           const char *const *known, struct qn_error *error) {
  const char *const *next = known; /* in the list, after the last that was found */
  bool ended = false;
  for (uint32_t i = 0; i < qn_container_info(container)->num_sections; i++) {
    const struct qn_section *section = qn_container_section_at(container, i);
    const char *const *name = known;
    if (ended && strcmp(section->name, QN_CHUNK_HASHES) != 0)
      return qn_container_violation(container, error, "C-26", "section %s follows metadata",
                                    section->name);
    while (*name && strcmp(section->name, *name) != 0)
      name++;
    if (!*name && section->critical)
      return refuse_unknown(container, section, error);
    if (!*name)
      continue;
    ended = strcmp(section->name, "metadata") == 0;
    if (name < next)
      return qn_container_violation(container, error, "C-26",
                                    "section %s is not where its layout's page says",
                                    section->name);
    if (section->critical == ended)
      return qn_container_violation(container, error, "C-26", "section %s must%s be critical",
                                    section->name, ended ? " not" : "");
    next = name + 1;
  }
  return QN_OK;
}

enum qn_status qn_container_refuse_parameters(const struct qn_container *container, uint32_t first,
                                              struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  for (uint32_t i = first; i < 32; i++)
    if (info->parameters[i] != 0)
      return qn_container_violation(container, error, "C-6",
                                    "header parameter %" PRIu32 " has no meaning in the layout %s "
                                    "and must be zero",
                                    i, qn_layout_name(info->layout));
  return QN_OK;
}
