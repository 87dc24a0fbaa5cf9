#include "formats/wide/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/set/blocks.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/threads.h"
#include <quern/ids.h>
#include <quern/packed.h>

/* Rows of a slice. */
#define SLICE_ROWS ((uint64_t)1 << 20)

/* A block of those that are open, which have the same rows. */
struct open_block {
  struct qn_set_open_part part;
  struct qn_packed packed; /* of packed blocks, whose rows are made slice by slice: */
  uint64_t *offsets;       /* [SLICE_ROWS + 1] */
  uint32_t *columns;       /* [room] */
  void *weights;           /* [room] */
  uint64_t room;
};

struct qn_wide {
  struct qn_set *set;
  enum qn_set_check check;
  uint64_t first; /* the first block that is open, */
  uint64_t num_open;
  struct open_block *open; /* [most_open] */
  struct qn_csr *csr;      /* [most_open] */
  uint64_t *columns_begin; /* [most_open] */
  uint64_t most_open;
  struct qn_packed_tile *tiles; /* of each thread */
};

/* ---- Opening --------------------------------------------------------------------------- */

bool qn_wide_takes(const struct qn_set *set) {
  return !set->num_edge_types && !set->num_generations && set->version == QN_SET_VERSION;
}

uint64_t qn_wide_blocks_end(const struct qn_wide *wide, uint64_t first) {
  return qn_set_row_end(wide->set, first);
}

static enum qn_status prepare(struct qn_wide *wide, struct qn_error *error) {
  const struct qn_set *set = wide->set;
  enum qn_status status =
      qn_wide_takes(set) ? QN_OK
                         : qn_fail(error, QN_UNSUPPORTED,
                                   "%s: a set with types or generations, or of version 1, is not "
                                   "read by its blocks",
                                   set->path);
  for (uint64_t first = 0, end; !status && first < set->num_parts; first = end) {
    end = qn_wide_blocks_end(wide, first);
    wide->most_open = end - first > wide->most_open ? end - first : wide->most_open;
  }
  if (!status)
    status = qn_alloc_zeroed(&wide->open, wide->most_open, sizeof *wide->open, "blocks", error);
  if (!status)
    status = qn_alloc_zeroed(&wide->csr, wide->most_open, sizeof *wide->csr, "blocks", error);
  if (!status)
    status = qn_alloc(&wide->columns_begin, wide->most_open, sizeof *wide->columns_begin, "blocks",
                      error);
  if (!status && set->layout == QN_LAYOUT_PACKED)
    status = qn_alloc(&wide->tiles, qn_threads(), sizeof *wide->tiles, "tiles", error);
  for (uint64_t i = 0; !status && wide->check == QN_SET_CHECK_ALL && i < set->num_ranges; i++) {
    status = qn_container_verify(set->ranges[i].container, error);
    if (!status)
      status = qn_ids_check(set->ranges[i].container, &set->ranges[i].ids, error);
  }
  return status;
}

enum qn_status qn_wide_open(const char *path, enum qn_set_check check, struct qn_wide **out,
                            struct qn_error *error) {
  struct qn_wide *wide;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&wide, 1, sizeof *wide, "a set", error);
  if (status)
    return status;
  wide->check = check;
  status = qn_set_open(path, &wide->set, error);
  if (!status)
    status = prepare(wide, error);
  if (status)
    qn_wide_close(wide);
  else
    *out = wide;
  return status;
}

static void close_block(const struct qn_wide *wide, struct open_block *block) {
  const unsigned width = qn_weight_bytes(wide->set->weight_type);
  qn_pages_free(block->offsets, SLICE_ROWS + 1, sizeof *block->offsets);
  qn_pages_free(block->columns, block->room, sizeof *block->columns);
  if (block->weights)
    qn_pages_free(block->weights, block->room, width);
  qn_set_part_close(&block->part);
  *block = (struct open_block){.room = 0};
}

static void close_blocks(struct qn_wide *wide) {
  for (uint64_t i = 0; i < wide->num_open; i++)
    close_block(wide, &wide->open[i]);
  wide->num_open = 0;
}

void qn_wide_close(struct qn_wide *wide) {
  if (!wide)
    return;
  if (wide->open)
    close_blocks(wide);
  qn_free(wide->tiles);
  qn_free(wide->columns_begin);
  qn_free(wide->csr);
  qn_free(wide->open);
  qn_set_close(wide->set);
  qn_free(wide);
}

const struct qn_set *qn_wide_set(const struct qn_wide *wide) {
  return wide->set;
}

