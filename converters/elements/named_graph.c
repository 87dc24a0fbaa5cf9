#include "converters/elements/named_graph.h"

#include <inttypes.h>
#include <string.h>

#include "converters/parse/text_fields.h"
#include "converters/parse/waiting_edges.h"
#include "support/memory.h"
#include "support/progress.h"

/* Edges of a stream: a good number, so that its blocks are full. */
#define STREAM_EDGES ((uint64_t)1 << 22)

/* Edges whose names wait to be numbered, and the names. */
struct waiting {
  struct qn_waiting_edges edges;
  uint64_t used;
  char text[4 * QN_MAX_NAME_BYTES];
};

enum qn_status qn_named_graph_begin(struct qn_named_graph *graph,
                                    const struct qn_read_options *options,
                                    struct qn_edge_list *list, uint64_t *sequence,
                                    struct qn_read_result *result, struct qn_error *error) {
  *graph = (struct qn_named_graph){
      .list = list, .result = result, .options = options, .sequence = sequence};
  graph->records = options->records;
  if (graph->records)
    return qn_element_records_next(graph->records), QN_OK;
  enum qn_status status =
      qn_alloc_zeroed(&graph->waiting, 1, sizeof *graph->waiting, "edges between names", error);
  return status ? status : qn_names_begin(result, error);
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

static enum qn_status number_of(struct qn_named_graph *graph, const char *name, uint32_t *number,
                                struct qn_error *error) {
  return qn_names_number(graph->result->names_map, name, strlen(name), number, error);
}

enum qn_status qn_named_graph_vertex(struct qn_named_graph *graph, const char *name,
                                     struct qn_error *error) {
  uint32_t id;
  graph->declares_late |= graph->edges > 0;
  return graph->records ? qn_element_vertex(graph->records, name, error)
                        : number_of(graph, name, &id, error);
}

static enum qn_status push_waiting(struct qn_named_graph *graph, struct qn_error *error) {
  struct waiting *waiting = graph->waiting;
  waiting->used = 0;
  return qn_waiting_edges_push(&waiting->edges, graph->result->names_map, &graph->stream, error);
}

static enum qn_status open_stream(struct qn_named_graph *graph, struct qn_error *error) {
  if (graph->open && graph->edges % STREAM_EDGES != 0)
    return QN_OK;
  enum qn_status status = graph->open && !graph->records ? push_waiting(graph, error) : QN_OK;
  if (!status && graph->open)
    status = qn_edge_stream_close(&graph->stream, error);
  if (!status)
    qn_edge_stream_open(&graph->stream, graph->list, (*graph->sequence)++);
  graph->open = !status;
  return status;
}

/* Copy a name to those that wait. */
static enum qn_status add_name(struct waiting *waiting, const char *name, uint64_t length,
                               struct qn_waiting_name *out, struct qn_error *error) {
  if (!qn_is_name(name, length))
    return qn_names_fail(QN_INTERN_NO_NAME, name, length, error);
  *out = (struct qn_waiting_name){waiting->text + waiting->used, length, 0};
  memcpy(waiting->text + waiting->used, name, length);
  waiting->used += length;
  return QN_OK;
}

static enum qn_status add_edge(struct qn_named_graph *graph, const char *source,
                               const char *destination, enum qn_weight_type type, uint64_t bits,
                               struct qn_error *error) {
  struct waiting *waiting = graph->waiting;
  uint64_t source_length = strlen(source), destination_length = strlen(destination);
  struct qn_waiting_name ends[2];
  enum qn_status status;
  if (waiting->edges.count == QN_WAITING_EDGES ||
      waiting->used + 2 * (uint64_t)QN_MAX_NAME_BYTES > sizeof waiting->text || graph->at_once)
    if ((status = push_waiting(graph, error)))
      return status;
  if ((status = open_stream(graph, error)) ||
      (status = add_name(waiting, source, source_length, &ends[0], error)) ||
      (status = add_name(waiting, destination, destination_length, &ends[1], error)))
    return status;
  memcpy(qn_waiting_edge_add(&waiting->edges, type, bits), ends, sizeof ends);
  return graph->at_once ? push_waiting(graph, error) : QN_OK;
}

static enum qn_status parse_weight(const struct qn_named_graph *graph, const char *text,
                                   enum qn_weight_type *type, uint64_t *bits,
                                   struct qn_error *error) {
  char fault[QN_FAULT_BYTES];
  *type = QN_WEIGHT_NONE;
  *bits = 0;
  if (!text)
    return QN_OK;
  if (qn_parse_wanted_weight(graph->options->weights, graph->list, text, text + strlen(text), type,
                             bits, fault))
    return QN_OK;
  return qn_fail(error, QN_INVALID, "%s", fault);
}

/* The weight of the edge is its number among all. */
static enum qn_status number_edge(struct qn_named_graph *graph, const char *source,
                                  const char *destination, struct qn_error *error) {
  uint32_t ends[2];
  uint64_t number;
  enum qn_status status =
      qn_element_edge(graph->records, source, destination, ends, &number, error);
  if (!status)
    status = open_stream(graph, error);
  if (!status)
    qn_edge_push_i64(&graph->stream, ends[0], ends[1], (int64_t)number);
  return status;
}

static uint64_t names_of(const struct qn_named_graph *graph) {
  return graph->records ? 0 : qn_string_map_count(graph->result->names_map);
}

/* Ends that are misspelt would be vertices more. */
static void note_undeclared(const struct qn_named_graph *graph) {
  uint64_t names = names_of(graph);
  if (graph->declares && !graph->declares_late && graph->edges && graph->declared &&
      names > graph->declared)
    qn_notice("note: %" PRIu64 " vertices are ends of edges alone: the file does not declare them",
              names - graph->declared);
}

enum qn_status qn_named_graph_edge(struct qn_named_graph *graph, const char *source,
                                   const char *destination, const char *weight,
                                   struct qn_error *error) {
  uint64_t bits;
  enum qn_weight_type type;
  enum qn_status status;
  if (graph->options->weights == QN_WEIGHTS_NONE)
    weight = NULL;
  if (graph->edges == 0) {
    graph->weighted = weight != NULL;
    graph->declared = names_of(graph);
  }
  if (graph->weighted != (weight != NULL))
    return qn_fail(error, QN_INVALID,
                   "this edge has %s weight, others before have %s (--weights=none drops all)",
                   weight ? "a" : "no", weight ? "none" : "one");
  status = graph->records ? number_edge(graph, source, destination, error)
                          : parse_weight(graph, weight, &type, &bits, error);
  if (!status && !graph->records)
    status = add_edge(graph, source, destination, type, bits, error);
  if (status)
    return status;
  graph->edges++;
  graph->result->ledger.records++;
  graph->result->ledger.edges_read++;
  return QN_OK;
}

enum qn_status qn_named_graph_end(struct qn_named_graph *graph, enum qn_status status,
                                  struct qn_error *error) {
  if (graph->open && !graph->records && !status)
    status = push_waiting(graph, error);
  if (graph->open) {
    enum qn_status closed = qn_edge_stream_close(&graph->stream, status ? NULL : error);
    status = status ? status : closed;
  }
  if (!status)
    note_undeclared(graph);
  qn_free(graph->waiting);
  return status;
}
