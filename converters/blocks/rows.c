#include "converters/blocks/rows.h"

#include <stdlib.h>
#include <string.h>

#include "converters/build/weight_merge.h"
#include "support/memory.h"
#include "support/temp_file.h"

enum qn_status qn_block_rows_create(const struct qn_set_part *block, uint64_t num_edges,
                                    enum qn_weight_type type, struct qn_block_rows *rows,
                                    struct qn_error *error) {
  *rows = (struct qn_block_rows){.num_rows = block->end - block->begin,
                                 .num_edges = num_edges,
                                 .room = num_edges,
                                 .weight_type = type};
  enum qn_status status = qn_bulk_alloc(&rows->offsets, rows->num_rows + 1, sizeof *rows->offsets,
                                        "rows of a block", error);
  if (!status)
    status = qn_bulk_alloc(&rows->columns, num_edges, sizeof *rows->columns, "columns of a block",
                           error);
  if (!status && type != QN_WEIGHT_NONE)
    status = qn_bulk_alloc(&rows->weights, num_edges, qn_weight_bytes(type), "weights of a block",
                           error);
  return status;
}

void qn_block_rows_free(struct qn_block_rows *rows) {
  qn_pages_free(rows->offsets, rows->num_rows + 1, sizeof *rows->offsets);
  qn_pages_free(rows->columns, rows->room, sizeof *rows->columns);
  if (rows->weights)
    qn_pages_free(rows->weights, rows->room, qn_weight_bytes(rows->weight_type));
  *rows = (struct qn_block_rows){0};
}

/* ---- Edges into rows ------------------------------------------------------------ */

static int compare_columns(const void *left, const void *right) {
  const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
  return (a > b) - (a < b);
}

/* Most rows are short. */
static void sort_row(uint32_t *columns, uint64_t count) {
  enum { SHORT = 16 };
  if (count > SHORT) {
    qsort(columns, count, sizeof *columns, compare_columns);
    return;
  }
  for (uint64_t i = 1; i < count; i++) {
    const uint32_t column = columns[i];
    uint64_t at = i;
    for (; at > 0 && columns[at - 1] > column; at--)
      columns[at] = columns[at - 1];
    columns[at] = column;
  }
}

/* Where the next edge of a row goes, at place row + 1; then each row ends there. */
static void find_places(struct qn_block_rows *rows, const uint64_t *edges, unsigned words) {
  uint64_t *offsets = rows->offsets, sum = 0;
#pragma omp parallel for schedule(static) if (qn_block_rows_are_many(rows))
  for (uint64_t e = 0; e < rows->num_edges; e++)
    __atomic_fetch_add(&offsets[(uint32_t)edges[e * words] + (uint64_t)1], 1, __ATOMIC_RELAXED);
  for (uint64_t row = 0; row < rows->num_rows; row++) {
    const uint64_t count = offsets[row + 1];
    if (sum | count) /* pages before the first edge take no memory */
      offsets[row + 1] = sum;
    sum += count;
  }
}

static uint64_t next_place(struct qn_block_rows *rows, uint64_t edge) {
  return __atomic_fetch_add(&rows->offsets[(uint32_t)edge + (uint64_t)1], 1, __ATOMIC_RELAXED);
}

static void fill_plain(struct qn_block_rows *rows, const uint64_t *edges) {
  find_places(rows, edges, QN_BLOCK_PLAIN_WORDS);
#pragma omp parallel for schedule(static) if (qn_block_rows_are_many(rows))
  for (uint64_t e = 0; e < rows->num_edges; e++)
    rows->columns[next_place(rows, edges[e])] = (uint32_t)(edges[e] >> 32);
#pragma omp parallel for schedule(dynamic, 4096) if (qn_block_rows_are_many(rows))
  for (uint64_t row = 0; row < rows->num_rows; row++)
    sort_row(rows->columns + rows->offsets[row], rows->offsets[row + 1] - rows->offsets[row]);
}

struct weighted {
  uint64_t ends, number, weight;
};

/* Of one row: the column is in the high bits. */
static int compare_weighted(const void *left, const void *right) {
  const struct weighted *a = left, *b = right;
  if (a->ends != b->ends)
    return a->ends < b->ends ? -1 : 1;
  return (a->number > b->number) - (a->number < b->number);
}

static enum qn_status fill_weighted(struct qn_block_rows *rows, const struct weighted *edges,
                                    struct qn_error *error) {
  const unsigned width = qn_weight_bytes(rows->weight_type);
  struct weighted *sorted;
  enum qn_status status =
      qn_bulk_alloc(&sorted, rows->num_edges, sizeof *sorted, "edges of a block", error);
  if (status)
    return status;
  find_places(rows, &edges->ends, QN_BLOCK_WEIGHTED_WORDS);
#pragma omp parallel for schedule(static) if (qn_block_rows_are_many(rows))
  for (uint64_t e = 0; e < rows->num_edges; e++)
    sorted[next_place(rows, edges[e].ends)] = edges[e];
#pragma omp parallel for schedule(dynamic, 4096) if (qn_block_rows_are_many(rows))
  for (uint64_t row = 0; row < rows->num_rows; row++) {
    const uint64_t begin = rows->offsets[row], end = rows->offsets[row + 1];
    if (end - begin > 1)
      qsort(sorted + begin, end - begin, sizeof *sorted, compare_weighted);
    for (uint64_t e = begin; e < end; e++) {
      rows->columns[e] = (uint32_t)(sorted[e].ends >> 32);
      qn_weight_store(rows->weights, width, e, sorted[e].weight);
    }
  }
  qn_pages_free(sorted, rows->num_edges, sizeof *sorted);
  return QN_OK;
}

