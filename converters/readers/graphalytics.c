/* Graphs of the LDBC Graphalytics benchmark (its specification, "Data format"): a file of
 * properties names a list of vertices and a list of edges, and says what they are.
 *
 *   # comment
 *   graph.NAME.vertex-file = NAME.v
 *   graph.NAME.edge-file = NAME.e
 *   graph.NAME.meta.vertices = 10
 *   graph.NAME.meta.edges = 17
 *   graph.NAME.directed = true
 *
 * An undirected edge is listed once. Other properties are for the benchmark's programs. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/parse/reader.h"
#include "formats/text/delimited.h"
#include "formats/text/text_fields.h"
#include "formats/text/text_numbers.h"
#include "support/input/input.h"
#include "support/input/whole_input.h"

extern const struct qn_reader qn_reader_edges;
extern const struct qn_reader qn_reader_vertices;

struct properties {
  struct qn_column vertex_file, edge_file; /* begin is NULL: not said */
  bool directed, has_directed;
  bool has_vertices, has_edges;
  uint64_t num_vertices, num_edges;
  uint64_t lines;
};

/* ---- Lines ---------------------------------------------------------------- */

/* "key = value" or "key: value". False for comments and blank lines. */
static bool split(const char *line, const char *end, struct qn_column *key,
                  struct qn_column *value) {
  line = qn_skip_blanks(line, end);
  while (end > line && qn_is_blank(end[-1]))
    end--;
  if (line == end || *line == '#' || *line == '!')
    return false;
  const char *p = line;
  while (p < end && *p != '=' && *p != ':' && !qn_is_blank(*p))
    p++;
  *key = (struct qn_column){.begin = line, .end = p};
  p = qn_skip_blanks(p, end);
  p = p < end && (*p == '=' || *p == ':') ? qn_skip_blanks(p + 1, end) : p;
  *value = (struct qn_column){.begin = p, .end = end};
  return true;
}

/* Is the key graph.NAME.what? */
static bool is_key(const struct qn_column *key, const char *what) {
  size_t length = (size_t)(key->end - key->begin), tail = strlen(what);
  return length > tail + 6 && memcmp(key->begin, "graph.", 6) == 0 &&
         memcmp(key->end - tail, what, tail) == 0;
}

static bool is_text(const struct qn_column *value, const char *text) {
  size_t length = (size_t)(value->end - value->begin);
  return length == strlen(text) && memcmp(value->begin, text, length) == 0;
}

static bool take_count(const struct qn_column *value, bool *has, uint64_t *count) {
  *has = true;
  return qn_parse_whole(value->begin, value->end, count) == QN_NUMBER_FINE;
}

/* False if the value is none. */
static bool take_property(struct properties *properties, const struct qn_column *key,
                          const struct qn_column *value) {
  if (is_key(key, ".vertex-file"))
    properties->vertex_file = *value;
  else if (is_key(key, ".edge-file"))
    properties->edge_file = *value;
  else if (is_key(key, ".meta.vertices"))
    return take_count(value, &properties->has_vertices, &properties->num_vertices);
  else if (is_key(key, ".meta.edges"))
    return take_count(value, &properties->has_edges, &properties->num_edges);
  else if (is_key(key, ".directed")) {
    properties->has_directed = true;
    properties->directed = is_text(value, "true");
    return properties->directed || is_text(value, "false");
  }
  return true;
}

static enum qn_status parse_properties(const struct qn_whole_input *whole, const char *file,
                                       struct properties *properties, struct qn_error *error) {
  struct qn_input_block block = {.data = whole->data, .bytes = whole->bytes};
  struct qn_column key, value;
  const char *line, *end;
  char quoted[QN_QUOTE_BYTES];
  while (qn_text_take_line(&block, &line, &end)) {
    properties->lines++;
    if (!split(line, end, &key, &value) || take_property(properties, &key, &value))
      continue;
    qn_fail(error, QN_INVALID, "a property has a value that it cannot have: %s",
            qn_text_quote(value.begin, value.end, quoted));
    return qn_error_at_line(error, file, properties->lines, (uint64_t)(value.begin - line) + 1);
  }
  if (properties->vertex_file.begin && properties->edge_file.begin && properties->has_directed)
    return QN_OK;
  qn_fail(error, QN_INVALID, "no property says %s",
          !properties->vertex_file.begin ? "graph.NAME.vertex-file"
          : !properties->edge_file.begin ? "graph.NAME.edge-file"
                                         : "graph.NAME.directed");
  return qn_error_in_file(error, file);
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status name_file(struct qn_input *input, const struct qn_column *name,
                                const struct qn_reader *reader, struct qn_read_result *result,
                                struct qn_error *error) {
  return qn_named_inputs_add(&result->named, input, name->begin,
                             (uint64_t)(name->end - name->begin), reader, error);
}

static enum qn_status read_graphalytics(struct qn_input *input,
                                        const struct qn_read_options *options,
                                        struct qn_edge_list *list, uint64_t *sequence,
                                        struct qn_read_result *result, struct qn_error *error) {
  struct properties properties = {.directed = false};
  struct qn_whole_input whole;
  (void)options;
  (void)list;
  (void)sequence;
  enum qn_status status = qn_whole_input_take(input, &whole, error);
  if (status)
    return status;
  if (!(status = parse_properties(&whole, qn_input_name(input), &properties, error)) &&
      !(status = name_file(input, &properties.vertex_file, &qn_reader_vertices, result, error)))
    status = name_file(input, &properties.edge_file, &qn_reader_edges, result, error);
  qn_whole_input_release(&whole);
  if (status)
    return status;
  result->named.counted = properties.has_vertices && properties.has_edges;
  result->named.num_vertices = properties.num_vertices;
  result->named.num_edges = properties.num_edges;
  result->symmetric = !properties.directed;
  result->ledger.records += properties.lines;
  result->ledger.comments += properties.lines;
  snprintf(result->description, sizeof result->description, "%s",
           properties.directed ? "directed" : "undirected");
  return QN_OK;
}

static int detect_graphalytics(const char *head, uint64_t bytes,
                               const struct qn_read_options *options) {
  struct qn_input_block block = {.data = head, .bytes = bytes};
  struct qn_column key, value;
  const char *line, *end;
  (void)options;
  while (qn_text_take_line(&block, &line, &end))
    if (split(line, end, &key, &value))
      return key.end - key.begin > 6 && memcmp(key.begin, "graph.", 6) == 0 && value.begin > key.end
                 ? 3
                 : 0;
  return 0;
}

const struct qn_reader qn_reader_graphalytics = {
    .name = "graphalytics",
    .detect = detect_graphalytics,
    .read = read_graphalytics,
};
