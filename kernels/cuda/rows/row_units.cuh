/* Rows of edges as units of streaming (stream/stream.cuh): rows of plain CSR, of the blocks of
 * blocked CSR, of the COO part of the hybrid layout. A unit is consecutive rows of one block with
 * their offsets, their vertices unless these are the rows' own numbers, columns and weights. A row
 * that has too many edges for a unit is a *hub* and lies in several, its parts.
 *
 * Units have at most the bytes that are asked for, which the bus is to be fast with, and are nearly
 * as large wherever rows allow it, since a slot of the cache has room for the largest. Small graphs
 * are cut into some hundreds of smaller ones, so that there is something to leave out and to keep.
 *
 * Per edge 4 bytes (8 or 12 with weights) cross the bus, per row the offset and the vertex. */
#pragma once

#include <string.h>

#include "kernels/cuda/device/block.cuh"
#include "kernels/cuda/edges/csr_device.cuh"
#include "kernels/cuda/stream/stream.cuh"
#include "support/memory.h"
#include <quern/graph.h>

/* Bytes of a unit: of what moves whole, and of what moves because one of its vertices is active. */
#define ROW_UNIT_ALL ((uint64_t)128 << 10)
#define ROW_UNIT_ACTIVE ((uint64_t)64 << 10)
#define ROW_UNIT_LEAST ((uint64_t)512)
#define ROW_UNIT_MOST ((uint64_t)1 << 20) /* of any that may be asked for */
/* Into so many units at least a small graph is cut. */
#define ROW_UNITS_WANTED 256

#define ROW_UNIT_BLOCKS 4 /* of threads that share a large unit */
#ifndef ROW_LONG
#define ROW_LONG 1024 /* edges from which on a row is for a whole block */
#endif
#define ROW_MOST_LONG (ROW_UNIT_MOST / sizeof(uint32_t) / ROW_LONG)
#define NO_PART UINT32_MAX

/* Consecutive rows of a block, or a part of one. */
struct row_unit {
  uint64_t edge_begin;   /* among all edges */
  uint64_t offset_begin; /* the same as offsets count */
  uint64_t first_row;    /* among all rows */
  uint32_t num_edges;
  uint32_t num_rows;
  uint32_t part;                     /* of a hub, counted over all hubs; NO_PART: rows are whole */
  uint32_t block;                    /* that the rows belong to */
  uint32_t first_sender, end_sender; /* vertices that may send along the unit's edges */
};

struct row_hub {
  uint64_t row;
  uint32_t first_part, num_parts;
};

/* Rows as the host has them, block after block; the offsets of a block's rows are one more than
 * its rows and count from its first edge. */
struct row_matrix {
  uint64_t num_blocks;
  const uint64_t *block_rows;     /* [num_blocks + 1] */
  const uint64_t *block_edges;    /* [num_blocks + 1] */
  const uint64_t *wide_offsets;   /* [rows + num_blocks], or NULL: */
  const uint32_t *narrow_offsets; /* the same */
  const uint32_t *ids;            /* [rows] vertices of the rows; NULL: their numbers */
  bool moves_ids;                 /* units have them */
  const uint32_t *columns;
  struct qn_weights weights; /* of no type: not to be moved */
  /* 0: the rows' vertices send. Else the columns do; those of block b are the vertices
   * [b, b + 1) x column_vertices. */
  uint64_t column_vertices;
  uint64_t num_vertices;
};

/* Plain CSR is one block. `bounds` (4 numbers) is to live as long as the matrix. */
static inline struct row_matrix row_matrix_of_csr(const struct qn_csr *csr, bool weighted,
                                                  uint64_t *bounds) {
  struct row_matrix matrix;
  memset(&matrix, 0, sizeof matrix);
  bounds[0] = bounds[2] = 0;
  bounds[1] = csr->num_vertices;
  bounds[3] = csr->num_edges;
  matrix.num_blocks = 1;
  matrix.block_rows = bounds;
  matrix.block_edges = bounds + 2;
  matrix.wide_offsets = csr->row_offsets;
  matrix.columns = csr->column_indices;
  matrix.weights = csr->weights;
  if (!weighted)
    matrix.weights.type = QN_WEIGHT_NONE;
  matrix.num_vertices = csr->num_vertices;
  return matrix;
}

