/* Cutting CSR into blocks by column (GraphCage, section 3.1, the preprocessing phase).
 *
 * Pull blocks are cut from the in-edges and push blocks from the out-edges by the
 * same code. Two passes over the rows, in parallel by ranges of 1024 rows: the first
 * counts the rows and edges that each range has in each block, from which
 * follows where they go; the second copies them there. A row is sorted, so
 * its parts for the blocks lie one after the other. What the second pass finds may be other than
 * what the first one counted (used_files.h): nothing is written outside the sections. */
#include "partitioner/blocked_csr.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <string.h>

#include "formats/layouts/blocked_csr_sections.h"
#include "partitioner/row_visitor.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include "support/threads.h"

/* Of a block while a range is worked on: its rows and edges so far, or where the next ones go. */
struct cursor {
  uint64_t row;  /* in id_map */
  uint64_t edge; /* from the block's first */
};

struct cutting {
  const struct qn_rows *rows; /* whose columns are cut */
  uint64_t num_blocks;
  uint64_t num_ranges;
  uint64_t block_vertices;
  bool is_shift; /* block_vertices is 2^shift */
  unsigned shift;
  uint64_t max_block_edges;
  /* [num_blocks x num_ranges] first the number of edges, then the place of the first of
   * them, counted from the block's. */
  uint32_t *range_edges;
  struct cursor *cursors; /* [threads x num_blocks] */
  bool overflow;          /* some range alone has more edges in a block than 32 bits can count */
  /* The sections. */
  uint64_t *block_rows;
  uint64_t *block_edges;
  uint32_t *id_map;
  uint32_t *row_offsets;
  uint32_t *range_starts; /* in the first pass: entry r + 1 is the number of rows */
  uint32_t *columns;
  void *out_weights;
};

uint64_t qn_block_vertices_for(uint64_t l2_bytes) {
  uint64_t third = l2_bytes / (3 * sizeof(float));
  if (third <= QN_RANGE_VERTICES)
    return QN_RANGE_VERTICES;
  double rounded = exp2(round(log2((double)third)));
  return rounded > UINT32_MAX ? UINT32_MAX : (uint64_t)rounded;
}

/* The rows of a range. */
struct range_rows {
  uint64_t first, last;
};

static struct range_rows rows_of_range(const struct cutting *cutting, uint64_t range) {
  uint64_t first = range * QN_RANGE_VERTICES, last = first + QN_RANGE_VERTICES;
  uint64_t num_vertices = cutting->rows->num_vertices;
  return (struct range_rows){first, last < num_vertices ? last : num_vertices};
}

static inline uint64_t block_of(const struct cutting *cutting, uint32_t column) {
  uint64_t block =
      cutting->is_shift ? column >> cutting->shift : column / (uint32_t)cutting->block_vertices;
  return block < cutting->num_blocks ? block : cutting->num_blocks - 1;
}

/* The cursors of the calling thread. */
static struct cursor *own_cursors(const struct cutting *cutting) {
  return cutting->cursors + (uint64_t)omp_get_thread_num() * cutting->num_blocks;
}

/* ---- First pass ----------------------------------------------------------- */

static void set_range_edges(struct cutting *cutting, uint64_t block, uint64_t range,
                            uint64_t count) {
  if (count > UINT32_MAX) {
#pragma omp atomic write
    cutting->overflow = true;
  }
  cutting->range_edges[block * cutting->num_ranges + range] = (uint32_t)count;
}

/* In many blocks a row has an edge or two in each: whether the next one is in the same block cannot
 * be guessed, so here and in copy_range nothing branches on it. */
static void count_range(struct cutting *cutting, const struct qn_csr_rows *rows, uint64_t range) {
  struct range_rows own = rows_of_range(cutting, range);
  const uint64_t *offsets = rows->row_offsets + (own.first - rows->first);
  const uint64_t base = rows->row_offsets[0], num_own = own.last - own.first;
  struct cursor *cursors = own_cursors(cutting);
  memset(cursors, 0, cutting->num_blocks * sizeof *cursors);
  for (uint64_t i = 0; i < num_own; i++) {
    uint64_t row_end = offsets[i + 1] - base, previous = UINT64_MAX;
    for (uint64_t edge = offsets[i] - base; edge < row_end; edge++) {
      uint64_t block = block_of(cutting, rows->columns[edge]);
      cursors[block].row += block != previous;
      cursors[block].edge++;
      previous = block;
    }
  }
  for (uint64_t block = 0; block < cutting->num_blocks; block++) {
    set_range_edges(cutting, block, range, cursors[block].edge);
    cutting->range_starts[block * (cutting->num_ranges + 1) + range + 1] =
        (uint32_t)cursors[block].row;
  }
}

