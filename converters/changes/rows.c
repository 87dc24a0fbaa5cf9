#include "converters/changes/rows.h"

#include <inttypes.h>
#include <string.h>

#include "converters/build/weight_merge.h"
#include "formats/properties/gather.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/search.h"
#include "support/used_files.h"
#include <quern/fingerprint.h>

struct making {
  const struct qn_changed *changed;
  enum qn_duplicates duplicates;
  const struct qn_delta *gone, *more;
  const struct qn_weights *weights;
  struct qn_change_rows *rows;
  struct qn_row_piece *pieces; /* [generations + 1] of the row at hand, and where each is */
  uint64_t num_pieces, *at;
  bool undirected, merges;
};

static uint64_t bits_at(const struct qn_weights *weights, uint64_t edge) {
  const unsigned width = qn_weight_bytes(weights->type);
  return width ? qn_weight_load(weights->data, width, edge) : 0;
}

/* ---- Room ------------------------------------------------------------------------ */

static enum qn_status make_room(struct qn_change_rows *rows, uint64_t edges, bool weighted,
                                struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (rows->num_rows + 1 >= rows->room_rows) {
    const uint64_t room = 2 * rows->room_rows + 1024;
    status = qn_realloc(&rows->vertices, room, sizeof *rows->vertices, "rows", error);
    if (!status)
      status = qn_realloc(&rows->offsets, room + 1, sizeof *rows->offsets, "rows", error);
    if (!status)
      status = qn_realloc(&rows->replaced, room, sizeof *rows->replaced, "rows", error);
    if (!status)
      rows->room_rows = room;
  }
  if (status || edges <= rows->room - rows->num_edges)
    return status;
  const uint64_t room = 2 * rows->room + edges + 1024;
  status = qn_realloc(&rows->columns, room, sizeof *rows->columns, "edges", error);
  if (!status)
    status = qn_realloc(&rows->picks, room, sizeof *rows->picks, "edges", error);
  if (!status && weighted)
    status = qn_realloc(&rows->weights, room, sizeof *rows->weights, "edges", error);
  if (!status)
    rows->room = room;
  return status;
}

static void put(struct qn_change_rows *rows, uint32_t column, uint64_t bits, uint64_t pick) {
  rows->columns[rows->num_edges] = column;
  rows->picks[rows->num_edges] = pick;
  if (rows->weights)
    rows->weights[rows->num_edges] = bits;
  rows->num_edges++;
}

/* ---- A row that is there ----------------------------------------------------------- */

/* Of the pieces' next edges the one with the least column, of equal ones the earliest. False at the
 * end. */
static bool next_edge(struct making *making, uint32_t *column, uint64_t *bits, uint64_t *pick) {
  const struct qn_row_piece *least = NULL;
  uint64_t which = 0;
  for (uint64_t i = 0; i < making->num_pieces; i++) {
    const struct qn_row_piece *piece = &making->pieces[i];
    if (making->at[i] == piece->end)
      continue;
    const uint32_t own = piece->rows->column_indices[making->at[i]];
    if (least && own >= *column)
      continue;
    *column = own;
    least = piece;
    which = i;
  }
  if (!least)
    return false;
  *bits = bits_at(&least->rows->weights, making->at[which]);
  *pick = qn_pick(least->source, making->at[which]);
  making->at[which]++;
  return true;
}

static uint64_t begin_row(struct making *making, uint64_t v) {
  uint64_t edges = 0;
  making->num_pieces =
      qn_changed_row(making->changed, making->changed->num_blocks, v, making->pieces);
  for (uint64_t i = 0; i < making->num_pieces; i++) {
    making->at[i] = making->pieces[i].begin;
    edges += making->pieces[i].end - making->pieces[i].begin;
  }
  return edges;
}

/* ---- Rows ------------------------------------------------------------------------ */

/* A row of a delta, and how far it is used up. */
struct span {
  const struct qn_delta *delta;
  uint64_t at, end;
};

/* Of `delta` the row of v, which is row `*row` if there is one. */
static struct span take_span(const struct qn_delta *delta, uint64_t v, uint64_t *row) {
  struct span span = {.delta = delta};
  if (*row < delta->num_rows && delta->vertices[*row] == v) {
    span.at = delta->offsets[*row];
    span.end = delta->offsets[++*row];
  }
  return span;
}

static uint32_t column_of(const struct span *span) {
  return span->delta->columns[span->at];
}

static uint64_t source_of_more(const struct making *making, const struct span *more) {
  return qn_pick((uint32_t)making->changed->num_blocks + 1, more->delta->edges[more->at]);
}

/* Edges that are added with columns below `limit`; none of them is there. */
static void add_below(struct making *making, struct span *more, uint64_t limit) {
  for (; more->at < more->end && column_of(more) < limit; more->at++) {
    put(making->rows, column_of(more), bits_at(making->weights, more->delta->edges[more->at]),
        source_of_more(making, more));
    making->rows->added++;
  }
}

