#include "kernels/cpu/packed/oriented.h"

#include <omp.h>

#include "support/memory.h"
#include "support/threads.h"

/* Edges of a band in both directions, unless a range of rows has more. */
#define BAND_EDGES ((uint64_t)1 << 24)

/* The rows of a band in one direction. */
struct band_rows {
  const struct qn_packed_rows *packed;
  uint64_t capacity; /* edges of the largest band */
  uint64_t *offsets; /* [most rows of a band + 1] */
  uint32_t *columns; /* [capacity] */
};

struct bands {
  uint64_t num_bands, most_rows;
  uint64_t *bounds; /* [num_bands + 1] vertices */
  struct band_rows out, in;
  bool has_in;
  struct qn_packed_tile *tiles; /* one a thread */
};

/* ---- A band -----------------------------------------------------------------------------------
 */

static uint64_t least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}

/* Tiles lie within a range of rows, and bands are of whole ranges: so a band has whole tiles. */
static uint64_t tile_at(const struct qn_packed_rows *rows, uint64_t vertex) {
  return least(qn_packed_find(rows, vertex), rows->num_tiles);
}

static uint64_t edge_at(const struct qn_packed_rows *rows, uint64_t vertex) {
  return rows->tile_edges[tile_at(rows, vertex)];
}

/* A row begins in the first tile that has it. A file that becomes another meanwhile may say
 * anything: nothing outside the band is written. */
static void place_tile(const struct band_rows *rows, const struct qn_packed_tile *tile,
                       uint64_t number, uint64_t begin, uint64_t end, uint64_t first_edge) {
  const uint64_t base = tile->first_edge - first_edge;
  const bool shares = !qn_packed_begins_range(rows->packed->tile_rows, number);
  for (uint64_t row = shares; row < tile->num_rows; row++) {
    const uint64_t vertex = tile->first_row + row;
    if (vertex >= begin && vertex < end)
      rows->offsets[vertex - begin] = base + tile->begins[row];
  }
  if (base <= rows->capacity && tile->num_edges <= rows->capacity - base)
    memcpy(rows->columns + base, tile->columns, tile->num_edges * sizeof *rows->columns);
}

/* Rows that no tile has are empty; bounds are those of the columns, whatever was written. */
static void close_offsets(const struct band_rows *rows, uint64_t count, uint64_t num_edges) {
  rows->offsets[count] = least(num_edges, rows->capacity);
  for (uint64_t row = count; row-- > 0;)
    rows->offsets[row] = least(rows->offsets[row], rows->offsets[row + 1]);
}

static struct qn_row_parts decode_band(const struct bands *bands, const struct band_rows *rows,
                                       uint64_t begin, uint64_t end) {
  const struct qn_packed_rows *packed = rows->packed;
  const uint64_t first = tile_at(packed, begin), last = tile_at(packed, end);
  const uint64_t first_edge = packed->tile_edges[first];
  memset(rows->offsets, 0xff, (end - begin + 1) * sizeof *rows->offsets);
#pragma omp parallel for schedule(dynamic, 16)
  for (uint64_t number = first; number < last; number++) {
    struct qn_packed_tile *tile = &bands->tiles[omp_get_thread_num()];
    qn_packed_decode(packed, number, tile);
    place_tile(rows, tile, number, begin, end, first_edge);
  }
  close_offsets(rows, end - begin, packed->tile_edges[last] - first_edge);
  return (struct qn_row_parts){.offsets = rows->offsets, .columns = rows->columns};
}

static enum qn_status take(void *context, uint64_t band, struct qn_oriented_rows *rows,
                           struct qn_error *error) {
  const struct bands *bands = context;
  const uint64_t begin = bands->bounds[band], end = bands->bounds[band + 1];
  (void)error;
  *rows = (struct qn_oriented_rows){.begin = begin, .end = end, .has_in = bands->has_in};
  rows->out = decode_band(bands, &bands->out, begin, end);
  if (bands->has_in)
    rows->in = decode_band(bands, &bands->in, begin, end);
  return QN_OK;
}

/* ---- All --------------------------------------------------------------------------------------
 */

