/* The .properties file beside a WebGraph: lines "key=value" as Java writes them. */
#include <inttypes.h>
#include <stdio.h>

#include "converters/arrays/bv_labels.h"
#include "converters/parse/text_lines.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"

struct text {
  const char *begin, *end;
};

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f';
}

static struct text trim(struct text text) {
  while (text.begin < text.end && is_space(*text.begin))
    text.begin++;
  while (text.begin < text.end && is_space(text.end[-1]))
    text.end--;
  return text;
}

static bool equals(struct text text, const char *word) {
  size_t length = strlen(word);
  return (size_t)(text.end - text.begin) == length && memcmp(text.begin, word, length) == 0;
}

/* The value of `key`; false if there is none. The last one counts. */
static bool find(struct text all, const char *key, struct text *value) {
  bool found = false;
  while (all.begin < all.end) {
    const char *end = memchr(all.begin, '\n', (size_t)(all.end - all.begin));
    struct text line = trim((struct text){all.begin, end ? end : all.end});
    const char *mark = line.begin;
    while (mark < line.end && *mark != '=' && *mark != ':')
      mark++;
    if (mark < line.end && *line.begin != '#' && *line.begin != '!' &&
        equals(trim((struct text){line.begin, mark}), key)) {
      *value = trim((struct text){mark + 1, line.end});
      found = true;
    }
    all.begin = end ? end + 1 : all.end;
  }
  return found;
}

static enum qn_status refuse(const char *file, enum qn_status status, struct qn_error *error,
                             const char *what, struct text found) {
  char quoted[QN_QUOTE_BYTES];
  qn_fail(error, status, "%s; found %s", what, qn_text_quote(found.begin, found.end, quoted));
  return qn_error_in_file(error, file), status;
}

/* A whole number in [least, most]; `fallback` where there is none, unless that is UINT64_MAX. */
static enum qn_status parse_number(struct text all, const char *key, uint64_t least, uint64_t most,
                                   uint64_t fallback, const char *file, uint64_t *number,
                                   struct qn_error *error) {
  struct text value = {all.end, all.end};
  char what[128];
  *number = fallback;
  if (!find(all, key, &value) && fallback != UINT64_MAX)
    return QN_OK;
  if (qn_parse_whole(value.begin, value.end, number) == QN_NUMBER_FINE && *number >= least &&
      *number <= most)
    return QN_OK;
  snprintf(what, sizeof what, "expected '%s' from %" PRIu64 " to %" PRIu64, key, least, most);
  return refuse(file, QN_INVALID, error, what, value);
}

/* One of "RESIDUALS_ZETA | REFERENCES_GAMMA": sets a code; false if it is unknown. */
static bool set_code(struct text flag, struct qn_bv_properties *properties) {
  static const char *const codes[] = {"UNARY", "GAMMA", "DELTA", "ZETA", "NIBBLE", "GOLOMB"};
  const struct {
    const char *part;
    enum qn_bit_code *code;
  } parts[] = {{"OUTDEGREES", &properties->degrees},       {"REFERENCES", &properties->references},
               {"BLOCK_COUNT", &properties->block_counts}, {"BLOCKS", &properties->blocks},
               {"RESIDUALS", &properties->residuals},      {"OFFSETS", &properties->offsets}};
  char name[32];
  for (unsigned p = 0; p < sizeof parts / sizeof parts[0]; p++)
    for (unsigned c = 0; c < sizeof codes / sizeof codes[0]; c++) {
      snprintf(name, sizeof name, "%s_%s", parts[p].part, codes[c]);
      if (equals(flag, name)) {
        *parts[p].code = (enum qn_bit_code)c;
        return true;
      }
    }
  return false;
}

static enum qn_status parse_codes(struct text all, const char *file,
                                  struct qn_bv_properties *properties, struct qn_error *error) {
  struct text flags;
  properties->degrees = properties->blocks = properties->block_counts = QN_CODE_GAMMA;
  properties->offsets = QN_CODE_GAMMA;
  properties->references = QN_CODE_UNARY;
  properties->residuals = QN_CODE_ZETA;
  if (!find(all, "compressionflags", &flags))
    return QN_OK;
  while (flags.begin < flags.end) {
    const char *bar = memchr(flags.begin, '|', (size_t)(flags.end - flags.begin));
    struct text flag = trim((struct text){flags.begin, bar ? bar : flags.end});
    if (flag.begin < flag.end && !set_code(flag, properties))
      return refuse(file, QN_UNSUPPORTED, error, "a compression flag is unknown", flag);
    flags.begin = bar ? bar + 1 : flags.end;
  }
  return QN_OK;
}

static bool has_zeta(const struct qn_bv_properties *properties) {
  return properties->degrees == QN_CODE_ZETA || properties->references == QN_CODE_ZETA ||
         properties->block_counts == QN_CODE_ZETA || properties->blocks == QN_CODE_ZETA ||
         properties->residuals == QN_CODE_ZETA || properties->offsets == QN_CODE_ZETA;
}

/* The k of zeta codes is that of Golomb's, too, where residuals have these: their modulus. */
static enum qn_status parse_k(struct text all, const char *file,
                              struct qn_bv_properties *properties, struct qn_error *error) {
  const bool is_modulus = properties->residuals == QN_CODE_GOLOMB && !has_zeta(properties);
  uint64_t k;
  enum qn_status status =
      parse_number(all, "zetak", 1, is_modulus ? INT32_MAX : 63, 3, file, &k, error);
  properties->zeta = (unsigned)k;
  return status;
}

