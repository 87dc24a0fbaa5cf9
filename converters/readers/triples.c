/* RDF as lines: N-Triples, <subject> <predicate> <object> . and N-Quads, which have a graph behind
 * it (RDF 1.1). Subjects and objects are vertices, called by their IRIs without brackets, or
 * _:name. With properties the predicate and the graph are properties of edges, and literals of
 * vertices, called by the predicate: "name", "name@en", "price^^http://type/of/another/kind". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converters/elements/literals.h"
#include "converters/elements/named_graph.h"
#include "converters/parse/reader.h"
#include "formats/text/delimited.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_output.h"
#include "support/input/input.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/progress.h"

/* Of a term without escapes. */
#define TERM_BYTES (QN_MAX_NAME_BYTES + 32)
/* Digits that an f64 keeps. */
#define MOST_DIGITS 15

struct triples {
  struct qn_named_graph graph;
  uint64_t quads;              /* edges of a graph that is named */
  uint64_t literals;           /* that are left out */
  uint64_t literal_quads;      /* whose graph is */
  struct qn_text_buffer value; /* room for a literal without escapes */
  char subject[TERM_BYTES], predicate[TERM_BYTES], object[TERM_BYTES], name[TERM_BYTES];
};

/* What a line says, as it is written. */
struct triple {
  struct qn_column subject, predicate, object, graph; /* an empty graph: there is none */
  bool is_literal;                                    /* the object is what is in the quotes */
  struct qn_column language, datatype;                /* of it, or empty */
};

/* ---- Terms -------------------------------------------------------------------- */

static bool is_comment(const char *line, const char *end) {
  line = qn_skip_blanks(line, end);
  return line == end || *line == '#';
}

/* <...> without the brackets, or _:name; `*p` moves behind it. */
static bool take_term(const char **p, const char *end, struct qn_column *term) {
  const char *begin = qn_skip_blanks(*p, end), *close;
  if (end - begin >= 2 && *begin == '<' && (close = memchr(begin, '>', (size_t)(end - begin)))) {
    *term = (struct qn_column){.begin = begin + 1, .end = close};
    *p = close + 1;
    return true;
  }
  if (end - begin < 3 || begin[0] != '_' || begin[1] != ':')
    return false;
  for (*p = begin; *p < end && !qn_is_blank(**p);)
    ++*p;
  while ((*p)[-1] == '.') /* that ends the triple */
    --*p;
  *term = (struct qn_column){.begin = begin, .end = *p};
  return true;
}

/* The character of so many hexadecimal digits; 0 if they are none, or none of UTF-8. */
static uint32_t escaped_character(const char *digits, const char *end, int count) {
  uint32_t character = 0;
  if (end - digits < count)
    return 0;
  for (int i = 0; i < count; i++) {
    const char *all = "0123456789abcdef", *digit = memchr(all, digits[i] | 0x20, 16);
    if (!digit)
      return 0;
    character = character << 4 | (uint32_t)(digit - all);
  }
  return qn_utf8_has(character) ? character : 0;
}

/* The character after a backslash; 0 if it has no such name. */
static char named_character(char name) {
  static const char names[] = "tbnrf\"'\\", characters[] = "\t\b\n\r\f\"'\\";
  const char *found = name ? strchr(names, name) : NULL;
  return found ? characters[found - names] : '\0';
}

/* The term without escapes in `out`, which has room for it; the end of what was put, or NULL if
 * there is an escape that is none. Those of characters by their names are known in literals. */
static char *unescape(const struct qn_column *term, bool is_literal, char *out) {
  const char *p = term->begin, *end = term->end;
  while (p < end) {
    const char *slash = memchr(p, '\\', (size_t)(end - p));
    const size_t plain = (size_t)((slash ? slash : end) - p);
    memcpy(out, p, plain);
    out += plain;
    p += plain;
    if (!slash)
      break;
    const int digits = end - p < 2 ? 0 : p[1] == 'u' ? 4 : p[1] == 'U' ? 8 : 0;
    const uint32_t character = digits                      ? escaped_character(p + 2, end, digits)
                               : is_literal && end - p > 1 ? (unsigned char)named_character(p[1])
                                                           : 0;
    if (!character)
      return NULL;
    out = qn_utf8_put(out, character);
    p += 2 + digits;
  }
  return out;
}

/* An IRI or a blank node, in `buffer` if it has escapes; without bytes if it has others, or is too
 * long. */