static enum qn_status fail_overflow(const struct making *making, uint64_t v, uint32_t column,
                                    struct qn_error *error) {
  struct qn_changed_ids ids;
  char first[24], second[24];
  uint64_t lengths[2];
  enum qn_status status = qn_changed_ids_make(making->changed, &ids, error);
  if (status)
    return status;
  const char *from = qn_ids_text(&ids.ids, v, first, &lengths[0]);
  const char *to = qn_ids_text(&ids.ids, column, second, &lengths[1]);
  qn_fail(error, QN_INVALID,
          "the weights of the edges from %.*s to %.*s sum to more than %s can hold",
          (int)lengths[0], from, (int)lengths[1], to, qn_weight_type_name(making->weights->type));
  qn_changed_ids_release(&ids);
  return QN_INVALID;
}

/* An edge that is there, to which one is added that is the same: the weight of both. */
static enum qn_status merge(struct making *making, uint64_t v, uint32_t column, uint64_t added,
                            uint64_t *bits, struct qn_error *error) {
  if (making->duplicates == QN_DUPLICATES_REMOVE)
    return QN_OK;
  struct qn_weight_merge merge =
      qn_weight_merge_begin(making->weights->type, making->duplicates == QN_DUPLICATES_SUM, *bits);
  qn_weight_merge_add(&merge, added);
  return qn_weight_merge_end(&merge, bits) ? QN_OK : fail_overflow(making, v, column, error);
}

/* What happened to the edges of a row that were there. */
struct outcome {
  uint64_t removed; /* that are gone, or have another weight */
  uint64_t added;   /* that have one */
};

/* Edge after edge of the row that is there, and of what comes to it. */
static enum qn_status merge_row(struct making *making, uint64_t v, struct span *gone,
                                struct span *more, struct outcome *outcome,
                                struct qn_error *error) {
  struct qn_change_rows *rows = making->rows;
  uint32_t column = QN_NO_VERTEX, last = QN_NO_VERTEX;
  uint64_t bits = 0, pick = 0;
  enum qn_status status = QN_OK;
  while (!status && next_edge(making, &column, &bits, &pick)) {
    const bool is_first = column != last;
    last = column;
    while (gone->at < gone->end && column_of(gone) < column)
      gone->at++;
    if (gone->at < gone->end && column_of(gone) == column) {
      rows->found += is_first && (!making->undirected || v <= column);
      outcome->removed++;
      continue;
    }
    add_below(making, more, column);
    const bool meets = is_first && more->at < more->end && column_of(more) == column;
    if (meets && making->undirected && v <= column)
      rows->parallel++;
    for (; making->merges && more->at < more->end && column_of(more) == column; more->at++) {
      const uint64_t before = bits;
      status = merge(making, v, column, bits_at(making->weights, more->delta->edges[more->at]),
                     &bits, error);
      rows->merged++;
      rows->merged_once += v <= column;
      outcome->removed += bits != before;
      outcome->added += bits != before;
    }
    put(rows, column, bits, pick);
  }
  add_below(making, more, UINT64_MAX);
  return status;
}

/* The sum of a row's edges (quern/fingerprint.h), of those from `first` on. */
static uint64_t sum_of(const struct making *making, uint64_t v, uint64_t first) {
  const struct qn_change_rows *rows = making->rows;
  const unsigned width = qn_weight_bytes(making->weights->type);
  uint64_t sum = 0;
  for (uint64_t e = first; e < rows->num_edges; e++)
    sum += qn_mix_destination(rows->columns[e]) *
           (width ? qn_mix_weight_of(rows->weights[e], width) : 1);
  return sum * qn_mix_source((uint32_t)v);
}

static void end_row(struct making *making, uint64_t v, uint64_t first, bool replaced) {
  struct qn_change_rows *rows = making->rows;
  if (replaced)
    rows->fingerprint -= qn_row_fingerprint(v, making->pieces, making->num_pieces);
  else if (rows->num_edges == first)
    return;
  rows->fingerprint += sum_of(making, v, first);
  rows->vertices[rows->num_rows] = (uint32_t)v;
  rows->replaced[rows->num_rows++] = replaced;
  rows->offsets[rows->num_rows] = rows->num_edges;
}

/* Only what is new of a row that has lost nothing, which was written whole from `first` on. */
static void keep_new(struct making *making, uint64_t first) {
  struct qn_change_rows *rows = making->rows;
  uint64_t kept = first;
  for (uint64_t e = first; e < rows->num_edges; e++) {
    if (qn_pick_source(rows->picks[e]) <= making->changed->num_blocks)
      continue;
    rows->columns[kept] = rows->columns[e];
    rows->picks[kept] = rows->picks[e];
    if (rows->weights)
      rows->weights[kept] = rows->weights[e];
    kept++;
  }
  rows->num_edges = kept;
}

