#include "converters/elements/literals.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "formats/text/calendar.h"
#include "formats/text/string_map.h"
#include "formats/text/text_output.h"
#include "support/memory.h"
#include "support/progress.h"

struct literal {
  uint32_t vertex, key;
  uint32_t length;
  enum qn_literal_kind kind;
  uint64_t begin; /* in `text` */
};

/* A property. */
struct key {
  char *name;
  uint32_t column;
  unsigned kinds; /* of its values, a bit each */
  bool is_list;   /* a vertex has several */
};

struct qn_literals {
  struct qn_string_map *names;
  struct key *keys;
  uint32_t num_keys;
  struct literal *literals;
  uint64_t count, room;
  struct qn_text_buffer text;
};

void qn_literals_free(struct qn_literals *literals) {
  if (!literals)
    return;
  for (uint32_t i = 0; i < literals->num_keys; i++)
    free(literals->keys[i].name);
  qn_free(literals->keys);
  qn_free(literals->literals);
  free(literals->text.bytes);
  qn_string_map_destroy(literals->names);
  qn_free(literals);
}

/* ---- Gathering ---------------------------------------------------------------- */

static enum qn_status find_key(struct qn_literals *literals, struct qn_text name, uint32_t *key,
                               struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  if (!qn_property_is_name(name.bytes, name.length))
    return qn_fail(error, QN_INVALID,
                   "expected a predicate of 1 to %d bytes of UTF-8, which becomes the name of a "
                   "property; found %s",
                   QN_PROPERTY_NAME_BYTES,
                   qn_text_quote(name.bytes, name.bytes + name.length, quoted));
  if (qn_string_map_intern(literals->names, name.bytes, name.length, key) != QN_INTERNED)
    return qn_fail_memory(error, "names of properties", name.length);
  if (*key < literals->num_keys)
    return QN_OK;
  enum qn_status status =
      qn_realloc(&literals->keys, (uint64_t)*key + 1, sizeof *literals->keys, "properties", error);
  if (status)
    return status;
  char *copy = strndup(name.bytes, name.length);
  literals->keys[literals->num_keys++] = (struct key){.name = copy};
  return copy ? QN_OK : qn_fail_memory(error, "the name of a property", name.length);
}

static enum qn_status make_room(struct qn_literals *literals, struct qn_error *error) {
  if (literals->count < literals->room)
    return QN_OK;
  const uint64_t room = literals->room ? 2 * literals->room : 1024;
  enum qn_status status =
      qn_realloc(&literals->literals, room, sizeof *literals->literals, "literals", error);
  if (!status)
    literals->room = room;
  return status;
}

static enum qn_status begin(struct qn_element_records *records, struct qn_error *error) {
  if (records->literals)
    return QN_OK;
  enum qn_status status =
      qn_alloc_zeroed(&records->literals, 1, sizeof *records->literals, "literals", error);
  return status ? status : qn_string_map_create(&records->literals->names, error);
}

enum qn_status qn_literals_add(struct qn_element_records *records, struct qn_text vertex,
                               struct qn_text key, enum qn_literal_kind kind, struct qn_text value,
                               struct qn_error *error) {
  struct literal literal = {.kind = kind};
  enum qn_status status = begin(records, error);
  if (!status && value.length > QN_MOST_VALUE_BYTES)
    status =
        qn_fail(error, QN_INVALID, "a value of more than %" PRIu64 " bytes", QN_MOST_VALUE_BYTES);
  if (!status && !qn_property_is_text(value.bytes, value.length))
    status = qn_fail(error, QN_INVALID, "this literal is no UTF-8, or there is a NUL in it");
  if (!status)
    status = qn_element_find_vertex(records, vertex, &literal.vertex, error);
  if (status)
    return status;
  struct qn_literals *literals = records->literals;
  status = find_key(literals, key, &literal.key, error);
  if (!status)
    status = make_room(literals, error);
  if (status)
    return status;
  char *p = qn_text_buffer_reserve(&literals->text, value.length);
  if (!p)
    return qn_fail_memory(error, "literals", literals->text.used);
  literal.begin = literals->text.used;
  literal.length = (uint32_t)value.length;
  memcpy(p, value.bytes, value.length);
  qn_text_buffer_advance(&literals->text, p + value.length);
  literals->keys[literal.key].kinds |= 1U << kind;
  literals->literals[literals->count++] = literal;
  return QN_OK;
}

/* ---- Order -------------------------------------------------------------------- */

