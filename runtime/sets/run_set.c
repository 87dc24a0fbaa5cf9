#include "runtime/sets/run_set.h"

#include "formats/set/types.h"
#include "runtime/sets/changes.h"
#include "runtime/sets/divide.h"
#include "runtime/sets/types.h"
#include "support/memory.h"
#include "support/memory_plan.h"
#include "support/temp_file.h"

/* Checks have read all of the vertices; of a mapped file that costs memory until it is given back,
 * and what is needed comes again. */
static void release_vertices(const struct qn_container *vertices) {
  for (uint32_t i = 0; i < qn_container_info(vertices)->num_sections; i++) {
    const struct qn_section *section = qn_container_section_at(vertices, i);
    if (section->data)
      qn_pages_release((void *)section->data, section->count * section->element_bytes);
  }
}

static enum qn_status open_vertices(struct qn_run_set *run, struct qn_error *error) {
  enum qn_status status = qn_set_all_ids(run->set, &run->vertices, error);
  if (!status)
    status = qn_set_all_degrees(run->set, &run->vertices, error);
  for (uint64_t i = 0; i < run->set->num_ranges; i++)
    release_vertices(run->set->ranges[i].container);
  return status;
}

struct qn_part_rows qn_run_set_rows(const struct qn_set *set, uint64_t index,
                                    const struct qn_csr *rows) {
  const struct qn_set_part *part = &set->parts[index];
  return (struct qn_part_rows){.csr = rows,
                               .begin = part->begin,
                               .end = part->end,
                               .columns_begin = part->columns_begin,
                               .columns_end = part->columns_end,
                               .num_edges = part->num_edges,
                               .begins_row = part->columns_begin == 0,
                               .ends_row = part->columns_end == set->num_vertices,
                               .index = index};
}

static enum qn_status open_part(struct qn_run_set *run, uint64_t index, uint64_t place, bool trust,
                                struct qn_error *error) {
  struct qn_set_open_part *part = &run->parts[place];
  /* Rows are made of other layouts, which are checked for that. */
  enum qn_set_check check = run->drops_rows || (trust && run->set->layout == QN_LAYOUT_GRAPH)
                                ? QN_SET_CHECK_FILE
                                : QN_SET_CHECK_ROWS;
  enum qn_status status = qn_set_part_open(run->set, index, check, part, error);
  if (!status && run->drops_rows && !trust)
    status = qn_set_part_verify(part, error);
  if (!status)
    run->rows[place] = qn_run_set_rows(run->set, index, &part->rows);
  return status;
}

/* ---- Memory -----------------------------------------------------------------------------------
 */

/* Of a vertex: a value, a message, and what else kernels keep of each. */
#define VALUE_BYTES 16

static uint64_t row_bytes(const struct qn_set *set) {
  uint64_t bytes = 0;
  for (uint64_t i = 0; i < set->num_parts; i++)
    bytes += (set->parts[i].end - set->parts[i].begin + 1) * sizeof(uint64_t) +
             set->parts[i].num_edges * (sizeof(uint32_t) + qn_weight_bytes(set->weight_type));
  return bytes;
}

/* Blocks are walked one after the other, so values of some vertices and the rows of one block are
 * enough at a time: what does not fit lies on disk, or is made again in each walk. */
static void plan_memory(struct qn_run_set *run, const struct qn_set_opening *opening) {
  const struct qn_set *set = run->set;
  const uint64_t memory = opening->memory ? opening->memory : qn_memory_available();
  const uint64_t values = set->num_vertices * VALUE_BYTES;
  if (opening->exchange || !qn_run_set_is_cut(run))
    return;
  run->limits_memory = values > memory;
  run->slice_bytes = run->limits_memory ? 0 : memory - values;
  run->drops_rows = set->layout != QN_LAYOUT_GRAPH && row_bytes(set) > run->slice_bytes;
  if (run->limits_memory)
    qn_memory_limit_set(memory, opening->folder ? opening->folder : qn_default_temp_folder());
}

static enum qn_status enter_slice(struct qn_run_set *run, uint64_t index, struct qn_error *error) {
  return qn_set_slice_make(&run->slices, index, error);
}