static struct qn_text term_text(const struct qn_column *term, char buffer[TERM_BYTES]) {
  const uint64_t length = (uint64_t)(term->end - term->begin);
  if (!memchr(term->begin, '\\', length))
    return (struct qn_text){term->begin, length};
  const char *end = length < TERM_BYTES ? unescape(term, false, buffer) : NULL;
  return (struct qn_text){end ? buffer : NULL, end ? (uint64_t)(end - buffer) : 0};
}

/* ---- Lines -------------------------------------------------------------------- */

static bool is_letter_of_tag(char c) {
  return qn_is_digit(c) || c == '-' || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* "value", "value"@en, "value"^^<type>. */
static bool take_literal(const char **at, const char *end, struct triple *triple) {
  const char *p = *at + 1;
  triple->object.begin = p;
  while (p < end && *p != '"')
    p += *p == '\\' ? 2 : 1;
  if (p >= end)
    return false;
  triple->object.end = p++;
  if (p < end && *p == '@') {
    triple->language.begin = ++p;
    while (p < end && is_letter_of_tag(*p))
      p++;
    triple->language.end = p;
    if (triple->language.begin == p)
      return false;
  } else if (end - p > 3 && p[0] == '^' && p[1] == '^') {
    p += 2;
    if (*p != '<' || !take_term(&p, end, &triple->datatype))
      return false;
  }
  triple->is_literal = true;
  *at = p;
  return true;
}

/* False if it is no triple. */
static bool cut_triple(const char *line, const char *end, struct triple *triple) {
  const char *p = line;
  *triple = (struct triple){0};
  if (!take_term(&p, end, &triple->subject) || !take_term(&p, end, &triple->predicate))
    return false;
  p = qn_skip_blanks(p, end);
  if (p < end && *p == '"' ? !take_literal(&p, end, triple) : !take_term(&p, end, &triple->object))
    return false;
  p = qn_skip_blanks(p, end);
  if (p < end && *p != '.' && !take_term(&p, end, &triple->graph))
    return false;
  p = qn_skip_blanks(p, end);
  return end - p == 1 && *p == '.';
}

/* Where nobody asks for properties a literal is not looked at. */
static bool begins_literal(const char *line, const char *end) {
  struct qn_column term;
  const char *p = line;
  if (!take_term(&p, end, &term) || !take_term(&p, end, &term))
    return false;
  p = qn_skip_blanks(p, end);
  return p < end && *p == '"' && end[-1] == '.';
}

static enum qn_status fail_line(struct qn_error *error, const char *expected, const char *line,
                                const char *end) {
  char quoted[QN_QUOTE_BYTES];
  return qn_fail(error, QN_INVALID, "expected %s; found %s", expected,
                 qn_text_quote(line, end, quoted));
}

static const char escapes[] = "no escapes but \\uXXXX and \\UXXXXXXXX";

/* ---- Literals ----------------------------------------------------------------- */

/* More digits than an f64 keeps, as decimals may have. */
static bool is_long(struct qn_text value) {
  uint64_t digits = 0;
  for (uint64_t i = 0; i < value.length; i++)
    digits += qn_is_digit(value.bytes[i]) && (digits || value.bytes[i] != '0');
  return digits > MOST_DIGITS;
}

/* The kind of what a datatype of XML Schema's is; false: it is another one. */
static bool kind_of(struct qn_text datatype, enum qn_literal_kind *kind) {
  static const char schema[] = "http://www.w3.org/2001/XMLSchema#";
  static const struct {
    const char *name;
    enum qn_literal_kind kind;
  } types[] = {{"string", QN_LITERAL_TEXT},
               {"boolean", QN_LITERAL_TRUTH},
               {"date", QN_LITERAL_DATE},
               {"dateTime", QN_LITERAL_TIME},
               {"dateTimeStamp", QN_LITERAL_TIME},
               {"integer", QN_LITERAL_NUMBER},
               {"decimal", QN_LITERAL_NUMBER},
               {"double", QN_LITERAL_NUMBER},
               {"float", QN_LITERAL_NUMBER},
               {"long", QN_LITERAL_NUMBER},
               {"int", QN_LITERAL_NUMBER},
               {"short", QN_LITERAL_NUMBER},
               {"byte", QN_LITERAL_NUMBER},
               {"nonNegativeInteger", QN_LITERAL_NUMBER},
               {"positiveInteger", QN_LITERAL_NUMBER},
               {"nonPositiveInteger", QN_LITERAL_NUMBER},
               {"negativeInteger", QN_LITERAL_NUMBER},
               {"unsignedLong", QN_LITERAL_NUMBER},
               {"unsignedInt", QN_LITERAL_NUMBER},
               {"unsignedShort", QN_LITERAL_NUMBER},
               {"unsignedByte", QN_LITERAL_NUMBER}};
  const size_t before = sizeof schema - 1;
  if (datatype.length < before || memcmp(datatype.bytes, schema, before) != 0)
    return false;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strlen(types[i].name) == datatype.length - before &&
        memcmp(types[i].name, datatype.bytes + before, datatype.length - before) == 0)
      return *kind = types[i].kind, true;
  return false;
}

