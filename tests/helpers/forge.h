/* Containers altered under right checksums: to see that a broken rule is refused by its number. */
#pragma once

#include <string.h>

#include "helpers/scratch.h"
#include "helpers/test.h"
#include <quern/layouts.h>

/* One change: element `index` of a section, or header parameter `index` where `section` is NULL, or
 * (section "undirected") the header's directedness. */
struct forged_value {
  const char *section;
  uint64_t index;
  uint64_t value;
};

static inline void forge_section(struct qn_writer *writer, const struct qn_section *section,
                                 const struct forged_value *values, size_t count) {
  struct qn_error error;
  uint8_t *bytes;
  struct qn_section_spec spec = {.name = section->name,
                                 .element_type = section->element_type,
                                 .element_bytes = section->element_bytes,
                                 .count = section->count,
                                 .ancillary = !section->critical};
  assert_int_equal(qn_writer_section(writer, &spec, &bytes, &error), QN_OK);
  if (section->logical_bytes)
    memcpy(bytes, section->data, section->logical_bytes);
  for (size_t i = 0; i < count; i++) {
    if (!values[i].section || strcmp(values[i].section, section->name) != 0)
      continue;
    assert_true(values[i].index < section->count);
    memcpy(bytes + values[i].index * section->element_bytes, &values[i].value,
           section->element_bytes);
  }
}

/* Copy the container `from` to `to` with `count` values changed. */
static inline void forge_container(const char *from, const char *to,
                                   const struct forged_value *values, size_t count) {
  struct qn_error error;
  struct qn_container *container;
  struct qn_writer *writer;
  assert_int_equal(qn_container_map(from, 0, &container, &error), QN_OK);
  assert_int_equal(qn_writer_create(to, true, &writer, &error), QN_OK);
  struct qn_container_info *info = qn_writer_info(writer);
  *info = *qn_container_info(container);
  for (size_t i = 0; i < count; i++) {
    if (!values[i].section)
      info->parameters[values[i].index] = values[i].value;
    else if (strcmp(values[i].section, "undirected") == 0)
      info->directedness = values[i].value ? QN_UNDIRECTED : QN_DIRECTED;
  }
  for (uint32_t i = 0; i < info->num_sections; i++) /* but what the writer adds */
    if (strcmp(qn_container_section_at(container, i)->name, "chunk_hashes") != 0)
      forge_section(writer, qn_container_section_at(container, i), values, count);
  info->num_sections = 0;
  assert_int_equal(qn_writer_commit(writer, &error), QN_OK);
  qn_container_unmap(container);
}

/* Checksums and every rule of the layout. */
static inline enum qn_status verify_container(const char *path, struct qn_error *error) {
  const struct qn_layout_operations *operations;
  struct qn_container *container;
  enum qn_status status = qn_container_map(path, 0, &container, error);
  if (status)
    return status;
  status = qn_container_verify(container, error);
  if (!status)
    status = qn_layout_operations(container, &operations, error);
  if (!status)
    status = operations->verify(container, error);
  qn_container_unmap(container);
  return status;
}

/* The container `from` with these values is refused as a violation of `rule`. */
static inline void expect_forgery_refused(const char *from, const char *rule,
                                          const struct forged_value *values, size_t count) {
  struct qn_error error = {0};
  forge_container(from, scratch_path("forged.qrn"), values, count);
  enum qn_status status = verify_container(scratch_path("forged.qrn"), &error);
  if (status != QN_INVALID || strncmp(error.message, rule, strlen(rule)) != 0 ||
      error.message[strlen(rule)] != ':')
    fail_msg("expected %s, got status %d: %s", rule, status, status ? error.message : "");
}

struct broken_rule {
  const char *rule;
  struct forged_value values[2]; /* the second if it has a section */
};

/* The container keeps every rule, and with the values of each of these it doesn't. */
static inline void expect_all_refused(const char *path, const struct broken_rule *broken,
                                      size_t count) {
  struct qn_error error;
  assert_int_equal(verify_container(path, &error), QN_OK);
  for (size_t i = 0; i < count; i++)
    expect_forgery_refused(path, broken[i].rule, broken[i].values,
                           broken[i].values[1].section ? 2 : 1);
}

/* expect_forgery_refused with the values listed: FORGERY_REFUSED(path, "SH-2", {"section", 0, 1}).
 */
#define FORGERY_REFUSED(path, rule, ...)                                                           \
  expect_forgery_refused(path, rule, (struct forged_value[]){__VA_ARGS__},                         \
                         sizeof((struct forged_value[]){__VA_ARGS__}) /                            \
                             sizeof(struct forged_value))
