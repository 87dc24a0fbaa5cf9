#include "tools/run/graph500.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converters/graph/tree_check.h"
#include "formats/vertices/parents_file.h"
#include "support/options.h"
#include "support/progress.h"
#include "support/random.h"
#include "support/search.h"
#include "support/threads.h"
#include "support/tool.h"
#include "support/used_files.h"
#include "tools/run/graph500_report.h"
#include <quern/import.h>
#include <quern/placement.h>

/* Search keys, among what a seed is for. */
#define STREAM_KEYS 0x6500
/* Stretches of the vertices in which those are counted that may be a key. */
#define NUM_STRETCHES 1024

struct work {
  const struct qn_graph500_options *options;
  struct qn_session *session;
  struct qn_placed *placed;
  struct qn_graph graph; /* its rows, which the session keeps */
  struct qn_id_arrays ids;
  uint32_t keys[QN_GRAPH500_KEYS]; /* [report.num_keys] vertices */
  struct qn_graph500_report report;
};

static void print_notice(void *user, const char *text) {
  (void)user;
  qn_notice("%s", text);
}

static struct qn_job make_job(void) {
  return (struct qn_job){
      .size = sizeof(struct qn_job), .threads = qn_threads(), .notice = print_notice};
}

/* ---- The graph ----------------------------------------------------------------------------- */

/* Kernel 1: of a list of edges, a directed container, the undirected graph. That it has parallel
 * edges is no news. */
static enum qn_status construct(struct work *work, struct qn_error *error) {
  const struct qn_option options[] = {{"format", "quern"}, {"undirected", "yes"}};
  struct qn_job job = make_job();
  const double begin = qn_seconds();
  job.notice = NULL;
  qn_session_close(work->session);
  work->session = NULL;
  enum qn_status status =
      qn_import_files(&work->options->path, 1, options, 2, NULL, &job, &work->session, error);
  work->report.construction_seconds = qn_seconds() - begin;
  return status;
}

static enum qn_weight_type weight_type_of(enum qn_type type) {
  return type == QN_TYPE_U32   ? QN_WEIGHT_U32
         : type == QN_TYPE_I64 ? QN_WEIGHT_I64
         : type == QN_TYPE_F32 ? QN_WEIGHT_F32
         : type == QN_TYPE_F64 ? QN_WEIGHT_F64
                               : QN_WEIGHT_NONE;
}

/* Rows to draw keys from and to validate with, whatever the layout that is searched. */
static enum qn_status find_rows(struct work *work, struct qn_error *error) {
  const struct qn_job job = make_job();
  struct qn_edge_rows rows = {.size = sizeof rows};
  work->ids.size = sizeof work->ids;
  enum qn_status status = qn_session_verify(work->session, QN_VERIFY_STRUCTURE, &job, error);
  if (!status)
    status = qn_session_out_edges(work->session, &job, &rows, error);
  if (!status)
    status = qn_session_ids(work->session, &work->ids, error);
  if (status)
    return status;
  work->graph = (struct qn_graph){
      .directedness = QN_UNDIRECTED,
      .out = {.num_vertices = rows.num_vertices,
              .num_edges = rows.num_edges,
              .row_offsets = rows.row_offsets,
              .column_indices = rows.column_indices,
              .weights = {.type = weight_type_of(rows.weight_type), .data = rows.weights}}};
  work->report.has_sssp = rows.weight_type != QN_TYPE_NONE;
  return QN_OK;
}

static enum qn_status open_graph(struct work *work, struct qn_error *error) {
  const struct qn_job job = make_job();
  const struct qn_option where = {"device", work->options->device};
  struct qn_session_info info = {.size = sizeof info};
  enum qn_status status = qn_session_open(work->options->path, 0, &job, &work->session, error);
  if (status)
    return status;
  qn_session_info(work->session, &info);
  if (info.directed)
    status = construct(work, error);
  if (!status)
    status = find_rows(work, error);
  if (!status)
    status = qn_session_place(work->session, &where, 1, &job, &work->placed, error);
  return status;
}

/* ---- Search keys --------------------------------------------------------------------------- */

static uint64_t degree_of(const struct qn_csr *rows, uint64_t vertex) {
  return rows->row_offsets[vertex + 1] - rows->row_offsets[vertex];
}

static uint64_t count_loops(const struct qn_csr *rows, uint64_t vertex) {
  const uint64_t begin = rows->row_offsets[vertex], end = rows->row_offsets[vertex + 1];
  uint64_t edge = qn_lower_bound_u32(rows->column_indices, begin, end, (uint32_t)vertex), loops = 0;
  for (; edge < end && rows->column_indices[edge] == vertex; edge++)
    loops++;
  return loops;
}