/* -1, and the largest number, are no bound; nor is what is not said. */
static enum qn_status parse_chain(struct text all, const char *file,
                                  struct qn_bv_properties *properties, struct qn_error *error) {
  struct text value;
  properties->longest_chain = UINT64_MAX;
  if (!find(all, "maxrefcount", &value) || equals(value, "-1"))
    return QN_OK;
  enum qn_status status = parse_number(all, "maxrefcount", 0, INT32_MAX, UINT64_MAX, file,
                                       &properties->longest_chain, error);
  if (properties->longest_chain == INT32_MAX)
    properties->longest_chain = UINT64_MAX;
  return status;
}

enum qn_status qn_bv_parse(const char *text, uint64_t bytes, const char *file,
                           struct qn_bv_properties *properties, struct qn_error *error) {
  struct text all = {text, text + bytes}, value = {all.end, all.end};
  uint64_t version;
  *properties = (struct qn_bv_properties){0};
  if (!find(all, "graphclass", &value))
    return refuse(file, QN_INVALID, error, "expected the properties of a WebGraph, with graphclass",
                  value);
  if (!equals(value, "it.unimi.dsi.webgraph.BVGraph") &&
      !equals(value, "it.unimi.dsi.big.webgraph.BVGraph"))
    return refuse(file, QN_UNSUPPORTED, error, "of WebGraph's classes only BVGraph is known",
                  value);
  if (find(all, "endianness", &value) && !equals(value, "big"))
    return refuse(file, QN_UNSUPPORTED, error, "only big-endian bits are known", value);
  enum qn_status status;
  if ((status = parse_number(all, "version", 0, 0, 0, file, &version, error)) ||
      (status = parse_number(all, "nodes", 0, UINT32_MAX, UINT64_MAX, file, &properties->nodes,
                             error)) ||
      (status = parse_number(all, "arcs", 0, (uint64_t)1 << 60, UINT64_MAX, file, &properties->arcs,
                             error)) ||
      (status =
           parse_number(all, "windowsize", 0, INT32_MAX, 7, file, &properties->window, error)) ||
      (status = parse_number(all, "minintervallength", 0, INT32_MAX, 4, file,
                             &properties->min_interval, error)) ||
      (status = parse_codes(all, file, properties, error)) ||
      (status = parse_k(all, file, properties, error)))
    return status;
  return parse_chain(all, file, properties, error);
}

/* ---- Labels ------------------------------------------------------------------ */

/* "it.unimi.dsi.webgraph.labelling.FixedWidthIntLabel(NAME,10)": which of the classes, and what is
 * behind the name; false if it is none. */
static bool split_label(struct text spec, struct text *class, struct text *width) {
  const char *open = memchr(spec.begin, '(', (size_t)(spec.end - spec.begin));
  if (!open || spec.end[-1] != ')')
    return false;
  const char *dot = memrchr(spec.begin, '.', (size_t)(open - spec.begin));
  *class = trim((struct text){dot ? dot + 1 : spec.begin, open});
  const char *comma = memchr(open, ',', (size_t)(spec.end - open));
  *width = trim((struct text){comma ? comma + 1 : spec.end - 1, spec.end - 1});
  return true;
}

static enum qn_status parse_label(struct text spec, const char *file, struct qn_bv_labels *labels,
                                  struct qn_error *error) {
  struct text class, width;
  uint64_t bits = 0, most = 63;
  if (!split_label(spec, &class, &width))
    return refuse(file, QN_INVALID, error, "expected 'labelspec' CLASS(NAME) or CLASS(NAME,WIDTH)",
                  spec);
  labels->is_gamma = equals(class, "GammaCodedIntLabel");
  if (labels->is_gamma)
    return QN_OK;
  if (equals(class, "FixedWidthIntLabel"))
    most = 31;
  else if (!equals(class, "FixedWidthLongLabel"))
    return refuse(file, QN_UNSUPPORTED, error,
                  "labels are read that are one number each: GammaCodedIntLabel, "
                  "FixedWidthIntLabel and FixedWidthLongLabel",
                  class);
  if (qn_parse_whole(width.begin, width.end, &bits) != QN_NUMBER_FINE || bits > most)
    return refuse(
        file, QN_INVALID, error,
        most == 31 ? "expected a label of 0 to 31 bits" : "expected a label of 0 to 63 bits", spec);
  labels->width = (unsigned)bits;
  return QN_OK;
}

enum qn_status qn_bv_labels_parse(const char *text, uint64_t bytes, const char *file,
                                  struct qn_bv_labels *labels, struct qn_error *error) {
  static const char wanted[] = "BitStreamArcLabelledImmutableGraph";
  struct text all = {text, text + bytes}, value = {all.end, all.end};
  *labels = (struct qn_bv_labels){0};
  bool found = find(all, "graphclass", &value);
  const char *dot = memrchr(value.begin, '.', (size_t)(value.end - value.begin));
  if (!found || !equals((struct text){dot ? dot + 1 : value.begin, value.end}, wanted))
    return refuse(file, QN_INVALID, error,
                  "expected the properties of labels, with the graphclass "
                  "BitStreamArcLabelledImmutableGraph",
                  value);
  value = (struct text){all.end, all.end};
  if (!find(all, "underlyinggraph", &value) || value.begin == value.end ||
      value.end - value.begin >= (ptrdiff_t)sizeof labels->graph ||
      memchr(value.begin, '/', (size_t)(value.end - value.begin)))
    return refuse(file, QN_INVALID, error, "expected 'underlyinggraph', a graph in the same folder",
                  value);
  memcpy(labels->graph, value.begin, (size_t)(value.end - value.begin));
  value = (struct text){all.end, all.end};
  if (!find(all, "labelspec", &value) || value.begin == value.end)
    return refuse(file, QN_INVALID, error, "expected 'labelspec'", value);
  return parse_label(value, file, labels, error);
}
