#include "tools/part_options.h"

#include <inttypes.h>

#include "converters/provenance.h"
#include "support/json_text.h"
#include "support/options.h"

enum { KEY_EGONET = 0x3501, KEY_HOPS, KEY_ALONG, KEY_INDUCED, KEY_CROSS_EDGES };

static const struct argp_option argp_options[] = {
    {"egonet", KEY_EGONET, "ID", 0,
     "1. Keep the vertex ID, those within --hops of it, and the edges between them", 3},
    {"induced", KEY_INDUCED, "FILE", 0,
     "1. Keep the vertices whose ids FILE lists, and the edges between them", 3},
    {"cross-edges", KEY_CROSS_EDGES, "FILE", 0,
     "1. Keep the vertices that FILE puts into groups, by lines \"id group\", and the edges "
     "between different groups",
     3},
    {"hops", KEY_HOPS, "K", 0, "How far an egonet goes (default: 1)", 10},
    {"along", KEY_ALONG, "out|in|both", 0,
     "Which edges an egonet's hops follow in a directed graph (default: out)", 10},
    {0}};

static const char *const along_words[] = {"out", "in", "both", NULL};
static const char *const part_words[] = {"all", "egonet", "induced", "cross_edges"};

static void choose(struct argp_state *state, struct qn_part_choice *choice, enum qn_part part) {
  if (choice->part != QN_PART_ALL)
    argp_error(state, "--egonet, --induced and --cross-edges are one part each: choose one");
  choice->part = part;
}

static error_t parse_option(int key, char *argument, struct argp_state *state) {
  struct qn_part_choice *choice = state->input;
  switch (key) {
  case ARGP_KEY_INIT:
    choice->hops = 1;
    return 0;
  case KEY_EGONET:
    choose(state, choice, QN_PART_EGONET);
    choice->center = argument;
    return 0;
  case KEY_INDUCED:
    choose(state, choice, QN_PART_INDUCED);
    choice->file = argument;
    return 0;
  case KEY_CROSS_EDGES:
    choose(state, choice, QN_PART_CROSS_EDGES);
    choice->file = argument;
    return 0;
  case KEY_HOPS:
    choice->hops = qn_option_number(state, "--hops", argument, 0, UINT64_MAX);
    choice->hops_given = true;
    return 0;
  case KEY_ALONG:
    choice->along = (enum qn_along)qn_option_choice(state, "--along", along_words, argument);
    choice->along_given = true;
    return 0;
  case ARGP_KEY_END:
    if (choice->part != QN_PART_EGONET && (choice->hops_given || choice->along_given))
      argp_error(state, "--hops and --along are for --egonet");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

const struct argp qn_part_argp = {.options = argp_options, .parser = parse_option};

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

static enum qn_status read_groups(const struct qn_part_choice *choice, const struct qn_graph *graph,
                                  json_t *provenance, struct qn_vertex_groups *groups,
                                  struct qn_error *error) {
  bool with_groups = choice->part == QN_PART_CROSS_EDGES;
  struct qn_input_digest digest;
  char name[256];
  enum qn_status status =
      qn_vertex_file_read(choice->file, &graph->ids, with_groups, groups, name, &digest, error);
  return status ? status
                : qn_provenance_input(provenance, name, with_groups ? "groups" : "vertices",
                                      &digest, error);
}

enum qn_status qn_part_create(const struct qn_part_choice *choice, const struct qn_graph *graph,
                              json_t *provenance, struct qn_subgraph *subgraph,
                              struct qn_error *error) {
  struct qn_vertex_groups groups = {0};
  *subgraph = (struct qn_subgraph){0};
  enum qn_status status = choice->part == QN_PART_EGONET
                              ? mark_egonet(choice, graph, provenance, &groups, error)
                              : read_groups(choice, graph, provenance, &groups, error);
  if (!status)
    status = qn_provenance_option(provenance, "part", json_string(part_words[choice->part]), error);
  if (!status)
    status =
        qn_subgraph_create(graph, &groups, choice->part == QN_PART_CROSS_EDGES, subgraph, error);
  qn_vertex_groups_destroy(&groups);
  return status;
}
