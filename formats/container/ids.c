/* Original ids: views, lookup, text. Their order and checks are in ids_order.c. */
#include <quern/ids.h>

#include <inttypes.h>
#include <string.h>

#include "formats/container/view.h"
#include "support/sizes.h"
#include <quern/remote.h>

static enum qn_status check_kind(const struct qn_container *container, struct qn_error *error) {
  const bool numbers = qn_container_section(container, "original_ids");
  const bool strings =
      qn_container_section(container, "id_offsets") || qn_container_section(container, "id_bytes");
  if (numbers && strings)
    return qn_container_violation(container, error, "ID-5", "ids are numbers and strings");
  if (!numbers && !strings &&
      qn_container_info(container)->compatible_features & QN_FEATURE_IDS_ASCENDING)
    return qn_container_violation(container, error, "ID-6",
                                  "the header says that ids ascend, but there are no ids");
  return QN_OK;
}

enum qn_status qn_ids_view(const struct qn_container *container, struct qn_ids *ids,
                           struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  const struct qn_section *section;
  enum qn_status status;
  memset(ids, 0, sizeof *ids);
  if ((status = check_kind(container, error)))
    return status;
  ids->num_vertices = info->num_vertices;
  ids->ascending = info->compatible_features & QN_FEATURE_IDS_ASCENDING;
  if (qn_container_section(container, "original_ids")) {
    ids->kind = QN_IDS_NUMBERS;
    status = qn_container_require(container, "original_ids", QN_ELEMENT_UNSIGNED, 8,
                                  info->num_vertices, &section, error);
    if (!status)
      ids->numbers = section->data;
    return status;
  }
  if (!qn_container_section(container, "id_offsets") &&
      !qn_container_section(container, "id_bytes")) {
    ids->kind = QN_IDS_DENSE;
    ids->ascending = true;
    return QN_OK;
  }
  ids->kind = QN_IDS_STRINGS;
  status = qn_container_require(container, "id_offsets", QN_ELEMENT_UNSIGNED, 8,
                                info->num_vertices + 1, &section, error);
  if (status)
    return status;
  ids->string_offsets = section->data;
  status = qn_container_require_any(container, "id_bytes", QN_ELEMENT_TEXT, 1, &section, error);
  if (status)
    return status;
  ids->string_bytes = section->data;
  const uint64_t *end = ids->string_offsets + info->num_vertices;
  if ((status = qn_container_need(container, end, end + 1, error)))
    return status;
  /* The end is compared here so that the offsets' monotony (ID-1) bounds every one of them. */
  if (ids->string_offsets[info->num_vertices] != section->count)
    return qn_container_violation(container, error, "ID-1",
                                  "id_offsets ends at %" PRIu64 ", but id_bytes has %" PRIu64
                                  " bytes",
                                  ids->string_offsets[info->num_vertices], section->count);
  return QN_OK;
}

enum qn_status qn_ids_write(struct qn_writer *writer, const struct qn_ids *ids,
                            struct qn_error *error) {
  struct qn_container_info *info = qn_writer_info(writer);
  if (ids->kind == QN_IDS_DENSE)
    return QN_OK;
  if (ids->ascending)
    info->compatible_features |= QN_FEATURE_IDS_ASCENDING;
  if (ids->kind == QN_IDS_NUMBERS)
    return qn_writer_section_from(writer,
                                  &(struct qn_section_spec){.name = "original_ids",
                                                            .element_type = QN_ELEMENT_UNSIGNED,
                                                            .element_bytes = 8,
                                                            .count = ids->num_vertices},
                                  ids->numbers, error);
  enum qn_status status =
      qn_writer_section_from(writer,
                             &(struct qn_section_spec){.name = "id_offsets",
                                                       .element_type = QN_ELEMENT_UNSIGNED,
                                                       .element_bytes = 8,
                                                       .count = ids->num_vertices + 1},
                             ids->string_offsets, error);
  if (status)
    return status;
  return qn_writer_section_from(
      writer,
      &(struct qn_section_spec){.name = "id_bytes",
                                .element_type = QN_ELEMENT_TEXT,
                                .element_bytes = 1,
                                .count = ids->string_offsets[ids->num_vertices]},
      ids->string_bytes, error);
}

enum qn_status qn_ids_write_ascending(struct qn_writer *writer, uint64_t num_vertices,
                                      uint64_t **numbers, struct qn_error *error) {
  qn_writer_info(writer)->compatible_features |= QN_FEATURE_IDS_ASCENDING;
  return qn_writer_section(writer,
                           &(struct qn_section_spec){.name = "original_ids",
                                                     .element_type = QN_ELEMENT_UNSIGNED,
                                                     .element_bytes = 8,
                                                     .count = num_vertices},
                           numbers, error);
}

/* The id of `vertex` against `wanted`: <0, 0, >0. */
static int compare_id(const struct qn_ids *ids, uint64_t vertex, const char *text, uint64_t length,
                      uint64_t number) {
  if (ids->kind == QN_IDS_NUMBERS)
    return (ids->numbers[vertex] > number) - (ids->numbers[vertex] < number);
  const char *id = ids->string_bytes + ids->string_offsets[vertex];
  uint64_t id_length = ids->string_offsets[vertex + 1] - ids->string_offsets[vertex];
  /* No name is a number: whoever asks for one finds nothing here. */
  int order = text ? memcmp(id, text, id_length < length ? id_length : length) : 1;
  return order ? order : (id_length > length) - (id_length < length);
}