/* The name of the property in triples->name: what kinds of values do not say stands behind it. */
static struct qn_text name_property(struct triples *triples, struct qn_text predicate,
                                    const struct triple *triple, enum qn_literal_kind *kind) {
  struct qn_text behind = {triple->language.begin,
                           (uint64_t)(triple->language.end - triple->language.begin)};
  const char *between = "@";
  *kind = QN_LITERAL_TEXT;
  if (triple->datatype.begin) {
    behind = term_text(&triple->datatype, triples->object);
    between = "^^";
    if (!behind.bytes || kind_of(behind, kind))
      return predicate;
  }
  if (!behind.length)
    return predicate;
  const int length = snprintf(triples->name, TERM_BYTES, "%.*s%s%.*s", (int)predicate.length,
                              predicate.bytes, between, (int)behind.length, behind.bytes);
  return (struct qn_text){triples->name, (uint64_t)(length < TERM_BYTES ? length : TERM_BYTES - 1)};
}

static bool is_decimal(const struct triple *triple) {
  static const char name[] = "#decimal";
  const uint64_t length = (uint64_t)(triple->datatype.end - triple->datatype.begin);
  return length >= sizeof name - 1 &&
         memcmp(triple->datatype.end - (sizeof name - 1), name, sizeof name - 1) == 0;
}

static enum qn_status take_value(struct triples *triples, struct qn_text subject,
                                 struct qn_text predicate, bool is_label,
                                 const struct triple *triple, struct qn_error *error) {
  const uint64_t length = (uint64_t)(triple->object.end - triple->object.begin);
  enum qn_literal_kind kind;
  triples->value.used = 0;
  char *begin = qn_text_buffer_reserve(&triples->value, length + 1);
  if (!begin)
    return qn_fail_memory(error, "a literal", length);
  const char *end = unescape(&triple->object, true, begin);
  if (!end)
    return fail_line(error,
                     "no escapes but \\t \\b \\n \\r \\f \\\" \\' \\\\, \\uXXXX and \\UXXXXXXXX",
                     triple->object.begin, triple->object.end);
  const struct qn_text value = {begin, (uint64_t)(end - begin)};
  const struct qn_text name =
      is_label ? predicate : name_property(triples, predicate, triple, &kind);
  if (is_label)
    kind = QN_LITERAL_LABEL;
  else if (kind == QN_LITERAL_NUMBER && is_decimal(triple) && is_long(value))
    kind = QN_LITERAL_TEXT;
  return qn_literals_add(triples->graph.records, subject, name, kind, value, error);
}

/* What a subject has as a property is no edge; in the first reading it is a vertex. */
static enum qn_status take_property(struct triples *triples, struct qn_text subject,
                                    struct qn_text predicate, bool is_label,
                                    const struct triple *triple, struct qn_error *error) {
  if (!triples->graph.records)
    return qn_named_graph_called(&triples->graph, subject, error);
  triples->literal_quads += triple->graph.begin != NULL;
  if (triple->is_literal)
    return take_value(triples, subject, predicate, is_label, triple, error);
  const struct qn_text object = term_text(&triple->object, triples->object);
  if (!object.bytes)
    return fail_line(error, escapes, triple->object.begin, triple->object.end);
  return qn_literals_add(triples->graph.records, subject, predicate, QN_LITERAL_LABEL, object,
                         error);
}

/* ---- Edges -------------------------------------------------------------------- */

