#include "converters/import/properties.h"

#include <inttypes.h>
#include <string.h>

#include "converters/elements/records.h"
#include "converters/properties/tables.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include "support/tool.h"
#include <quern/properties.h>

extern const struct qn_reader qn_reader_vertex_names;
extern const struct qn_reader qn_reader_vertex_numbers;

/* The graph that was built, and what is gathered for it. */
struct attaching {
  struct qn_import *import;
  const struct qn_container *container;
  struct qn_graph graph;
  uint32_t *order; /* of ids */
  struct qn_table_records of_edges, of_vertices;
  struct qn_element_records elements;
  struct qn_container *numbered; /* the same graph, whose weights are the numbers of records */
  const uint64_t *edges;         /* [E] records; NULL: there are none */
  uint64_t *vertices;            /* [V] records */
};

/* ---- Before --------------------------------------------------------------- */

static enum qn_status check_format(const struct qn_import *import, struct qn_error *error) {
  const struct qn_import_options *options = import->options;
  if (import->names_others)
    return qn_fail(
        error, QN_UNSUPPORTED,
        "with properties name the tables themselves, not their folder: the file of edges, "
        "and --vertices with that of vertices");
  if (import->without_properties)
    return qn_fail(error, QN_UNSUPPORTED,
                   "--properties go with lists of edges as text, GraphML, GEXF, GML, JSON and "
                   "METIS, not with %s",
                   import->without_properties);
  if (options->vertex_table && import->read_elements)
    return qn_fail(error, QN_UNSUPPORTED,
                   "--vertices FILE goes with lists of edges as text, not with %s",
                   import->reader->name);
  if (import->read_tables && import->read_elements)
    return qn_fail(error, QN_UNSUPPORTED,
                   "with properties inputs are all lists of edges as text, or none is");
  return QN_OK;
}

enum qn_status qn_import_vertex_table(struct qn_import *import, uint64_t *sequence,
                                      struct qn_error *error) {
  const char *path = import->options->vertex_table;
  const struct qn_edge_feed *feed = import->job->feed;
  if (feed && feed->properties)
    return path ? qn_fail(error, QN_USAGE, "--vertices=%s: a stream takes a number", path) : QN_OK;
  enum qn_status status = check_format(import, error);
  if (status || !path)
    return status;
  const struct qn_reader *reader = import->reader;
  bool names = import->result.names_map != NULL;
  uint64_t before = import->result.vertices_listed;
  status = qn_import_path_read(
      import, path, names ? &qn_reader_vertex_names : &qn_reader_vertex_numbers, sequence, error);
  import->reader = reader;
  import->listed = import->result.vertices_listed - before;
  return status;
}

/* ---- Edges ---------------------------------------------------------------- */

static enum qn_status create_list(const struct attaching *attaching, bool undirected,
                                  struct qn_edge_list **list, struct qn_error *error) {
  struct qn_spill_options spill = {.undirected = undirected, .ids = QN_SPILL_IDS_IGNORE};
  (void)attaching;
  return qn_memory_limit() ? qn_edge_list_create_on_disk(&spill, list, error)
                           : qn_edge_list_create(list, error);
}

static enum qn_status read_edges(struct attaching *attaching, struct qn_edge_list *list,
                                 struct qn_error *error) {
  const struct qn_import *import = attaching->import;
  const struct qn_import_options *options = import->options;
  uint64_t sequence = 0;
  enum qn_status status = QN_OK;
  for (int i = 0; i < import->job->num_inputs && !status; i++) {
    const char *path = import->job->inputs[i];
    status = import->read_elements
                 ? qn_import_elements_read(attaching->import, path, &attaching->elements, list,
                                           &sequence, error)
                 : qn_edge_records_read(path, &options->input, &options->read, options->properties,
                                        list, &sequence, &attaching->of_edges, error);
  }
  if (!status && import->read_elements)
    status = qn_element_records_check(&attaching->elements, error);
  return status;
}

static bool same_rows(const struct qn_csr *a, const struct qn_csr *b) {
  return a->num_vertices == b->num_vertices && a->num_edges == b->num_edges &&
         memcmp(a->row_offsets, b->row_offsets, (a->num_vertices + 1) * 8) == 0 &&
         (!a->num_edges || memcmp(a->column_indices, b->column_indices, a->num_edges * 4) == 0);
}

enum qn_status qn_import_number(const struct qn_graph *graph, struct qn_edge_list *list,
                                const struct qn_build *rules, struct qn_container **out,
                                const uint64_t **numbers, struct qn_error *error) {
  struct qn_build build = *rules;
  struct qn_graph numbered;
  struct qn_ledger ledger = {0};
  struct qn_writer *writer;
  build.weights = QN_WEIGHTS_I64;
  build.transpose = build.unique = build.check_symmetric = false;
  build.rounded = NULL;
  build.repeated = NULL;
  enum qn_status status = qn_writer_create(NULL, false, &writer, error);
  if (status)
    return status;
  status = qn_build_graph(list, &build, writer, &ledger, error);
  if (status) {
    qn_writer_abort(writer);
    return status;
  }
  status = qn_writer_commit_nameless(writer, "(numbered edges)", out, error);
  if (!status)
    status = qn_graph_view(*out, &numbered, error);
  if (!status && !same_rows(&graph->out, &numbered.out))
    status = qn_fail(error, QN_SYSTEM, "the input changed while it was read");
  if (!status)
    *numbers = numbered.out.weights.data;
  return status;
}