/* Has it an edge to another vertex? */
static bool may_be_key(const struct qn_csr *rows, uint64_t vertex) {
  const uint64_t degree = degree_of(rows, vertex);
  return degree > 0 && degree > count_loops(rows, vertex);
}

/* The number `place` of those that may be a key, in the order of the vertices. */
static uint32_t find_key(const struct qn_csr *rows, const uint64_t *counts, uint64_t place) {
  uint64_t stretch = 0, vertex, end;
  for (; place >= counts[stretch]; stretch++)
    place -= counts[stretch];
  qn_part_of(rows->num_vertices, NUM_STRETCHES, stretch, &vertex, &end);
  for (;; vertex++)
    if (may_be_key(rows, vertex) && place-- == 0)
      return (uint32_t)vertex;
}

static bool is_among(const uint64_t *places, unsigned count, uint64_t place) {
  for (unsigned i = 0; i < count; i++)
    if (places[i] == place)
      return true;
  return false;
}

/* As many different ones as the benchmark wants, or all, each as likely as others. */
static enum qn_status draw_keys(struct work *work, struct qn_error *error) {
  const struct qn_csr *rows = &work->graph.out;
  const uint64_t key = qn_random_key(work->report.seed, STREAM_KEYS);
  uint64_t counts[NUM_STRETCHES] = {0}, places[QN_GRAPH500_KEYS], total = 0, drawn = 0;
#pragma omp parallel for schedule(dynamic, 4) reduction(+ : total)
  for (uint64_t stretch = 0; stretch < NUM_STRETCHES; stretch++) {
    uint64_t begin, end;
    qn_part_of(rows->num_vertices, NUM_STRETCHES, stretch, &begin, &end);
    for (uint64_t v = begin; v < end; v++)
      counts[stretch] += may_be_key(rows, v);
    total += counts[stretch];
  }
  if (total == 0)
    return qn_fail(error, QN_INVALID, "%s: no vertex has an edge to another", work->options->path);
  unsigned count = 0;
  while (count < QN_GRAPH500_KEYS && count < total) {
    const uint64_t place =
        total <= QN_GRAPH500_KEYS ? count : qn_random_below(qn_random_at(key, drawn++), total);
    if (is_among(places, count, place))
      continue;
    places[count] = place;
    work->keys[count++] = find_key(rows, counts, place);
  }
  work->report.num_keys = count;
  return QN_OK;
}

/* What a vertex is called. */
static char *name_vertex(const struct qn_id_arrays *ids, uint32_t vertex) {
  char *name = NULL;
  if (ids->form == QN_ID_FORM_STRINGS)
    return strndup(ids->bytes + ids->offsets[vertex],
                   ids->offsets[vertex + 1] - ids->offsets[vertex]);
  const uint64_t number = ids->form == QN_ID_FORM_NUMBERS ? ids->numbers[vertex] : vertex;
  return asprintf(&name, "%" PRIu64, number) < 0 ? NULL : name;
}

static enum qn_status name_keys(struct work *work, struct qn_error *error) {
  for (unsigned i = 0; i < work->report.num_keys; i++) {
    work->report.keys[i] = name_vertex(&work->ids, work->keys[i]);
    if (!work->report.keys[i])
      return qn_fail_memory(error, "search keys", 0);
  }
  return QN_OK;
}

/* ---- Validation ---------------------------------------------------------------------------- */

/* Edges of the benchmark's list are stored from both ends, but a loop once. */
static void count_component(struct work *work, const uint32_t *parents, unsigned search) {
  const struct qn_csr *rows = &work->graph.out;
  uint64_t ends = 0, reached = 0;
#pragma omp parallel for schedule(static) reduction(+ : ends, reached)
  for (uint64_t v = 0; v < rows->num_vertices; v++)
    if (parents[v] != QN_NO_PARENT) {
      ends += degree_of(rows, v) + count_loops(rows, v);
      reached++;
    }
  work->report.edges[search] = (double)(ends / 2);
  work->report.num_reached[search] = reached;
}

static void count_all(struct work *work) {
  const struct qn_csr *rows = &work->graph.out;
  uint64_t ends = rows->num_edges;
#pragma omp parallel for schedule(static) reduction(+ : ends)
  for (uint64_t v = 0; v < rows->num_vertices; v++)
    ends += count_loops(rows, v);
  work->report.num_vertices = rows->num_vertices;
  work->report.num_edges = ends / 2;
}

