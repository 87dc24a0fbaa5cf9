#include "converters/parse/names.h"

#include <stdlib.h>
#include <string.h>

#include "converters/edges/edge_map.h"
#include "converters/parse/text_fields.h"
#include "converters/parse/waiting_edges.h"
#include "converters/text/text_numbers.h"
#include "support/memory.h"
#include "support/temp_file.h"

enum qn_status qn_names_begin(struct qn_read_result *result, struct qn_error *error) {
  return result->names_map ? QN_OK : qn_string_map_create(&result->names_map, error);
}

/* What result->names_memory is. */
struct named {
  struct qn_sorted_names sorted;
  uint64_t *numbers; /* ascending, if names are numbers; else NULL */
};

void qn_names_release(struct qn_read_result *result) {
  struct named *named = result->names_memory;
  qn_string_map_destroy(result->names_map);
  result->names_map = NULL;
  if (!named)
    return;
  qn_sorted_names_destroy(&named->sorted);
  qn_free(named->numbers);
  qn_free(named);
  result->names_memory = NULL;
}

enum qn_status qn_names_fail(enum qn_interned why, const char *name, uint64_t length,
                             struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  switch (why) {
  case QN_INTERN_NO_NAME:
    return qn_fail(error, QN_INVALID,
                   "expected the id of a vertex, 1 to %d bytes without tab or line end; found %s",
                   QN_MAX_NAME_BYTES, length ? qn_text_quote(name, name + length, quoted) : "none");
  case QN_INTERN_TOO_MANY:
    return qn_fail(error, QN_INVALID, "the input has more than 2^32-1 vertices");
  default:
    return qn_memory_limit()
               ? qn_fail(error, QN_SYSTEM,
                         "the names of vertices, which stay in memory, do not fit into what "
                         "--memory allows")
               : qn_fail_memory(error, "a map of names", 0);
  }
}

enum qn_status qn_names_number(struct qn_string_map *names, const char *name, uint64_t length,
                               uint32_t *number, struct qn_error *error) {
  enum qn_interned result = qn_string_map_intern(names, name, length, number);
  return result == QN_INTERNED ? QN_OK : qn_names_fail(result, name, length, error);
}

/* ---- Names that are numbers ------------------------------------------------ */

struct numbered {
  uint64_t number;
  uint32_t vertex; /* in the order of the names */
};

static int compare_numbered(const void *a, const void *b) {
  uint64_t x = ((const struct numbered *)a)->number, y = ((const struct numbered *)b)->number;
  return (x > y) - (x < y);
}

bool qn_names_parse(const struct qn_ids *names, uint64_t vertex, uint64_t *number) {
  const char *name = names->string_bytes + names->string_offsets[vertex];
  const char *end = names->string_bytes + names->string_offsets[vertex + 1];
  return (*name != '0' || end == name + 1) && qn_parse_whole(name, end, number) == QN_NUMBER_FINE;
}

/* False if a name is no whole number. */
static bool parse_names(const struct qn_ids *ids, struct numbered *out) {
  for (uint64_t v = 0; v < ids->num_vertices; v++) {
    out[v].vertex = (uint32_t)v;
    if (!qn_names_parse(ids, v, &out[v].number))
      return false;
  }
  return true;
}

/* Order vertices by their numbers instead of by their names, if all are such. Numbers without gaps
 * from 0 on are the vertices themselves. */
static enum qn_status order_by_number(struct named *named, struct qn_ids *names,
                                      struct qn_error *error) {
  uint64_t count = names->num_vertices;
  struct numbered *numbered = NULL;
  uint32_t *places = NULL;
  enum qn_status status = qn_alloc(&numbered, count, sizeof *numbered, "ids of vertices", error);
  if (!status && parse_names(names, numbered)) {
    status = qn_alloc(&named->numbers, count, sizeof *named->numbers, "ids of vertices", error);
    if (!status)
      status = qn_alloc(&places, count, sizeof *places, "ids of vertices", error);
  }
  if (!status && places) {
    qsort(numbered, count, sizeof *numbered, compare_numbered);
    for (uint64_t i = 0; i < count; i++) {
      named->numbers[i] = numbered[i].number;
      places[numbered[i].vertex] = (uint32_t)i;
    }
    for (uint64_t i = 0; i < count; i++)
      named->sorted.new_of_old[i] = places[named->sorted.new_of_old[i]];
    bool dense = count == 0 || named->numbers[count - 1] == count - 1;
    *names = (struct qn_ids){.kind = dense ? QN_IDS_DENSE : QN_IDS_NUMBERS,
                             .num_vertices = count,
                             .numbers = dense ? NULL : named->numbers,
                             .ascending = true};
  }
  qn_free(numbered);
  qn_free(places);
  return status;
}

