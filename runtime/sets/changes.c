#include "runtime/sets/changes.h"

#include <inttypes.h>
#include <string.h>

#include "support/memory.h"
#include "support/used_files.h"
#include <quern/transpose.h>

static uint64_t num_vertices_of(const struct qn_run_changes *changes) {
  return changes->changed.set->num_vertices;
}

static bool has_bit(const uint64_t *bits, uint64_t i) {
  return bits[i / 64] >> (i % 64) & 1;
}

static uint64_t row_length(const struct qn_csr *csr, uint64_t row) {
  return csr->row_offsets[row + 1] - csr->row_offsets[row];
}

/* Is the base's row of this vertex part of the graph? */
static bool base_counts(const struct qn_run_changes *changes, uint64_t v) {
  return v < changes->changed.graph.out.num_vertices && !has_bit(changes->replaced, v);
}

/* ---- What generations have added ------------------------------------------------------ */

/* What is done with the rows of blocks that still count, from the last generation back: a row that
 * replaces hides all before it. Rows of one block are of different vertices. */
typedef bool take_row(struct qn_run_changes *changes, uint64_t *of_vertex,
                      const struct qn_csr *rows, uint64_t row, uint64_t v);

static bool walk_blocks(struct qn_run_changes *changes, uint64_t *hidden, uint64_t *of_vertex,
                        take_row *take) {
  bool good = true;
  for (uint64_t i = changes->changed.num_blocks; i > 0; i--) {
    const struct qn_changed_block *block = &changes->changed.blocks[i - 1];
#pragma omp parallel for schedule(dynamic, 1024) reduction(&& : good)
    for (uint64_t row = 0; row < block->rows.num_vertices; row++) {
      const uint64_t v = block->vertices[row];
      if (__atomic_load_n(&hidden[v / 64], __ATOMIC_RELAXED) >> (v % 64) & 1)
        continue;
      good = take(changes, of_vertex, &block->rows, row, v) && good;
      if (qn_replaces(block, row))
        __atomic_fetch_or(&hidden[v / 64], (uint64_t)1 << (v % 64), __ATOMIC_RELAXED);
    }
  }
  return good;
}

static bool count_row(struct qn_run_changes *changes, uint64_t *counts, const struct qn_csr *rows,
                      uint64_t row, uint64_t v) {
  (void)changes;
  counts[v] += row_length(rows, row);
  return true;
}

/* In front of what later generations have: where the row ends becomes where it begins. False: a
 * file was written over meanwhile. */
static bool copy_row(struct qn_run_changes *changes, uint64_t *ends, const struct qn_csr *rows,
                     uint64_t row, uint64_t v) {
  const struct qn_csr *to = &changes->added;
  const uint64_t begin = rows->row_offsets[row], count = row_length(rows, row);
  const unsigned width = qn_weight_bytes(rows->weights.type);
  if (count > ends[v])
    return false;
  ends[v] -= count;
  memcpy((uint32_t *)to->column_indices + ends[v], rows->column_indices + begin,
         count * sizeof *to->column_indices);
  if (width)
    memcpy((char *)to->weights.data + ends[v] * width,
           (const char *)rows->weights.data + begin * width, count * width);
  return true;
}

static enum qn_status make_columns(struct qn_csr *csr, struct qn_error *error) {
  uint32_t *columns;
  void *weights;
  const unsigned width = qn_weight_bytes(csr->weights.type);
  enum qn_status status = qn_pages_alloc(&columns, csr->num_edges, sizeof *columns, "edges", error);
  if (status)
    return status;
  csr->column_indices = columns;
  if (width)
    status = qn_pages_alloc(&weights, csr->num_edges, width, "weights", error);
  if (!status && width)
    csr->weights.data = weights;
  return status;
}

static void release_csr(const struct qn_csr *csr) {
  qn_pages_free((void *)csr->weights.data, csr->num_edges, qn_weight_bytes(csr->weights.type));
  qn_pages_free((void *)csr->column_indices, csr->num_edges, sizeof *csr->column_indices);
  qn_pages_free((void *)csr->row_offsets, csr->num_vertices + 1, sizeof *csr->row_offsets);
}

static enum qn_status join_generations(struct qn_run_changes *changes, struct qn_error *error) {
  const uint64_t num_vertices = num_vertices_of(changes), words = num_vertices / 64 + 1;
  struct qn_csr *added = &changes->added;
  uint64_t *offsets, *hidden = NULL;
  *added = (struct qn_csr){.num_vertices = num_vertices,
                           .weights.type = changes->changed.set->weight_type};
  enum qn_status status =
      qn_pages_alloc(&changes->replaced, words, sizeof *changes->replaced, "rows", error);
  if (!status)
    status = qn_pages_alloc(&offsets, num_vertices + 1, sizeof *offsets, "rows", error);
  if (status)
    return status;
  added->row_offsets = offsets;
  walk_blocks(changes, changes->replaced, offsets, count_row);
  for (uint64_t v = 0; v < num_vertices; v++)
    offsets[v + 1] += offsets[v];
  added->num_edges = offsets[num_vertices];
  status = make_columns(added, error);
  if (!status)
    status = qn_pages_alloc(&hidden, words, sizeof *hidden, "rows", error);
  if (!status && !walk_blocks(changes, hidden, offsets, copy_row))
    status = qn_input_changed(error);
  qn_pages_free(hidden, words, sizeof *hidden);
  for (uint64_t i = 0; !status && i < changes->changed.num_blocks; i++)
    status = qn_container_unchanged(changes->changed.blocks[i].container, error);
  return status;
}

