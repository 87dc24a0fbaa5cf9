#include "converters/elements/labels.h"

#include <inttypes.h>
#include <string.h>

#include "converters/parse/names.h"
#include "support/memory.h"

/* A number for a text that has none so far; `what` it is. */
static enum qn_status number(struct qn_string_map **map, struct qn_text text, const char *what,
                             uint32_t *found, struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  enum qn_status status = *map ? QN_OK : qn_string_map_create(map, error);
  const uint64_t before = status ? 0 : qn_string_map_count(*map);
  if (!status)
    status = qn_names_number(*map, text.bytes, text.length, found, error);
  return status || qn_string_map_count(*map) > before
             ? status
             : qn_fail(error, QN_INVALID, "a second vertex has the %s %s", what,
                       qn_text_quote(text.bytes, text.bytes + text.length, quoted));
}

static enum qn_status keep(struct qn_labels *labels, uint32_t id, struct qn_text label,
                           struct qn_error *error) {
  enum { LEAST = 1024 };
  if (id == labels->room) {
    const uint64_t room = id ? 2 * (uint64_t)id : LEAST;
    enum qn_status status =
        qn_realloc(&labels->ends, room, sizeof *labels->ends, "labels of vertices", error);
    if (status)
      return status;
    labels->room = room;
  }
  char *p = qn_text_buffer_reserve(&labels->text, label.length);
  if (!p)
    return qn_fail_memory(error, "labels of vertices", labels->text.used);
  memcpy(p, label.bytes, label.length);
  qn_text_buffer_advance(&labels->text, p + label.length);
  labels->ends[id] = labels->text.used;
  return QN_OK;
}

enum qn_status qn_labels_add(struct qn_labels *labels, const char *id, struct qn_text label,
                             struct qn_error *error) {
  uint32_t vertex, name;
  enum qn_status status = number(&labels->ids, qn_text_of(id), "id", &vertex, error);
  if (!status)
    status = number(&labels->names, label, "label", &name, error);
  return status ? status : keep(labels, vertex, label, error);
}

enum qn_status qn_labels_find(const struct qn_labels *labels, const char *id, struct qn_text *label,
                              struct qn_error *error) {
  uint32_t vertex = 0;
  const uint64_t count = labels->ids ? qn_string_map_count(labels->ids) : 0;
  enum qn_status status =
      count ? qn_names_number(labels->ids, id, strlen(id), &vertex, error) : QN_OK;
  if (status)
    return status;
  if (!count || qn_string_map_count(labels->ids) > count)
    return qn_fail(error, QN_INVALID, "expected a vertex that came before; found '%.64s'", id);
  const uint64_t begin = vertex ? labels->ends[vertex - 1] : 0;
  *label = (struct qn_text){labels->text.bytes + begin, labels->ends[vertex] - begin};
  return QN_OK;
}

void qn_labels_release(struct qn_labels *labels) {
  qn_string_map_destroy(labels->ids);
  qn_string_map_destroy(labels->names);
  qn_free(labels->ends);
  qn_free(labels->text.bytes);
}
