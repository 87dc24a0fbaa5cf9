#include "runtime/sets/types.h"

#include <inttypes.h>
#include <string.h>

#include "formats/set/types.h"
#include "support/memory.h"
#include "support/used_files.h"
#include <quern/transpose.h>

static uint64_t size_of(const struct qn_set *set, uint64_t range) {
  return set->ranges[range].end - set->ranges[range].begin;
}

/* ---- What is chosen --------------------------------------------------------------- */

static bool has_one_part_each(const struct qn_set *set) {
  return set->num_parts == set->num_edge_types;
}

enum qn_status qn_run_types_suit(const struct qn_set *set, const struct qn_set_selection *selection,
                                 enum qn_weight_type *weights, const char **reason,
                                 struct qn_error *error) {
  struct qn_set_chosen chosen;
  const char *without;
  *reason = NULL;
  enum qn_status status = qn_set_choose(set, selection, &chosen, error);
  if (!status && !qn_set_chosen_weights(set, &chosen, weights, &without))
    *reason = "edges of several types, whose weights are of several kinds, are put together";
  else if (!status && !has_one_part_each(set))
    *reason = "edges of types that lie in several files each are put together";
  qn_set_chosen_release(&chosen);
  return status;
}

static enum qn_status number_vertices(const struct qn_set *set, struct qn_run_types *types,
                                      struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(&types->begins, set->num_ranges, sizeof *types->begins,
                                          "types of vertices", error);
  for (uint64_t r = 0; !status && r < set->num_ranges; r++) {
    types->begins[r] = types->num_vertices;
    if (!types->chosen.vertices[r])
      continue;
    types->num_vertices += size_of(set, r);
    types->longest = size_of(set, r) > types->longest ? size_of(set, r) : types->longest;
  }
  return status;
}

/* Columns that count from the first vertex of the target. */
static enum qn_status count_columns(const struct qn_set *set, struct qn_run_types *types,
                                    uint64_t t, struct qn_error *error) {
  struct qn_run_type *type = &types->types[t];
  const struct qn_csr *rows = &type->part.rows;
  const uint64_t begin = set->ranges[set->edge_types[t].target].begin;
  const uint64_t size = size_of(set, set->edge_types[t].target);
  bool fits = true;
  if (type->columns)
    return QN_OK;
  enum qn_status status =
      qn_pages_alloc(&type->columns, rows->num_edges, sizeof *type->columns, "edges", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static) reduction(&& : fits)
  for (uint64_t e = 0; e < rows->num_edges; e++) {
    type->columns[e] = rows->column_indices[e] - (uint32_t)begin;
    fits = fits && type->columns[e] < size;
  }
  return fits ? QN_OK : qn_input_changed(error);
}

static void drop_columns(struct qn_run_type *type) {
  qn_pages_free(type->columns, type->part.rows.num_edges, sizeof *type->columns);
  type->columns = NULL;
}

static enum qn_status open_type(struct qn_run_set *run, uint64_t t, bool trust,
                                struct qn_error *error) {
  struct qn_run_types *types = run->types;
  const struct qn_set *set = run->set;
  struct qn_run_type *type = &types->types[t];
  const uint32_t target = set->edge_types[t].target;
  enum qn_status status = qn_set_part_open(
      set, t, trust && set->layout == QN_LAYOUT_GRAPH ? QN_SET_CHECK_FILE : QN_SET_CHECK_ROWS,
      &type->part, error);
  if (!status && types->begins[target] != set->ranges[target].begin)
    status = count_columns(set, types, t, error);
  if (status)
    return status;
  type->rows = type->part.rows;
  if (type->columns)
    type->rows.column_indices = type->columns;
  if (types->weights == QN_WEIGHT_NONE)
    type->rows.weights = (struct qn_weights){.type = QN_WEIGHT_NONE};
  types->num_edges += type->rows.num_edges;
  return QN_OK;
}