static void leave_slice(struct qn_run_set *run, uint64_t index) {
  (void)index;
  qn_set_slice_drop(&run->slices);
}

/* Where values lie on disk blocks are walked whole: those of a block's columns then come into
 * memory once for all of its rows, which are in memory, whatever values are. */
static enum qn_status enter_part(struct qn_run_set *run, uint64_t index, struct qn_error *error) {
  const uint64_t limit = qn_memory_limit();
  qn_memory_limit_set(0, qn_temp_folder());
  enum qn_status status = qn_set_part_make_rows(&run->parts[index], error);
  qn_memory_limit_set(limit, qn_temp_folder());
  return status;
}

static void leave_part(struct qn_run_set *run, uint64_t index) {
  qn_set_part_drop_rows(&run->parts[index]);
}

/* Rows that are dropped come part by part, or in slices. */
static enum qn_status view_dropped(struct qn_run_set *run, struct qn_set_view *view,
                                   struct qn_error *error) {
  view->enter = enter_part;
  view->leave = leave_part;
  if (run->limits_memory || !run->num_parts)
    return QN_OK;
  view->enter = enter_slice;
  view->leave = leave_slice;
  enum qn_status status = qn_set_slices_create(run->parts, run->rows, run->num_parts,
                                               run->slice_bytes, &run->slices, error);
  view->num_parts = run->slices.count;
  view->parts = run->slices.rows;
  return status;
}

/* ---- All parts --------------------------------------------------------------------------------
 */

/* The first part with the same rows as this one, or the end. */
static uint64_t first_of_rows(const struct qn_set *set, uint64_t part) {
  while (part < set->num_parts && set->parts[part].columns_begin > 0)
    part--;
  return part;
}

/* Parts are dealt to ranks in order, to each about as many; those with the same rows stay together.
 */
static enum qn_status deal_parts(struct qn_run_set *run, unsigned num_ranks,
                                 struct qn_error *error) {
  const struct qn_set *set = run->set;
  enum qn_status status =
      qn_alloc(&run->first_parts, num_ranks + 1, sizeof *run->first_parts, "parts of ranks", error);
  if (!status)
    status = qn_alloc(&run->first_vertices, num_ranks + 1, sizeof *run->first_vertices,
                      "vertices of ranks", error);
  for (unsigned rank = 0; !status && rank <= num_ranks; rank++) {
    const uint64_t first = first_of_rows(set, set->num_parts * rank / num_ranks);
    run->first_parts[rank] = first;
    run->first_vertices[rank] =
        first < set->num_parts ? set->parts[first].begin : set->num_vertices;
  }
  return status;
}

static enum qn_status open_parts(struct qn_run_set *run, const struct qn_exchange *exchange,
                                 bool trust, struct qn_error *error) {
  const struct qn_set *set = run->set;
  unsigned rank = exchange ? exchange->rank : 0;
  run->info = qn_set_info(set);
  run->info.layout = QN_LAYOUT_SET;
  run->info.header_checksum = set->identity;
  enum qn_status status = open_vertices(run, error);
  if (!status)
    status = deal_parts(run, exchange ? exchange->num_ranks : 1, error);
  if (status)
    return status;
  uint64_t first = run->first_parts[rank], count = run->first_parts[rank + 1] - first;
  qn_set_ahead_begin(&run->ahead, set, first, first + count);
  status = qn_alloc_zeroed(&run->parts, count, sizeof *run->parts, "parts of a set", error);
  if (!status)
    status = qn_alloc_zeroed(&run->rows, count, sizeof *run->rows, "parts of a set", error);
  for (; !status && run->num_parts < count; run->num_parts++)
    status = open_part(run, first + run->num_parts, run->num_parts, trust, error);
  return status;
}

