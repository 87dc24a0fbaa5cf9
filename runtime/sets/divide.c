#include "runtime/sets/divide.h"

#include <inttypes.h>
#include <string.h>

#include "kernels/ranks/ranks.h"
#include "support/memory.h"
#include "support/sizes.h"
#include "support/used_files.h"

/* ---- Choosing ---------------------------------------------------------------- */

static uint64_t edge_bytes(const struct qn_set *set, bool takes_weights) {
  return 4 + (takes_weights ? qn_weight_bytes(set->weight_type) : 0);
}

/* What a rank gets in an iteration, for each vertex of its own. */
static uint64_t cost(const struct qn_set_demand *demand, unsigned num_ranks, unsigned num_columns) {
  return demand->message_bytes * (uint64_t)(num_ranks / num_columns - 1) +
         demand->sum_bytes * (uint64_t)(num_columns - 1);
}

static struct qn_grid cheapest(const struct qn_set_demand *demand, unsigned num_ranks) {
  unsigned best = 1;
  for (unsigned columns = 2; columns <= num_ranks; columns++)
    if (num_ranks % columns == 0 &&
        cost(demand, num_ranks, columns) < cost(demand, num_ranks, best))
      best = columns;
  return (struct qn_grid){num_ranks / best, best};
}

/* What a rank keeps that has so many edges: they stay until all results are gathered. */
static uint64_t memory_of(const struct qn_set *set, const struct qn_set_demand *demand,
                          struct qn_grid grid, uint64_t num_edges) {
  const uint64_t vertices = set->num_vertices;
  return num_edges * edge_bytes(set, demand->takes_weights) +
         vertices / grid.num_rows * (sizeof(uint64_t) + demand->sum_bytes) +
         vertices / grid.num_columns * demand->message_bytes + vertices * sizeof(double);
}

/* Is what the iterations save more than what is read beside a rank's own edges? */
static bool pays(const struct qn_set *set, const struct qn_set_demand *demand,
                 struct qn_grid grid) {
  const unsigned ranks = grid.num_rows * grid.num_columns;
  const double saved = (double)(cost(demand, ranks, 1) - cost(demand, ranks, grid.num_columns));
  return saved * (double)set->num_vertices * demand->num_iterations >
         (double)edge_bytes(set, demand->takes_weights) * (double)set->num_edges *
             (grid.num_columns - 1);
}

static const char no_room[] = "a grid needs the edges in memory, which is too small";

static enum qn_status choose(struct qn_run_set *run, const struct qn_set_demand *demand,
                             struct qn_error *error) {
  const struct qn_set *set = run->set;
  const unsigned num_ranks = run->exchange->num_ranks;
  const struct qn_grid whole = {num_ranks, 1}, best = cheapest(demand, num_ranks);
  struct qn_division *division = &run->division;
  bool has_room = false;
  *division = (struct qn_division){.grid = run->asked.num_rows ? run->asked : whole};
  if (run->asked.num_rows) {
    division->reason = division->grid.num_columns == 1 ? "as --grid says" : NULL;
    return QN_OK;
  }
  if (!run->asked.num_columns)
    division->reason = "--grid asks for no other";
  else if (set->num_parts < num_ranks)
    division->reason = "there are fewer parts than ranks";
  else if (best.num_columns == 1)
    division->reason = "no grid of so many ranks receives less";
  else if (!pays(set, demand, best))
    division->reason = "in so few iterations a grid saves less than it has to read";
  if (division->reason)
    return QN_OK;
  enum qn_status status = run->exchange->has_room(
      memory_of(set, demand, best, set->num_edges / num_ranks), &has_room, error);
  if (has_room)
    division->grid = best;
  else
    division->reason = no_room;
  return status;
}

/* The figures of what was chosen. */
static void count(struct qn_run_set *run, const struct qn_set_demand *demand) {
  struct qn_division *division = &run->division;
  const unsigned rank = run->exchange->rank, columns = division->grid.num_columns;
  const uint64_t *firsts = run->first_vertices;
  const uint64_t own = firsts[rank + 1] - firsts[rank];
  division->whole_rows_bytes = (run->set->num_vertices - own) * demand->message_bytes;
  division->bytes = own * demand->sum_bytes * (columns - 1);
  for (unsigned other = rank % columns; other < run->exchange->num_ranks; other += columns)
    if (other != rank)
      division->bytes += (firsts[other + 1] - firsts[other]) * demand->message_bytes;
}