enum qn_status qn_names_finish(struct qn_read_result *result, struct qn_edge_list *list,
                               struct qn_error *error) {
  struct named *named;
  if (!result->names_map)
    return QN_OK;
  enum qn_status status = qn_alloc_zeroed(&named, 1, sizeof *named, "names", error);
  if (status)
    return status;
  result->names_memory = named;
  status = qn_string_map_sort(result->names_map, &named->sorted, error);
  result->names = named->sorted.ids;
  if (!status && result->number_names && !result->string_names)
    status = order_by_number(named, &result->names, error);
  if (!status)
    status = qn_edge_list_renumber(list, named->sorted.new_of_old, error);
  if (status)
    return status;
  qn_string_map_destroy(result->names_map);
  result->names_map = NULL;
  result->num_vertices = result->names.num_vertices;
  return QN_OK;
}

enum qn_status qn_names_renumber(const struct qn_read_result *result, struct qn_edge_list *list,
                                 struct qn_error *error) {
  const struct named *named = result->names_memory;
  return named ? qn_edge_list_renumber(list, named->sorted.new_of_old, error) : QN_OK;
}

/* ---- Element after element ------------------------------------------------- */

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

static enum qn_status number_of(struct qn_named_graph *graph, const char *name, uint32_t *number,
                                struct qn_error *error) {
  return qn_names_number(graph->result->names_map, name, strlen(name), number, error);
}

enum qn_status qn_named_graph_vertex(struct qn_named_graph *graph, const char *name,
                                     struct qn_error *error) {
  uint32_t id;
  return number_of(graph, name, &id, error);
}

static enum qn_status push_waiting(struct qn_named_graph *graph, struct qn_error *error) {
  struct waiting *waiting = graph->waiting;
  waiting->used = 0;
  return qn_waiting_edges_push(&waiting->edges, graph->result->names_map, &graph->stream, error);
}

static enum qn_status open_stream(struct qn_named_graph *graph, struct qn_error *error) {
  if (graph->open && graph->edges % STREAM_EDGES != 0)
    return QN_OK;
  enum qn_status status = graph->open ? push_waiting(graph, error) : QN_OK;
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

enum qn_status qn_named_graph_edge(struct qn_named_graph *graph, const char *source,
                                   const char *destination, const char *weight,
                                   struct qn_error *error) {
  uint64_t bits;
  enum qn_weight_type type;
  enum qn_status status;
  if (graph->options->weights == QN_WEIGHTS_NONE)
    weight = NULL;
  if (graph->edges == 0)
    graph->weighted = weight != NULL;
  if (graph->weighted != (weight != NULL))
    return qn_fail(error, QN_INVALID,
                   "this edge has %s weight, others before have %s (--weights=none drops all)",
                   weight ? "a" : "no", weight ? "none" : "one");
  if ((status = parse_weight(graph, weight, &type, &bits, error)) ||
      (status = add_edge(graph, source, destination, type, bits, error)))
    return status;
  graph->edges++;
  graph->result->ledger.records++;
  graph->result->ledger.edges_read++;
  return QN_OK;
}

enum qn_status qn_named_graph_end(struct qn_named_graph *graph, enum qn_status status,
                                  struct qn_error *error) {
  if (graph->open && !status)
    status = push_waiting(graph, error);
  if (graph->open) {
    enum qn_status closed = qn_edge_stream_close(&graph->stream, status ? NULL : error);
    status = status ? status : closed;
  }
  qn_free(graph->waiting);
  return status;
}
