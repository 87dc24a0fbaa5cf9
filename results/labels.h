/* What vertices are called, and their original order. */
#pragma once

#include <jansson.h>
#include <string.h>

#include "formats/text/quoted_names.h"
#include "formats/text/text_format.h"

struct qn_labels {
  const struct qn_ids *ids;
  const uint32_t *order; /* [V] vertex at each position of the original order; NULL: the same */
};

/* The vertex that comes at `position` in original order. */
static inline uint64_t qn_vertex_at(const struct qn_labels *labels, uint64_t position) {
  return labels->order ? labels->order[position] : position;
}

/* A vertex's original id as a JSON string (a new reference): of one that is not UTF-8 "#" and the
 * vertex's place in original order. */
json_t *qn_id_json(const struct qn_ids *ids, uint64_t vertex);

/* Bytes of an id, at most. */
static inline uint64_t qn_id_room(const struct qn_ids *ids, uint64_t vertex) {
  if (ids->kind != QN_IDS_STRINGS)
    return QN_MAX_NUMBER_TEXT;
  return QN_QUOTED_NAME_ROOM(ids->string_offsets[vertex + 1] - ids->string_offsets[vertex]);
}

/* `plain`: no name is quoted. */
static inline char *qn_put_id(char *p, const struct qn_ids *ids, uint64_t vertex, char separator,
                              bool plain) {
  if (ids->kind != QN_IDS_STRINGS)
    return qn_put_u64(p, ids->kind == QN_IDS_NUMBERS ? ids->numbers[vertex] : vertex);
  const char *name = ids->string_bytes + ids->string_offsets[vertex];
  const uint64_t length = ids->string_offsets[vertex + 1] - ids->string_offsets[vertex];
  if (!plain)
    return qn_put_quoted_name(p, name, length, separator);
  return (char *)mempcpy(p, name, length);
}
