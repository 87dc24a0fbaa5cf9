#include "converters/import/properties.h"

#include <inttypes.h>
#include <string.h>

#include "converters/elements/records.h"
#include "converters/import/shares.h"
#include "converters/parse/names.h"
#include "converters/properties/tables.h"
#include "support/memory.h"
#include "support/ranks/exchange.h"
#include "support/temp_file.h"
#include <quern/properties.h>

extern const struct qn_reader qn_reader_vertex_names;
extern const struct qn_reader qn_reader_vertex_numbers;

/* The graph that was built, and what is gathered for it. */
struct qn_attaching {
  struct qn_import *import;
  struct qn_graph graph; /* of one that is spread what its vertices are called alone */
  uint32_t *order;       /* of ids */
  struct qn_table_records of_edges, of_vertices;
  struct qn_element_records elements;
  struct qn_container *numbered; /* the same graph, whose weights are the numbers of records */
  const uint64_t *edges;         /* [E] records; NULL: there are none */
  uint64_t *vertices;            /* [V] records */
  struct qn_edge_list *list;     /* edges with the numbers of their records */
  struct qn_properties columns;
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
    return qn_fail(
        error, QN_UNSUPPORTED,
        "--properties works with text edge lists, GraphML, GEXF, GML, JSON, RDF and METIS, not with "
        "%s%s",
        import->without_properties,
        strncmp(import->without_properties, "np", 2) == 0
            ? "; in Python, quern.from_arrays takes edge_properties and vertex_properties"
            : "");
  if (options->vertex_table && import->read_elements)
    return qn_fail(error, QN_UNSUPPORTED,
                   "--vertices FILE works with text edge lists, not with graphs whose elements "
                   "have properties");
  if (import->read_tables && import->read_elements)
    return qn_fail(error, QN_UNSUPPORTED,
                   "with properties inputs are all lists of edges as text, or none is");
  return QN_OK;
}

/* What ranks have found together. */
static enum qn_status join_kinds(struct qn_import *import, bool *names, struct qn_error *error) {
  const struct qn_collective *ranks = import->job->ranks;
  uint64_t kinds[] = {import->read_tables, import->read_elements, *names};
  if (!ranks)
    return QN_OK;
  enum qn_status status = ranks->combine(kinds, 3, QN_COMBINE_MOST, error);
  import->read_tables = kinds[0];
  import->read_elements = kinds[1];
  *names = kinds[2];
  return status;
}

/* The last rank does, as the provenance lists inputs in the order of ranks. */
static bool reads_vertex_table(const struct qn_import *import) {
  const struct qn_collective *ranks = import->job->ranks;
  return !ranks || ranks->rank + 1 == ranks->num_ranks;
}

enum qn_status qn_import_vertex_table(struct qn_import *import, uint64_t *sequence,
                                      struct qn_error *error) {
  const char *path = import->options->vertex_table;
  const struct qn_edge_feed *feed = import->job->feed;
  if (feed && feed->properties)
    return path ? qn_fail(error, QN_USAGE, "--vertices=%s: a stream takes a number", path) : QN_OK;
  /* A table of vertices alone is read as names are. */
  bool names = import->result.names_map != NULL || (!feed && import->job->num_inputs == 0);
  enum qn_status status = join_kinds(import, &names, error);
  if (!status)
    status = check_format(import, error);
  if (status || !path || !reads_vertex_table(import))
    return status;
  if (names)
    status = qn_names_begin(&import->result, error);
  if (status)
    return status;
  const struct qn_reader *reader = import->reader;
  uint64_t before = import->result.vertices_listed;
  import->state = &import->states[import->job->num_inputs];
  status = qn_import_path_read(
      import, path, names ? &qn_reader_vertex_names : &qn_reader_vertex_numbers, sequence, error);
  import->reader = reader;
  import->listed = import->result.vertices_listed - before;
  return status;
}

/* ---- Edges ---------------------------------------------------------------- */

static enum qn_status create_list(struct qn_attaching *attaching, struct qn_error *error) {
  const bool undirected = attaching->graph.directedness == QN_UNDIRECTED;
  struct qn_spill_options spill = {.undirected = undirected, .ids = QN_SPILL_IDS_IGNORE};
  enum qn_status status = qn_memory_limit()
                              ? qn_edge_list_create_on_disk(&spill, &attaching->list, error)
                              : qn_edge_list_create(&attaching->list, error);
  if (!status)
    qn_edge_list_weights_are_binary(attaching->list, QN_WEIGHT_I64);
  return status;
}

/* Files of elements are read by one rank, the first. */
static bool leaves_elements(const struct qn_import *import) {
  return import->read_elements && import->job->ranks && import->job->ranks->rank != 0;
}

