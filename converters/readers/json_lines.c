#include "converters/readers/json_lines.h"

#include <stdio.h>
#include <string.h>

#include "converters/parse/names.h"
#include "converters/parse/text_lines.h"
#include "converters/parse/text_weight.h"
#include "converters/parse/waiting_edges.h"
#include "converters/readers/json_edge.h"
#include "converters/readers/json_members.h"
#include "formats/text/text_fields.h"

#define MOST_LINE_BYTES ((int64_t)16 << 20)

/* What all lines have in common. */
struct layout {
  const struct qn_read_options *options;
  struct qn_string_map *names;
  bool weighted;           /* the first edge is */
  bool undirected;         /* so it says */
  struct qn_json_ids *ids; /* added to by all threads */
};

/* Rejects the line and returns false if it is no name. Those of usual edges can only be of a wrong
 * length. */
static bool take_name(struct qn_text_part *part, const char *line, const struct qn_json_text *name,
                      bool usual) {
  struct qn_error error;
  if (usual ? name->length > 0 && name->length <= QN_MAX_NAME_BYTES
            : qn_is_name(name->begin, name->length))
    return true;
  qn_names_fail(QN_INTERN_NO_NAME, name->begin, name->length, &error);
  qn_text_reject(part, line, line, "%s", error.message);
  return false;
}

static void heed_ids(struct qn_json_ids *all, const struct qn_json_ids *ids) {
  if (ids->strings)
    __atomic_store_n(&all->strings, true, __ATOMIC_RELAXED);
  if (ids->digits)
    __atomic_store_n(&all->digits, true, __ATOMIC_RELAXED);
  if (ids->numbers)
    __atomic_store_n(&all->numbers, true, __ATOMIC_RELAXED);
}

/* Rejects the line and returns false if its weight is none. That of an unusual edge lies elsewhere.
 */
static bool take_weight(struct qn_text_part *part, const struct layout *layout, const char *line,
                        const struct qn_json_text *weight, bool usual, enum qn_weight_type *type,
                        uint64_t *bits) {
  char fault[QN_FAULT_BYTES];
  const char *end = weight->begin + weight->length;
  if (usual)
    return qn_text_weight(part, layout->options->weights, line, weight->begin, end, type, bits);
  if (qn_parse_wanted_weight(layout->options->weights, part->stream.list, weight->begin, end, type,
                             bits, fault))
    return true;
  qn_text_reject(part, line, line, "%s", fault);
  return false;
}

/* Is this an edge as the first one was? Rejects the line if not. */
static bool is_alike(struct qn_text_part *part, const struct layout *layout, const char *line,
                     bool weighted, bool undirected) {
  if (weighted != layout->weighted)
    qn_text_reject(part, line, line,
                   "this edge has %s weight, the first has %s (--weights=none drops all)",
                   weighted ? "a" : "no", weighted ? "none" : "one");
  else if (undirected != layout->undirected)
    qn_text_reject(part, line, line, "expected an edge that is %s, as the first",
                   undirected ? "directed" : "'undirected'");
  return weighted == layout->weighted && undirected == layout->undirected;
}

static void add_edge(struct qn_text_part *part, const struct layout *layout, const char *line,
                     const struct qn_json_edge *edge, bool usual, bool undirected,
                     struct qn_waiting_edges *waiting) {
  enum qn_weight_type type = QN_WEIGHT_NONE;
  uint64_t bits = 0;
  bool weighted = edge->weight.begin && layout->options->weights != QN_WEIGHTS_NONE;
  if (!is_alike(part, layout, line, weighted, undirected) ||
      (weighted && !take_weight(part, layout, line, &edge->weight, usual, &type, &bits)) ||
      !take_name(part, line, &edge->source, usual) || !take_name(part, line, &edge->target, usual))
    return;
  heed_ids(layout->ids, &edge->ids);
  part->edges++;
  struct qn_waiting_name *ends = qn_waiting_edge_add(waiting, type, bits);
  ends[0] = (struct qn_waiting_name){edge->source.begin, edge->source.length, 0};
  ends[1] = (struct qn_waiting_name){edge->target.begin, edge->target.length, 0};
  if (waiting->count == QN_WAITING_EDGES)
    qn_waiting_edges_push_part(waiting, layout->names, part);
}

/* graphology says so of every edge. */
static bool is_undirected(const json_t *value) {
  return json_is_object(value) && json_is_true(json_object_get(value, "undirected"));
}

/* A line that is not as most are: jansson says what it is. Its names do not stay. */
static void parse_unusual_line(struct qn_text_part *part, const struct layout *layout,
                               const char *line, const char *end,
                               struct qn_waiting_edges *waiting) {
  struct qn_json_edge edge;
  json_error_t fault;
  char quoted[QN_QUOTE_BYTES];
  if (end - line > MOST_LINE_BYTES) {
    qn_text_reject(part, line, line, "an edge takes more than 16 MiB");
    return;
  }
  json_t *value = qn_json_load(line, (uint64_t)(end - line), false, &fault);
  if (!value)
    qn_text_reject(part, line, line + (fault.position > 0 ? fault.position - 1 : 0), "not JSON: %s",
                   fault.text);
  else if (qn_json_edge_of(value, &edge))
    add_edge(part, layout, line, &edge, false, is_undirected(value), waiting);
  else
    qn_text_reject(
        part, line, line,
        "expected an edge with source and target, strings or integers below 2^63; found %s",
        qn_text_quote(line, end, quoted));
  qn_waiting_edges_push_part(waiting, layout->names, part);
  json_decref(value);
}

static bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The edge that is all of a line, and says nothing of its direction. */
static bool scan_line(const char *line, const char *end, struct qn_json_edge *edge) {
  static const char direction[] = "\"undirected\"";
  while (line < end && is_space(*line))
    line++;
  const char *behind = qn_json_edge_scan(line, end, edge);
  while (behind && behind < end && is_space(*behind))
    behind++;
  return behind && behind == end &&
         !(edge->others && memmem(line, (size_t)(end - line), direction, sizeof direction - 1));
}

static void parse_part(struct qn_text_part *part, const void *context) {
  const struct layout *layout = context;
  struct qn_waiting_edges waiting = {0};
  struct qn_json_edge edge;
  const char *line, *end;
  while (qn_text_next_line(part, &line, &end)) {
    if (scan_line(line, end, &edge))
      add_edge(part, layout, line, &edge, true, false, &waiting);
    else if (qn_skip_blanks(line, end) == end)
      part->comments++;
    else
      parse_unusual_line(part, layout, line, end, &waiting);
  }
  qn_waiting_edges_push_part(&waiting, layout->names, part);
}

/* The edge in the first line, which a head begins with; false if there is none. `*others`: it has
 * more than its ends and a weight. Most are usual; a graph in one line is not decoded to see that
 * it is no edge. */
static bool first_edge(const char *head, uint64_t bytes, struct layout *layout, bool *others) {
  struct qn_json_edge edge = {0};
  json_error_t fault;
  const char *newline = memchr(head, '\n', bytes), *end = newline ? newline : head + bytes;
  const bool endless = end - head > MOST_LINE_BYTES;
  bool found = scan_line(head, end, &edge);
  if (!found && qn_json_may_be_edge(head, endless ? head + MOST_LINE_BYTES : end)) {
    json_t *value = endless ? NULL : qn_json_load(head, (uint64_t)(end - head), false, &fault);
    found = endless || (json_is_object(value) && qn_json_edge_of(value, &edge));
    layout->undirected = is_undirected(value);
    json_decref(value);
  }
  layout->weighted = edge.weight.begin != NULL;
  *others = found && edge.others;
  return found;
}

bool qn_json_lines_begin(const char *head, uint64_t bytes) {
  struct layout layout = {0};
  bool others;
  return first_edge(head, bytes, &layout, &others);
}

/* Behind the object that opens at `p`; NULL if it does not end before `end`. */
static const char *object_end(const char *p, const char *end) {
  uint32_t depth = 0;
  bool quoted = false;
  for (; p < end; p++) {
    if (quoted && *p == '\\')
      p++;
    else if (*p == '"')
      quoted = !quoted;
    else if (!quoted && *p == '{')
      depth++;
    else if (!quoted && *p == '}' && --depth == 0)
      return p + 1;
  }
  return NULL;
}

bool qn_json_objects_begin(const char *head, uint64_t bytes) {
  const char *p = head, *end = head + bytes;
  while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
    p++;
  const char *behind = p < end && *p == '{' ? object_end(p, end) : NULL;
  return behind && qn_json_may_be_edge(p, behind);
}

enum qn_status qn_json_lines_read(struct qn_input *input, const struct qn_read_options *options,
                                  struct qn_edge_list *list, uint64_t *sequence,
                                  struct qn_read_result *result, struct qn_error *error) {
  struct qn_json_ids ids = {0};
  struct layout layout = {.options = options, .ids = &ids};
  struct qn_input_block block;
  bool others = false;
  enum qn_status status = qn_names_begin(result, error);
  if (!status)
    status = qn_input_next(input, &block, error);
  if (status)
    return status;
  qn_text_skip_mark(&block);
  first_edge(block.data, block.bytes, &layout, &others);
  layout.weighted &= options->weights != QN_WEIGHTS_NONE;
  layout.names = result->names_map;
  result->symmetric = layout.undirected;
  snprintf(
      result->description, sizeof result->description, "an edge a line, %s, %s%s",
      layout.weighted ? "weights" : "no weights", layout.undirected ? "undirected" : "directed",
      others && !options->others_wanted ? "; other data are not read (--properties=all reads them)"
                                        : "");
  struct qn_text_job job = {.input = input,
                            .options = options,
                            .parse = parse_part,
                            .context = &layout,
                            .list = list,
                            .sequence = sequence,
                            .ledger = &result->ledger};
  status = qn_text_read(&job, &block, error);
  result->string_names |= ids.strings;
  if (!status && !options->strings && (status = qn_json_ids_check(&ids, error)))
    qn_error_in_file(error, qn_input_name(input));
  return status;
}