/* Edges of the rows [begin, end) in one direction; 0: there is none. */
static uint64_t edges_of(const struct band_rows *rows, uint64_t begin, uint64_t end) {
  return rows->packed ? edge_at(rows->packed, end) - edge_at(rows->packed, begin) : 0;
}

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static void cut_bands(struct bands *bands, uint64_t num_vertices) {
  for (uint64_t begin = 0, end; begin < num_vertices; begin = end) {
    end = least(begin + QN_PACKED_RANGE, num_vertices);
    for (uint64_t next; end < num_vertices; end = next) {
      next = least(end + QN_PACKED_RANGE, num_vertices);
      if (edges_of(&bands->out, begin, next) + edges_of(&bands->in, begin, next) > BAND_EDGES)
        break;
    }
    bands->bounds[++bands->num_bands] = end;
    bands->most_rows = larger(bands->most_rows, end - begin);
    bands->out.capacity = larger(bands->out.capacity, edges_of(&bands->out, begin, end));
    bands->in.capacity = larger(bands->in.capacity, edges_of(&bands->in, begin, end));
  }
}

static enum qn_status create_rows(const struct bands *bands, struct band_rows *rows,
                                  struct qn_error *error) {
  if (!rows->packed)
    return QN_OK;
  enum qn_status status = qn_pages_alloc(&rows->offsets, bands->most_rows + 1,
                                         sizeof *rows->offsets, "rows of a band", error);
  return status ? status
                : qn_pages_alloc(&rows->columns, rows->capacity, sizeof *rows->columns,
                                 "edges of a band", error);
}

static enum qn_status create(struct bands *bands, uint64_t num_vertices, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(&bands->bounds, num_vertices / QN_PACKED_RANGE + 2,
                                          sizeof *bands->bounds, "bands", error);
  if (status)
    return status;
  cut_bands(bands, num_vertices);
  status = qn_alloc(&bands->tiles, qn_threads(), sizeof *bands->tiles, "tiles", error);
  if (!status)
    status = create_rows(bands, &bands->out, error);
  return status ? status : create_rows(bands, &bands->in, error);
}

static void destroy_rows(const struct bands *bands, struct band_rows *rows) {
  qn_pages_free(rows->offsets, bands->most_rows + 1, sizeof *rows->offsets);
  qn_pages_free(rows->columns, rows->capacity, sizeof *rows->columns);
}

static enum qn_status orient_bands(const struct qn_packed *packed, bool wants_ways,
                                   struct qn_orientation *orientation, struct qn_error *error) {
  const bool is_directed = packed->directedness != QN_UNDIRECTED;
  struct bands bands = {.out.packed = packed->has_out ? &packed->out : &packed->in,
                        .in.packed = is_directed ? &packed->in : NULL,
                        .has_in = is_directed};
  enum qn_status status = create(&bands, packed->num_vertices, error);
  const struct qn_oriented_source source = {.num_vertices = packed->num_vertices,
                                            .num_bands = bands.num_bands,
                                            .take = take,
                                            .context = &bands,
                                            .wants_ways = wants_ways && is_directed};
  if (!status)
    status = qn_orientation_of_bands(&source, orientation, error);
  destroy_rows(&bands, &bands.out);
  destroy_rows(&bands, &bands.in);
  qn_free(bands.tiles);
  qn_free(bands.bounds);
  return status;
}

enum qn_status qn_packed_orient(const struct qn_packed *packed, bool wants_ways,
                                struct qn_orientation *orientation, struct qn_error *error) {
  struct qn_graph rows;
  *orientation = (struct qn_orientation){0};
  if (packed->directedness == QN_UNDIRECTED || (packed->has_in && packed->has_out))
    return orient_bands(packed, wants_ways, orientation, error);
  enum qn_status status =
      qn_packed_unpack(packed->has_out ? &packed->out : &packed->in, &rows, error);
  if (status)
    return status;
  rows.directedness = packed->directedness;
  status = qn_orientation_create(&rows, wants_ways, orientation, error);
  qn_graph_unmap(&rows);
  return status;
}