static void count_rows(const struct qn_csr_rows *rows, void *context) {
  for (uint64_t row = rows->first; row < rows->last; row += QN_RANGE_VERTICES)
    count_range(context, rows, row / QN_RANGE_VERTICES);
}

/* A single block has the edges of its rows: their offsets tell everything. */
static void count_whole_ranges(struct cutting *cutting) {
  const uint64_t *offsets = cutting->rows->row_offsets;
#pragma omp parallel for schedule(static)
  for (uint64_t range = 0; range < cutting->num_ranges; range++) {
    struct range_rows own = rows_of_range(cutting, range);
    uint32_t filled = 0;
    for (uint64_t row = own.first; row < own.last; row++)
      filled += offsets[row + 1] > offsets[row];
    set_range_edges(cutting, 0, range, offsets[own.last] - offsets[own.first]);
    cutting->range_starts[range + 1] = filled;
  }
}

static enum qn_status count_ranges(struct cutting *cutting, struct qn_error *error) {
  if (cutting->num_blocks != 1)
    return qn_rows_visit(cutting->rows, false, count_rows, cutting, error);
  count_whole_ranges(cutting);
  return QN_OK;
}

/* Counts become places within each block, and the blocks' own sizes. */
static void place_ranges(struct cutting *cutting) {
  uint64_t ranges = cutting->num_ranges;
#pragma omp parallel for schedule(static)
  for (uint64_t block = 0; block < cutting->num_blocks; block++) {
    uint32_t *starts = cutting->range_starts + block * (ranges + 1);
    uint32_t *edges = cutting->range_edges + block * ranges;
    uint64_t next = 0;
    for (uint64_t range = 0; range < ranges; range++) {
      uint32_t count = edges[range];
      edges[range] = (uint32_t)next;
      next += count;
      starts[range + 1] += starts[range];
    }
    cutting->block_rows[block + 1] = starts[ranges];
    cutting->block_edges[block + 1] = next;
  }
  for (uint64_t block = 0; block < cutting->num_blocks; block++) {
    cutting->block_rows[block + 1] += cutting->block_rows[block];
    cutting->block_edges[block + 1] += cutting->block_edges[block];
  }
}

/* ---- Second pass ---------------------------------------------------------- */

static void set_cursors(const struct cutting *cutting, uint64_t range, struct cursor *cursors) {
  uint64_t ranges = cutting->num_ranges;
  for (uint64_t block = 0; block < cutting->num_blocks; block++)
    cursors[block] = (struct cursor){cutting->block_rows[block] +
                                         cutting->range_starts[block * (ranges + 1) + range],
                                     cutting->range_edges[block * ranges + range]};
}

static void copy_range(const struct cutting *cutting, const struct qn_csr_rows *rows,
                       uint64_t range) {
  struct range_rows own = rows_of_range(cutting, range);
  const uint64_t *offsets = rows->row_offsets + (own.first - rows->first);
  const uint64_t base = rows->row_offsets[0], num_own = own.last - own.first;
  const uint64_t num_edges = cutting->rows->num_edges;
  const uint64_t num_rows = cutting->block_rows[cutting->num_blocks];
  struct cursor *cursors = own_cursors(cutting);
  for (uint64_t i = 0; i < num_own; i++) {
    uint64_t row_end = offsets[i + 1] - base, previous = UINT64_MAX, begin = 0;
    for (uint64_t edge = offsets[i] - base; edge < row_end; edge++) {
      uint64_t block = block_of(cutting, rows->columns[edge]);
      struct cursor *cursor = &cursors[block];
      uint64_t place = cutting->block_edges[block] + cursor->edge;
      cursor->row += block != previous;
      begin = block != previous ? cursor->edge : begin;
      if (place >= num_edges || cursor->row > num_rows)
        return;
      cutting->id_map[cursor->row - 1] = (uint32_t)(own.first + i);
      cutting->row_offsets[cursor->row - 1 + block] = (uint32_t)begin;
      cutting->columns[place] = rows->columns[edge];
      if (rows->weights)
        qn_weight_copy(cutting->out_weights, place, rows->weights, edge, rows->weight_bytes);
      cursor->edge++;
      previous = block;
    }
  }
}