/* ---- Taking a column's edges --------------------------------------------------- */

/* Where the vertices of a column lie: between bounds[2 i] and bounds[2 i + 1] those of its i-th
 * rank, whose places begin at block->places[i]; the last bound is beyond all. */
struct column {
  uint64_t *bounds;
  const uint64_t *places;
};

/* How many bounds `v` has reached; `at`, how many the one before it had, is where to look. */
static inline unsigned bounds_reached(const struct column *column, unsigned at, uint64_t v) {
  if (at > 0 && v < column->bounds[at - 1])
    at = 0;
  while (v >= column->bounds[at])
    at++;
  return at;
}

/* The edges of a row; of a file that is being overwritten no more than it has. */
static inline uint64_t row_begin(const struct qn_csr *csr, uint64_t v) {
  return csr->row_offsets[v] < csr->num_edges ? csr->row_offsets[v] : csr->num_edges;
}

static void count_part(const struct qn_part_rows *part, const struct column *column,
                       uint64_t *counts) {
  const struct qn_csr *csr = part->csr;
#pragma omp parallel for schedule(dynamic, 1024)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    const uint64_t end = row_begin(csr, v + 1);
    uint64_t found = 0;
    unsigned at = 0;
    for (uint64_t edge = row_begin(csr, v); edge < end; edge++) {
      at = bounds_reached(column, at, csr->column_indices[edge]);
      found += at % 2;
    }
    counts[v] = found;
  }
}

/* A row of the part becomes that of the block; false if it has other edges than were counted. */
static inline bool take_row(const struct qn_csr *csr, uint64_t v, const struct column *column,
                            const struct qn_csr *block, uint64_t row) {
  uint32_t *columns = (uint32_t *)block->column_indices;
  const uint32_t width = qn_weight_bytes(block->weights.type);
  const uint64_t end = row_begin(csr, v + 1), last = block->row_offsets[row + 1];
  uint64_t place = block->row_offsets[row];
  unsigned at = 0;
  for (uint64_t edge = row_begin(csr, v); edge < end; edge++) {
    const uint32_t u = csr->column_indices[edge];
    at = bounds_reached(column, at, u);
    if (at % 2 == 0)
      continue;
    if (place == last)
      return false;
    columns[place] = (uint32_t)(column->places[at / 2] + (u - column->bounds[at - 1]));
    if (width == 4)
      ((uint32_t *)block->weights.data)[place] = csr->weights.u32[edge];
    else if (width == 8)
      ((int64_t *)block->weights.data)[place] = csr->weights.i64[edge];
    place++;
  }
  return place == last;
}

static bool take_part(const struct qn_part_rows *part, const struct column *column,
                      const struct qn_set_block *block) {
  bool is_same = true;
#pragma omp parallel for schedule(dynamic, 1024) reduction(&& : is_same)
  for (uint64_t v = 0; v < part->csr->num_vertices; v++)
    is_same =
        take_row(part->csr, v, column, &block->csr, part->begin - block->begin + v) && is_same;
  return is_same;
}

/* ---- A block ------------------------------------------------------------------- */

/* The parts of the ranks of a row: those of this rank, and others, which are open meanwhile. */
struct row_parts {
  uint64_t first, count;
  struct qn_set_open_part *opened; /* [count] */
  struct qn_part_rows *rows;       /* [count] */
};

static enum qn_status open_other(const struct qn_run_set *run, uint64_t index,
                                 struct qn_set_open_part *part, struct qn_part_rows *rows,
                                 struct qn_error *error) {
  const enum qn_set_check check =
      run->trusted && run->set->layout == QN_LAYOUT_GRAPH ? QN_SET_CHECK_FILE : QN_SET_CHECK_ROWS;
  enum qn_status status = qn_set_part_open(run->set, index, check, part, error);
  if (!status)
    *rows = qn_run_set_rows(run->set, index, &part->rows);
  return status;
}

/* The pages of a mapped part, which come again when they are needed. */
static void release_part(const struct qn_run_set *run, const struct qn_part_rows *part) {
  const struct qn_csr *csr = part->csr;
  if (run->set->layout != QN_LAYOUT_GRAPH)
    return;
  qn_pages_release((void *)csr->row_offsets, (csr->num_vertices + 1) * sizeof *csr->row_offsets);
  qn_pages_release((void *)csr->column_indices, csr->num_edges * sizeof *csr->column_indices);
  qn_pages_release((void *)csr->weights.data, csr->num_edges * qn_weight_bytes(csr->weights.type));
}