/* Out-degrees; and the edges must be as many as the manifest says. */
static enum qn_status count_degrees(struct qn_run_changes *changes, struct qn_error *error) {
  const struct qn_set *set = changes->changed.set;
  const struct qn_csr *base = &changes->changed.graph.out;
  uint64_t edges = 0, most = 0, skipped = 0;
  enum qn_status status = qn_pages_alloc(&changes->degrees, set->num_vertices,
                                         sizeof *changes->degrees, "out-degrees", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static) reduction(+ : edges, skipped) reduction(max : most)
  for (uint64_t v = 0; v < set->num_vertices; v++) {
    const bool counts = base_counts(changes, v);
    const uint64_t degree = (counts ? row_length(base, v) : 0) + row_length(&changes->added, v);
    changes->degrees[v] = (uint32_t)degree;
    edges += degree;
    skipped += !counts && v < base->num_vertices;
    most = degree > most ? degree : most;
  }
  changes->num_skipped = skipped;
  if (edges != set->num_edges)
    return qn_set_violation(set, QN_SET_MANIFEST, error, "SET-45",
                            "base and generations have %" PRIu64
                            " edges, and the manifest says %" PRIu64,
                            edges, set->num_edges);
  return most <= UINT32_MAX
             ? QN_OK
             : qn_fail(error, QN_UNSUPPORTED,
                       "a vertex has %" PRIu64 " edges, and rows of generations at most 2^32 - 1",
                       most);
}

/* ---- Parts -------------------------------------------------------------------------- */

/* The rows from `first` on, whose offsets are copied to `offsets`, from 0 on. */
static struct qn_csr tail_of(const struct qn_csr *csr, uint64_t first, uint64_t *offsets) {
  const uint64_t begin = csr->row_offsets[first], rows = csr->num_vertices - first;
  const unsigned width = qn_weight_bytes(csr->weights.type);
  struct qn_csr tail = *csr;
  for (uint64_t row = 0; row <= rows; row++)
    offsets[row] = csr->row_offsets[first + row] - begin;
  tail.num_vertices = rows;
  tail.num_edges = offsets[rows];
  tail.row_offsets = offsets;
  tail.column_indices = csr->column_indices + begin;
  if (width)
    tail.weights.data = (const char *)csr->weights.data + begin * width;
  return tail;
}

static void add_part(struct qn_run_set *run, struct qn_csr csr, uint64_t begin, bool begins_row,
                     bool ends_row, const uint64_t *skipped) {
  struct qn_run_changes *changes = run->changes;
  if (csr.num_vertices == 0)
    return;
  changes->csr[run->num_parts] = csr;
  run->rows[run->num_parts] = (struct qn_part_rows){.csr = &changes->csr[run->num_parts],
                                                    .begin = begin,
                                                    .end = begin + csr.num_vertices,
                                                    .columns_end = run->set->num_vertices,
                                                    .num_edges = csr.num_edges,
                                                    .skipped = skipped,
                                                    .begins_row = begins_row,
                                                    .ends_row = ends_row,
                                                    .index = run->num_parts};
  run->num_parts++;
}

/* Rows of the base, which may leave some out, and of what was added to all vertices. */
static void set_parts(struct qn_run_set *run, const struct qn_csr *base,
                      const struct qn_csr *added) {
  struct qn_run_changes *changes = run->changes;
  const uint64_t known = base->num_vertices;
  const bool skips = base == &changes->changed.graph.out && changes->num_skipped > 0;
  struct qn_csr head = *added;
  head.num_vertices = known;
  head.num_edges = added->row_offsets[known];
  run->num_parts = 0;
  add_part(run, *base, 0, true, false, skips ? changes->replaced : NULL);
  add_part(run, head, 0, false, true, NULL);
  add_part(run, tail_of(added, known, changes->tail_offsets), known, true, true, NULL);
}

/* ---- In-edges ----------------------------------------------------------------------- */