static enum qn_status count_degrees(const struct qn_set *set, struct qn_run_types *types,
                                    struct qn_error *error) {
  enum qn_status status = qn_pages_alloc(&types->degrees, types->num_vertices,
                                         sizeof *types->degrees, "out-degrees", error);
  bool fits = true;
  for (uint64_t t = 0; !status && t < set->num_edge_types; t++) {
    const struct qn_csr *rows = &types->types[t].rows;
    uint32_t *degrees = types->degrees + types->begins[set->edge_types[t].source];
    if (!types->chosen.edges[t])
      continue;
#pragma omp parallel for schedule(static) reduction(&& : fits)
    for (uint64_t row = 0; row < rows->num_vertices; row++) {
      const uint64_t degree = degrees[row] + rows->row_offsets[row + 1] - rows->row_offsets[row];
      fits = fits && degree <= UINT32_MAX;
      degrees[row] = (uint32_t)degree;
    }
  }
  return fits || status ? status
                        : qn_fail(error, QN_UNSUPPORTED,
                                  "a vertex has 2^32 edges or more, and a run on types fewer");
}

/* ---- Parts ------------------------------------------------------------------------ */

static struct qn_part_rows *add_part(struct qn_run_set *run, const struct qn_csr *csr,
                                     uint64_t range) {
  struct qn_part_rows *part = &run->rows[run->num_parts];
  *part = (struct qn_part_rows){.csr = csr,
                                .begin = run->types->begins[range],
                                .end = run->types->begins[range] + size_of(run->set, range),
                                .columns_end = run->types->num_vertices,
                                .num_edges = csr->num_edges,
                                .index = run->num_parts};
  run->num_parts++;
  return part;
}

/* The rows of a range of vertices: those of each type that leaves it, or enters it. */
static void add_range(struct qn_run_set *run, uint64_t range, bool in) {
  struct qn_run_types *types = run->types;
  const struct qn_set *set = run->set;
  const uint64_t first = run->num_parts;
  for (uint64_t t = 0; t < set->num_edge_types; t++) {
    const struct qn_set_edge_type *about = &set->edge_types[t];
    const struct qn_run_type *type = &types->types[t];
    const uint32_t across = in ? about->source : about->target;
    if (!types->chosen.edges[t] || (in ? about->target : about->source) != range)
      continue;
    struct qn_part_rows *part = add_part(run, &type->rows, range);
    if (in || type->columns) {
      part->columns_begin = types->begins[across];
      part->columns_end = types->begins[across] + size_of(set, across);
    }
  }
  if (run->num_parts == first) {
    types->empty[range] = (struct qn_csr){.num_vertices = size_of(set, range),
                                          .row_offsets = types->none,
                                          .weights.type = types->weights};
    add_part(run, &types->empty[range], range);
  }
  run->rows[first].begins_row = true;
  run->rows[run->num_parts - 1].ends_row = true;
}

static void set_parts(struct qn_run_set *run, bool in) {
  run->num_parts = 0;
  for (uint64_t range = 0; range < run->set->num_ranges; range++)
    if (run->types->chosen.vertices[range])
      add_range(run, range, in);
}

static uint64_t most_parts(const struct qn_set *set) {
  return set->num_edge_types + set->num_ranges;
}

/* ---- In-edges --------------------------------------------------------------------- */

/* By way of rows and columns of one number of vertices. */
static enum qn_status transpose(const struct qn_set *set, struct qn_run_types *types, uint64_t t,
                                struct qn_error *error) {
  struct qn_run_type *type = &types->types[t];
  const uint64_t sources = size_of(set, set->edge_types[t].source),
                 targets = size_of(set, set->edge_types[t].target);
  const uint64_t most = sources > targets ? sources : targets;
  uint64_t *offsets = NULL;
  struct qn_csr square = type->rows;
  enum qn_status status = count_columns(set, types, t, error);
  if (!status && most > sources)
    status = qn_pages_alloc(&offsets, most + 1, sizeof *offsets, "rows", error);
  if (!status && offsets) {
    memcpy(offsets, square.row_offsets, (sources + 1) * sizeof *offsets);
    for (uint64_t row = sources; row < most; row++)
      offsets[row + 1] = offsets[sources];
    square.row_offsets = offsets;
  }
  square.num_vertices = most;
  square.column_indices = type->columns;
  if (!status)
    status = qn_graph_create_transpose(&square, &type->in, error);
  qn_pages_free(offsets, most + 1, sizeof *offsets);
  drop_columns(type);
  type->rows = type->in.out;
  type->rows.num_vertices = targets;
  return status;
}

