#include "kernels/cpu/triangles/decoded.h"

#include "support/memory.h"
#include "support/used_files.h"

/* Edges of a band in both directions, unless what cannot be cut has more: they stay in a cache. */
#define BAND_EDGES ((uint64_t)1 << 20)

/* The rows of a band in one direction. */
struct decoded {
  const void *rows;  /* NULL: there are none */
  uint64_t capacity; /* edges of the largest band */
  uint64_t *offsets; /* [most rows of a band + 1] */
  uint32_t *columns; /* [capacity] */
};

struct bands {
  const struct qn_decoder *decoder;
  uint64_t num_bands, capacity, most_rows;
  uint64_t *bounds; /* [capacity + 1] vertices, of num_bands */
  struct decoded out, in;
};

/* ---- A band ------------------------------------------------------------------------------------
 */

/* Edges of the rows [begin, end) in one direction. Of a file that has become another they may be
 * more than there are. */
static uint64_t edges_between(const struct bands *bands, const struct decoded *decoded,
                              uint64_t begin, uint64_t end) {
  return decoded->rows ? bands->decoder->edges_before(decoded->rows, end) -
                             bands->decoder->edges_before(decoded->rows, begin)
                       : 0;
}

static enum qn_status decode(const struct bands *bands, const struct decoded *decoded,
                             uint64_t begin, uint64_t end, struct qn_row_parts *rows,
                             struct qn_error *error) {
  const uint64_t num_edges = edges_between(bands, decoded, begin, end), count = end - begin;
  uint64_t *offsets = decoded->offsets;
  if (num_edges > decoded->capacity ||
      !bands->decoder->decode(decoded->rows, begin, end, num_edges, offsets, decoded->columns))
    return qn_input_changed(error);
  offsets[count] = num_edges;
  for (uint64_t row = count; row-- > 0;) /* whatever was written */
    offsets[row] = offsets[row] < offsets[row + 1] ? offsets[row] : offsets[row + 1];
  *rows = (struct qn_row_parts){.offsets = offsets, .columns = decoded->columns};
  return QN_OK;
}

static enum qn_status take(void *context, uint64_t band, struct qn_oriented_rows *rows,
                           struct qn_error *error) {
  const struct bands *bands = context;
  const uint64_t begin = bands->bounds[band], end = bands->bounds[band + 1];
  *rows = (struct qn_oriented_rows){.begin = begin, .end = end, .has_in = bands->in.rows};
  enum qn_status status = decode(bands, &bands->out, begin, end, &rows->out, error);
  return status || !rows->has_in ? status : decode(bands, &bands->in, begin, end, &rows->in, error);
}

/* ---- All ---------------------------------------------------------------------------------------
 */

static uint64_t larger(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}

static void add_band(struct bands *bands, uint64_t begin, uint64_t end) {
  bands->bounds[++bands->num_bands] = end;
  bands->most_rows = larger(bands->most_rows, end - begin);
  bands->out.capacity = larger(bands->out.capacity, edges_between(bands, &bands->out, begin, end));
  bands->in.capacity = larger(bands->in.capacity, edges_between(bands, &bands->in, begin, end));
}

/* Two bands that follow each other have more than BAND_EDGES, or they would be one. */
static enum qn_status cut_bands(struct bands *bands, uint64_t num_vertices,
                                struct qn_error *error) {
  const uint64_t num_edges = edges_between(bands, &bands->out, 0, num_vertices) +
                             edges_between(bands, &bands->in, 0, num_vertices);
  bands->capacity = 2 * (num_edges / BAND_EDGES) + 2;
  enum qn_status status =
      qn_alloc_zeroed(&bands->bounds, bands->capacity + 1, sizeof *bands->bounds, "bands", error);
  uint64_t begin = 0, end = 0;
  while (!status && end < num_vertices) {
    const uint64_t last = bands->decoder->band_end(bands->out.rows, end);
    const uint64_t next = last > end && last < num_vertices ? last : num_vertices;
    const uint64_t num_taken = edges_between(bands, &bands->out, begin, next) +
                               edges_between(bands, &bands->in, begin, next);
    if (end > begin && num_taken > BAND_EDGES) {
      if (bands->num_bands + 1 >= bands->capacity)
        return qn_input_changed(error);
      add_band(bands, begin, end);
      begin = end;
    }
    end = next;
  }
  if (!status && end > begin)
    add_band(bands, begin, end);
  return status;
}

static enum qn_status create_rows(const struct bands *bands, struct decoded *decoded,
                                  struct qn_error *error) {
  if (!decoded->rows)
    return QN_OK;
  enum qn_status status = qn_pages_alloc(&decoded->offsets, bands->most_rows + 1,
                                         sizeof *decoded->offsets, "rows of a band", error);
  return status ? status
                : qn_pages_alloc(&decoded->columns, decoded->capacity, sizeof *decoded->columns,
                                 "edges of a band", error);
}

static void destroy_rows(const struct bands *bands, struct decoded *decoded) {
  qn_pages_free(decoded->offsets, bands->most_rows + 1, sizeof *decoded->offsets);
  qn_pages_free(decoded->columns, decoded->capacity, sizeof *decoded->columns);
}

enum qn_status qn_orientation_of_decoded(const struct qn_decoder *decoder, uint64_t num_vertices,
                                         const void *out, const void *in, bool is_directed,
                                         bool wants_ways, struct qn_orientation *orientation,
                                         struct qn_error *error) {
  struct bands bands = {.decoder = decoder, .out.rows = out, .in.rows = is_directed ? in : NULL};
  enum qn_status status = cut_bands(&bands, num_vertices, error);
  const struct qn_oriented_source source = {.num_vertices = num_vertices,
                                            .num_bands = bands.num_bands,
                                            .take = take,
                                            .context = &bands,
                                            .is_one_way = is_directed && !in,
                                            .wants_ways = wants_ways && is_directed};
  if (!status)
    status = create_rows(&bands, &bands.out, error);
  if (!status)
    status = create_rows(&bands, &bands.in, error);
  if (!status)
    status = qn_orientation_of_bands(&source, orientation, error);
  destroy_rows(&bands, &bands.out);
  destroy_rows(&bands, &bands.in);
  qn_free(bands.bounds);
  return status;
}