/* The base without the rows that no longer count. */
static enum qn_status keep_rows(struct qn_run_changes *changes, struct qn_error *error) {
  const struct qn_csr *base = &changes->changed.graph.out;
  const unsigned width = qn_weight_bytes(base->weights.type);
  struct qn_csr *kept = &changes->kept;
  uint64_t *offsets;
  enum qn_status status =
      qn_pages_alloc(&offsets, base->num_vertices + 1, sizeof *offsets, "rows", error);
  if (status)
    return status;
  *kept = (struct qn_csr){.num_vertices = base->num_vertices,
                          .row_offsets = offsets,
                          .weights.type = base->weights.type};
  for (uint64_t v = 0; v < base->num_vertices; v++)
    offsets[v + 1] = offsets[v] + (base_counts(changes, v) ? row_length(base, v) : 0);
  kept->num_edges = offsets[base->num_vertices];
  status = make_columns(kept, error);
#pragma omp parallel for schedule(dynamic, 4096)
  for (uint64_t v = 0; v < (status ? 0 : base->num_vertices); v++) {
    const uint64_t count = offsets[v + 1] - offsets[v], from = base->row_offsets[v];
    memcpy((uint32_t *)kept->column_indices + offsets[v], base->column_indices + from,
           count * sizeof *base->column_indices);
    if (width)
      memcpy((char *)kept->weights.data + offsets[v] * width,
             (const char *)base->weights.data + from * width, count * width);
  }
  return status;
}

/* As the view's find_in_rows. */
static enum qn_status find_in_rows(struct qn_run_set *run, struct qn_error *error) {
  struct qn_run_changes *changes = run->changes;
  const struct qn_graph *base = &changes->changed.graph;
  const bool stored = base->has_transpose && changes->num_skipped == 0;
  enum qn_status status = QN_OK;
  if (changes->num_skipped > 0)
    status = keep_rows(changes, error);
  if (!status && !stored)
    status = qn_graph_create_transpose(changes->num_skipped ? &changes->kept : &base->out,
                                       &changes->in[0], error);
  release_csr(&changes->kept);
  changes->kept = (struct qn_csr){0};
  if (!status)
    status = qn_graph_create_transpose(&changes->added, &changes->in[1], error);
  if (status)
    return status;
  set_parts(run, stored ? &base->in : &changes->in[0].out, &changes->in[1].out);
  run->view->num_parts = run->num_parts;
  run->view->find_in_rows = NULL;
  return QN_OK;
}

/* ---- The whole ---------------------------------------------------------------------- */

static enum qn_status open_changes(struct qn_run_set *run, bool trust, struct qn_error *error) {
  struct qn_run_changes *changes = run->changes;
  const struct qn_set *set = run->set;
  enum qn_status status =
      qn_changed_open(set, trust ? QN_CHANGED_FILES : QN_CHANGED_ROWS, &changes->changed, error);
  if (!status)
    status = qn_changed_ids_make(&changes->changed, &changes->ids, error);
  if (!status)
    status = join_generations(changes, error);
  if (!status)
    status = count_degrees(changes, error);
  const uint64_t known = changes->changed.graph.out.num_vertices;
  if (!status)
    status = qn_alloc(&changes->tail_offsets, set->num_vertices - known + 1,
                      sizeof *changes->tail_offsets, "rows", error);
  return status;
}

enum qn_status qn_run_changes_open(struct qn_run_set *run, bool trust, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(&run->changes, 1, sizeof *run->changes, "a set", error);
  if (!status)
    status = qn_alloc_zeroed(&run->rows, QN_CHANGES_PARTS, sizeof *run->rows, "parts", error);
  if (!status)
    status = open_changes(run, trust, error);
  if (status)
    return status;
  const struct qn_run_changes *changes = run->changes;
  run->info = qn_set_info(run->set);
  run->info.layout = QN_LAYOUT_SET;
  run->info.header_checksum = run->set->identity;
  run->vertices.ids = changes->ids.ids;
  run->vertices.out_degrees =
      (struct qn_degrees){.data = changes->degrees, .bytes = sizeof *changes->degrees};
  set_parts(run, &changes->changed.graph.out, &changes->added);
  return QN_OK;
}

void qn_run_changes_view(struct qn_run_set *run, struct qn_set_view *view) {
  view->has_cut_rows = true;
  view->num_all_parts = QN_CHANGES_PARTS;
  if (run->set->directedness == QN_DIRECTED)
    view->find_in_rows = find_in_rows;
  run->view = view;
}

void qn_run_changes_close(struct qn_run_changes *changes) {
  if (!changes)
    return;
  const uint64_t num_vertices = changes->changed.set ? num_vertices_of(changes) : 0;
  for (unsigned i = 0; i < 2; i++)
    qn_graph_unmap(&changes->in[i]);
  qn_free(changes->tail_offsets);
  release_csr(&changes->kept);
  release_csr(&changes->added);
  qn_pages_free(changes->degrees, num_vertices, sizeof *changes->degrees);
  qn_pages_free(changes->replaced, num_vertices / 64 + 1, sizeof *changes->replaced);
  qn_changed_ids_release(&changes->ids);
  qn_changed_close(&changes->changed);
  qn_free(changes);
}
