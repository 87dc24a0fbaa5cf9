#include "converters/transform/part.h"

#include <inttypes.h>

#include "converters/graph/contract.h"
#include "converters/provenance.h"
#include "support/json_text.h"

static const char *const along_words[] = {"out", "in", "both", NULL};
static const char *const part_words[] = {"all",         "egonet", "induced",
                                         "cross_edges", "kcore",  "contract"};

static enum qn_status choose(struct qn_part_choice *choice, enum qn_part part,
                             struct qn_error *error) {
  if (choice->part != QN_PART_ALL)
    return qn_fail(error, QN_USAGE,
                   "--egonet, --induced, --cross-edges, --kcore and --contract are one part each: "
                   "choose one");
  choice->part = part;
  return QN_OK;
}

static enum qn_status set_egonet(void *choice, const char *id, struct qn_error *error) {
  ((struct qn_part_choice *)choice)->center = id;
  return choose(choice, QN_PART_EGONET, error);
}

static enum qn_status set_induced(void *choice, const char *file, struct qn_error *error) {
  ((struct qn_part_choice *)choice)->file = file;
  return choose(choice, QN_PART_INDUCED, error);
}

static enum qn_status set_cross_edges(void *choice, const char *file, struct qn_error *error) {
  ((struct qn_part_choice *)choice)->file = file;
  return choose(choice, QN_PART_CROSS_EDGES, error);
}

static enum qn_status set_contract(void *choice, const char *file, struct qn_error *error) {
  ((struct qn_part_choice *)choice)->file = file;
  return choose(choice, QN_PART_CONTRACT, error);
}

static enum qn_status set_core(void *target, const char *text, struct qn_error *error) {
  struct qn_part_choice *choice = target;
  enum qn_status status = qn_whole_parse(text, 0, UINT64_MAX, &choice->core, error);
  return status ? status : choose(choice, QN_PART_KCORE, error);
}

static enum qn_status set_hops(void *target, const char *text, struct qn_error *error) {
  struct qn_part_choice *choice = target;
  choice->hops_given = true;
  return qn_whole_parse(text, 0, UINT64_MAX, &choice->hops, error);
}

static enum qn_status set_along(void *target, const char *text, struct qn_error *error) {
  struct qn_part_choice *choice = target;
  int along = 0;
  enum qn_status status = qn_word_parse(along_words, text, &along, error);
  choice->along = (enum qn_along)along;
  choice->along_given = true;
  return status;
}

const struct qn_setting qn_part_settings[] = {
    {"egonet", QN_SETTING_OWN, .set = set_egonet, .argument = "ID", .group = 3,
     .help = "1. Keep the vertex ID, those within --hops of it, and the edges between them"},
    {"hops", QN_SETTING_OWN, .set = set_hops, .argument = "K", .group = 10,
     .help = "The number of hops of an egonet (default: 1)"},
    {"along", QN_SETTING_OWN, .words = along_words, .set = set_along, .group = 10,
     .help = "Which edges an egonet's hops follow in a directed graph (default: out)"},
    {"induced", QN_SETTING_OWN, .set = set_induced, .argument = "FILE", .group = 3,
     .help = "1. Keep the vertices whose ids FILE lists, and the edges between them"},
    {"cross-edges", QN_SETTING_OWN, .set = set_cross_edges, .argument = "FILE", .group = 3,
     .help = "1. Keep the vertices that FILE puts into groups, by lines \"id group\", and the "
             "edges between different groups"},
    {"kcore", QN_SETTING_OWN, .set = set_core, .argument = "K", .group = 3,
     .help = "1. Keep the K-core: the largest set of vertices that have at least K edges among "
             "themselves, in any direction"},
    {"contract", QN_SETTING_OWN, .set = set_contract, .argument = "FILE", .group = 3,
     .help = "1. Make a vertex of each group that FILE has, by lines \"id group\", and of all "
             "edges between two groups one, weights added; of those within a group a loop "
             "(--remove-self-loops)"},
    {0}};

void qn_part_begin(struct qn_part_choice *choice) {
  *choice = (struct qn_part_choice){.hops = 1};
}

enum qn_status qn_part_settle(const struct qn_part_choice *choice, struct qn_error *error) {
  return choice->part != QN_PART_EGONET && (choice->hops_given || choice->along_given)
             ? qn_fail(error, QN_USAGE, "--hops and --along are for --egonet")
             : QN_OK;
}

