#include "converters/readers/json_members.h"

#include <string.h>

#include "support/memory.h"

/* More digits may not fit jansson's whole numbers. */
#define SURE_DIGITS 18

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* Behind the string that opens at `p`. */
static const char *string_end(const char *p, const char *end) {
  for (p++; p < end && *p != '"'; p++)
    p += *p == '\\';
  return p < end ? p + 1 : end;
}

static const char *number_end(const char *p, const char *end) {
  while (p < end && (is_digit(*p) || memchr("+-.eE", *p, 5)))
    p++;
  return p;
}

/* ---- Large numbers -------------------------------------------------------- */

static bool is_large(const char *begin, const char *end) {
  begin += *begin == '-';
  for (const char *p = begin; p < end; p++)
    if (!is_digit(*p))
      return false;
  return end - begin > SURE_DIGITS;
}

/* Copy with quotes around large numbers, or with {} in place of them; `to` has room for twice as
 * much. */
static uint64_t replace_large(const char *p, const char *end, bool quoted, char *to) {
  const char *begin = to;
  while (p < end) {
    bool number = *p == '-' || is_digit(*p);
    const char *behind = *p == '"' ? string_end(p, end) : number ? number_end(p, end) : p + 1;
    bool large = number && is_large(p, behind);
    if (large)
      *to++ = quoted ? '"' : '{';
    if (quoted || !large) {
      memcpy(to, p, (size_t)(behind - p));
      to += behind - p;
    }
    if (large)
      *to++ = quoted ? '"' : '}';
    p = behind;
  }
  return (uint64_t)(to - begin);
}

json_t *qn_json_load(const char *text, uint64_t length, bool wanted, json_error_t *fault) {
  const size_t flags = JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL;
  char *copy;
  json_t *value = json_loadb(text, length, flags, fault);
  if (value || json_error_code(fault) != json_error_numeric_overflow ||
      qn_alloc(&copy, 2 * length, 1, "an element of JSON", NULL))
    return value;
  value = json_loadb(copy, replace_large(text, text + length, wanted, copy), flags, fault);
  qn_free(copy);
  return value;
}

/* ---- Members -------------------------------------------------------------- */

static const char *skip_to_value(const char *p, const char *end) {
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n' || *p == ',' || *p == ':'))
    p++;
  return p;
}

/* Behind an object or an array. */
static const char *nested_end(const char *p, const char *end) {
  uint32_t depth = 0;
  do {
    depth += *p == '{' || *p == '[';
    depth -= *p == '}' || *p == ']';
    p = *p == '"' ? string_end(p, end) : p + 1;
  } while (depth && p < end);
  return p;
}

static const char *word_end(const char *p, const char *end) {
  while (p < end && *p != ',' && *p != '}' && *p != ']' && *p != ' ' && !(*p >= '\t' && *p <= '\r'))
    p++;
  return p;
}

static const char *value_end(const char *p, const char *end) {
  return *p == '"'                ? string_end(p, end)
         : *p == '{' || *p == '[' ? nested_end(p, end)
                                  : word_end(p, end);
}

/* The characters of the string in [begin, end), quotes and all. */
static bool decode(const char *begin, const char *end, json_t **decoded, const char **text,
                   uint64_t *length) {
  *text = begin + 1;
  *length = (uint64_t)(end - begin - 2);
  if (!memchr(begin, '\\', (size_t)(end - begin)))
    return true;
  *decoded = json_loadb(begin, (size_t)(end - begin), JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
  *text = json_string_value(*decoded);
  *length = json_string_length(*decoded);
  return *decoded != NULL;
}

static void release(struct qn_json_member *member) {
  json_decref(member->decoded[0]);
  json_decref(member->decoded[1]);
  member->decoded[0] = member->decoded[1] = NULL;
  qn_free(member->copy);
  member->copy = NULL;
}

void qn_json_members_begin(struct qn_json_member *member, const char *begin, const char *end) {
  *member = (struct qn_json_member){.next = begin + 1, .end = end};
}

static enum qn_status take_name(struct qn_json_member *member, const char *text, uint64_t length,
                                struct qn_error *error) {
  enum qn_status status = qn_alloc(&member->copy, length + 1, 1, "the name of a member", error);
  if (status)
    return status;
  bool fine = length && !memchr(text, '\0', length);
  if (fine)
    memcpy(member->copy, text, length);
  member->copy[fine ? length : 0] = '\0';
  member->name = member->copy;
  return QN_OK;
}

bool qn_json_members_next(struct qn_json_member *member, enum qn_status *status,
                          struct qn_error *error) {
  const char *text;
  uint64_t length;
  release(member);
  *status = QN_OK;
  const char *key = skip_to_value(member->next, member->end);
  if (key >= member->end || *key != '"')
    return false;
  const char *key_end = string_end(key, member->end);
  const char *value = skip_to_value(key_end, member->end);
  if (value >= member->end)
    return false;
  member->next = value_end(value, member->end);
  member->quoted = *value == '"' || *value == '{' || *value == '[';
  member->text = value;
  member->length = (uint64_t)(member->next - value);
  bool fine = decode(key, key_end, &member->decoded[0], &text, &length);
  if (fine && *value == '"')
    fine = decode(value, member->next, &member->decoded[1], &member->text, &member->length);
  if (*value == 'n')
    member->text = NULL;
  *status =
      fine ? take_name(member, text, length, error) : qn_fail_memory(error, "a member of JSON", 0);
  return !*status;
}

void qn_json_members_end(struct qn_json_member *member) {
  release(member);
}