/* Is there an edge to `column` in the row at hand? Columns that do not ascend lead nowhere else. */
static bool row_has(const struct making *making, uint32_t column) {
  for (uint64_t i = 0; i < making->num_pieces; i++) {
    const uint32_t *columns = making->pieces[i].rows->column_indices;
    const uint64_t end = making->pieces[i].end;
    const uint64_t found = qn_lower_bound_u32(columns, making->pieces[i].begin, end, column);
    if (found < end && columns[found] == column)
      return true;
  }
  return false;
}

/* A row lies outside of its file: what else is wrong there says more. */
static enum qn_status fail_damaged(const struct making *making, struct qn_error *error) {
  enum qn_status status = qn_changed_check_base(making->changed, QN_CHANGED_ROWS, error);
  if (!status)
    status = qn_changed_check_blocks(making->changed, error);
  return status ? status : qn_input_changed(error);
}

/* Of an undirected graph the edges that come beside one that is there. The base's rows need not
 * have been checked for that. */
static enum qn_status count_parallel(struct making *making, uint64_t v, struct span more,
                                     struct qn_error *error) {
  uint64_t last = UINT64_MAX;
  begin_row(making, v);
  for (uint64_t i = 0; i < making->num_pieces; i++)
    if (making->pieces[i].begin > making->pieces[i].end ||
        making->pieces[i].end > making->pieces[i].rows->num_edges)
      return fail_damaged(making, error);
  for (; more.at < more.end; last = column_of(&more), more.at++)
    making->rows->parallel +=
        v <= column_of(&more) && column_of(&more) != last && row_has(making, column_of(&more));
  return QN_OK;
}

static enum qn_status make_row(struct making *making, uint64_t v, struct span gone,
                               struct span more, struct qn_error *error) {
  struct qn_change_rows *rows = making->rows;
  const bool weighted = making->weights->type != QN_WEIGHT_NONE;
  const uint64_t first = rows->num_edges;
  struct outcome outcome = {0};
  const bool looks = gone.end > gone.at || making->merges;
  const uint64_t edges = looks ? begin_row(making, v) : 0;
  enum qn_status status = make_room(rows, edges + (more.end - more.at), weighted, error);
  if (status)
    return status;
  if (looks)
    status = merge_row(making, v, &gone, &more, &outcome, error);
  else if (making->undirected)
    status = count_parallel(making, v, more, error);
  if (!status && !looks)
    add_below(making, &more, UINT64_MAX);
  if (status)
    return status;
  const bool replaced = outcome.removed > 0;
  if (!replaced && looks)
    keep_new(making, first);
  rows->added += outcome.added;
  rows->removed += outcome.removed;
  end_row(making, v, first, replaced);
  return QN_OK;
}

static enum qn_status make_rows(struct making *making, struct qn_error *error) {
  const struct qn_delta *gone = making->gone, *more = making->more;
  uint64_t g = 0, m = 0;
  enum qn_status status = make_room(making->rows, 0, false, error);
  if (!status)
    making->rows->offsets[0] = 0;
  while (!status && (g < gone->num_rows || m < more->num_rows)) {
    const uint64_t first = g < gone->num_rows ? gone->vertices[g] : UINT64_MAX;
    const uint64_t second = m < more->num_rows ? more->vertices[m] : UINT64_MAX;
    const uint64_t v = first < second ? first : second;
    const struct span going = take_span(gone, v, &g), coming = take_span(more, v, &m);
    status = make_row(making, v, going, coming, error);
    if (!status && making->rows->num_rows % 65536 == 0)
      status = qn_context_check(error);
  }
  return status;
}

enum qn_status qn_change_rows_make(const struct qn_changed *changed, enum qn_duplicates duplicates,
                                   const struct qn_delta *gone, const struct qn_delta *more,
                                   const struct qn_weights *weights, struct qn_change_rows *rows,
                                   struct qn_error *error) {
  *rows = (struct qn_change_rows){0};
  struct making making = {.changed = changed,
                          .duplicates = duplicates,
                          .gone = gone,
                          .more = more,
                          .weights = weights,
                          .rows = rows,
                          .undirected = changed->graph.directedness == QN_UNDIRECTED};
  making.merges = duplicates != QN_DUPLICATES_KEEP;
  enum qn_status status =
      qn_alloc(&making.pieces, changed->num_blocks + 1, sizeof *making.pieces, "rows", error);
  if (!status)
    status = qn_alloc(&making.at, changed->num_blocks + 1, sizeof *making.at, "rows", error);
  if (!status)
    status = make_rows(&making, error);
  qn_free(making.pieces);
  qn_free(making.at);
  return status;
}

void qn_change_rows_release(struct qn_change_rows *rows) {
  qn_free(rows->vertices);
  qn_free(rows->offsets);
  qn_free(rows->replaced);
  qn_free(rows->columns);
  qn_free(rows->weights);
  qn_free(rows->picks);
  *rows = (struct qn_change_rows){0};
}