static enum qn_status mark_egonet(const struct qn_part_choice *choice, const struct qn_graph *graph,
                                  json_t *provenance, struct qn_vertex_groups *groups,
                                  struct qn_error *error) {
  uint32_t center;
  enum qn_status status = qn_ids_find(&graph->ids, choice->center, &center, error);
  if (!status)
    status = qn_vertex_groups_create(graph->out.num_vertices, groups, error);
  if (!status)
    status = qn_mark_egonet(graph, center, choice->hops, choice->along, groups, error);
  if (!status)
    status = qn_provenance_option(provenance, "center", qn_json_text(choice->center), error);
  if (!status)
    status =
        qn_provenance_option(provenance, "hops", json_sprintf("%" PRIu64, choice->hops), error);
  if (!status)
    status =
        qn_provenance_option(provenance, "along", json_string(along_words[choice->along]), error);
  return status;
}

static enum qn_status mark_core(const struct qn_part_choice *choice, const struct qn_graph *graph,
                                json_t *provenance, struct qn_vertex_groups *groups,
                                struct qn_error *error) {
  enum qn_status status = qn_vertex_groups_create(graph->out.num_vertices, groups, error);
  if (!status)
    status = qn_mark_core(graph, choice->core, groups, error);
  if (!status)
    status =
        qn_provenance_option(provenance, "core", json_sprintf("%" PRIu64, choice->core), error);
  return status;
}

static enum qn_status read_groups(const struct qn_part_choice *choice, const struct qn_graph *graph,
                                  json_t *provenance, struct qn_vertex_groups *groups,
                                  struct qn_error *error) {
  bool with_groups = choice->part != QN_PART_INDUCED;
  struct qn_input_digest digest;
  char name[256];
  enum qn_status status =
      qn_vertex_file_read(choice->file, &graph->ids, with_groups, groups, name, &digest, error);
  return status ? status
                : qn_provenance_input(provenance, name, with_groups ? "groups" : "vertices",
                                      &digest, error);
}

static enum qn_status mark_listed(const struct qn_part_choice *choice, const struct qn_graph *graph,
                                  struct qn_vertex_groups *groups, struct qn_error *error) {
  enum qn_status status = qn_vertex_groups_create(graph->out.num_vertices, groups, error);
  for (uint64_t i = 0; i < choice->num_vertices && !status; i++) {
    const uint32_t vertex = choice->vertices[i];
    if (vertex >= groups->num_vertices)
      return qn_fail(error, QN_USAGE, "there is not a vertex %" PRIu32, vertex);
    groups->num_named += groups->of[vertex] == QN_NO_GROUP;
    groups->of[vertex] = 0;
  }
  groups->num_groups = groups->num_named > 0;
  return status;
}

/* The vertices of the part. */
static enum qn_status mark_part(const struct qn_part_choice *choice, const struct qn_graph *graph,
                                json_t *provenance, struct qn_vertex_groups *groups,
                                struct qn_error *error) {
  switch (choice->part) {
  case QN_PART_EGONET:
    return mark_egonet(choice, graph, provenance, groups, error);
  case QN_PART_KCORE:
    return mark_core(choice, graph, provenance, groups, error);
  default:
    if (choice->part == QN_PART_INDUCED && !choice->file)
      return mark_listed(choice, graph, groups, error);
    return read_groups(choice, graph, provenance, groups, error);
  }
}

enum qn_status qn_part_create(const struct qn_part_choice *choice, const struct qn_graph *graph,
                              json_t *provenance, struct qn_subgraph *subgraph,
                              struct qn_error *error) {
  struct qn_vertex_groups groups = {0};
  *subgraph = (struct qn_subgraph){0};
  enum qn_status status = mark_part(choice, graph, provenance, &groups, error);
  if (!status)
    status = qn_provenance_option(provenance, "part", json_string(part_words[choice->part]), error);
  if (!status && choice->part == QN_PART_CONTRACT)
    status = qn_contract(graph, &groups, subgraph, error);
  else if (!status)
    status =
        qn_subgraph_create(graph, &groups, choice->part == QN_PART_CROSS_EDGES, subgraph, error);
  qn_vertex_groups_destroy(&groups);
  return status;
}
