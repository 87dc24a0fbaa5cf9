#include "converters/readers/xml_data.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

/* More are of no use, and are looked through for every value. */
#define MOST_KEYS 4096

struct qn_xml_key {
  char *id, *name; /* one piece of memory */
  enum qn_property_type type;
  bool of[2];
  bool known[2];       /* its column is */
  uint32_t columns[2]; /* QN_NOT_WANTED */
  char *fallback;      /* of the elements to come */
  uint64_t fallback_length;
};

static enum qn_property_type type_called(const char *name) {
  static const struct {
    const char *name;
    enum qn_property_type type;
  } types[] = {{"boolean", QN_PROPERTY_BOOL}, {"int", QN_PROPERTY_I64},
               {"integer", QN_PROPERTY_I64},  {"long", QN_PROPERTY_I64},
               {"short", QN_PROPERTY_I64},    {"byte", QN_PROPERTY_I64},
               {"float", QN_PROPERTY_F32},    {"double", QN_PROPERTY_F64}};
  for (size_t i = 0; name && i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].name, name) == 0)
      return types[i].type;
  bool found = name && (strcmp(name, "biginteger") == 0 || strcmp(name, "bigdecimal") == 0);
  return found ? (enum qn_property_type)0 : QN_PROPERTY_STRING;
}

static enum qn_status copy_names(struct qn_xml_key *key, const char *id, const char *name,
                                 struct qn_error *error) {
  size_t id_bytes = strlen(id) + 1, name_bytes = strlen(name) + 1;
  enum qn_status status = qn_alloc(&key->id, id_bytes + name_bytes, 1, "a key", error);
  if (status)
    return status;
  key->name = key->id + id_bytes;
  memcpy(key->id, id, id_bytes);
  memcpy(key->name, name, name_bytes);
  return QN_OK;
}

static enum qn_status find_column(struct qn_xml_key *key, struct qn_element_records *records,
                                  int which, struct qn_error *error) {
  if (key->known[which])
    return QN_OK;
  enum qn_status status =
      qn_element_column(records, which, key->name, key->type, &key->columns[which], error);
  key->known[which] = !status;
  if (!status && key->fallback)
    status = qn_element_fallback(records, which, key->columns[which], key->fallback,
                                 key->fallback_length, error);
  return status;
}

enum qn_status qn_xml_key_declare(struct qn_xml_keys *keys, struct qn_element_records *records,
                                  const char *id, const char *name, const char *type,
                                  const bool of[2], struct qn_error *error) {
  if (!records) {
    keys->count++;
    return QN_OK;
  }
  if (keys->count == MOST_KEYS)
    return qn_fail(error, QN_INVALID, "more than %d keys are declared", MOST_KEYS);
  if (keys->count == keys->room) {
    keys->room = 2 * keys->room + 16;
    enum qn_status status = qn_realloc(&keys->keys, keys->room, sizeof *keys->keys, "keys", error);
    if (status)
      return status;
  }
  struct qn_xml_key *key = &keys->keys[keys->count];
  *key = (struct qn_xml_key){.type = type_called(type), .of = {of[0], of[1]}};
  enum qn_status status = copy_names(key, id, name ? name : id, error);
  if (status)
    return status;
  keys->count++;
  for (int which = 0; which < 2 && !status; which++)
    if (of[which] && !of[!which])
      status = find_column(key, records, which, error);
  return status;
}

static bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Blanks around what is no string mean nothing. */
static void trim(const char **text, uint64_t *length) {
  for (; *length && is_space(**text); --*length)
    ++*text;
  while (*length && is_space((*text)[*length - 1]))
    --*length;
}

void qn_xml_key_ignore(struct qn_xml_keys *keys) {
  struct qn_xml_key *key = keys->keys ? &keys->keys[keys->count - 1] : NULL;
  for (int which = 0; key && which < 2; which++) {
    key->of[which] = key->known[which] = true;
    key->columns[which] = QN_NOT_WANTED;
  }
}

enum qn_status qn_xml_key_fallback(struct qn_xml_keys *keys, struct qn_element_records *records,
                                   const char *text, uint64_t length, struct qn_error *error) {
  struct qn_xml_key *key = &keys->keys[keys->count - 1];
  if (key->type != QN_PROPERTY_STRING)
    trim(&text, &length);
  qn_free(key->fallback);
  key->fallback = NULL;
  enum qn_status status = qn_alloc(&key->fallback, length + 1, 1, "a value", error);
  if (status)
    return status;
  if (length)
    memcpy(key->fallback, text, length);
  key->fallback_length = length;
  for (int which = 0; which < 2 && !status; which++) {
    if (!key->known[which] && key->of[which]) /* elements that lack it have this */
      status = find_column(key, records, which, error);
    else if (key->known[which])
      status = qn_element_fallback(records, which, key->columns[which], text, length, error);
  }
  return status;
}

static struct qn_xml_key *find_key(struct qn_xml_keys *keys, const char *id, int which) {
  for (uint32_t i = 0; i < keys->count; i++) {
    uint32_t at = (keys->last + 1 + i) % keys->count;
    if (keys->keys[at].of[which] && strcmp(keys->keys[at].id, id) == 0)
      return &keys->keys[keys->last = at];
  }
  return NULL;
}

bool qn_xml_key_is_wanted(struct qn_xml_keys *keys, const char *id, int which) {
  const struct qn_xml_key *key = find_key(keys, id, which);
  return !key || !key->known[which] || key->columns[which] != QN_NOT_WANTED;
}

enum qn_status qn_xml_value(struct qn_xml_keys *keys, struct qn_element_records *records, int which,
                            const char *id, const char *text, uint64_t length,
                            struct qn_error *error) {
  struct qn_xml_key *key = find_key(keys, id, which);
  if (!key)
    return qn_fail(error, QN_INVALID, "there are data of the key '%.40s', which is not declared",
                   id);
  enum qn_status status = find_column(key, records, which, error);
  const uint32_t column = key->columns[which];
  if (status || column == QN_NOT_WANTED)
    return status;
  const struct qn_text_column *to =
      &records->tables[which].records->columns[column]; /* it may be of another type */
  const bool string = to->property.type == QN_PROPERTY_STRING;
  if (!string)
    trim(&text, &length);
  return qn_element_value(records, which, column, text, length, string, error);
}

void qn_xml_keys_release(struct qn_xml_keys *keys) {
  for (uint32_t i = 0; keys->keys && i < keys->count; i++) {
    qn_free(keys->keys[i].id);
    qn_free(keys->keys[i].fallback);
  }
  qn_free(keys->keys);
  *keys = (struct qn_xml_keys){0};
}