enum qn_status qn_block_rows_fill(struct qn_block_rows *rows, const uint64_t *edges,
                                  struct qn_error *error) {
  if (rows->num_edges == 0)
    return QN_OK;
  if (rows->weight_type != QN_WEIGHT_NONE)
    return fill_weighted(rows, (const struct weighted *)edges, error);
  fill_plain(rows, edges);
  return QN_OK;
}

/* ---- Edges with the same ends ----------------------------------------------------- */

/* The weight that is left of edges [begin, end). */
static bool merge_weights(struct qn_block_rows *rows, enum qn_duplicates duplicates, uint64_t to,
                          uint64_t begin, uint64_t end) {
  const unsigned width = qn_weight_bytes(rows->weight_type);
  uint64_t bits = qn_weight_load(rows->weights, width, begin);
  bool holds = true;
  if (duplicates != QN_DUPLICATES_REMOVE) {
    struct qn_weight_merge merge =
        qn_weight_merge_begin(rows->weight_type, duplicates == QN_DUPLICATES_SUM, bits);
    for (uint64_t e = begin + 1; e < end; e++)
      qn_weight_merge_add(&merge, qn_weight_load(rows->weights, width, e));
    holds = qn_weight_merge_end(&merge, &bits);
  }
  qn_weight_store(rows->weights, width, to, bits);
  return holds;
}

bool qn_block_rows_merge(struct qn_block_rows *rows, enum qn_duplicates duplicates, uint64_t *row,
                         uint32_t *column) {
  uint64_t kept = 0, begin = 0;
  for (uint64_t r = 0; r < rows->num_rows; r++) {
    const uint64_t end = rows->offsets[r + 1];
    for (uint64_t e = begin, next; e < end; e = next) {
      for (next = e + 1; next < end && rows->columns[next] == rows->columns[e];)
        next++;
      rows->columns[kept] = rows->columns[e];
      if (rows->weights && !merge_weights(rows, duplicates, kept, e, next)) {
        *row = r;
        *column = rows->columns[kept];
        return false;
      }
      kept++;
    }
    begin = end;
    rows->offsets[r + 1] = kept;
  }
  rows->num_edges = kept;
  return true;
}

uint64_t qn_block_rows_repeated(const struct qn_block_rows *rows, uint32_t *column) {
  for (uint64_t r = 0; r < rows->num_rows; r++)
    for (uint64_t e = rows->offsets[r] + 1; e < rows->offsets[r + 1]; e++)
      if (rows->columns[e] == rows->columns[e - 1]) {
        *column = rows->columns[e];
        return r;
      }
  return rows->num_rows;
}

/* ---- What rows are ------------------------------------------------------------------ */

void qn_block_rows_list(const struct qn_block_rows *rows, uint64_t *edges) {
  const unsigned words = qn_block_edge_words(rows->weight_type),
                 width = qn_weight_bytes(rows->weight_type);
#pragma omp parallel for schedule(static) if (qn_block_rows_are_many(rows))
  for (uint64_t r = 0; r < rows->num_rows; r++)
    for (uint64_t e = rows->offsets[r]; e < rows->offsets[r + 1]; e++) {
      edges[e * words] = QN_BLOCK_EDGE(r, rows->columns[e]);
      if (width) {
        edges[e * words + 1] = e;
        edges[e * words + 2] = qn_weight_load(rows->weights, width, e);
      }
    }
}

struct qn_csr qn_block_rows_csr(const struct qn_block_rows *rows) {
  return (struct qn_csr){.num_vertices = rows->num_rows,
                         .num_edges = rows->num_edges,
                         .row_offsets = rows->offsets,
                         .column_indices = rows->columns,
                         .weights = {.type = rows->weight_type, .data = rows->weights}};
}

enum qn_status qn_block_rows_write(struct qn_block_rows *rows, struct qn_set *set, uint64_t index,
                                   const struct qn_set_builder *builder, const char *path,
                                   struct qn_error *error) {
  const struct qn_set_part *block = &set->parts[index];
  const struct qn_set_piece piece = {.begin = block->begin,
                                     .end = block->end,
                                     .row_offsets = rows->offsets,
                                     .columns = rows->columns,
                                     .weights = rows->weights,
                                     .first_column = block->columns_begin};
  struct qn_container *plain;
  if (!builder)
    return qn_set_write_part(set, index, &piece, 1, NULL, QN_SET_TOOL, path, false, error);
  enum qn_status status = qn_set_make_part(set, index, &piece, 1, QN_SET_TOOL, &plain, error);
  qn_block_rows_free(rows); /* the container has them, too, of which others are built */
  return status ? status : qn_set_build_part(set, index, builder, plain, path, error);
}