static enum qn_status fail_rule(const struct work *work, const char *algorithm, unsigned search,
                                const struct qn_tree_report *tree, struct qn_error *error) {
  int rule = 1;
  while (rule + 1 < QN_TREE_RULES && tree->faults[rule].count == 0)
    rule++;
  const bool has_rule = tree->faults[rule].count > 0;
  char *name = has_rule ? name_vertex(&work->ids, tree->faults[rule].vertex) : NULL;
  if (has_rule)
    qn_fail(error, QN_NEGATIVE,
            "%s from %s is no tree of shortest paths by rule %d (%" PRIu64
            " times, first at vertex %s); no results of an invalid run",
            algorithm, work->report.keys[search], rule, tree->faults[rule].count,
            name ? name : "?");
  else
    qn_fail(error, QN_NEGATIVE, "%s from %s has another root; no results of an invalid run",
            algorithm, work->report.keys[search]);
  free(name);
  return QN_NEGATIVE;
}

static enum qn_status validate(struct work *work, const struct qn_result *result,
                               const char *algorithm, unsigned search, struct qn_error *error) {
  struct qn_result_column values = {.size = sizeof values}, parents = {.size = sizeof parents};
  struct qn_tree_report tree;
  enum qn_status status = qn_result_column(result, 0, &values, error);
  if (!status)
    status = qn_result_column(result, 1, &parents, error);
  if (status)
    return status;
  const struct qn_tree_values said = {.u32 = values.type == QN_TYPE_U32 ? values.data : NULL,
                                      .u64 = values.type == QN_TYPE_U64 ? values.data : NULL,
                                      .f64 = values.type == QN_TYPE_F64 ? values.data : NULL};
  status = qn_tree_check(&work->graph, parents.data, &said, strcmp(algorithm, "sssp") == 0, &tree,
                         error);
  if (status)
    return status;
  if (!qn_tree_is_right(&tree) || tree.root != work->keys[search])
    return fail_rule(work, algorithm, search, &tree, error);
  count_component(work, parents.data, search);
  return QN_OK;
}

/* ---- Searches ------------------------------------------------------------------------------ */

static enum qn_status run_search(struct work *work, const char *algorithm, unsigned search,
                                 struct qn_result **result, struct qn_error *error) {
  const struct qn_option options[] = {{"source", work->report.keys[search]}, {"parents", "yes"}};
  const struct qn_job job = make_job();
  return qn_placed_run(work->placed, algorithm, options, 2, &job, result, error);
}

static enum qn_status search_from(struct work *work, const char *algorithm, unsigned search,
                                  struct qn_graph500_searches *searches, struct qn_error *error) {
  struct qn_result_info info = {.size = sizeof info};
  struct qn_result *result = NULL;
  enum qn_status status = run_search(work, algorithm, search, &result, error);
  if (!status) {
    qn_result_info(result, &info);
    snprintf(searches->kernel, sizeof searches->kernel, "%s", info.kernel);
    snprintf(searches->device, sizeof searches->device, "%s", info.device);
    searches->seconds[search] = info.run_seconds;
    const double begin = qn_seconds();
    status = validate(work, result, algorithm, search, error);
    searches->validate_seconds[search] = qn_seconds() - begin;
  }
  qn_result_close(result);
  return status;
}

/* The first one once more before, so that what a process does once is not in the times. */
static enum qn_status search_all(struct work *work, const char *algorithm,
                                 struct qn_graph500_searches *searches, struct qn_error *error) {
  enum qn_status status = search_from(work, algorithm, 0, searches, error);
  for (unsigned search = 0; search < work->report.num_keys && !status; search++)
    status = search_from(work, algorithm, search, searches, error);
  return status;
}

static enum qn_status show(const struct work *work, struct qn_error *error) {
  enum qn_status status = qn_used_files_check_all(error);
  if (status)
    return status;
  if (work->options->json) {
    json_t *json = qn_graph500_json(&work->report);
    if (!json)
      return qn_fail_memory(error, "a report", 0);
    qn_tool_print_json(json);
  } else if (!work->options->quiet) {
    qn_graph500_print(&work->report);
  }
  return QN_OK;
}

enum qn_status qn_graph500(const struct qn_graph500_options *options, struct qn_error *error) {
  struct work work = {.options = options, .report.seed = 1};
  enum qn_status status = QN_OK;
  if (options->seed && qn_whole_parse(options->seed, 0, INT64_MAX, &work.report.seed, NULL))
    status =
        qn_fail(error, QN_USAGE, "--seed is a number from 0 to 2^63 - 1, not %s", options->seed);
  if (!status)
    status = open_graph(&work, error);
  if (!status)
    status = draw_keys(&work, error);
  if (!status)
    status = name_keys(&work, error);
  if (!status) {
    count_all(&work);
    status = search_all(&work, "bfs", &work.report.bfs, error);
  }
  if (!status && work.report.has_sssp)
    status = search_all(&work, "sssp", &work.report.sssp, error);
  if (!status)
    status = show(&work, error);
  for (unsigned i = 0; i < work.report.num_keys; i++)
    free(work.report.keys[i]);
  qn_placed_close(work.placed);
  qn_session_close(work.session);
  return status;
}