static enum qn_status open_rows(const struct qn_run_set *run, struct row_parts *parts,
                                struct qn_error *error) {
  const uint64_t own = run->first_parts[run->exchange->rank];
  enum qn_status status =
      qn_alloc_zeroed(&parts->opened, parts->count, sizeof *parts->opened, "parts", error);
  if (!status)
    status = qn_alloc_zeroed(&parts->rows, parts->count, sizeof *parts->rows, "parts", error);
  for (uint64_t i = 0; !status && i < parts->count; i++) {
    const uint64_t index = parts->first + i;
    if (index >= own && index < own + run->num_parts)
      parts->rows[i] = run->rows[index - own];
    else
      status = open_other(run, index, &parts->opened[i], &parts->rows[i], error);
    if (!status)
      release_part(run, &parts->rows[i]); /* that checks have read */
  }
  return status;
}

static void close_rows(struct row_parts *parts) {
  for (uint64_t i = 0; parts->opened && i < parts->count; i++)
    qn_set_part_close(&parts->opened[i]);
  qn_free(parts->opened);
  qn_free(parts->rows);
}

/* Offsets of the block's rows, from how many edges each has of the column. */
static enum qn_status count_rows(const struct qn_run_set *run, const struct row_parts *parts,
                                 const struct column *column, struct qn_set_block *block,
                                 struct qn_error *error) {
  uint64_t *offsets, most = 0, num_rows = block->csr.num_vertices;
  enum qn_status status =
      qn_pages_alloc(&offsets, num_rows + 1, sizeof *offsets, "rows of a grid", error);
  if (status)
    return status;
  block->csr.row_offsets = offsets;
  for (uint64_t i = 0; i < parts->count; i++) {
    count_part(&parts->rows[i], column, offsets + 1 + (parts->rows[i].begin - block->begin));
    release_part(run, &parts->rows[i]);
    most += run->set->parts[parts->first + i].num_edges;
  }
  for (uint64_t row = 0; row < num_rows; row++)
    offsets[row + 1] += offsets[row];
  block->csr.num_edges = offsets[num_rows];
  return block->csr.num_edges <= most ? QN_OK : qn_input_changed(error);
}

static enum qn_status fill_rows(const struct qn_run_set *run, const struct row_parts *parts,
                                const struct column *column, bool takes_weights,
                                struct qn_set_block *block, struct qn_error *error) {
  struct qn_csr *csr = &block->csr;
  bool is_same = true;
  enum qn_status status = qn_pages_alloc(&csr->column_indices, csr->num_edges,
                                         sizeof *csr->column_indices, "edges of a grid", error);
  if (takes_weights)
    csr->weights.type = run->set->weight_type;
  if (!status && csr->weights.type)
    status = qn_pages_alloc(&csr->weights.data, csr->num_edges, qn_weight_bytes(csr->weights.type),
                            "weights of a grid", error);
  for (uint64_t i = 0; !status && i < parts->count; i++) {
    is_same = take_part(&parts->rows[i], column, block) && is_same;
    release_part(run, &parts->rows[i]);
  }
  return status || is_same ? status : qn_input_changed(error);
}

/* The vertices of the column, and the rows of the block. */
static enum qn_status lay_out(const struct qn_run_set *run, struct qn_set_block *block,
                              struct column *column, struct qn_error *error) {
  const unsigned rows = run->division.grid.num_rows, columns = run->division.grid.num_columns;
  const uint64_t *firsts = run->first_vertices;
  uint64_t *places;
  block->num_rows = rows;
  block->num_columns = columns;
  block->row = run->exchange->rank / columns;
  block->column = run->exchange->rank % columns;
  block->begin = firsts[block->row * columns];
  block->csr.num_vertices = firsts[(block->row + 1) * columns] - block->begin;
  enum qn_status status =
      qn_alloc_zeroed(&places, rows + (uint64_t)1, sizeof *places, "places of ranks", error);
  block->places = places;
  if (!status)
    status = qn_alloc(&column->bounds, 2 * (uint64_t)rows + 1, sizeof *column->bounds,
                      "vertices of ranks", error);
  for (unsigned row = 0; !status && row < rows; row++) {
    const uint64_t *range = firsts + row * columns + block->column;
    column->bounds[2 * row] = range[0];
    column->bounds[2 * row + 1] = range[1];
    places[row + 1] = places[row] + (range[1] - range[0]);
  }
  if (!status)
    column->bounds[2 * rows] = UINT64_MAX;
  column->places = places;
  return status;
}

