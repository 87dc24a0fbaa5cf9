/* A set with types of graphs, of one type each. */
#include "converters/provenance.h"
#include "converters/typed/assemble.h"
#include "formats/set/types.h"
#include "library/call.h"
#include "library/options.h"
#include "library/session.h"
#include "support/memory.h"
#include <quern/build.h>

struct assembling {
  const struct qn_vertex_table *tables;
  const struct qn_edge_table *edges;
  uint64_t num_tables, num_edges;
  const struct qn_option *given;
  uint64_t num_given;
  const char *path;
  bool replace;
  struct qn_typed_vertex_source *vertex_sources;
  struct qn_typed_edge_source *edge_sources;
};

static const struct qn_setting output_settings[] = {
    {"force", QN_SETTING_SWITCH, .offset = offsetof(struct assembling, replace)}, {0}};

/* What messages call it. */
static const char *name_of(const struct qn_session *session, const char *type) {
  return !session->in_memory ? session->path : type ? type : "the graph";
}

/* The container behind a session, all of it checked. */
static enum qn_status check_source(struct qn_session *session,
                                   const struct qn_container **container, struct qn_error *error) {
  *container = session->container;
  enum qn_status status = qn_session_ensure_graph(session, QN_VERIFY_ALL, error);
  if (status || qn_container_info(session->container)->layout == QN_LAYOUT_GRAPH)
    return status;
  qn_fail(error, QN_USAGE, "the layout is %s; types are put together of graph containers",
          qn_layout_name(qn_container_info(session->container)->layout));
  return qn_error_in_file(error, session->path);
}

static enum qn_status take_vertices(struct assembling *assembling, uint64_t index,
                                    struct qn_error *error) {
  const struct qn_vertex_table *table = &assembling->tables[index];
  struct qn_typed_vertex_source *source = &assembling->vertex_sources[index];
  *source = (struct qn_typed_vertex_source){.file = name_of(table->graph, table->type),
                                            .space = table->type ? table->type : "",
                                            .type = table->type,
                                            .type_column = table->type_column};
  return check_source(table->graph, &source->container, error);
}

static enum qn_status take_edges(struct assembling *assembling, uint64_t index,
                                 struct qn_error *error) {
  const struct qn_edge_table *table = &assembling->edges[index];
  struct qn_typed_edge_source *source = &assembling->edge_sources[index];
  if (table->source >= assembling->num_tables || table->target >= assembling->num_tables)
    return qn_fail(error, QN_USAGE, "the edges %s are of tables %u and %u, and there are %d",
                   table->type ? table->type : "of a graph", table->source, table->target,
                   (int)assembling->num_tables);
  const uint32_t tables[] = {table->source, table->target};
  *source = (struct qn_typed_edge_source){.file = name_of(table->graph, table->type),
                                          .type = table->type,
                                          .type_column = table->type ? NULL : table->type_column};
  for (unsigned end = 0; end < 2; end++)
    source->ends[end] = (struct qn_typed_end){
        .type = assembling->tables[tables[end]].type, .by_place = true, .table = tables[end]};
  enum qn_status status = check_source(table->graph, &source->container, error);
  if (status || table->source == table->target ||
      qn_container_info(source->container)->directedness != QN_UNDIRECTED)
    return status;
  qn_fail(error, QN_INVALID,
          "the edges %s are undirected; from one type to another they are directed",
          table->type ? table->type : "of a graph");
  return qn_error_in_file(error, table->graph->path);
}

static enum qn_status take_sources(struct assembling *assembling, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(&assembling->vertex_sources, assembling->num_tables,
                                          sizeof *assembling->vertex_sources, "tables", error);
  if (!status)
    status = qn_alloc_zeroed(&assembling->edge_sources, assembling->num_edges,
                             sizeof *assembling->edge_sources, "tables", error);
  for (uint64_t i = 0; !status && i < assembling->num_tables; i++)
    status = take_vertices(assembling, i, error);
  for (uint64_t i = 0; !status && i < assembling->num_edges; i++)
    status = take_edges(assembling, i, error);
  return status;
}

static enum qn_status describe(const struct assembling *assembling, json_t **provenance,
                               struct qn_error *error) {
  struct qn_ledger ledger = {0};
  for (uint64_t i = 0; i < assembling->num_edges; i++)
    ledger.edges_read += qn_container_info(assembling->edge_sources[i].container)->num_edges;
  ledger.edges_written = ledger.edges_read;
  enum qn_status status = qn_provenance_create("libquern", provenance, error);
  return status ? status : qn_provenance_ledger(*provenance, &ledger, error);
}

static enum qn_status assemble(void *argument, struct qn_error *error) {
  struct assembling *assembling = argument;
  const struct qn_settings settings[] = {{output_settings, assembling}, {0}};
  struct qn_set *set = NULL;
  json_t *provenance = NULL;
  enum qn_status status =
      qn_options_apply(assembling->given, assembling->num_given, settings, error);
  if (!status &&
      (assembling->num_tables > QN_SET_MAX_RANGES || assembling->num_edges > QN_SET_MAX_TYPES))
    status = qn_fail(error, QN_USAGE, "a set has at most %d types of vertices and %d of edges",
                     QN_SET_MAX_RANGES, QN_SET_MAX_TYPES);
  if (!status)
    status = take_sources(assembling, error);
  if (!status)
    status = describe(assembling, &provenance, error);
  const struct qn_typed_sources sources = {.vertices = assembling->vertex_sources,
                                           .num_vertices = (uint32_t)assembling->num_tables,
                                           .edges = assembling->edge_sources,
                                           .num_edges = (uint32_t)assembling->num_edges};
  if (!status)
    status = qn_typed_assemble(&sources, provenance, "libquern", assembling->path,
                               assembling->replace, &set, error);
  qn_set_close(set);
  json_decref(provenance);
  qn_free(assembling->vertex_sources);
  qn_free(assembling->edge_sources);
  return status;
}

enum qn_status qn_types_assemble(const struct qn_vertex_table *tables, uint64_t num_tables,
                                 const struct qn_edge_table *edges, uint64_t num_edges,
                                 const struct qn_option *options, uint64_t num_options,
                                 const char *path, const struct qn_job *job,
                                 struct qn_error *error) {
  struct assembling assembling = {.tables = tables,
                                  .num_tables = num_tables,
                                  .edges = edges,
                                  .num_edges = num_edges,
                                  .given = options,
                                  .num_given = num_options,
                                  .path = path};
  return qn_call(job, assemble, &assembling, error);
}