/* A single block has the edges as they are. */
static void copy_whole_range(const struct cutting *cutting, const struct qn_csr_rows *rows,
                             uint64_t range) {
  struct range_rows own = rows_of_range(cutting, range);
  const uint64_t *offsets = rows->row_offsets + (own.first - rows->first);
  const uint64_t num_own = own.last - own.first;
  uint64_t first_edge = offsets[0], local = cutting->range_starts[range];
  uint64_t from = first_edge - rows->row_offsets[0], count = offsets[num_own] - first_edge;
  if (count == 0)
    return;
  memcpy(cutting->columns + first_edge, rows->columns + from, 4 * count);
  if (rows->weights)
    memcpy((char *)cutting->out_weights + first_edge * rows->weight_bytes,
           (const char *)rows->weights + from * rows->weight_bytes, count * rows->weight_bytes);
  for (uint64_t i = 0; i < num_own && local < cutting->block_rows[1]; i++) {
    if (offsets[i + 1] == offsets[i])
      continue;
    cutting->id_map[local] = (uint32_t)(own.first + i);
    cutting->row_offsets[local++] = (uint32_t)offsets[i];
  }
}

static void copy_rows(const struct qn_csr_rows *rows, void *context) {
  const struct cutting *cutting = context;
  for (uint64_t row = rows->first; row < rows->last; row += QN_RANGE_VERTICES) {
    uint64_t range = row / QN_RANGE_VERTICES;
    if (cutting->num_blocks == 1) {
      copy_whole_range(cutting, rows, range);
    } else {
      set_cursors(cutting, range, own_cursors(cutting));
      copy_range(cutting, rows, range);
    }
  }
}

static enum qn_status copy_ranges(struct cutting *cutting, struct qn_error *error) {
  enum qn_status status = qn_rows_visit(cutting->rows, true, copy_rows, cutting, error);
  for (uint64_t block = 0; block < cutting->num_blocks && !status; block++)
    cutting->row_offsets[cutting->block_rows[block + 1] + block] =
        (uint32_t)(cutting->block_edges[block + 1] - cutting->block_edges[block]);
  return status;
}

/* ---- Limits --------------------------------------------------------------- */

/* The largest power of two of vertices whose blocks all hold at most `limit` edges; 0 if even one
 * vertex has more. `degrees` counts edges by column. */
static uint64_t fitting_block(const uint64_t *degrees, uint64_t num_vertices, uint64_t start,
                              uint64_t limit) {
  uint64_t size = 1;
  while (size <= start / 2)
    size *= 2;
  for (; size > 0; size /= 2) {
    uint64_t largest = 0;
    for (uint64_t first = 0; first < num_vertices; first += size) {
      uint64_t edges = 0;
      for (uint64_t v = first; v < first + size && v < num_vertices; v++)
        edges += degrees[v];
      largest = edges > largest ? edges : largest;
    }
    if (largest <= limit)
      return size;
  }
  return 0;
}

/* Too many edges in a block: says by how much, and what would fit. */
static void count_columns(const struct qn_csr_rows *rows, void *context) {
  uint64_t *degrees = context;
  uint64_t count = rows->row_offsets[rows->last - rows->first] - rows->row_offsets[0];
  for (uint64_t i = 0; i < count; i++) {
#pragma omp atomic
    degrees[rows->columns[i]]++;
  }
}

/* The block with most edges, and the block size that would fit. */
static enum qn_status name_large_block(const struct cutting *cutting, const uint64_t *degrees,
                                       struct qn_error *error) {
  uint64_t largest = 0, at = 0, num_vertices = cutting->rows->num_vertices;
  for (uint64_t block = 0; block < cutting->num_blocks; block++) {
    uint64_t edges = 0;
    for (uint64_t v = block * cutting->block_vertices;
         v < (block + 1) * cutting->block_vertices && v < num_vertices; v++)
      edges += degrees[v];
    at = edges > largest ? block : at;
    largest = edges > largest ? edges : largest;
  }
  uint64_t fitting =
      fitting_block(degrees, num_vertices, cutting->block_vertices, cutting->max_block_edges);
  if (fitting == 0)
    return qn_fail(error, QN_USAGE,
                   "some vertex has more edges than the %" PRIu64
                   " that a block can hold: this graph does not fit the blocked-csr layout",
                   cutting->max_block_edges);
  return qn_fail(
      error, QN_USAGE,
      "block %" PRIu64 " would hold %" PRIu64 " edges, %" PRIu64 " more than the %" PRIu64
      " that a block can; --block-vertices %" PRIu64 " would fit",
      at, largest, largest - cutting->max_block_edges, cutting->max_block_edges, fitting);
}