/* ---- Vertices ---------------------------------------------------------------------------- */

static uint64_t range_of(const struct qn_set *set, uint64_t vertex) {
  uint64_t low = 0, high = set->num_ranges;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    if (set->ranges[middle].begin <= vertex)
      low = middle;
    else
      high = middle;
  }
  return low;
}

enum qn_id_kind qn_wide_id_kind(const struct qn_wide *wide) {
  return wide->set->ranges[0].ids.kind;
}

const char *qn_wide_id(const struct qn_wide *wide, uint64_t vertex, char *buffer,
                       uint64_t *length) {
  const uint64_t range = range_of(wide->set, vertex);
  const struct qn_ids *ids = &wide->set->ranges[range].ids;
  if (ids->kind != QN_IDS_DENSE)
    return qn_ids_text(ids, vertex - wide->set->ranges[range].begin, buffer, length);
  *length = (uint64_t)sprintf(buffer, "%" PRIu64, vertex);
  return buffer;
}

static enum qn_status find_dense(const struct qn_set *set, const char *text, uint64_t *vertex) {
  char *end;
  *vertex = strtoull(text, &end, 10);
  return *text >= '0' && *text <= '9' && !*end && *vertex < set->num_vertices ? QN_OK : QN_USAGE;
}

enum qn_status qn_wide_find(const struct qn_wide *wide, const char *text, uint64_t *vertex,
                            struct qn_error *error) {
  const struct qn_set *set = wide->set;
  const bool dense = qn_wide_id_kind(wide) == QN_IDS_DENSE;
  enum qn_status status = dense ? find_dense(set, text, vertex) : QN_USAGE;
  for (uint64_t i = 0; status && !dense && i < set->num_ranges; i++) {
    const struct qn_ids *ids = &set->ranges[i].ids;
    uint32_t *order, found;
    enum qn_status failure = qn_ids_original_order(ids, &order, error);
    if (failure)
      return failure;
    if (qn_ids_lookup(ids, order, text, strlen(text), &found)) {
      *vertex = set->ranges[i].begin + found;
      status = QN_OK;
    }
    qn_pages_free(order, ids->num_vertices, sizeof *order);
  }
  return status ? qn_fail(error, QN_USAGE, "no vertex has the id '%.64s'", text) : QN_OK;
}