/* ---- Cutting rows into units ------------------------------------------------------ */

/* Zero it before use. */
struct row_units {
  struct row_matrix matrix;
  uint64_t limit; /* bytes of a unit */
  uint64_t num_units, num_hubs, num_parts;
  struct row_unit *units; /* [num_units]; NULL while they are counted */
  struct row_hub *hubs;   /* [num_hubs] */
};

static inline uint64_t row_offset(const struct row_matrix *matrix, uint64_t block, uint64_t row) {
  return matrix->wide_offsets ? matrix->wide_offsets[row + block]
                              : matrix->narrow_offsets[row + block];
}

static inline uint64_t row_offset_bytes(const struct row_matrix *matrix) {
  return matrix->wide_offsets ? sizeof(uint64_t) : sizeof(uint32_t);
}

static inline uint64_t row_edge_bytes(const struct row_matrix *matrix) {
  return sizeof *matrix->columns + qn_weight_bytes(matrix->weights.type);
}

/* Of a unit of so many rows and edges. */
static inline uint64_t row_unit_bytes(const struct row_matrix *matrix, uint64_t num_rows,
                                      uint64_t num_edges) {
  return qn_unit_rounded((num_rows + 1) * row_offset_bytes(matrix)) +
         (matrix->moves_ids ? qn_unit_rounded(num_rows * sizeof *matrix->ids) : 0) +
         row_edge_bytes(matrix) / 4 * qn_unit_rounded(4 * num_edges);
}

/* How many rows from `row` on, which is not empty, fit into a unit: doubling steps, then bisection.
 */
