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

/* ---- Rows of generations -------------------------------------------------------------- */

static bool replaces_any(const struct qn_changed_block *block) {
  uint8_t any = 0;
  for (uint64_t i = 0; i < (block->rows.num_vertices + 7) / 8; i++)
    any |= block->replaced[i];
  return any;
}

/* Which rows of a block later ones have replaced, and which it replaces: rows of one block are of
 * different vertices. Returns the edges of those that still count. */
static uint64_t hide_rows(const struct qn_changed_block *block, uint64_t *replaced,
                          uint64_t *skipped) {
  const uint64_t rows = block->rows.num_vertices;
  uint64_t edges = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : edges)
  for (uint64_t word = 0; word < rows / 64 + 1; word++)
    for (uint64_t row = word * 64; row < rows && row < word * 64 + 64; row++) {
      const uint64_t v = block->vertices[row];
      if (__atomic_load_n(&replaced[v / 64], __ATOMIC_RELAXED) >> (v % 64) & 1)
        skipped[word] |= (uint64_t)1 << row % 64;
      else
        edges += row_length(&block->rows, row);
      if (qn_replaces(block, row))
        __atomic_fetch_or(&replaced[v / 64], (uint64_t)1 << (v % 64), __ATOMIC_RELAXED);
    }
  return edges;
}

/* Of the base, when it is known what no longer counts. */
static uint64_t count_base(struct qn_run_changes *changes) {
  const struct qn_csr *base = &changes->changed.graph.out;
  uint64_t edges = base->num_edges, skipped = 0;
#pragma omp parallel for schedule(static) reduction(- : edges) reduction(+ : skipped)
  for (uint64_t v = 0; v < base->num_vertices; v++)
    if (has_bit(changes->replaced, v)) {
      edges -= row_length(base, v);
      skipped++;
    }
  changes->num_skipped = skipped;
  return edges;
}

/* The rows of all blocks that still count, from the last generation back: one that replaces hides
 * all before it. The edges must be as many as the manifest says. */
static enum qn_status list_rows(struct qn_run_changes *changes, struct qn_error *error) {
  const struct qn_set *set = changes->changed.set;
  const uint64_t count = changes->changed.num_blocks;
  uint64_t edges = changes->changed.graph.out.num_edges;
  bool replaces = false;
  enum qn_status status = qn_pages_alloc(&changes->replaced, set->num_vertices / 64 + 1,
                                         sizeof *changes->replaced, "rows", error);
  if (!status)
    status = qn_alloc_zeroed(&changes->listed, count, sizeof *changes->listed, "rows", error);
  if (!status)
    status = qn_alloc_zeroed(&changes->skipped, count, sizeof *changes->skipped, "rows", error);
  for (uint64_t i = 0; !status && i < count; i++)
    replaces |= replaces_any(&changes->changed.blocks[i]);
  for (uint64_t i = count; !status && i > 0; i--) {
    const struct qn_changed_block *block = &changes->changed.blocks[i - 1];
    uint64_t **skipped = &changes->skipped[i - 1];
    if (replaces)
      status = qn_alloc_zeroed(skipped, block->rows.num_vertices / 64 + 1, sizeof **skipped, "rows",
                               error);
    if (!status)
      edges += replaces ? hide_rows(block, changes->replaced, *skipped) : block->rows.num_edges;
    changes->listed[i - 1] = (struct qn_listed_rows){
        .csr = &block->rows, .vertices = block->vertices, .skipped = *skipped};
  }
  if (!status && replaces)
    edges += count_base(changes) - changes->changed.graph.out.num_edges;
  return status || edges == set->num_edges
             ? status
             : qn_set_violation(set, QN_SET_MANIFEST, error, "SET-45",
                                "base and generations have %" PRIu64
                                " edges, and the manifest says %" PRIu64,
                                edges, set->num_edges);
}

/* ---- What generations have added, row by row ---------------------------------------------- */

static void count_rows(const struct qn_listed_rows *listed, uint64_t *counts) {
#pragma omp parallel for schedule(static)
  for (uint64_t row = 0; row < listed->csr->num_vertices; row++)
    if (qn_listed_row_counts(listed, row))
      counts[listed->vertices[row]] += row_length(listed->csr, row);
}

/* Most rows are short. */
static void copy_edges(const struct qn_csr *from, uint64_t begin, uint64_t count,
                       const struct qn_csr *to, uint64_t at) {
  const unsigned width = qn_weight_bytes(from->weights.type);
  uint32_t *columns = (uint32_t *)to->column_indices + at;
  for (uint64_t i = 0; i < count; i++)
    columns[i] = from->column_indices[begin + i];
  if (width)
    memcpy((char *)to->weights.data + at * width, (const char *)from->weights.data + begin * width,
           count * width);
}

/* In front of what later generations have: where the row ends becomes where it begins. False: a
 * file was written over meanwhile. */