/* `order`: the vertices in the order of their ids, NULL if that is their own. */
static bool find_ascending(const struct qn_ids *ids, const uint32_t *order, const char *text,
                           uint64_t length, uint64_t number, uint64_t *vertex) {
  uint64_t low = 0, high = ids->num_vertices;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2, candidate = order ? order[middle] : middle;
    int comparison = compare_id(ids, candidate, text, length, number);
    if (comparison == 0)
      return *vertex = candidate, true;
    if (comparison < 0)
      low = middle + 1;
    else
      high = middle;
  }
  return false;
}

static bool find_anywhere(const struct qn_ids *ids, const char *text, uint64_t length,
                          uint64_t number, uint64_t *vertex) {
  for (uint64_t v = 0; v < ids->num_vertices; v++)
    if (compare_id(ids, v, text, length, number) == 0)
      return *vertex = v, true;
  return false;
}

/* Of vertices that are called TYPE:NAME: which are called `text` in their types? */
static enum qn_status refuse_name(const struct qn_ids *ids, const char *text,
                                  struct qn_error *error) {
  char found[256] = "";
  const uint64_t length = strlen(text);
  unsigned count = 0;
  for (uint64_t v = 0; ids->kind == QN_IDS_STRINGS && v < ids->num_vertices && count < 3; v++) {
    const char *name = ids->string_bytes + ids->string_offsets[v];
    const uint64_t bytes = ids->string_offsets[v + 1] - ids->string_offsets[v];
    if (bytes <= length + 1 || bytes > 80 || name[bytes - length - 1] != ':' ||
        memcmp(name + bytes - length, text, length) != 0)
      continue;
    const size_t used = strlen(found);
    snprintf(found + used, sizeof found - used, "%s'%.*s'", count == 0 ? "; there is " : ", ",
             (int)bytes, name);
    count++;
  }
  return qn_fail(error, QN_USAGE, "no vertex has the id '%.64s'%s", text, found);
}

enum qn_status qn_ids_find_any(const struct qn_ids *ids, const char *text, uint64_t *vertex,
                               struct qn_error *error) {
  uint64_t number = 0;
  if (ids->kind != QN_IDS_STRINGS && qn_number_parse(text, UINT64_MAX, &number, NULL))
    return qn_fail(error, QN_USAGE, "'%.64s' is not a vertex: ids of this graph are numbers", text);
  bool there;
  if (ids->kind == QN_IDS_DENSE) {
    *vertex = number;
    there = number < ids->num_vertices;
  } else if (ids->ascending) {
    there = find_ascending(ids, NULL, text, strlen(text), number, vertex);
  } else {
    there = find_anywhere(ids, text, strlen(text), number, vertex);
  }
  return there ? QN_OK : refuse_name(ids, text, error);
}

enum qn_status qn_ids_find(const struct qn_ids *ids, const char *text, uint32_t *vertex,
                           struct qn_error *error) {
  uint64_t found;
  enum qn_status status = qn_ids_find_any(ids, text, &found, error);
  if (!status && found > UINT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "vertex '%.64s' is beyond 2^32, which is not known here",
                   text);
  if (!status)
    *vertex = (uint32_t)found;
  return status;
}

/* Numbers have at most 20 digits: longer text would overflow. */
static bool read_number(const char *text, uint64_t length, uint64_t *number) {
  char copy[21];
  if (length >= sizeof copy || memchr(text, '\0', length))
    return false;
  memcpy(copy, text, length);
  copy[length] = '\0';
  return qn_number_parse(copy, UINT64_MAX, number, NULL) == QN_OK;
}

static bool lookup(const struct qn_ids *ids, const uint32_t *order, const char *text,
                   uint64_t length, uint64_t number, uint32_t *vertex) {
  uint64_t found = number;
  const bool there = ids->kind == QN_IDS_DENSE
                         ? number < ids->num_vertices
                         : find_ascending(ids, order, text, length, number, &found);
  if (!there || found > UINT32_MAX)
    return false;
  *vertex = (uint32_t)found;
  return true;
}

bool qn_ids_lookup(const struct qn_ids *ids, const uint32_t *order, const char *text,
                   uint64_t length, uint32_t *vertex) {
  uint64_t number = 0;
  if (ids->kind != QN_IDS_STRINGS && !read_number(text, length, &number))
    return false;
  return lookup(ids, order, text, length, number, vertex);
}

bool qn_ids_lookup_number(const struct qn_ids *ids, const uint32_t *order, uint64_t number,
                          uint32_t *vertex) {
  return ids->kind != QN_IDS_STRINGS && lookup(ids, order, NULL, 0, number, vertex);
}

const char *qn_ids_text(const struct qn_ids *ids, uint64_t vertex, char *buffer, uint64_t *length) {
  if (ids->kind == QN_IDS_STRINGS) {
    *length = ids->string_offsets[vertex + 1] - ids->string_offsets[vertex];
    return ids->string_bytes + ids->string_offsets[vertex];
  }
  uint64_t number = ids->kind == QN_IDS_NUMBERS ? ids->numbers[vertex] : vertex;
  *length = (uint64_t)snprintf(buffer, 21, "%" PRIu64, number);
  return buffer;
}