static inline uint64_t rows_that_fit(const struct row_units *cut, uint64_t block, uint64_t row) {
  const struct row_matrix *matrix = &cut->matrix;
  const uint64_t begin = row_offset(matrix, block, row);
  const uint64_t most = matrix->block_rows[block + 1] - row;
  auto fit = [&](uint64_t count) {
    return row_unit_bytes(matrix, count, row_offset(matrix, block, row + count) - begin) <=
           cut->limit;
  };
  uint64_t low = 0, high = 1;
  while (high <= most && fit(high)) {
    low = high;
    high *= 2;
  }
  high = high < most + 1 ? high : most + 1;
  while (high - low > 1) { /* low fits, high does not */
    const uint64_t middle = low + (high - low) / 2;
    if (fit(middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

static inline void add_row_unit(struct row_units *cut, uint64_t block, uint64_t first_row,
                                uint64_t num_rows, uint64_t offset_begin, uint64_t offset_end,
                                uint32_t part) {
  const struct row_matrix *matrix = &cut->matrix;
  const uint64_t number = cut->num_units++, last_row = first_row + num_rows - 1;
  if (!cut->units)
    return;
  struct row_unit *unit = &cut->units[number];
  memset(unit, 0, sizeof *unit);
  unit->edge_begin = matrix->block_edges[block] + offset_begin;
  unit->offset_begin = offset_begin;
  unit->first_row = first_row;
  unit->num_edges = (uint32_t)(offset_end - offset_begin);
  unit->num_rows = (uint32_t)num_rows;
  unit->part = part;
  unit->block = (uint32_t)block;
  if (matrix->column_vertices) {
    const uint64_t first = block * matrix->column_vertices;
    const uint64_t left = matrix->num_vertices - first;
    unit->first_sender = (uint32_t)first;
    unit->end_sender =
        (uint32_t)(first + (left < matrix->column_vertices ? left : matrix->column_vertices));
  } else {
    unit->first_sender = matrix->ids ? matrix->ids[first_row] : (uint32_t)first_row;
    unit->end_sender = (matrix->ids ? matrix->ids[last_row] : (uint32_t)last_row) + 1;
  }
}

/* Equal parts, so that none needs a slot of the cache for itself and is small. */
static inline void add_row_hub(struct row_units *cut, uint64_t block, uint64_t row) {
  const struct row_matrix *matrix = &cut->matrix;
  const uint64_t begin = row_offset(matrix, block, row), end = row_offset(matrix, block, row + 1);
  const uint64_t room = (cut->limit - row_unit_bytes(matrix, 1, 0)) / row_edge_bytes(matrix);
  if (end <= begin) /* not when they were looked at before: the file is written over */
    return;
  const uint64_t most = room - room % 4, num_parts = (end - begin - 1) / most + 1;
  const uint64_t step = ((end - begin - 1) / num_parts + 4) / 4 * 4;
  const uint64_t first_part = cut->num_parts;
  for (uint64_t at = begin; at < end && cut->num_units <= INT32_MAX; at += step)
    add_row_unit(cut, block, row, 1, at, end - at < step ? end : at + step,
                 (uint32_t)cut->num_parts++);
  if (cut->hubs)
    cut->hubs[cut->num_hubs] = {row, (uint32_t)first_part, (uint32_t)(cut->num_parts - first_part)};
  cut->num_hubs++;
}

/* Rows without edges are left out where a unit would begin with them. */
static inline void cut_rows(struct row_units *cut) {
  const struct row_matrix *matrix = &cut->matrix;
  cut->num_units = cut->num_hubs = cut->num_parts = 0;
  for (uint64_t block = 0; block < matrix->num_blocks; block++) {
    for (uint64_t row = matrix->block_rows[block]; row < matrix->block_rows[block + 1];) {
      const uint64_t begin = row_offset(matrix, block, row);
      if (row_offset(matrix, block, row + 1) == begin) {
        row++;
        continue;
      }
      const uint64_t count = rows_that_fit(cut, block, row);
      if (count == 0)
        add_row_hub(cut, block, row);
      else
        add_row_unit(cut, block, row, count, begin, row_offset(matrix, block, row + count),
                     NO_PART);
      row += count ? count : 1;
    }
  }
}

/* Of at most `most` bytes each, up to ROW_UNIT_MOST. Owned until row_units_destroy, also after a
 * failure. */
static inline enum qn_status row_units_create(struct row_units *cut,
                                              const struct row_matrix *matrix, uint64_t most,
                                              struct qn_error *error) {
  const uint64_t num_rows = matrix->block_rows[matrix->num_blocks];
  const uint64_t num_edges = matrix->block_edges[matrix->num_blocks];
  memset(cut, 0, sizeof *cut);
  cut->matrix = *matrix;
  cut->limit = row_unit_bytes(matrix, num_rows, num_edges) / ROW_UNITS_WANTED;
  cut->limit = cut->limit < most ? cut->limit : most;
  cut->limit = cut->limit > ROW_UNIT_LEAST ? cut->limit : ROW_UNIT_LEAST;
  cut_rows(cut);
  if (cut->num_units > INT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "the graph has too many edges for one device");
  enum qn_status status =
      qn_pages_alloc(&cut->units, cut->num_units, sizeof *cut->units, "units of rows", error);
  if (!status)
    status = qn_pages_alloc(&cut->hubs, cut->num_hubs, sizeof *cut->hubs, "units of rows", error);
  if (!status)
    cut_rows(cut);
  return status;
}

/* A zeroed struct is allowed. */
static inline void row_units_destroy(struct row_units *cut) {
  qn_pages_free(cut->units, cut->num_units, sizeof *cut->units);
  qn_pages_free(cut->hubs, cut->num_hubs, sizeof *cut->hubs);
  memset(cut, 0, sizeof *cut);
}

/* ---- As a source of units ----------------------------------------------------------- */

/* A struct qn_unit_source's describe; its user is a struct row_units. */
static inline void row_unit_describe(const void *user, uint64_t number, struct qn_unit *out) {
  const struct row_units *cut = (const struct row_units *)user;
  const struct row_matrix *matrix = &cut->matrix;
  const struct row_unit *unit = &cut->units[number];
  const uint64_t offset_bytes = row_offset_bytes(matrix);
  const uint64_t edge_bytes = (uint64_t)unit->num_edges * sizeof *matrix->columns;
  const void *offsets = matrix->wide_offsets ? (const void *)matrix->wide_offsets
                                             : (const void *)matrix->narrow_offsets;
  memset(out, 0, sizeof *out);
  out->pieces[0].data = (const uint8_t *)offsets + (unit->first_row + unit->block) * offset_bytes;
  out->pieces[0].bytes = ((uint64_t)unit->num_rows + 1) * offset_bytes;
  out->num_pieces = 1;
  if (matrix->moves_ids) {
    out->pieces[out->num_pieces].data = matrix->ids + unit->first_row;
    out->pieces[out->num_pieces++].bytes = (uint64_t)unit->num_rows * sizeof *matrix->ids;
  }
  out->pieces[out->num_pieces].data = matrix->columns + unit->edge_begin;
  out->pieces[out->num_pieces++].bytes = edge_bytes;
  if (matrix->weights.type != QN_WEIGHT_NONE) {
    out->pieces[out->num_pieces].data = qn_cuda_weights_at(&matrix->weights, unit->edge_begin);
    out->pieces[out->num_pieces++].bytes = edge_bytes / 4 * qn_weight_bytes(matrix->weights.type);
  }
}

/* Add the units and their bytes to a source. */
static inline void row_units_count(const struct row_units *cut, struct qn_unit_source *source) {
  source->num_units += cut->num_units;
  for (uint64_t i = 0; i < cut->num_units; i++) {
    const struct row_unit *unit = &cut->units[i];
    const uint64_t bytes = row_unit_bytes(&cut->matrix, unit->num_rows, unit->num_edges);
    source->unit_bytes = bytes > source->unit_bytes ? bytes : source->unit_bytes;
    source->total_bytes += bytes;
  }
}

/* ---- On the device -------------------------------------------------------------------- */

struct row_tables {
  const struct row_unit *units;
  const struct row_hub *hubs;
  uint32_t num_hubs;
  bool has_wide_offsets, has_ids;
  enum qn_weight_type weight_type;
};

static inline uint64_t row_tables_bytes(const struct row_units *cut) {
  return qn_cuda_rounded(cut->num_units * sizeof *cut->units) +
         qn_cuda_rounded(cut->num_hubs * sizeof *cut->hubs);
}

static inline enum qn_status row_tables_upload(struct qn_cuda_memory *memory,
                                               const struct row_units *cut,
                                               struct row_tables *tables, struct qn_error *error) {
  tables->num_hubs = (uint32_t)cut->num_hubs;
  tables->has_wide_offsets = cut->matrix.wide_offsets != NULL;
  tables->has_ids = cut->matrix.moves_ids;
  tables->weight_type = cut->matrix.weights.type;
  enum qn_status status = qn_cuda_copy_of(memory, &tables->units, cut->units, cut->num_units, 0,
                                          sizeof *cut->units, "units of rows", error);
  if (!status)
    status = qn_cuda_copy_of(memory, &tables->hubs, cut->hubs, cut->num_hubs, 0, sizeof *cut->hubs,
                             "units of rows", error);
  return status;
}

/* A unit's pieces, in row_unit_describe's order. */
struct unit_rows {
  const uint64_t *wide_offsets; /* [num_rows + 1], or NULL: */
  const uint32_t *narrow_offsets;
  const uint32_t *ids;     /* [num_rows] or NULL */
  const uint32_t *columns; /* [num_edges] */
  struct qn_weights weights;
};

QN_DEVICE_INLINE struct unit_rows unit_rows_at(const struct row_tables &tables,
                                               const struct qn_unit_entry &entry) {
  const uint8_t *const *piece = entry.pieces;
  struct unit_rows rows;
  memset(&rows, 0, sizeof rows);
  if (tables.has_wide_offsets)
    rows.wide_offsets = reinterpret_cast<const uint64_t *>(*piece++);
  else
    rows.narrow_offsets = reinterpret_cast<const uint32_t *>(*piece++);
  if (tables.has_ids)
    rows.ids = reinterpret_cast<const uint32_t *>(*piece++);
  rows.columns = reinterpret_cast<const uint32_t *>(*piece++);
  rows.weights.type = tables.weight_type;
  if (tables.weight_type != QN_WEIGHT_NONE)
    rows.weights.data = *piece;
  return rows;
}

/* The vertex of a row of the unit. */
QN_DEVICE_INLINE uint32_t unit_row_vertex(const struct row_unit &unit, const struct unit_rows &rows,
                                          uint32_t row) {
  return rows.ids ? rows.ids[row] : (uint32_t)unit.first_row + row;
}

/* The edges of a row of the unit, counted in it; of a hub's the part that lies there. */
QN_DEVICE_INLINE void unit_row_bounds(const struct row_unit &unit, const struct unit_rows &rows,
                                      uint32_t row, uint32_t *begin, uint32_t *end) {
  uint64_t first, last;
  if (rows.wide_offsets) {
    first = rows.wide_offsets[row];
    last = rows.wide_offsets[row + 1];
  } else {
    first = rows.narrow_offsets[row];
    last = rows.narrow_offsets[row + 1];
  }
  last -= unit.offset_begin;
  *begin = first > unit.offset_begin ? (uint32_t)(first - unit.offset_begin) : 0;
  *end = last < unit.num_edges ? (uint32_t)last : unit.num_edges;
}

/* Blocks of threads for each unit of a source. */
static inline unsigned row_unit_blocks(const struct qn_unit_source *source) {
  return source->unit_bytes >= ROW_UNIT_ACTIVE / 2 ? ROW_UNIT_BLOCKS : 1;
}

/* Threads for a row: as many as the unit's rows have edges, a power of two. */
QN_DEVICE_INLINE uint32_t unit_row_width(const struct row_unit &unit) {
  const uint32_t mean = unit.num_edges / unit.num_rows;
  return mean >= 32 ? 32 : mean < 2 ? 1 : 1u << (31 - __clz((int)mean));
}

/* walk(valid, row, begin, end, lane, width) for the rows of a unit that are `wanted(row)`, by the
 * blocks (blockIdx.y) that share it: `width` neighbouring threads, numbered by `lane`, share a row.
 * Whole warps call, with valid = false where there is no row and then begin = end; for a long row
 * the whole block does, and width is its number of threads. */
template <class Wanted, class Walk>
QN_DEVICE_INLINE void each_unit_row(const struct row_unit &unit, const struct unit_rows &rows,
                                    Wanted wanted, Walk walk) {
  QN_SHARED(uint32_t, long_rows, ROW_MOST_LONG);
  QN_SHARED(uint32_t, num_long, 1);
  if (threadIdx.x == 0)
    num_long[0] = 0;
  __syncthreads();
  const uint32_t width = unit_row_width(unit), lane = threadIdx.x % width;
  const uint32_t at_once = gridDim.y * blockDim.x / width;
  const uint32_t own = (blockIdx.y * blockDim.x + threadIdx.x) / width;
  for (uint32_t first = 0; first < unit.num_rows; first += at_once) {
    const uint32_t row = first + own;
    bool valid = row < unit.num_rows && wanted(row);
    uint32_t begin = 0, end = 0;
    if (valid)
      unit_row_bounds(unit, rows, row, &begin, &end);
    if (end - begin >= ROW_LONG) {
      if (lane == 0)
        long_rows[atomicAdd(&num_long[0], 1u)] = row;
      valid = false;
      end = begin;
    }
    walk(valid, row, begin, end, lane, width);
  }
  __syncthreads();
  for (uint32_t i = 0; i < num_long[0]; i++) {
    uint32_t begin, end;
    unit_row_bounds(unit, rows, long_rows[i], &begin, &end);
    walk(true, long_rows[i], begin, end, threadIdx.x, blockDim.x);
  }
}