/* As the view's find_in_rows. */
static enum qn_status find_in_rows(struct qn_run_set *run, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t t = 0; !status && t < run->set->num_edge_types; t++)
    if (run->types->chosen.edges[t])
      status = transpose(run->set, run->types, t, error);
  if (status)
    return status;
  set_parts(run, true);
  run->view->num_parts = run->num_parts;
  run->view->find_in_rows = NULL;
  return QN_OK;
}

/* ---- The whole -------------------------------------------------------------------- */

static enum qn_status choose(struct qn_run_set *run, const struct qn_set_selection *selection,
                             struct qn_error *error) {
  struct qn_run_types *types = run->types;
  const struct qn_set *set = run->set;
  const char *without;
  enum qn_status status = qn_set_choose(set, selection, &types->chosen, error);
  if (!status) {
    qn_set_chosen_weights(set, &types->chosen, &types->weights, &without);
    qn_set_note_weights(without);
  }
  for (uint64_t r = 0; !status && r < set->num_ranges; r++)
    if (types->chosen.vertices[r])
      status = qn_container_verify(set->ranges[r].container, error);
  return status ? status : number_vertices(set, types, error);
}

static enum qn_status open_types(struct qn_run_set *run, const struct qn_set_selection *selection,
                                 bool trust, struct qn_error *error) {
  struct qn_run_types *types = run->types;
  const struct qn_set *set = run->set;
  enum qn_status status = choose(run, selection, error);
  if (!status)
    status = qn_alloc_zeroed(&types->types, set->num_edge_types, sizeof *types->types,
                             "types of edges", error);
  for (uint64_t t = 0; !status && t < set->num_edge_types; t++)
    if (types->chosen.edges[t])
      status = open_type(run, t, trust, error);
  if (!status)
    status = count_degrees(set, types, error);
  if (!status)
    status = qn_set_project_ids(set, &types->chosen, false, &types->ids, error);
  if (!status)
    status = qn_pages_alloc(&types->none, types->longest + 1, sizeof *types->none, "rows", error);
  if (!status)
    status = qn_alloc_zeroed(&types->empty, set->num_ranges, sizeof *types->empty,
                             "types of vertices", error);
  return status;
}

enum qn_status qn_run_types_open(struct qn_run_set *run, const struct qn_set_selection *selection,
                                 bool trust, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(&run->types, 1, sizeof *run->types, "a set", error);
  if (!status)
    status = qn_alloc_zeroed(&run->rows, most_parts(run->set), sizeof *run->rows, "parts", error);
  if (!status)
    status = open_types(run, selection, trust, error);
  if (status)
    return status;
  const struct qn_run_types *types = run->types;
  run->info = qn_set_info(run->set);
  run->info.layout = QN_LAYOUT_SET;
  run->info.header_checksum = run->set->identity;
  run->info.num_vertices = types->num_vertices;
  run->info.num_edges = types->num_edges;
  run->info.weight_type = types->weights;
  run->vertices.ids = types->ids.ids;
  run->vertices.out_degrees =
      (struct qn_degrees){.data = types->degrees, .bytes = sizeof *types->degrees};
  set_parts(run, false);
  return QN_OK;
}

void qn_run_types_view(struct qn_run_set *run, struct qn_set_view *view) {
  view->num_vertices = run->types->num_vertices;
  view->num_edges = run->types->num_edges;
  view->has_cut_rows = true;
  view->num_all_parts = most_parts(run->set);
  view->find_in_rows = find_in_rows;
  run->view = view;
}

enum qn_status qn_run_types_verify_weights(const struct qn_run_set *run, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t t = 0; !status && t < run->set->num_edge_types; t++)
    if (run->types->chosen.edges[t])
      status = qn_container_verify_weights(run->types->types[t].part.container, error);
  return status;
}

void qn_run_types_close(const struct qn_set *set, struct qn_run_types *types) {
  if (!types)
    return;
  for (uint64_t t = 0; types->types && t < set->num_edge_types; t++) {
    drop_columns(&types->types[t]);
    qn_graph_unmap(&types->types[t].in);
    qn_set_part_close(&types->types[t].part);
  }
  qn_pages_free(types->none, types->longest + 1, sizeof *types->none);
  qn_pages_free(types->degrees, types->num_vertices, sizeof *types->degrees);
  qn_projected_ids_release(&types->ids);
  qn_set_chosen_release(&types->chosen);
  qn_free(types->empty);
  qn_free(types->types);
  qn_free(types->begins);
  qn_free(types);
}