/* A column with hubs has more edges than others. */
static enum qn_status check_room(struct qn_run_set *run, const struct qn_set_demand *demand,
                                 bool *has, struct qn_error *error) {
  struct qn_division *division = &run->division;
  *has = true;
  if (run->asked.num_rows)
    return QN_OK;
  enum qn_status status = run->exchange->has_room(
      memory_of(run->set, demand, division->grid, run->block.csr.num_edges), has, error);
  if (!status && !*has)
    *division = (struct qn_division){.grid = {run->exchange->num_ranks, 1}, .reason = no_room};
  return status;
}

/* None is made if `auto` finds that there is no room for what it has chosen. */
static enum qn_status make_block(struct qn_run_set *run, const struct qn_set_demand *demand,
                                 bool takes_weights, struct qn_error *error) {
  const unsigned columns = run->division.grid.num_columns;
  struct qn_set_block *block = &run->block;
  struct column column = {0};
  struct row_parts parts = {0};
  bool has_room = false;
  enum qn_status status = qn_ranks_form_grid(columns, error);
  if (!status)
    status = lay_out(run, block, &column, error);
  if (!status) {
    parts.first = run->first_parts[block->row * columns];
    parts.count = run->first_parts[(block->row + 1) * columns] - parts.first;
    status = open_rows(run, &parts, error);
  }
  if (!status)
    status = count_rows(run, &parts, &column, block, error);
  if (!status)
    status = check_room(run, demand, &has_room, error);
  if (!status && has_room)
    status = fill_rows(run, &parts, &column, takes_weights, block, error);
  close_rows(&parts);
  qn_free(column.bounds);
  if (status || !has_room)
    qn_set_undivide(run);
  return status;
}

void qn_set_undivide(struct qn_run_set *run) {
  struct qn_set_block *block = &run->block;
  const struct qn_csr *csr = &block->csr;
  qn_pages_free((void *)csr->weights.data, csr->num_edges, qn_weight_bytes(csr->weights.type));
  qn_pages_free((void *)csr->column_indices, csr->num_edges, sizeof *csr->column_indices);
  qn_pages_free((void *)csr->row_offsets, csr->num_vertices + 1, sizeof *csr->row_offsets);
  qn_free((void *)block->places);
  *block = (struct qn_set_block){0};
}

enum qn_status qn_set_divide(struct qn_run_set *run, const struct qn_set_demand *demand,
                             const struct qn_set_block **out, struct qn_error *error) {
  struct qn_set_block *block = &run->block;
  struct qn_division *division = &run->division;
  const bool takes_weights = demand->takes_weights && run->set->weight_type != QN_WEIGHT_NONE;
  *out = NULL;
  enum qn_status status = choose(run, demand, error);
  if (status)
    return status;
  count(run, demand);
  if (division->grid.num_columns == 1)
    return QN_OK;
  /* What an algorithm before this one had made may do. */
  if (block->num_columns != division->grid.num_columns ||
      (takes_weights && !block->csr.weights.type)) {
    qn_set_undivide(run);
    status = make_block(run, demand, takes_weights, error);
  }
  if (!status && division->grid.num_columns == 1)
    count(run, demand);
  if (status || division->grid.num_columns == 1)
    return status;
  const struct qn_csr *csr = &block->csr;
  const uint64_t own =
      run->first_vertices[run->exchange->rank + 1] - run->first_vertices[run->exchange->rank];
  division->memory = (csr->num_vertices + 1) * sizeof *csr->row_offsets +
                     csr->num_edges * (4 + qn_weight_bytes(csr->weights.type)) +
                     block->places[block->num_rows] * demand->message_bytes +
                     (csr->num_vertices + own) * demand->sum_bytes;
  *out = block;
  return QN_OK;
}

/* ---- Telling ------------------------------------------------------------------- */

json_t *qn_division_json(const struct qn_run_set *run) {
  const struct qn_division *division = &run->division;
  if (!division->grid.num_columns)
    return NULL;
  return json_pack("{s:i, s:i, s:I, s:I, s:I, s:s*}", "rows", (int)division->grid.num_rows,
                   "columns", (int)division->grid.num_columns, "iteration_bytes",
                   (json_int_t)division->bytes, "whole_rows_bytes",
                   (json_int_t)division->whole_rows_bytes, "memory_bytes",
                   (json_int_t)division->memory, "reason", division->reason);
}
