#include "converters/transform/carry.h"

#include "converters/provenance.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include <quern/properties.h>

/* Where the vertices and edges of the result come from. */
struct origins {
  struct qn_container *container; /* the result for numbered edges, which are its weights */
  struct qn_graph graph;
  uint64_t *vertices; /* [V of the result]; NULL: they are the same */
};

/* ---- Edges ---------------------------------------------------------------- */

static enum qn_status number_edges(const struct qn_graph *graph, uint64_t **numbers,
                                   struct qn_error *error) {
  enum qn_status status =
      qn_bulk_alloc(numbers, graph->out.num_edges, sizeof **numbers, "numbers of edges", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t e = 0; e < graph->out.num_edges; e++)
    (*numbers)[e] = e;
  return QN_OK;
}

static enum qn_status transform(const struct qn_transform_options *options,
                                const struct qn_graph *graph, struct qn_writer *writer,
                                struct qn_error *error) {
  struct qn_transform transform = options->transform;
  struct qn_subgraph part = {0};
  struct qn_ledger ledger = {0};
  json_t *unused = NULL;
  enum qn_status status = QN_OK;
  transform.weights.type = QN_WEIGHT_NONE;
  transform.narrow_weights = false;
  transform.store_in_edges = false;
  if (options->part.part != QN_PART_ALL) {
    status = qn_provenance_create("quern-transform", &unused, error);
    if (!status)
      status = qn_part_create(&options->part, graph, unused, &part, error);
    graph = &part.graph;
  }
  ledger.edges_left_out = part.edges_left_out;
  if (!status)
    status = qn_transform_graph(graph, &transform, writer, &ledger, error);
  qn_subgraph_destroy(&part);
  json_decref(unused);
  return status;
}

/* The same transformation of the same graph, whose weights are the numbers of its edges. */
static enum qn_status transform_numbered(const struct qn_transform_options *options,
                                         const struct qn_graph *graph, struct origins *origins,
                                         struct qn_error *error) {
  struct qn_graph numbered = *graph;
  struct qn_writer *writer = NULL;
  uint64_t *numbers = NULL;
  enum qn_status status = number_edges(graph, &numbers, error);
  numbered.out.weights = (struct qn_weights){.type = QN_WEIGHT_I64, .data = numbers};
  numbered.in.weights = (struct qn_weights){.type = QN_WEIGHT_NONE};
  if (!status)
    status = qn_writer_create(NULL, false, &writer, error);
  if (!status)
    status = transform(options, &numbered, writer, error);
  qn_pages_free(numbers, graph->out.num_edges, sizeof *numbers);
  if (status) {
    qn_writer_abort(writer);
    return status;
  }
  status = qn_writer_commit_nameless(writer, "(numbered edges)", &origins->container, error);
  return status ? status : qn_graph_view(origins->container, &origins->graph, error);
}

/* ---- Vertices ------------------------------------------------------------- */

/* They keep their ids, by which they are found. */
static enum qn_status find_vertices(const struct qn_ids *before, struct origins *origins,
                                    struct qn_error *error) {
  const struct qn_ids *ids = &origins->graph.ids;
  uint32_t *order;
  uint64_t lost = 0;
  enum qn_status status = qn_ids_original_order(before, &order, error);
  if (status)
    return status;
  status = qn_bulk_alloc(&origins->vertices, ids->num_vertices, sizeof *origins->vertices,
                         "numbers of vertices", error);
  if (!status) {
#pragma omp parallel for schedule(static) reduction(+ : lost)
    for (uint64_t v = 0; v < ids->num_vertices; v++) {
      char buffer[24];
      uint64_t length;
      uint32_t old;
      const char *id = qn_ids_text(ids, v, buffer, &length);
      bool found = qn_ids_lookup(before, order, id, length, &old);
      origins->vertices[v] = found ? old : QN_NO_RECORD;
      lost += !found;
    }
  }
  qn_pages_free(order, before->num_vertices, sizeof *order);
  if (!status && lost)
    status = qn_fail(error, QN_SYSTEM, "the input changed while it was read");
  return status;
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status check_same(const struct origins *origins, struct qn_writer *writer,
                                 struct qn_error *error) {
  const struct qn_container_info *info = qn_writer_info(writer);
  if (info->num_vertices == origins->graph.out.num_vertices &&
      info->num_edges == origins->graph.out.num_edges)
    return QN_OK;
  return qn_fail(error, QN_USAGE,
                 "a graph with properties is transformed twice: the list of vertices must be a "
                 "file that can be read again");
}

static enum qn_status carry(const struct qn_transform_options *options,
                            const struct qn_properties *properties, const struct qn_graph *graph,
                            struct qn_writer *writer, struct qn_error *error) {
  struct origins origins = {0};
  enum qn_status status = transform_numbered(options, graph, &origins, error);
  if (!status)
    status = check_same(&origins, writer, error);
  bool moved = options->transform.relabel != QN_RELABEL_NONE || options->part.part != QN_PART_ALL;
  if (!status && moved)
    status = find_vertices(&graph->ids, &origins, error);
  if (!status)
    status = qn_properties_write(writer, properties, origins.vertices,
                                 origins.graph.out.weights.data, error);
  qn_pages_free(origins.vertices, origins.graph.out.num_vertices, sizeof *origins.vertices);
  qn_container_unmap(origins.container);
  return status;
}

enum qn_status qn_transform_carry(const struct qn_transform_options *options,
                                  const struct qn_container *container,
                                  const struct qn_graph *graph, struct qn_writer *writer,
                                  struct qn_error *error) {
  struct qn_properties properties;
  enum qn_status status = qn_properties_view(container, &properties, error);
  if (options->transform.weights.type != QN_WEIGHT_NONE)
    properties.weight[0] = '\0';
  const bool kept = options->part.part != QN_PART_CONTRACT;
  if (!status && qn_properties_are_any(&properties) && !kept)
    qn_note(QN_NOTE_NOT_KEPT, "--contract makes one vertex of many, and keeps no properties");
  else if (!status && qn_properties_are_any(&properties))
    status = carry(options, &properties, graph, writer, error);
  qn_properties_release(&properties);
  return status;
}
