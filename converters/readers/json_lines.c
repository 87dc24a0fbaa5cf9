#include "converters/readers/json_lines.h"

#include <stdio.h>
#include <string.h>

#include "converters/parse/json_edge.h"
#include "converters/parse/names.h"
#include "converters/parse/text_fields.h"
#include "converters/parse/text_lines.h"

#define MOST_LINE_BYTES ((int64_t)1 << 20)

/* What all lines have in common. */
struct layout {
  const struct qn_read_options *options;
  struct qn_string_map *names;
  bool weighted;     /* the first edge is */
  bool *has_strings; /* some id is a string; set by all threads */
};

/* The end of the edge before, as long as its text stays: lists are often sorted by source. */
struct recent {
  struct qn_json_text name;
  uint32_t id;
};

static bool find_end(struct qn_text_part *part, const struct layout *layout, const char *line,
                     const struct qn_json_text *name, struct recent *recent) {
  struct qn_error error;
  if (recent->name.begin && recent->name.length == name->length &&
      memcmp(recent->name.begin, name->begin, name->length) == 0)
    return true;
  enum qn_status status =
      qn_names_number(layout->names, name->begin, name->length, &recent->id, &error);
  recent->name = *name;
  if (status == QN_INVALID) {
    qn_text_reject(part, line, line, "%s", error.message);
  } else if (status) {
    part->stream.status = status;
    part->stream.error = error;
    part->stop = true;
  }
  return !status;
}

static void push_edge(struct qn_text_part *part, const struct layout *layout, const char *line,
                      const struct qn_json_edge *edge, struct recent recent[2]) {
  enum qn_weight_type type = QN_WEIGHT_NONE;
  uint32_t bits = 0;
  bool weighted = edge->weight.begin && layout->options->weights != QN_WEIGHTS_NONE;
  if (weighted != layout->weighted) {
    qn_text_reject(part, line, line,
                   "this edge has %s weight, the first has %s (--weights=none drops all)",
                   weighted ? "a" : "no", weighted ? "none" : "one");
    return;
  }
  if (weighted && !qn_text_weight(part, layout->options->weights, line, edge->weight.begin,
                                  edge->weight.begin + edge->weight.length, &type, &bits))
    return;
  if (!find_end(part, layout, line, &edge->source, &recent[0]) ||
      !find_end(part, layout, line, &edge->target, &recent[1]))
    return;
  if (edge->has_strings)
    __atomic_store_n(layout->has_strings, true, __ATOMIC_RELAXED);
  part->edges++;
  if (weighted)
    qn_edge_push_weighted(&part->stream, recent[0].id, recent[1].id, type, bits);
  else
    qn_edge_push(&part->stream, recent[0].id, recent[1].id);
}

/* A line that is not as most are: jansson says what it is. */
static void parse_unusual_line(struct qn_text_part *part, const struct layout *layout,
                               const char *line, const char *end) {
  struct recent recent[2] = {0};
  struct qn_json_edge edge;
  json_error_t fault;
  char quoted[QN_QUOTE_BYTES];
  if (end - line > MOST_LINE_BYTES) {
    qn_text_reject(part, line, line, "an edge takes more than 1 MiB");
    return;
  }
  json_t *value =
      json_loadb(line, (size_t)(end - line), JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &fault);
  if (!value)
    qn_text_reject(part, line, line + (fault.position > 0 ? fault.position - 1 : 0), "not JSON: %s",
                   fault.text);
  else if (qn_json_edge_of(value, &edge))
    push_edge(part, layout, line, &edge, recent);
  else
    qn_text_reject(part, line, line,
                   "expected an edge with source and target, strings or whole numbers; found %s",
                   qn_text_quote(line, end, quoted));
  json_decref(value);
}

static void parse_part(struct qn_text_part *part, const void *context) {
  const struct layout *layout = context;
  struct recent recent[2] = {0};
  struct qn_json_edge edge;
  const char *line, *end;
  while (qn_text_next_line(part, &line, &end)) {
    if (qn_json_edge_scan(line, end, &edge))
      push_edge(part, layout, line, &edge, recent);
    else if (qn_skip_blanks(line, end) == end)
      part->comments++;
    else
      parse_unusual_line(part, layout, line, end);
  }
}

/* The edge in the first line, which a head begins with; false if there is none. */
static bool first_edge(const char *head, uint64_t bytes, bool *weighted) {
  struct qn_json_edge edge = {0};
  const char *newline = memchr(head, '\n', bytes);
  json_t *value = json_loadb(head, newline ? (size_t)(newline - head) : bytes, 0, NULL);
  bool found = json_is_object(value) && qn_json_edge_of(value, &edge);
  *weighted = edge.weight.begin != NULL;
  json_decref(value);
  return found;
}

bool qn_json_lines_begin(const char *head, uint64_t bytes) {
  bool weighted;
  return first_edge(head, bytes, &weighted);
}

enum qn_status qn_json_lines_read(struct qn_input *input, const struct qn_read_options *options,
                                  struct qn_edge_list *list, uint64_t *sequence,
                                  struct qn_read_result *result, struct qn_error *error) {
  struct layout layout = {.options = options, .has_strings = &result->string_names};
  struct qn_input_block block;
  enum qn_status status = qn_names_begin(result, error);
  if (!status)
    status = qn_input_next(input, &block, error);
  if (status)
    return status;
  qn_text_skip_mark(&block);
  first_edge(block.data, block.bytes, &layout.weighted);
  layout.weighted &= options->weights != QN_WEIGHTS_NONE;
  layout.names = result->names_map;
  snprintf(result->description, sizeof result->description, "an edge a line, %s",
           layout.weighted ? "weights" : "no weights");
  struct qn_text_job job = {.input = input,
                            .options = options,
                            .parse = parse_part,
                            .context = &layout,
                            .list = list,
                            .sequence = sequence,
                            .ledger = &result->ledger};
  return qn_text_read(&job, &block, error);
}