static bool copy_rows(const struct qn_listed_rows *listed, uint64_t *ends,
                      const struct qn_csr *to) {
  bool good = true;
#pragma omp parallel for schedule(dynamic, 4096) reduction(&& : good)
  for (uint64_t row = 0; row < listed->csr->num_vertices; row++) {
    const uint64_t v = listed->vertices[row], count = row_length(listed->csr, row);
    if (!qn_listed_row_counts(listed, row))
      continue;
    good = good && count <= ends[v];
    if (count > ends[v])
      continue;
    ends[v] -= count;
    copy_edges(listed->csr, listed->csr->row_offsets[row], count, to, ends[v]);
  }
  return good;
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
  const uint64_t num_vertices = num_vertices_of(changes), count = changes->changed.num_blocks;
  struct qn_csr *added = &changes->added;
  uint64_t *offsets;
  *added = (struct qn_csr){.num_vertices = num_vertices,
                           .weights.type = changes->changed.set->weight_type};
  enum qn_status status =
      qn_pages_alloc(&offsets, num_vertices + 1, sizeof *offsets, "rows", error);
  if (status)
    return status;
  added->row_offsets = offsets;
  for (uint64_t i = 0; i < count; i++)
    count_rows(&changes->listed[i], offsets);
  for (uint64_t v = 0; v < num_vertices; v++)
    offsets[v + 1] += offsets[v];
  added->num_edges = offsets[num_vertices];
  status = make_columns(added, error);
  for (uint64_t i = count; !status && i > 0; i--)
    if (!copy_rows(&changes->listed[i - 1], offsets, added))
      status = qn_input_changed(error);
  for (uint64_t i = 0; !status && i < count; i++)
    status = qn_container_unchanged(changes->changed.blocks[i].container, error);
  return status;
}

static enum qn_status count_degrees(struct qn_run_changes *changes, struct qn_error *error) {
  const struct qn_csr *base = &changes->changed.graph.out;
  const uint64_t num_vertices = num_vertices_of(changes);
  uint64_t most = 0;
  enum qn_status status = qn_pages_alloc(&changes->degrees, num_vertices, sizeof *changes->degrees,
                                         "out-degrees", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (uint64_t v = 0; v < num_vertices; v++) {
    const uint64_t degree =
        (base_counts(changes, v) ? row_length(base, v) : 0) + row_length(&changes->added, v);
    changes->degrees[v] = (uint32_t)degree;
    most = degree > most ? degree : most;
  }
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

/* Rows of the base, which may leave some out, and of what was added to all vertices; NULL: that is
 * listed. */
static void set_parts(struct qn_run_set *run, const struct qn_csr *base,
                      const struct qn_csr *added) {
  struct qn_run_changes *changes = run->changes;
  const uint64_t known = base->num_vertices;
  const bool skips = base == &changes->changed.graph.out && changes->num_skipped > 0;
  run->num_parts = 0;
  add_part(run, *base, 0, true, false, skips ? changes->replaced : NULL);
  if (!added)
    return;
  struct qn_csr head = *added;
  head.num_vertices = known;
  head.num_edges = added->row_offsets[known];
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
  enum qn_status status = qn_changed_open(run->set, trust ? QN_CHANGED_FILES : QN_CHANGED_ROWS,
                                          &changes->changed, error);
  if (!status)
    status = qn_changed_ids_make(&changes->changed, &changes->ids, error);
  return status ? status : list_rows(changes, error);
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
  set_parts(run, &changes->changed.graph.out, NULL);
  return QN_OK;
}

static void release_joined(struct qn_run_changes *changes) {
  qn_free(changes->tail_offsets);
  qn_pages_free(changes->degrees, num_vertices_of(changes), sizeof *changes->degrees);
  release_csr(&changes->added);
  changes->tail_offsets = NULL;
  changes->degrees = NULL;
  changes->added = (struct qn_csr){0};
}

enum qn_status qn_run_changes_join(struct qn_run_set *run, struct qn_error *error) {
  struct qn_run_changes *changes = run->changes;
  struct qn_set_view *view = run->view;
  const struct qn_csr *base = &changes->changed.graph.out;
  if (!view->listed)
    return QN_OK;
  enum qn_status status = join_generations(changes, error);
  if (!status)
    status = count_degrees(changes, error);
  if (!status)
    status = qn_alloc(&changes->tail_offsets, num_vertices_of(changes) - base->num_vertices + 1,
                      sizeof *changes->tail_offsets, "rows", error);
  if (status) {
    release_joined(changes);
    return status;
  }
  set_parts(run, base, &changes->added);
  run->vertices.out_degrees = view->out_degrees =
      (struct qn_degrees){.data = changes->degrees, .bytes = sizeof *changes->degrees};
  view->num_parts = run->num_parts;
  view->listed = NULL;
  view->num_listed = 0;
  return QN_OK;
}

void qn_run_changes_view(struct qn_run_set *run, struct qn_set_view *view) {
  view->has_cut_rows = true;
  view->num_all_parts = QN_CHANGES_PARTS;
  view->num_listed = run->changes->changed.num_blocks;
  view->listed = run->changes->listed;
  if (run->set->directedness == QN_DIRECTED)
    view->find_in_rows = find_in_rows;
  run->view = view;
}

void qn_run_changes_close(struct qn_run_changes *changes) {
  if (!changes)
    return;
  if (changes->changed.set) {
    for (unsigned i = 0; i < 2; i++)
      qn_graph_unmap(&changes->in[i]);
    for (uint64_t i = 0; changes->skipped && i < changes->changed.num_blocks; i++)
      qn_free(changes->skipped[i]);
    release_csr(&changes->kept);
    release_joined(changes);
    qn_pages_free(changes->replaced, num_vertices_of(changes) / 64 + 1, sizeof *changes->replaced);
  }
  qn_free(changes->skipped);
  qn_free(changes->listed);
  qn_changed_ids_release(&changes->ids);
  qn_changed_close(&changes->changed);
  qn_free(changes);
}