static enum qn_status refuse_large_block(const struct cutting *cutting, struct qn_error *error) {
  uint64_t *degrees, num_vertices = cutting->rows->num_vertices;
  enum qn_status status =
      qn_pages_alloc(&degrees, num_vertices, sizeof *degrees, "degrees by column", error);
  if (!status)
    status = qn_rows_visit(cutting->rows, true, count_columns, degrees, error);
  if (!status)
    status = name_large_block(cutting, degrees, error);
  qn_pages_free(degrees, num_vertices, sizeof *degrees);
  return status;
}

static enum qn_status check_block_edges(const struct cutting *cutting, struct qn_error *error) {
  bool fits = !cutting->overflow;
  for (uint64_t block = 0; block < cutting->num_blocks; block++)
    fits &=
        cutting->block_edges[block + 1] - cutting->block_edges[block] <= cutting->max_block_edges;
  return fits ? QN_OK : refuse_large_block(cutting, error);
}

static enum qn_status check_range_starts(uint64_t num_vertices, uint64_t block_vertices,
                                         struct qn_error *error) {
  uint64_t entries = (num_vertices + QN_RANGE_VERTICES - 1) / QN_RANGE_VERTICES + 1;
  uint64_t blocks = (num_vertices + block_vertices - 1) / block_vertices;
  if (blocks * entries <= QN_MAX_RANGE_STARTS)
    return QN_OK;
  uint64_t most = QN_MAX_RANGE_STARTS / entries;
  return qn_fail(error, QN_USAGE,
                 "%" PRIu64 " blocks need %" PRIu64 " range starts, more than the %" PRIu64
                 " that a container can hold; --block-vertices %" PRIu64 " would fit",
                 blocks, blocks * entries, QN_MAX_RANGE_STARTS, (num_vertices + most - 1) / most);
}

/* ---- Sections ------------------------------------------------------------- */

static enum qn_status add_unsigned(struct qn_writer *writer, const char *name, uint32_t bytes,
                                   uint64_t count, void *out, struct qn_error *error) {
  return qn_builder_section(writer, name, QN_ELEMENT_UNSIGNED, bytes, count, out, error);
}

static enum qn_status count_direction(struct cutting *cutting,
                                      const struct qn_blocking_sections *names,
                                      struct qn_writer *writer, struct qn_error *error) {
  uint64_t blocks = cutting->num_blocks, ranges = cutting->num_ranges;
  enum qn_status status =
      add_unsigned(writer, names->block_rows, 8, blocks + 1, &cutting->block_rows, error);
  if (!status)
    status = add_unsigned(writer, names->block_edges, 8, blocks + 1, &cutting->block_edges, error);
  if (!status)
    status = add_unsigned(writer, names->range_starts, 4, blocks * (ranges + 1),
                          &cutting->range_starts, error);
  if (status)
    return status;
  status = count_ranges(cutting, error);
  if (status)
    return status;
  place_ranges(cutting);
  return check_block_edges(cutting, error);
}

static enum qn_status copy_direction(struct cutting *cutting,
                                     const struct qn_blocking_sections *names,
                                     struct qn_writer *writer, struct qn_error *error) {
  uint64_t rows = cutting->block_rows[cutting->num_blocks];
  enum qn_status status = add_unsigned(writer, names->id_map, 4, rows, &cutting->id_map, error);
  if (!status)
    status = add_unsigned(writer, names->row_offsets, 4, rows + cutting->num_blocks,
                          &cutting->row_offsets, error);
  if (!status)
    status =
        add_unsigned(writer, names->columns, 4, cutting->rows->num_edges, &cutting->columns, error);
  if (!status)
    status = qn_builder_weights(writer, names->weights, cutting->rows->num_edges,
                                &cutting->out_weights, error);
  return status ? status : copy_ranges(cutting, error);
}

static enum qn_status cut_direction(const struct qn_rows *rows, uint64_t block_vertices,
                                    uint64_t max_block_edges,
                                    const struct qn_blocking_sections *names,
                                    struct qn_writer *writer, struct qn_error *error) {
  struct cutting cutting = {
      .rows = rows,
      .num_blocks = (rows->num_vertices + block_vertices - 1) / block_vertices,
      .num_ranges = (rows->num_vertices + QN_RANGE_VERTICES - 1) / QN_RANGE_VERTICES,
      .block_vertices = block_vertices,
      .is_shift = (block_vertices & (block_vertices - 1)) == 0,
      .shift = (unsigned)__builtin_ctzll(block_vertices),
      .max_block_edges = max_block_edges,
  };
  uint64_t counts = cutting.num_blocks * cutting.num_ranges;
  uint64_t cursors = qn_threads() * cutting.num_blocks;
  enum qn_status status = qn_bulk_alloc(&cutting.range_edges, counts, sizeof *cutting.range_edges,
                                        "edges of ranges", error);
  if (!status)
    status =
        qn_pages_alloc(&cutting.cursors, cursors, sizeof *cutting.cursors, "block cursors", error);
  if (!status)
    status = count_direction(&cutting, names, writer, error);
  if (!status)
    status = copy_direction(&cutting, names, writer, error);
  qn_pages_free(cutting.cursors, cursors, sizeof *cutting.cursors);
  qn_pages_free(cutting.range_edges, counts, sizeof *cutting.range_edges);
  return status;
}

