#include "converters/elements/named_graph.h"

#include <inttypes.h>
#include <string.h>

#include "converters/parse/text_weight.h"
#include "formats/text/text_fields.h"
#include "support/context.h"
#include "support/progress.h"

/* After so many edges it is asked whether the work is to end. */
#define EDGES_AT_ONCE 4096

enum qn_status qn_named_graph_begin(struct qn_named_graph *graph,
                                    const struct qn_read_options *options,
                                    struct qn_edge_list *list, uint64_t *sequence,
                                    struct qn_read_result *result, struct qn_error *error) {
  *graph = (struct qn_named_graph){.list = list, .result = result, .options = options};
  graph->records = options->records;
  if (graph->records) {
    qn_element_records_next(graph->records);
    qn_edge_stream_open(&graph->stream, list, (*sequence)++);
    return QN_OK;
  }
  enum qn_status status = qn_names_begin(result, error);
  return status ? status
                : qn_naming_begin(result->names_map, list, (*sequence)++, &graph->naming, error);
}

enum qn_status qn_named_graph_directed(struct qn_named_graph *graph, bool directed,
                                       struct qn_error *error) {
  if (graph->directed_is_said && graph->directed != directed)
    return qn_fail(error, QN_INVALID,
                   "some edges are directed and some are not; a graph is one or the other");
  if (!graph->directed_is_said && graph->edges && !directed)
    return qn_fail(error, QN_INVALID,
                   "edges came before it is said that they are undirected; --undirected says it");
  graph->directed_is_said = true;
  graph->directed = directed;
  graph->result->symmetric |= !directed;
  return QN_OK;
}

enum qn_status qn_named_graph_hint(struct qn_named_graph *graph, const json_t *hint,
                                   struct qn_error *error) {
  const char *ids = json_string_value(json_object_get(hint, "ids"));
  bool numbers = ids && strcmp(ids, "numbers") == 0;
  if (!json_is_object(hint) || (ids && !numbers && strcmp(ids, "names") != 0))
    return qn_fail(error, QN_INVALID,
                   "what Quern wrote of the graph is not what it writes: expected ids that are "
                   "numbers or names");
  const char *labels = json_string_value(json_object_get(hint, "labels"));
  graph->numbers |= numbers && !graph->options->strings;
  graph->labels_are_ids |= labels && strcmp(labels, "ids") == 0;
  graph->labels_are_names |= labels && strcmp(labels, "names") == 0;
  return graph->records ? qn_element_hint(graph->records, hint, error) : QN_OK;
}

enum qn_status qn_named_graph_comment(struct qn_named_graph *graph, const char *text,
                                      uint64_t length, struct qn_error *error) {
  static const char word[] = "quern";
  const char *end = text + length;
  text = qn_skip_blanks(text, end);
  if ((uint64_t)(end - text) < sizeof word || memcmp(text, word, sizeof word - 1) != 0)
    return QN_OK;
  text = qn_skip_blanks(text + sizeof word - 1, end);
  if (text == end || *text != '{')
    return QN_OK;
  json_t *hint = json_loadb(text, (size_t)(end - text), JSON_REJECT_DUPLICATES, NULL);
  enum qn_status status = qn_named_graph_hint(graph, hint, error);
  json_decref(hint);
  return status;
}

enum qn_status qn_named_graph_called(struct qn_named_graph *graph, struct qn_text name,
                                     struct qn_error *error) {
  graph->declares_late |= graph->edges > 0;
  return graph->records ? qn_element_vertex(graph->records, name, error)
                        : qn_naming_vertex(graph->naming, name, error);
}

static enum qn_status parse_weight(const struct qn_named_graph *graph, struct qn_text text,
                                   enum qn_weight_type *type, uint64_t *bits,
                                   struct qn_error *error) {
  char fault[QN_FAULT_BYTES];
  if (qn_parse_wanted_weight(graph->options->weights, graph->list, text.bytes,
                             text.bytes + text.length, type, bits, fault))
    return QN_OK;
  return qn_fail(error, QN_INVALID, "%s", fault);
}

