#include "converters/readers/json_edge.h"

#include <stdio.h>
#include <string.h>

#include "converters/readers/json_members.h"
#include "support/json_text.h"

/* Members are looked for in this order. */
#define MOST_NAMES 6
static const char *const member_names[3][MOST_NAMES + 1] = {
    {"source", "src", "from", "u", "start"},
    {"target", "dst", "to", "v", "end", "destination"},
    {"weight", "value", "w"},
};
enum { SOURCE, TARGET, WEIGHT, ROLES };

/* ---- Of values ------------------------------------------------------------------------------ */

static const char *member_name(const json_t *object, int role) {
  for (const char *const *name = member_names[role]; *name; name++)
    if (json_object_get(object, *name))
      return *name;
  return NULL;
}

static const json_t *member(const json_t *object, int role) {
  const char *name = member_name(object, role);
  return name ? json_object_get(object, name) : NULL;
}

bool qn_json_is_edge_member(const json_t *value, const char *name) {
  for (int role = 0; role < ROLES; role++) {
    const char *taken = member_name(value, role);
    if (taken && strcmp(taken, name) == 0)
      return true;
  }
  return false;
}

const char *qn_json_weight_name(const json_t *value) {
  return member_name(value, WEIGHT);
}

bool qn_json_id(const json_t *value, struct qn_json_text *text, char number[32]) {
  if (json_is_integer(value)) {
    text->begin = number;
    text->length =
        (uint64_t)snprintf(number, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    return true;
  }
  text->begin = json_string_value(value);
  text->length = json_string_length(value);
  return json_is_string(value);
}

/* As a whole number is printed. */
static bool looks_whole(const struct qn_json_text *text) {
  const char *p = text->begin, *end = p + text->length;
  p += p < end && *p == '-';
  const char *digits = p;
  while (p < end && *p >= '0' && *p <= '9')
    p++;
  return p == end && digits < end && (*digits != '0' || text->length == 1);
}

void qn_json_ids_add(struct qn_json_ids *ids, const struct qn_json_text *text, bool string) {
  ids->strings |= string;
  ids->numbers |= !string;
  ids->digits |= string && looks_whole(text);
}

enum qn_status qn_json_ids_check(const struct qn_json_ids *ids, struct qn_error *error) {
  if (ids->unlike && !ids->alike)
    return qn_fail(error, QN_INVALID,
                   "every pair of the list is a string and a number, which may be a name and its "
                   "value: --ids=strings takes both as vertices");
  if (!ids->numbers || !ids->digits)
    return QN_OK;
  return qn_fail(error, QN_INVALID,
                 "some ids are integers, and some are strings that look like them: 1 and \"1\" "
                 "would be one vertex, and are with --ids=strings");
}

/* What is no number is refused as a weight by its text. */
static struct qn_json_text weight_text(const json_t *weight, char number[32]) {
  struct qn_json_text text = {0};
  if (!weight || json_is_null(weight))
    return text;
  if (json_is_real(weight))
    text = (struct qn_json_text){number,
                                 (uint64_t)snprintf(number, 32, "%.17g", json_real_value(weight))};
  else if (!qn_json_id(weight, &text, number))
    text = (struct qn_json_text){"?", 1};
  return text;
}

bool qn_json_edge_of(const json_t *value, struct qn_json_edge *edge) {
  bool pair = json_is_array(value) && json_array_size(value) >= 2 && json_array_size(value) <= 3;
  const json_t *roles[ROLES];
  for (int role = 0; role < ROLES; role++)
    roles[role] = pair ? json_array_get(value, (size_t)role) : member(value, role);
  edge->weight = weight_text(roles[WEIGHT], edge->numbers[WEIGHT]);
  edge->others = json_is_object(value) && json_object_size(value) > (edge->weight.begin ? 3u : 2u);
  edge->ids = (struct qn_json_ids){0};
  if (!qn_json_id(roles[SOURCE], &edge->source, edge->numbers[SOURCE]) ||
      !qn_json_id(roles[TARGET], &edge->target, edge->numbers[TARGET]))
    return false;
  qn_json_ids_add(&edge->ids, &edge->source, json_is_string(roles[SOURCE]));
  qn_json_ids_add(&edge->ids, &edge->target, json_is_string(roles[TARGET]));
  edge->ids.unlike = pair && edge->ids.strings && edge->ids.numbers;
  edge->ids.alike = pair && !edge->ids.unlike;
  return true;
}

/* ---- Of text -------------------------------------------------------------------------------- */

/* Objects of more members are left to jansson, which compares all keys. */
#define MOST_MEMBERS 8
/* More digits may not fit an integer. */
#define SURE_DIGITS 18

enum kind { KIND_STRING, KIND_WHOLE, KIND_REAL, KIND_WORD };

struct token {
  struct qn_json_text text;
  enum kind kind;
};

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static const char *skip_space(const char *p, const char *end) {
  while (p < end && is_space(*p))
    p++;
  return p;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *p, const char *end) {
  while (p < end && is_digit(*p))
    p++;
  return p;
}

static bool is_utf8(const char *begin, const char *end) {
  const unsigned char *p = (const unsigned char *)begin;
  uint32_t character;
  while (p < (const unsigned char *)end)
    if (!qn_utf8_next(&p, (const unsigned char *)end, &character))
      return false;
  return true;
}

/* Behind the string that opens at `p`; NULL if there is an escape in it, or what may be in none. */
static const char *scan_string(const char *p, const char *end, struct qn_json_text *text) {
  const char *begin = ++p;
  unsigned char seen = 0;
  for (; p < end && *p != '"' && *p != '\\' && (unsigned char)*p >= 0x20; p++)
    seen |= (unsigned char)*p;
  *text = (struct qn_json_text){begin, (uint64_t)(p - begin)};
  return p < end && *p == '"' && (seen < 0x80 || is_utf8(begin, p)) ? p + 1 : NULL;
}

/* Reals of more digits are not what a parser that goes by double prints again. */
#define MOST_REAL_DIGITS 15

/* Behind a number from 0 on without an exponent. The zeros of a fraction that is none are no part
 * of it, as when it is printed again. */
static const char *scan_number(const char *p, const char *end, struct token *token) {
  const char *begin = p, *whole = skip_digits(p, end);
  if (whole - begin > SURE_DIGITS || whole == begin || (*begin == '0' && whole > begin + 1))
    return NULL;
  token->kind = KIND_WHOLE;
  token->text = (struct qn_json_text){begin, (uint64_t)(whole - begin)};
  if (whole == end || *whole != '.')
    return whole;
  const char *fraction = skip_digits(whole + 1, end), *last = fraction;
  while (last > whole && (last[-1] == '0' || last[-1] == '.'))
    last--;
  token->kind = KIND_REAL;
  if (last > whole)
    token->text.length = (uint64_t)(last - begin);
  return fraction > whole + 1 && fraction - begin - 1 <= MOST_REAL_DIGITS ? fraction : NULL;
}

/* Behind null, true or false; of these only null may be a weight. */
static const char *scan_word(const char *p, const char *end, struct token *token) {
  static const char *const words[] = {"null", "true", "false"};
  for (int i = 0; i < 3; i++) {
    size_t length = strlen(words[i]);
    if ((size_t)(end - p) >= length && memcmp(p, words[i], length) == 0) {
      *token = (struct token){{i ? p : NULL, i ? length : 0}, KIND_WORD};
      return p + length;
    }
  }
  return NULL;
}

static const char *scan_value(const char *p, const char *end, struct token *token) {
  if (p == end)
    return NULL;
  if (*p == '"') {
    token->kind = KIND_STRING;
    return scan_string(p, end, &token->text);
  }
  const char *behind = is_digit(*p) ? scan_number(p, end, token) : scan_word(p, end, token);
  bool ends = behind && (behind == end || *behind == ',' || *behind == '}' || is_space(*behind));
  return ends ? behind : NULL;
}

/* The members that matter have roles, each of which has several names. */
struct members {
  const char *const (*names)[MOST_NAMES + 1];
  int roles;
  struct qn_json_text keys[MOST_MEMBERS];
  uint32_t count;
  struct token values[ROLES];
  uint32_t places[ROLES]; /* of their names; MOST_NAMES: none is there */
};

/* Most keys differ in their length or their first character; a quote closes empty ones. */
static bool same(const struct qn_json_text *a, const char *name, uint64_t length) {
  return a->length == length && *a->begin == *name && memcmp(a->begin, name, length) == 0;
}

/* False if the key came before. */
static bool add_member(struct members *members, const struct qn_json_text *key,
                       const struct token *value) {
  if (members->count == MOST_MEMBERS)
    return false;
  for (uint32_t i = 0; i < members->count; i++)
    if (same(&members->keys[i], key->begin, key->length))
      return false;
  members->keys[members->count++] = *key;
  for (int role = 0; role < members->roles; role++) {
    const char *const *names = members->names[role];
    for (uint32_t place = 0; place < members->places[role] && names[place]; place++)
      if (*key->begin == *names[place] && same(key, names[place], strlen(names[place]))) {
        members->places[role] = place;
        members->values[role] = *value;
      }
  }
  return true;
}

/* ... of an object that begins at `p`; behind it. */
static const char *scan_members(const char *p, const char *end, struct members *members) {
  struct qn_json_text key;
  struct token value;
  if (p == end || *p != '{')
    return NULL;
  do {
    p = skip_space(p + 1, end);
    if (p == end || *p != '"' || !(p = scan_string(p, end, &key)))
      return NULL;
    p = skip_space(p, end);
    if (p == end || *p != ':' || !(p = scan_value(skip_space(p + 1, end), end, &value)) ||
        !add_member(members, &key, &value))
      return NULL;
    p = skip_space(p, end);
  } while (p < end && *p == ',');
  return p < end && *p == '}' ? p + 1 : NULL;
}

static bool has_role(const struct members *members, int role) {
  return members->places[role] < MOST_NAMES;
}

const char *qn_json_edge_scan(const char *begin, const char *end, struct qn_json_edge *edge) {
  struct members members = {
      .names = member_names, .roles = ROLES, .places = {MOST_NAMES, MOST_NAMES, MOST_NAMES}};
  const char *behind = scan_members(begin, end, &members);
  if (!behind)
    return NULL;
  const struct token *values = members.values;
  bool null = values[WEIGHT].kind == KIND_WORD && !values[WEIGHT].text.begin;
  bool weighted = has_role(&members, WEIGHT) && !null;
  if (weighted && values[WEIGHT].kind == KIND_WORD)
    return NULL;
  for (int role = SOURCE; role <= TARGET; role++)
    if (!has_role(&members, role) || values[role].kind > KIND_WHOLE)
      return NULL;
  edge->source = values[SOURCE].text;
  edge->target = values[TARGET].text;
  edge->ids = (struct qn_json_ids){0};
  for (int role = SOURCE; role <= TARGET; role++)
    qn_json_ids_add(&edge->ids, &values[role].text, values[role].kind == KIND_STRING);
  edge->weight = weighted ? values[WEIGHT].text : (struct qn_json_text){0};
  edge->others = members.count > (weighted ? 3 : 2);
  return behind;
}

const char *qn_json_node_scan(const char *begin, const char *end, struct qn_json_node *node) {
  static const char *const names[1][MOST_NAMES + 1] = {{"id", "key"}};
  struct members members = {.names = names, .roles = 1, .places = {MOST_NAMES}};
  const char *behind = scan_members(begin, end, &members);
  bool called = behind && has_role(&members, 0);
  if (!behind || (called && members.values[0].kind > KIND_WHOLE))
    return NULL;
  node->id = called ? members.values[0].text : (struct qn_json_text){0};
  node->string = called && members.values[0].kind == KIND_STRING;
  node->others = members.count > 1;
  return behind;
}

bool qn_json_may_be_edge(const char *begin, const char *end) {
  struct qn_json_member member;
  enum qn_status status;
  bool found[ROLES] = {false};
  begin = skip_space(begin, end);
  if (begin == end || *begin != '{')
    return false;
  qn_json_members_begin(&member, begin, end);
  while (qn_json_members_next(&member, &status, NULL))
    for (int role = 0; role < ROLES; role++)
      for (const char *const *name = member_names[role]; *name; name++)
        found[role] |= strcmp(*name, member.name) == 0;
  qn_json_members_end(&member);
  return found[SOURCE] && found[TARGET];
}
