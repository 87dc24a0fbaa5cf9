/* The metadata section: provenance and the edge ledger as one JSON object. */
#include <stdlib.h>
#include <string.h>

#include "support/json_text.h"
#include <quern/metadata.h>

enum qn_status qn_container_metadata(const struct qn_container *container, json_t **out,
                                     struct qn_error *error) {
  const struct qn_section *section;
  json_error_t problem;
  *out = NULL;
  if (!qn_container_section(container, "metadata"))
    return QN_OK;
  static const char *const read[] = {"metadata", NULL};
  enum qn_status status =
      qn_container_require_any(container, "metadata", QN_ELEMENT_TEXT, 1, &section, error);
  if (!status)
    status = qn_container_verify_sections(container, read, error);
  if (!status)
    status =
        qn_json_parse(section->data, section->count, JSON_REJECT_DUPLICATES, out, &problem, error);
  if (status || json_is_object(*out))
    return status;
  bool parsed = *out != NULL;
  json_decref(*out);
  *out = NULL;
  return qn_container_violation(container, error, "M-1", "the metadata is not a JSON object%s%s",
                                parsed ? "" : ": ", parsed ? "" : problem.text);
}

enum qn_status qn_writer_metadata(struct qn_writer *writer, const json_t *object,
                                  struct qn_error *error) {
  char *text = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
  if (!text)
    return qn_fail_memory(error, "the metadata", 0);
  enum qn_status status = qn_json_check_memory(error);
  if (!status)
    status = qn_writer_section_from(writer,
                                    &(struct qn_section_spec){
                                        .name = "metadata",
                                        .element_type = QN_ELEMENT_TEXT,
                                        .element_bytes = 1,
                                        .count = strlen(text),
                                        .ancillary = true,
                                    },
                                    text, error);
  free(text);
  return status;
}