/* The weight of the edge is its number among all. */
static enum qn_status number_edge(struct qn_named_graph *graph, struct qn_text source,
                                  struct qn_text destination, struct qn_error *error) {
  uint32_t ends[2];
  uint64_t number;
  enum qn_status status =
      qn_element_edge(graph->records, source, destination, ends, &number, error);
  if (!status)
    qn_edge_push_i64(&graph->stream, ends[0], ends[1], (int64_t)number);
  return status || graph->edges % EDGES_AT_ONCE ? status : qn_context_check(error);
}

static enum qn_status name_edge(struct qn_named_graph *graph, struct qn_text source,
                                struct qn_text destination, struct qn_text weight,
                                struct qn_error *error) {
  enum qn_weight_type type = QN_WEIGHT_NONE;
  uint64_t bits = 0;
  enum qn_status status = weight.bytes ? parse_weight(graph, weight, &type, &bits, error) : QN_OK;
  return status ? status
                : qn_naming_edge(graph->naming, source, destination, type, bits,
                                 graph->closed ? &graph->place : NULL, error);
}

static void note_defaults(const struct qn_named_graph *graph) {
  if (!graph->default_weight || graph->options->weights == QN_WEIGHTS_NONE)
    return;
  graph->result->weights_are_defaults = !graph->weighted;
  if (graph->weighted && graph->defaults)
    qn_note(QN_NOTE_DEFAULT_WEIGHTS, "%" PRIu64 " edge%s no weight, which is %s then",
            graph->defaults, graph->defaults == 1 ? " says" : "s say", graph->default_weight);
}

/* Ends that are misspelt would be vertices more; `declared` were before the first edge. */
static void note_undeclared(const struct qn_named_graph *graph, uint64_t declared) {
  uint64_t names = qn_string_map_count(graph->result->names_map);
  if (graph->declares && !graph->declares_late && graph->edges && declared && names > declared)
    qn_note(QN_NOTE_UNDECLARED_VERTICES,
            "%" PRIu64 " vertices occur only as endpoints of edges: the file does not declare them",
            names - declared);
}

enum qn_status qn_named_graph_between(struct qn_named_graph *graph, struct qn_text source,
                                      struct qn_text destination, struct qn_text weight,
                                      struct qn_error *error) {
  if (graph->options->weights == QN_WEIGHTS_NONE)
    weight.bytes = NULL;
  const bool weighted = weight.bytes != NULL;
  if (graph->edges == 0 || (weighted && graph->default_weight))
    graph->weighted = weighted;
  graph->defaults += !weighted;
  if (!weighted && graph->default_weight && graph->options->weights != QN_WEIGHTS_NONE)
    weight = qn_text_of(graph->default_weight);
  else if (graph->weighted != weighted)
    return qn_fail(error, QN_INVALID,
                   "this edge has %s weight, others before have %s (--weights=none drops all)",
                   weighted ? "a" : "no", weighted ? "none" : "one");
  enum qn_status status = graph->records ? number_edge(graph, source, destination, error)
                                         : name_edge(graph, source, destination, weight, error);
  if (status)
    return status;
  graph->edges++;
  graph->result->ledger.records++;
  graph->result->ledger.edges_read++;
  return QN_OK;
}

enum qn_status qn_named_graph_vertex(struct qn_named_graph *graph, const char *name,
                                     struct qn_error *error) {
  return qn_named_graph_called(graph, qn_text_of(name), error);
}

enum qn_status qn_named_graph_edge(struct qn_named_graph *graph, const char *source,
                                   const char *destination, const char *weight,
                                   struct qn_error *error) {
  return qn_named_graph_between(graph, qn_text_of(source), qn_text_of(destination),
                                weight ? qn_text_of(weight) : (struct qn_text){NULL, 0}, error);
}

enum qn_status qn_named_graph_end(struct qn_named_graph *graph, enum qn_status status,
                                  struct qn_error *error) {
  uint64_t declared = 0;
  if (graph->records) {
    enum qn_status closed = qn_edge_stream_close(&graph->stream, status ? NULL : error);
    return status ? status : closed;
  }
  status = qn_naming_end(graph->naming, status, &declared, error);
  if (!status)
    note_undeclared(graph, declared);
  if (!status)
    note_defaults(graph);
  return status;
}