static enum qn_status write_out_edges(const struct qn_csr *out, struct qn_writer *writer,
                                      struct qn_error *error) {
  uint64_t *rows;
  uint32_t *columns;
  void *weights;
  enum qn_status status = qn_graph_write_rows(writer, out->num_vertices, &rows, error);
  if (!status)
    status = qn_graph_write_columns(writer, out->num_edges, &columns, error);
  if (!status)
    status = qn_graph_write_weights(writer, out->num_edges, &weights, error);
  if (status)
    return status;
  unsigned weight_bytes = qn_weight_bytes(out->weights.type);
#pragma omp parallel for schedule(static)
  for (uint64_t v = 0; v <= out->num_vertices; v++)
    rows[v] = out->row_offsets[v];
#pragma omp parallel for schedule(static)
  for (uint64_t edge = 0; edge < out->num_edges; edge++) {
    columns[edge] = out->column_indices[edge];
    if (weight_bytes)
      qn_weight_copy(weights, edge, out->weights.data, edge, weight_bytes);
  }
  return QN_OK;
}

/* ---- The whole ------------------------------------------------------------ */

static const char *direction_name(uint32_t directions) {
  if (directions == (QN_BLOCKED_PULL | QN_BLOCKED_PUSH))
    return "both";
  return directions == QN_BLOCKED_PUSH ? "push" : "pull";
}

static enum qn_status cut_directions(const struct qn_graph *graph, uint32_t directions,
                                     uint64_t block_vertices, uint64_t max_block_edges,
                                     struct qn_writer *writer, struct qn_error *error) {
  struct qn_rows rows;
  enum qn_status status = QN_OK;
  if (directions & QN_BLOCKED_PULL) {
    status = qn_rows_open_in(graph, &rows, error);
    if (!status)
      status =
          cut_direction(&rows, block_vertices, max_block_edges, &qn_pull_sections, writer, error);
    qn_rows_close(&rows);
  }
  if (!status && (directions & QN_BLOCKED_PUSH)) {
    qn_rows_open_out(graph, &rows);
    status =
        cut_direction(&rows, block_vertices, max_block_edges, &qn_push_sections, writer, error);
  }
  return status;
}

enum qn_status qn_blocked_csr_build(struct qn_source *source, const void *options,
                                    struct qn_writer *writer, json_t **used,
                                    struct qn_error *error) {
  const struct qn_blocked_csr_options *wanted = options;
  const struct qn_csr *out = &source->graph.out;
  uint32_t directions = wanted->directions ? wanted->directions : QN_BLOCKED_PULL;
  uint64_t l2_bytes = wanted->l2_bytes ? wanted->l2_bytes : QN_DEFAULT_L2_BYTES;
  uint64_t block_vertices =
      wanted->block_vertices ? wanted->block_vertices : qn_block_vertices_for(l2_bytes);
  uint64_t max_block_edges = wanted->max_block_edges ? wanted->max_block_edges : UINT32_MAX;
  struct qn_container_info *info = qn_writer_info(writer);
  info->parameters[QN_BLOCKED_BLOCK_VERTICES] = block_vertices;
  info->parameters[QN_BLOCKED_DIRECTIONS] = directions;
  info->parameters[QN_BLOCKED_RANGE_VERTICES] = QN_RANGE_VERTICES;
  *used = json_pack("{s:s, s:I, s:b}", "direction", direction_name(directions), "block_vertices",
                    (json_int_t)block_vertices, "out_edges", wanted->out_edges);
  enum qn_status status = check_range_starts(out->num_vertices, block_vertices, error);
  if (!status)
    status = qn_builder_degrees(source, writer, error);
  if (!status)
    status =
        cut_directions(&source->graph, directions, block_vertices, max_block_edges, writer, error);
  if (!status && wanted->out_edges)
    status = write_out_edges(out, writer, error);
  return status;
}