static enum qn_status check_grid(const struct qn_set *set, struct qn_grid grid,
                                 const struct qn_exchange *exchange, struct qn_error *error) {
  const unsigned num_ranks = exchange ? exchange->num_ranks : 1;
  if (grid.num_columns && set->features & QN_SET_COLUMN_RANGES)
    return qn_fail(error, QN_UNSUPPORTED,
                   "a grid of ranks is made of parts of whole rows, and blocks of this set have "
                   "some columns alone: leave --grid out, or quern-transform --parts makes such a "
                   "set");
  if (!grid.num_rows || (uint64_t)grid.num_rows * grid.num_columns == num_ranks)
    return QN_OK;
  return qn_fail(error, QN_USAGE, "--grid %ux%u is not of %u rank%s", grid.num_rows,
                 grid.num_columns, num_ranks, num_ranks == 1 ? "" : "s");
}

enum qn_status qn_run_set_open(struct qn_set *set, const struct qn_set_opening *opening,
                               struct qn_run_set **out, struct qn_set_view **view,
                               struct qn_error *error) {
  const struct qn_exchange *exchange = opening->exchange;
  struct qn_run_set *run;
  *out = NULL;
  *view = NULL;
  enum qn_status status = check_grid(set, opening->grid, exchange, error);
  if (!status)
    status = qn_alloc_zeroed(&run, 1, sizeof *run, "a set", error);
  if (status) {
    qn_set_close(set);
    return status;
  }
  run->set = set;
  run->exchange = exchange;
  run->trusted = opening->trust;
  run->asked = opening->grid;
  plan_memory(run, opening);
  status = set->num_generations ? qn_run_changes_open(run, opening->trust, error)
           : qn_set_is_typed(set)
               ? qn_run_types_open(run, opening->selection, opening->trust, error)
               : open_parts(run, exchange, opening->trust, error);
  if (!status)
    status = qn_alloc_zeroed(view, 1, sizeof **view, "a view", error);
  if (status) {
    qn_run_set_close(run);
    return status;
  }
  **view = (struct qn_set_view){.num_vertices = set->num_vertices,
                                .num_edges = set->num_edges,
                                .out_degrees = run->vertices.out_degrees,
                                .has_cut_rows = qn_run_set_is_cut(run),
                                .has_out_rows = set->directedness == QN_UNDIRECTED,
                                .num_parts = run->num_parts,
                                .parts = run->rows,
                                .num_all_parts = set->num_parts,
                                .exchange = exchange,
                                .first_parts = run->first_parts,
                                .first_vertices = run->first_vertices,
                                .divide = qn_set_divide,
                                .set = run};
  if (run->drops_rows && (status = view_dropped(run, *view, error))) {
    qn_free(*view);
    *view = NULL;
    qn_run_set_close(run);
    return status;
  }
  if (run->changes)
    qn_run_changes_view(run, *view);
  if (run->types)
    qn_run_types_view(run, *view);
  *out = run;
  return QN_OK;
}

enum qn_status qn_run_set_ready(struct qn_run_set *run, bool takes_listed_rows,
                                struct qn_error *error) {
  return run && run->changes && !takes_listed_rows ? qn_run_changes_join(run, error) : QN_OK;
}

void qn_run_set_close(struct qn_run_set *run) {
  if (!run)
    return;
  if (run->limits_memory)
    qn_memory_limit_set(0, NULL);
  qn_set_ahead_end(&run->ahead);
  qn_set_undivide(run);
  qn_set_slices_free(&run->slices);
  for (uint64_t i = 0; run->parts && i < run->num_parts; i++)
    qn_set_part_close(&run->parts[i]);
  qn_run_changes_close(run->changes);
  qn_run_types_close(run->set, run->types);
  qn_free(run->parts);
  qn_free(run->rows);
  qn_free(run->first_parts);
  qn_free(run->first_vertices);
  qn_set_all_release(&run->vertices);
  qn_set_close(run->set);
  qn_free(run);
}

enum qn_status qn_run_set_verify_weights(const struct qn_run_set *run, struct qn_error *error) {
  enum qn_status status = run->changes
                              ? qn_container_verify_weights(run->changes->changed.base, error)
                          : run->types ? qn_run_types_verify_weights(run, error)
                                       : QN_OK;
  for (uint64_t i = 0; !status && run->parts && i < run->num_parts; i++)
    status = qn_container_verify_weights(run->parts[i].container, error);
  return status;
}