static int by_vertex(const void *a, const void *b, void *text) {
  const struct literal *first = a, *second = b;
  if (first->vertex != second->vertex)
    return first->vertex < second->vertex ? -1 : 1;
  if (first->key != second->key)
    return first->key < second->key ? -1 : 1;
  const uint32_t common = first->length < second->length ? first->length : second->length;
  const int order =
      memcmp((const char *)text + first->begin, (const char *)text + second->begin, common);
  if (order || first->length != second->length)
    return order ? order : first->length < second->length ? -1 : 1;
  return (first->kind > second->kind) - (first->kind < second->kind);
}

/* A triple that is there twice is one. */
static void sort(struct qn_literals *literals) {
  struct literal *all = literals->literals;
  uint64_t kept = 0;
  if (literals->count)
    qsort_r(all, literals->count, sizeof *all, by_vertex, literals->text.bytes);
  for (uint64_t i = 0; i < literals->count; i++) {
    if (kept && by_vertex(&all[kept - 1], &all[i], literals->text.bytes) == 0)
      continue;
    struct key *key = &literals->keys[all[i].key];
    const bool again =
        kept && all[kept - 1].vertex == all[i].vertex && all[kept - 1].key == all[i].key;
    key->is_list |= again && all[i].kind != QN_LITERAL_LABEL;
    all[kept++] = all[i];
  }
  literals->count = kept;
}

/* ---- Types -------------------------------------------------------------------- */

/* The finest decimals that are needed; false if some value is no time. */
static bool are_times(const struct qn_literals *literals, uint32_t key, bool utc,
                      enum qn_property_type *type) {
  static const enum qn_property_type types[2][4] = {
      {QN_PROPERTY_TIMESTAMP_S, QN_PROPERTY_TIMESTAMP_MS, QN_PROPERTY_TIMESTAMP_US,
       QN_PROPERTY_TIMESTAMP_NS},
      {QN_PROPERTY_TIMESTAMP_S_UTC, QN_PROPERTY_TIMESTAMP_MS_UTC, QN_PROPERTY_TIMESTAMP_US_UTC,
       QN_PROPERTY_TIMESTAMP_NS_UTC}};
  unsigned finest = 0;
  for (uint64_t i = 0; i < literals->count; i++) {
    const struct literal *literal = &literals->literals[i];
    const char *text = literals->text.bytes + literal->begin;
    int64_t time;
    if (literal->key != key)
      continue;
    while (finest < 4 && !qn_parse_timestamp(text, literal->length, 3 * finest, utc, &time))
      finest++;
  }
  *type = finest < 4 ? types[utc][finest] : QN_PROPERTY_STRING;
  return finest < 4;
}

static bool are_dates(const struct qn_literals *literals, uint32_t key) {
  int32_t days;
  for (uint64_t i = 0; i < literals->count; i++) {
    const struct literal *literal = &literals->literals[i];
    if (literal->key == key &&
        !qn_parse_date(literals->text.bytes + literal->begin, literal->length, &days))
      return false;
  }
  return true;
}

/* 0: to be found among numbers and truth values. */
static enum qn_property_type type_of(const struct qn_literals *literals, uint32_t index) {
  const struct key *key = &literals->keys[index];
  enum qn_property_type type;
  if (key->is_list)
    return QN_PROPERTY_STRING;
  switch (key->kinds) {
  case 1U << QN_LITERAL_NUMBER:
  case 1U << QN_LITERAL_TRUTH:
    return (enum qn_property_type)0;
  case 1U << QN_LITERAL_DATE:
    return are_dates(literals, index) ? QN_PROPERTY_DATE : QN_PROPERTY_STRING;
  case 1U << QN_LITERAL_TIME:
    return are_times(literals, index, true, &type) || are_times(literals, index, false, &type)
               ? type
               : QN_PROPERTY_STRING;
  default:
    return QN_PROPERTY_STRING;
  }
}

static enum qn_status begin_columns(struct qn_element_records *records, struct qn_error *error) {
  struct qn_literals *literals = records->literals;
  enum qn_status status = QN_OK;
  for (uint32_t i = 0; i < literals->num_keys && !status; i++) {
    struct key *key = &literals->keys[i];
    status = qn_element_column(records, QN_OF_VERTICES, key->name, type_of(literals, i),
                               &key->column, error);
    if (!status && key->column != QN_NOT_WANTED)
      records->tables[QN_OF_VERTICES].records->columns[key->column].has_specials = true;
  }
  return status;
}