uint64_t qn_wide_degree(const struct qn_wide *wide, uint64_t vertex) {
  const struct qn_vertex_range *range = &wide->set->ranges[range_of(wide->set, vertex)];
  return qn_degree_of(&range->out_degrees, vertex - range->begin);
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static enum qn_status open_block(struct qn_wide *wide, uint64_t index, struct open_block *block,
                                 struct qn_error *error) {
  const struct qn_set *set = wide->set;
  const bool packed = set->layout == QN_LAYOUT_PACKED;
  enum qn_status status =
      qn_set_part_open(set, index, packed ? QN_SET_CHECK_FILE : wide->check, &block->part, error);
  if (status || !packed)
    return status;
  if (wide->check == QN_SET_CHECK_ALL)
    status = qn_set_part_verify(&block->part, error);
  if (!status)
    status = qn_packed_view(block->part.container, &block->packed, error);
  return status ? status
                : qn_pages_alloc(&block->offsets, SLICE_ROWS + 1, sizeof *block->offsets,
                                 "rows of a block", error);
}

/* The blocks with the same rows as `first`. */
static enum qn_status open_blocks(struct qn_wide *wide, uint64_t first, struct qn_error *error) {
  const uint64_t end = qn_wide_blocks_end(wide, first);
  enum qn_status status = QN_OK;
  if (wide->num_open && wide->first == first)
    return QN_OK;
  close_blocks(wide);
  wide->first = first;
  for (uint64_t i = first; !status && i < end; i++) {
    wide->columns_begin[i - first] = wide->set->parts[i].columns_begin;
    wide->num_open++;
    status = open_block(wide, i, &wide->open[i - first], error);
  }
  if (status)
    close_blocks(wide);
  return status;
}

static enum qn_status make_room(const struct qn_wide *wide, struct open_block *block,
                                uint64_t num_edges, struct qn_error *error) {
  const unsigned width = qn_weight_bytes(wide->set->weight_type);
  if (num_edges <= block->room)
    return QN_OK;
  qn_pages_free(block->columns, block->room, sizeof *block->columns);
  if (block->weights)
    qn_pages_free(block->weights, block->room, width);
  block->columns = NULL;
  block->weights = NULL;
  block->room = 0;
  enum qn_status status =
      qn_pages_alloc(&block->columns, num_edges, sizeof *block->columns, "edges", error);
  if (!status && width)
    status = qn_pages_alloc(&block->weights, num_edges, width, "edge weights", error);
  if (!status) {
    block->room = num_edges;
    return QN_OK;
  }
  qn_pages_free(block->columns, num_edges, sizeof *block->columns);
  block->columns = NULL;
  return status;
}

static enum qn_status damaged(const struct qn_set *set, uint64_t index, struct qn_error *error) {
  return qn_fail(error, QN_INVALID, "%s/%s: rows do not lie within the block: it is damaged",
                 set->path, set->parts[index].file.name);
}

/* Do the rows lie within the block, and their columns? */
static bool are_within(const struct qn_csr *csr, uint64_t num_edges, uint64_t num_columns) {
  bool within = csr->row_offsets[csr->num_vertices] <= num_edges;
#pragma omp parallel for schedule(static) reduction(&& : within) if (csr->num_vertices + num_edges > QN_TEAM_LEAST)
  for (uint64_t row = 0; row < csr->num_vertices; row++) {
    const uint64_t begin = csr->row_offsets[row], end = csr->row_offsets[row + 1];
    bool fits = begin <= end && end <= num_edges;
    for (uint64_t e = begin; fits && e < end; e++)
      fits = csr->column_indices[e] < num_columns;
    within = within && fits;
  }
  return within;
}

/* Rows [first, end) of the block. */
static enum qn_status take_block(struct qn_wide *wide, uint64_t i, uint64_t first, uint64_t end,
                                 struct qn_error *error) {
  const struct qn_set *set = wide->set;
  struct open_block *block = &wide->open[i];
  const struct qn_set_part *about = &set->parts[wide->first + i];
  struct qn_csr *csr = &wide->csr[i];
  uint64_t num_edges = about->num_edges;
  *csr = block->part.rows;
  csr->num_vertices = end - first;
  if (set->layout == QN_LAYOUT_PACKED) {
    const struct qn_packed_rows *packed = &block->packed.out;
    num_edges = qn_packed_count_between(packed, first, end);
    enum qn_status status = make_room(wide, block, num_edges, error);
    if (status)
      return status;
    if (!qn_packed_unpack_between(packed, first, end, block->offsets, block->columns,
                                  block->weights, wide->tiles))
      return damaged(set, wide->first + i, error);
    *csr = (struct qn_csr){.num_vertices = end - first,
                           .num_edges = num_edges,
                           .row_offsets = block->offsets,
                           .column_indices = block->columns,
                           .weights = {.type = set->weight_type, .data = block->weights}};
  } else {
    csr->row_offsets += first;
  }
  return are_within(csr, num_edges, about->columns_end - about->columns_begin)
             ? QN_OK
             : damaged(set, wide->first + i, error);
}

/* Rows [first, end) of the blocks that are open. */
static enum qn_status take_rows(struct qn_wide *wide, uint64_t first, uint64_t end,
                                struct qn_wide_rows *rows, struct qn_error *error) {
  const uint64_t begin = wide->set->parts[wide->first].begin;
  enum qn_status status = qn_context_check(error);
  for (uint64_t i = 0; !status && i < wide->num_open; i++)
    status = take_block(wide, i, first, end, error);
  *rows = (struct qn_wide_rows){.begin = begin + first,
                                .end = begin + end,
                                .num_blocks = wide->num_open,
                                .csr = wide->csr,
                                .columns_begin = wide->columns_begin};
  return status;
}

enum qn_status qn_wide_walk(struct qn_wide *wide, uint64_t first, qn_wide_visit *visit,
                            void *context, struct qn_error *error) {
  const struct qn_set_part *part = &wide->set->parts[first];
  const uint64_t num_rows = part->end - part->begin;
  enum qn_status status = open_blocks(wide, first, error);
  for (uint64_t row = 0; !status && row < num_rows; row += SLICE_ROWS) {
    struct qn_wide_rows rows;
    status = take_rows(wide, row, num_rows - row < SLICE_ROWS ? num_rows : row + SLICE_ROWS, &rows,
                       error);
    if (!status)
      status = visit(context, &rows, error);
  }
  return status;
}

/* ---- One row -------------------------------------------------------------------------------- */

/* A row that grows. */
struct growing {
  const struct qn_set *set;
  struct qn_wide_row *row;
  uint64_t room;
  uint64_t vertex; /* whose column is looked for */
};

static enum qn_status add_edge(struct growing *growing, uint64_t other,
                               const struct qn_weights *weights, uint64_t edge,
                               struct qn_error *error) {
  struct qn_wide_row *row = growing->row;
  const unsigned width = qn_weight_bytes(growing->set->weight_type);
  if (row->num_edges == growing->room) {
    const uint64_t room = 2 * growing->room + 16;
    enum qn_status status =
        qn_realloc(&row->vertices, room, sizeof *row->vertices, "neighbours", error);
    if (!status && width)
      status = qn_realloc(&row->weights, room, width, "weights of neighbours", error);
    if (status)
      return status;
    growing->room = room;
  }
  if (width)
    memcpy((char *)row->weights + row->num_edges * width,
           (const char *)weights->data + edge * width, width);
  row->vertices[row->num_edges++] = other;
  return QN_OK;
}

/* The row of one vertex alone. */
static enum qn_status add_row(struct growing *growing, const struct qn_wide_rows *rows,
                              struct qn_error *error) {
  const uint64_t row = growing->vertex - rows->begin;
  enum qn_status status = QN_OK;
  for (uint64_t b = 0; b < rows->num_blocks; b++) {
    const struct qn_csr *csr = &rows->csr[b];
    for (uint64_t e = csr->row_offsets[row]; !status && e < csr->row_offsets[row + 1]; e++)
      status = add_edge(growing, rows->columns_begin[b] + csr->column_indices[e], &csr->weights, e,
                        error);
  }
  return status;
}

/* The edges of all rows in the column of one vertex. */
static enum qn_status add_column(void *context, const struct qn_wide_rows *rows,
                                 struct qn_error *error) {
  struct growing *growing = context;
  enum qn_status status = QN_OK;
  uint64_t b = 0;
  while (b + 1 < rows->num_blocks && rows->columns_begin[b + 1] <= growing->vertex)
    b++;
  const struct qn_csr *csr = &rows->csr[b];
  const uint32_t column = (uint32_t)(growing->vertex - rows->columns_begin[b]);
  for (uint64_t row = 0; !status && row < csr->num_vertices; row++)
    for (uint64_t e = csr->row_offsets[row]; !status && e < csr->row_offsets[row + 1]; e++)
      if (csr->column_indices[e] == column)
        status = add_edge(growing, rows->begin + row, &csr->weights, e, error);
  return status;
}

static uint64_t first_block_of(const struct qn_wide *wide, uint64_t vertex) {
  uint64_t first = 0;
  while (wide->set->parts[first].end <= vertex)
    first = qn_wide_blocks_end(wide, first);
  return first;
}

enum qn_status qn_wide_row(struct qn_wide *wide, uint64_t vertex, bool into,
                           struct qn_wide_row *row, struct qn_error *error) {
  const struct qn_set *set = wide->set;
  struct growing growing = {.set = set, .row = row, .vertex = vertex};
  const bool own = set->directedness == QN_UNDIRECTED || into == (set->rows == QN_SET_ROWS_IN);
  enum qn_status status = QN_OK;
  *row = (struct qn_wide_row){0};
  if (vertex >= set->num_vertices)
    return qn_fail(error, QN_USAGE, "there is not a vertex %" PRIu64 " in a graph of %" PRIu64,
                   vertex, set->num_vertices);
  if (own) {
    const uint64_t first = first_block_of(wide, vertex);
    const struct qn_set_part *part = &set->parts[first];
    const uint64_t num_rows = part->end - part->begin,
                   begin = (vertex - part->begin) / QN_PACKED_RANGE * QN_PACKED_RANGE;
    struct qn_wide_rows rows;
    status = open_blocks(wide, first, error);
    if (!status)
      status = take_rows(wide, begin,
                         num_rows - begin < QN_PACKED_RANGE ? num_rows : begin + QN_PACKED_RANGE,
                         &rows, error);
    if (!status)
      status = add_row(&growing, &rows, error);
  }
  for (uint64_t first = 0; !status && !own && first < set->num_parts;
       first = qn_wide_blocks_end(wide, first))
    status = qn_wide_walk(wide, first, add_column, &growing, error);
  if (status)
    qn_wide_row_free(row);
  return status;
}

void qn_wide_row_free(struct qn_wide_row *row) {
  qn_free(row->vertices);
  qn_free(row->weights);
  *row = (struct qn_wide_row){0};
}