static enum qn_status number_edges(struct attaching *attaching, struct qn_error *error) {
  const struct qn_build *asked = &attaching->import->options->build;
  const bool undirected = attaching->graph.directedness == QN_UNDIRECTED;
  struct qn_edge_list *list = NULL;
  enum qn_status status = create_list(attaching, undirected, &list, error);
  if (!status) {
    qn_edge_list_weights_are_binary(list, QN_WEIGHT_I64);
    status = read_edges(attaching, list, error);
  }
  const struct qn_build rules = {.num_vertices = attaching->graph.out.num_vertices,
                                 .undirected = undirected,
                                 .ids = QN_ID_KEEP,
                                 .self_loops = asked->self_loops,
                                 .duplicates = asked->duplicates};
  if (!status && attaching->of_edges.num_columns)
    status = qn_import_number(&attaching->graph, list, &rules, &attaching->numbered,
                              &attaching->edges, error);
  qn_edge_list_destroy(list);
  return status;
}

/* ---- Vertices ------------------------------------------------------------- */

/* None has a record yet. */
static enum qn_status create_vertices(struct attaching *attaching, struct qn_error *error) {
  const uint64_t num_vertices = attaching->graph.out.num_vertices;
  enum qn_status status = qn_bulk_alloc(&attaching->vertices, num_vertices,
                                        sizeof *attaching->vertices, "records of vertices", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v < num_vertices; v++)
    attaching->vertices[v] = QN_NO_RECORD;
  return QN_OK;
}

static enum qn_status number_vertices(struct attaching *attaching, struct qn_error *error) {
  const struct qn_import *import = attaching->import;
  const char *path = import->options->vertex_table;
  struct qn_input_options how = import->options->input;
  how.member = NULL; /* that is of the edges */
  enum qn_status status = create_vertices(attaching, error);
  if (!status)
    status =
        qn_vertex_records_read(path, &how, attaching->vertices, &attaching->of_vertices, error);
  if (!status && attaching->of_vertices.count != import->listed) {
    qn_fail(error, QN_INVALID,
            "values in quotes break lines, which cannot be read through a stream: unpack the file");
    status = qn_error_in_file(error, path);
  }
  return status;
}

/* ---- The whole ------------------------------------------------------------ */

/* What a feed has brought. */
static enum qn_status take_feed(struct attaching *attaching, struct qn_properties *properties,
                                struct qn_error *error) {
  const struct qn_import *import = attaching->import;
  const struct qn_edge_feed *feed = import->job->feed;
  const struct qn_build rules = qn_import_build(import);
  enum qn_status status = qn_bulk_alloc(&attaching->vertices, attaching->graph.out.num_vertices,
                                        sizeof *attaching->vertices, "rows of vertices", error);
  if (!status && import->numbered)
    status = qn_import_number(&attaching->graph, import->numbered, &rules, &attaching->numbered,
                              &attaching->edges, error);
  return status ? status
                : feed->properties(feed->context, &attaching->graph.ids, properties,
                                   attaching->vertices, error);
}

static enum qn_status gather(struct attaching *attaching, struct qn_properties *properties,
                             struct qn_error *error) {
  const struct qn_import_options *options = attaching->import->options;
  attaching->of_edges.ids = attaching->of_vertices.ids = &attaching->graph.ids;
  enum qn_status status = qn_ids_original_order(&attaching->graph.ids, &attaching->order, error);
  attaching->of_edges.order = attaching->of_vertices.order = attaching->order;
  if (!status && attaching->import->read_elements)
    status = create_vertices(attaching, error);
  if (!status && attaching->import->read_elements)
    status =
        qn_element_records_begin(&attaching->elements, options->properties, &attaching->of_vertices,
                                 &attaching->of_edges, attaching->vertices, error);
  if (!status && options->properties)
    status = number_edges(attaching, error);
  if (!status && options->vertex_table)
    status = number_vertices(attaching, error);
  if (!status)
    status = qn_table_records_finish(&attaching->of_edges, &properties->of_edges, error);
  if (!status)
    status = qn_table_records_finish(&attaching->of_vertices, &properties->of_vertices, error);
  if (!status && attaching->graph.out.weights.type != QN_WEIGHT_NONE)
    memcpy(properties->weight, attaching->of_edges.weight, sizeof properties->weight);
  return status;
}

static void release(struct attaching *attaching) {
  const uint64_t num_vertices = attaching->graph.out.num_vertices;
  qn_element_records_end(&attaching->elements);
  qn_table_records_end(&attaching->of_edges);
  qn_table_records_end(&attaching->of_vertices);
  qn_pages_free(attaching->order, num_vertices, sizeof *attaching->order);
  qn_pages_free(attaching->vertices, num_vertices, sizeof *attaching->vertices);
  qn_container_unmap(attaching->numbered);
}

enum qn_status qn_import_attach(struct qn_import *import, const struct qn_container *graph,
                                struct qn_writer *writer, struct qn_error *error) {
  struct attaching attaching = {.import = import, .container = graph};
  struct qn_properties properties = {0};
  enum qn_status status = qn_graph_view(graph, &attaching.graph, error);
  const struct qn_edge_feed *feed = import->job->feed;
  if (!status)
    status =
        feed ? take_feed(&attaching, &properties, error) : gather(&attaching, &properties, error);
  if (!status)
    status = qn_properties_attach(graph, &properties, attaching.vertices, attaching.edges, NULL,
                                  writer, error);
  qn_properties_release(&properties);
  release(&attaching);
  return status;
}