static void note(const struct qn_literals *literals) {
  const char *list = NULL, *mixed = NULL;
  uint32_t lists = 0, mixes = 0;
  for (uint32_t i = 0; i < literals->num_keys; i++) {
    const struct key *key = &literals->keys[i];
    const bool is_mixed = (key->kinds & (key->kinds - 1)) != 0;
    lists += key->is_list;
    mixes += is_mixed;
    list = key->is_list && !list ? key->name : list;
    mixed = is_mixed && !mixed ? key->name : mixed;
  }
  if (lists)
    qn_note(QN_NOTE_NOT_KEPT,
            "some vertex has several values of '%s'%s: they are texts, lists of JSON such as "
            "[\"a\",\"b\"]",
            list, lists > 1 ? " and of other properties" : "");
  if (mixes)
    qn_note(QN_NOTE_NOT_KEPT,
            "the values of '%s'%s are of several types, and become texts; of which each was is not "
            "kept",
            mixed, mixes > 1 ? " and of other properties" : "");
}

/* ---- Values ------------------------------------------------------------------- */

static struct qn_text text_of(const struct qn_literals *literals, uint64_t i) {
  return (struct qn_text){literals->text.bytes + literals->literals[i].begin,
                          literals->literals[i].length};
}

static enum qn_status give_list(struct qn_element_records *records, uint64_t begin, uint64_t end,
                                struct qn_error *error) {
  const struct qn_literals *literals = records->literals;
  json_t *list = json_array();
  bool failed = !list;
  for (uint64_t i = begin; i < end && !failed; i++) {
    const struct qn_text text = text_of(literals, i);
    failed = json_array_append_new(list, json_stringn(text.bytes, text.length)) != 0;
  }
  char *text = failed ? NULL : json_dumps(list, JSON_COMPACT);
  json_decref(list);
  if (!text)
    return qn_fail_memory(error, "a list of values", 0);
  enum qn_status status = qn_element_value(records, QN_OF_VERTICES,
                                           literals->keys[literals->literals[begin].key].column,
                                           text, strlen(text), true, error);
  free(text);
  return status;
}

/* "a;b" */
static enum qn_status give_labels(struct qn_element_records *records, uint64_t begin, uint64_t end,
                                  struct qn_error *error) {
  const struct qn_literals *literals = records->literals;
  uint64_t length = 0;
  char *joined;
  for (uint64_t i = begin; i < end; i++)
    length += literals->literals[i].length + 1;
  enum qn_status status = qn_alloc(&joined, length, 1, "labels of a vertex", error);
  if (status)
    return status;
  char *p = joined;
  for (uint64_t i = begin; i < end; i++) {
    const struct qn_text text = text_of(literals, i);
    if (i > begin)
      *p++ = ';';
    memcpy(p, text.bytes, text.length);
    p += text.length;
  }
  status = qn_element_value(records, QN_OF_VERTICES,
                            literals->keys[literals->literals[begin].key].column, joined,
                            (uint64_t)(p - joined), true, error);
  qn_free(joined);
  return status;
}

/* The literals [begin, end) are a vertex's of one property. */
static enum qn_status give_values(struct qn_element_records *records, uint64_t begin, uint64_t end,
                                  struct qn_error *error) {
  const struct qn_literals *literals = records->literals;
  const struct literal *literal = &literals->literals[begin];
  const struct key *key = &literals->keys[literal->key];
  struct qn_text text = text_of(literals, begin);
  if (key->is_list)
    return give_list(records, begin, end, error);
  if (literal->kind == QN_LITERAL_LABEL)
    return give_labels(records, begin, end, error);
  if (key->kinds == 1U << QN_LITERAL_TRUTH && text.length == 1)
    text = qn_text_of(*text.bytes == '1' ? "true" : *text.bytes == '0' ? "false" : "?");
  const bool is_text =
      key->kinds != 1U << QN_LITERAL_NUMBER && key->kinds != 1U << QN_LITERAL_TRUTH;
  return qn_element_value(records, QN_OF_VERTICES, key->column, text.bytes, text.length, is_text,
                          error);
}

enum qn_status qn_literals_give(struct qn_element_records *records, struct qn_error *error) {
  struct qn_literals *literals = records->literals;
  if (!literals)
    return QN_OK;
  sort(literals);
  const struct literal *all = literals->literals;
  const uint64_t count = literals->count;
  enum qn_status status = begin_columns(records, error);
  for (uint64_t begin = 0, end; begin < count && !status; begin = end) {
    for (end = begin;
         end < count && all[end].vertex == all[begin].vertex && all[end].key == all[begin].key;)
      end++;
    status = give_values(records, begin, end, error);
    if (!status && (end == count || all[end].vertex != all[begin].vertex))
      status = qn_element_vertex_at(records, all[begin].vertex, error);
  }
  if (!status)
    note(literals);
  return status;
}