/* One of the inputs, or this rank's share of it. */
static enum qn_status read_input(struct qn_attaching *attaching, int index, uint64_t *sequence,
                                 struct qn_error *error) {
  const struct qn_import *import = attaching->import;
  const struct qn_import_options *options = import->options;
  const struct qn_input_share *share = import->shares ? &import->shares[index] : NULL;
  const char *path = import->job->inputs[index];
  struct qn_input_options how = options->input;
  how.expected = import->states[index];
  if (import->read_elements)
    return qn_import_elements_read(attaching->import, path, &how, &attaching->elements,
                                   attaching->list, sequence, error);
  if (share && share->is_part) {
    how.part_begin = share->begin;
    how.part_end = share->end;
  }
  how.unhashed = share != NULL;
  attaching->of_edges.columns_only = share && !share->reads;
  return qn_edge_records_read(path, &how, &options->read, options->properties, attaching->list,
                              sequence, &attaching->of_edges, error);
}

static enum qn_status read_edges(struct qn_attaching *attaching, struct qn_error *error) {
  const struct qn_import *import = attaching->import;
  uint64_t sequence = 0;
  enum qn_status status = create_list(attaching, error);
  if (leaves_elements(import))
    return status;
  for (int i = 0; i < import->job->num_inputs && !status; i++)
    status = read_input(attaching, i, &sequence, error);
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

static enum qn_status number_edges(struct qn_attaching *attaching, struct qn_error *error) {
  const struct qn_build *asked = &attaching->import->options->build;
  const struct qn_build rules = {.num_vertices = attaching->graph.out.num_vertices,
                                 .undirected = attaching->graph.directedness == QN_UNDIRECTED,
                                 .ids = QN_ID_KEEP,
                                 .self_loops = asked->self_loops,
                                 .duplicates = asked->duplicates};
  enum qn_status status = read_edges(attaching, error);
  if (!status && attaching->of_edges.num_columns)
    status = qn_import_number(&attaching->graph, attaching->list, &rules, &attaching->numbered,
                              &attaching->edges, error);
  qn_edge_list_destroy(attaching->list);
  attaching->list = NULL;
  return status;
}

/* ---- Vertices ------------------------------------------------------------- */

/* None has a record yet. */
static enum qn_status create_vertices(struct qn_attaching *attaching, struct qn_error *error) {
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

static enum qn_status number_vertices(struct qn_attaching *attaching, struct qn_error *error) {
  const struct qn_import *import = attaching->import;
  const char *path = import->options->vertex_table;
  struct qn_input_options how = import->options->input;
  how.member = NULL; /* that is of the edges */
  how.expected = import->states[import->job->num_inputs];
  enum qn_status status = create_vertices(attaching, error);
  if (!status)
    status = qn_vertex_records_read(path, &how, &import->options->read.text, attaching->vertices,
                                    &attaching->of_vertices, error);
  if (!status && attaching->of_vertices.count != import->listed) {
    qn_fail(error, QN_INVALID,
            "values in quotes break lines, which cannot be read through a stream: unpack the file");
    status = qn_error_in_file(error, path);
  }
  return status;
}

/* ---- The whole ------------------------------------------------------------ */

/* What a feed has brought. */
static enum qn_status take_feed(struct qn_attaching *attaching, struct qn_properties *properties,
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

static enum qn_status begin(struct qn_attaching *attaching, struct qn_error *error) {
  const struct qn_import *import = attaching->import;
  attaching->of_edges.ids = attaching->of_vertices.ids = &attaching->graph.ids;
  enum qn_status status = qn_ids_original_order(&attaching->graph.ids, &attaching->order, error);
  attaching->of_edges.order = attaching->of_vertices.order = attaching->order;
  if (status || !import->read_elements || leaves_elements(import))
    return status;
  status = create_vertices(attaching, error);
  return status ? status
                : qn_element_records_begin(&attaching->elements, import->options->properties,
                                           &attaching->of_vertices, &attaching->of_edges,
                                           attaching->vertices, error);
}

static enum qn_status finish(struct qn_attaching *attaching, struct qn_properties *properties,
                             struct qn_error *error) {
  enum qn_status status =
      qn_table_records_finish(&attaching->of_edges, &properties->of_edges, error);
  if (!status)
    status = qn_table_records_finish(&attaching->of_vertices, &properties->of_vertices, error);
  if (!status && attaching->graph.out.weights.type != QN_WEIGHT_NONE)
    memcpy(properties->weight, attaching->of_edges.weight, sizeof properties->weight);
  return status;
}

static enum qn_status gather(struct qn_attaching *attaching, struct qn_properties *properties,
                             struct qn_error *error) {
  const struct qn_import_options *options = attaching->import->options;
  enum qn_status status = begin(attaching, error);
  if (!status && options->properties)
    status = number_edges(attaching, error);
  if (!status && options->vertex_table)
    status = number_vertices(attaching, error);
  return status ? status : finish(attaching, properties, error);
}

static void release(struct qn_attaching *attaching) {
  const uint64_t num_vertices = attaching->graph.out.num_vertices;
  qn_element_records_end(&attaching->elements);
  qn_table_records_end(&attaching->of_edges);
  qn_table_records_end(&attaching->of_vertices);
  qn_pages_free(attaching->order, num_vertices, sizeof *attaching->order);
  qn_pages_free(attaching->vertices, num_vertices, sizeof *attaching->vertices);
  qn_edge_list_destroy(attaching->list);
  qn_properties_release(&attaching->columns);
  qn_container_unmap(attaching->numbered);
}

enum qn_status qn_import_attach(struct qn_import *import, const struct qn_container *graph,
                                struct qn_writer *writer, struct qn_error *error) {
  struct qn_attaching attaching = {.import = import};
  enum qn_status status = qn_graph_view(graph, &attaching.graph, error);
  const struct qn_edge_feed *feed = import->job->feed;
  if (!status)
    status = feed ? take_feed(&attaching, &attaching.columns, error)
                  : gather(&attaching, &attaching.columns, error);
  if (!status)
    status = qn_properties_attach(graph, &attaching.columns, attaching.vertices, attaching.edges,
                                  NULL, writer, error);
  release(&attaching);
  return status;
}

/* ---- Of a graph that ranks share -------------------------------------------- */

/* The columns of the rank that has read them all become those of the others, without values. */
static enum qn_status tell_columns(struct qn_attaching *attaching, struct qn_error *error) {
  const struct qn_collective *ranks = attaching->import->job->ranks;
  struct qn_table_records *records = &attaching->of_edges;
  uint64_t count = records->num_columns;
  enum qn_status status = qn_broadcast(ranks, 0, &count, sizeof count, error);
  if (!status && ranks->rank != 0)
    status =
        qn_alloc_zeroed(&records->columns, count, sizeof *records->columns, "properties", error);
  for (uint64_t i = 0; i < count && !status; i++) {
    struct {
      uint64_t type;
      char name[QN_PROPERTY_NAME_BYTES + 1];
    } column = {0};
    if (ranks->rank == 0) {
      column.type = records->columns[i].property.type;
      memcpy(column.name, records->columns[i].property.name, sizeof column.name);
    }
    status = qn_broadcast(ranks, 0, &column, sizeof column, error);
    if (status || ranks->rank == 0)
      continue;
    records->num_columns++;
    status = qn_text_column_begin(&records->columns[i], column.name,
                                  (enum qn_property_type)column.type, error);
  }
  return status ? status : qn_broadcast(ranks, 0, records->weight, sizeof records->weight, error);
}

/* What inputs were, whoever has read them; of what two ranks have found different no rank finds it
 * again. */
static enum qn_status join_states(struct qn_import *import, struct qn_error *error) {
  const uint64_t count = (uint64_t)import->job->num_inputs + 1;
  return import->job->ranks->combine((uint64_t *)import->states,
                                     count * sizeof *import->states / sizeof(uint64_t),
                                     QN_COMBINE_MOST, error);
}

/* Whose records are numbered from `of_edges.first` on. */
static enum qn_status read_shared_edges(struct qn_attaching *attaching, struct qn_error *error) {
  const struct qn_import *import = attaching->import;
  enum qn_status status = read_edges(attaching, error);
  if (!status && attaching->of_edges.count >> QN_DISTRIBUTED_RECORD_BITS)
    status = qn_fail(error, QN_UNSUPPORTED, "more than 2^%d edges with properties for one rank",
                     QN_DISTRIBUTED_RECORD_BITS);
  if (!status && import->read_elements)
    status = tell_columns(attaching, error);
  return status ? status : qn_table_records_agree(&attaching->of_edges, import->job->ranks, error);
}

/* The first rank writes those of vertices. */
static enum qn_status read_shared_vertices(struct qn_attaching *attaching, struct qn_error *error) {
  struct qn_import *import = attaching->import;
  const struct qn_collective *ranks = import->job->ranks;
  enum qn_status status = ranks->combine(&import->listed, 1, QN_COMBINE_SUM, error);
  return status || ranks->rank != 0 ? status : number_vertices(attaching, error);
}

enum qn_status qn_import_distributed_properties(void *context, const struct qn_graph *about,
                                                struct qn_distributed_properties *properties,
                                                struct qn_error *error) {
  struct qn_import *import = context;
  const struct qn_import_options *options = import->options;
  struct qn_attaching *attaching;
  enum qn_status status =
      qn_alloc_zeroed(&import->spreading, 1, sizeof *import->spreading, "properties", error);
  if (status)
    return status;
  attaching = import->spreading;
  attaching->import = import;
  attaching->graph = *about;
  attaching->of_edges.first = (uint64_t)import->job->ranks->rank << QN_DISTRIBUTED_RECORD_BITS;
  status = join_states(import, error);
  if (!status)
    status = begin(attaching, error);
  if (!status && options->properties)
    status = read_shared_edges(attaching, error);
  if (!status && options->vertex_table)
    status = read_shared_vertices(attaching, error);
  if (!status)
    status = finish(attaching, &attaching->columns, error);
  properties->list = attaching->of_edges.num_columns ? attaching->list : NULL;
  properties->columns = attaching->columns;
  properties->of_vertex = attaching->vertices;
  return status;
}

void qn_import_distributed_release(struct qn_import *import) {
  if (import->spreading)
    release(import->spreading);
  qn_free(import->spreading);
  import->spreading = NULL;
}