static enum qn_status name_edge(struct triples *triples, struct qn_text predicate,
                                const struct triple *triple, struct qn_error *error) {
  struct qn_element_records *records = triples->graph.records;
  if (!records)
    return QN_OK;
  enum qn_status status = qn_element_named_value(records, QN_OF_EDGES, "predicate", predicate.bytes,
                                                 predicate.length, true, error);
  if (status || !triple->graph.begin)
    return status;
  const struct qn_text graph = term_text(&triple->graph, triples->object);
  if (!graph.bytes)
    return fail_line(error, escapes, triple->graph.begin, triple->graph.end);
  return qn_element_named_value(records, QN_OF_EDGES, "graph", graph.bytes, graph.length, true,
                                error);
}

static enum qn_status take_edge(struct triples *triples, struct qn_text subject,
                                struct qn_text predicate, const struct triple *triple,
                                struct qn_error *error) {
  enum qn_status status = name_edge(triples, predicate, triple, error);
  const struct qn_text object = term_text(&triple->object, triples->object);
  if (!status && !object.bytes)
    status = fail_line(error, escapes, triple->object.begin, triple->object.end);
  triples->quads += triple->graph.begin != NULL;
  return status ? status
                : qn_named_graph_between(&triples->graph, subject, object,
                                         (struct qn_text){NULL, 0}, error);
}

static bool is_label(const struct triples *triples, struct qn_text predicate) {
  const char *label = triples->graph.options->label_predicate;
  return label && strlen(label) == predicate.length &&
         memcmp(label, predicate.bytes, predicate.length) == 0;
}

static enum qn_status take_line(void *context, const char *line, const char *end,
                                struct qn_error *error) {
  struct triples *triples = context;
  const bool properties = triples->graph.options->others_wanted || triples->graph.records;
  struct triple triple;
  if (is_comment(line, end))
    return QN_OK;
  while (end > line && qn_is_blank(end[-1]))
    end--;
  if (!properties && begins_literal(line, end)) {
    triples->literals++;
    return QN_OK;
  }
  if (!cut_triple(line, end, &triple))
    return fail_line(error, "<subject> <predicate> <object> .", line, end);
  const struct qn_text subject = term_text(&triple.subject, triples->subject);
  const struct qn_text predicate = term_text(&triple.predicate, triples->predicate);
  if (!subject.bytes || !predicate.bytes)
    return fail_line(error, escapes, line, end);
  if (properties && (triple.is_literal || is_label(triples, predicate)))
    return take_property(triples, subject, predicate, is_label(triples, predicate), &triple, error);
  return take_edge(triples, subject, predicate, &triple, error);
}

/* ---- The whole ---------------------------------------------------------------- */

static void describe(const struct triples *triples, struct qn_read_result *result) {
  const bool kept = triples->graph.options->others_wanted || triples->graph.records;
  snprintf(result->description, sizeof result->description, "no weights%s",
           kept                ? ""
           : triples->literals ? "; predicates are not kept, literals are left out "
                                 "(--properties=all keeps them)"
                               : "; predicates are not kept (--properties=all keeps them)");
  if (!kept && triples->quads)
    qn_note(QN_NOTE_NOT_READ,
            "the graphs that N-Quads name are not kept: a triple in two of them is two edges");
  if (triples->literal_quads)
    qn_note(QN_NOTE_NOT_READ, "of which graph the properties of vertices are is not kept");
}

static enum qn_status read_triples(struct qn_input *input, const struct qn_read_options *options,
                                   struct qn_edge_list *list, uint64_t *sequence,
                                   struct qn_read_result *result, struct qn_error *error) {
  struct triples *triples;
  enum qn_status status = qn_alloc_zeroed(&triples, 1, sizeof *triples, "a reader of lines", error);
  if (status)
    return status;
  status = qn_named_graph_begin(&triples->graph, options, list, sequence, result, error);
  if (!status)
    status = qn_text_each_line(input, take_line, triples, error);
  describe(triples, result);
  status = qn_named_graph_end(&triples->graph, status, error);
  free(triples->value.bytes);
  qn_free(triples);
  return status;
}

static int detect_triples(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  struct qn_input_block block = {head, bytes, 0};
  struct qn_column term;
  const char *line, *end;
  (void)options;
  while (qn_text_take_line(&block, &line, &end)) {
    if (is_comment(line, end))
      continue;
    while (end > line && qn_is_blank(end[-1]))
      end--;
    return take_term(&line, end, &term) && take_term(&line, end, &term) && end[-1] == '.' ? 3 : 0;
  }
  return 0;
}

const struct qn_reader qn_reader_n_triples = {
    .name = "n-triples",
    .detect = detect_triples,
    .read = read_triples,
    .release = qn_names_release,
    .gives_properties = true,
};
