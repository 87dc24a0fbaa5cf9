#include "kernels/cuts/packed_units.h"

#include <string.h>

#include "support/memory.h"

enum qn_status qn_packed_need(const struct qn_packed *packed, enum qn_packed_directions direction,
                              const struct qn_packed_rows **rows, struct qn_error *error) {
  *rows = direction == QN_PACKED_IN ? &packed->in : &packed->out;
  if (direction == QN_PACKED_IN ? packed->has_in : packed->has_out)
    return QN_OK;
  return direction == QN_PACKED_IN
             ? qn_fail(error, QN_UNSUPPORTED,
                       "this packed container has out-edges alone, but this program gathers along "
                       "in-edges: make one with quern-pack --direction in or both")
             : qn_fail(error, QN_UNSUPPORTED,
                       "this packed container has in-edges alone, but this program pushes along "
                       "out-edges on a device: make one with quern-pack --direction out or both");
}

enum qn_status qn_packed_degrees_create(uint32_t **degrees, const struct qn_packed *packed,
                                        struct qn_error *error) {
  const uint64_t num_vertices = packed->num_vertices;
  enum qn_status status =
      qn_pages_alloc(degrees, num_vertices, sizeof **degrees, "out-degrees", error);
  if (status)
    return status;
  if (packed->out_degrees) {
    memcpy(*degrees, packed->out_degrees, num_vertices * sizeof **degrees);
    return QN_OK;
  }
  memset(*degrees, 0, num_vertices * sizeof **degrees);
  status = qn_packed_count_rows(&packed->out, *degrees, error);
  if (status)
    qn_pages_free(*degrees, num_vertices, sizeof **degrees);
  return status;
}

/* The end of the unit that begins with tile `begin`. */
static uint64_t unit_end(const struct qn_packed_rows *rows, uint64_t begin, uint64_t words) {
  uint64_t end = begin + 1;
  while (end < rows->num_tiles && rows->tile_starts[end + 1] - rows->tile_starts[begin] <= words)
    end++;
  return end;
}

static uint64_t cut_units(const struct qn_packed_rows *rows, uint64_t words, uint32_t *bounds) {
  uint64_t count = 0, begin = 0;
  for (; begin < rows->num_tiles; begin = unit_end(rows, begin, words))
    bounds[count++] = (uint32_t)begin;
  bounds[count] = (uint32_t)rows->num_tiles;
  return count;
}

enum qn_status qn_packed_units_create(struct qn_packed_units *units,
                                      const struct qn_packed_rows *rows, bool weighted,
                                      uint64_t bytes, struct qn_error *error) {
  *units = (struct qn_packed_units){.rows = rows, .weighted = weighted};
  if (rows->num_tiles > INT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "the graph has too many edges for one device");
  enum qn_status status =
      qn_alloc(&units->bounds, rows->num_tiles + 1, sizeof *units->bounds, "units of tiles", error);
  if (status)
    return status;
  units->count = cut_units(rows, bytes / 4, units->bounds);
  const unsigned weight_bytes = weighted ? qn_weight_bytes(rows->weights.type) : 0;
  for (uint64_t unit = 0; unit < units->count; unit++) {
    const uint64_t words = qn_packed_unit_words(units, unit);
    const uint64_t edges = qn_packed_unit_edges(units, unit);
    units->most_words = words > units->most_words ? words : units->most_words;
    units->most_edges = edges > units->most_edges ? edges : units->most_edges;
    units->total_bytes += 4 * words + weight_bytes * edges;
  }
  return QN_OK;
}

void qn_packed_units_destroy(struct qn_packed_units *units) {
  qn_free(units->bounds);
  *units = (struct qn_packed_units){0};
}
