#include "kernels/work_division/packed_units.h"

#include <string.h>

#include "formats/layouts/packed_weights.h"
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

enum qn_status qn_packed_check_weights(const struct qn_packed_rows *rows, qn_weights_checker *check,
                                       struct qn_error *error) {
  const struct qn_packed_codes *codes = &rows->codes;
  struct qn_weights all = rows->weights;
  void *weights;
  if (codes->kind == QN_PACKED_PLAIN)
    return check(&all, rows->num_edges, rows->num_vertices, error);
  if (!check(&codes->values, codes->num_values, rows->num_vertices, error))
    return QN_OK;
  const unsigned bytes = qn_weight_bytes(all.type);
  enum qn_status status = qn_pages_alloc(&weights, rows->num_edges, bytes, "weights", error);
  if (status)
    return status;
  qn_packed_load_weights(rows, 0, rows->num_edges, weights);
  all.data = weights;
  status = check(&all, rows->num_edges, rows->num_vertices, error);
  qn_pages_free(weights, rows->num_edges, bytes);
  return status;
}

/* Plain ones, or the words that have their codes, and one more. Codes of 0 bits are none. */
const void *qn_packed_unit_weights(const struct qn_packed_units *units, uint64_t unit,
                                   uint64_t *bytes) {
  const struct qn_packed_rows *rows = units->rows;
  const uint64_t first = rows->tile_edges[units->bounds[unit]];
  const uint64_t end = rows->tile_edges[units->bounds[unit + 1]];
  const unsigned bits = rows->codes.bits, weight_bytes = qn_weight_bytes(rows->weights.type);
  *bytes = 0;
  if (!units->weighted || first >= end || (rows->codes.kind != QN_PACKED_PLAIN && bits == 0))
    return NULL;
  if (rows->codes.kind == QN_PACKED_PLAIN) {
    *bytes = weight_bytes * (end - first);
    return (const char *)rows->weights.data + weight_bytes * first;
  }
  const uint64_t word = first / 32 * bits + first % 32 * bits / 32;
  *bytes = 4 * (end / 32 * bits + (end % 32 * bits + 31) / 32 + 1 - word);
  return rows->codes.words + word;
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

static uint64_t unit_bytes(const struct qn_packed_units *units, uint64_t unit) {
  uint64_t weight_bytes;
  qn_packed_unit_weights(units, unit, &weight_bytes);
  return 4 * qn_packed_unit_words(units, unit) + weight_bytes;
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
  for (uint64_t unit = 0; unit < units->count; unit++) {
    const uint64_t words = qn_packed_unit_words(units, unit);
    const uint64_t weight_bytes = unit_bytes(units, unit) - 4 * words;
    units->most_words = words > units->most_words ? words : units->most_words;
    if (weight_bytes > units->most_weight_bytes)
      units->most_weight_bytes = weight_bytes;
    units->total_bytes += 4 * words + weight_bytes;
  }
  return QN_OK;
}

void qn_packed_units_begin_at(struct qn_packed_units *units, uint64_t tile) {
  uint64_t unit = 0;
  while (unit < units->count && units->bounds[unit] < tile)
    unit++;
  if (units->bounds[unit] == tile)
    return;
  units->total_bytes -= unit_bytes(units, unit - 1);
  memmove(&units->bounds[unit + 1], &units->bounds[unit],
          (units->count + 1 - unit) * sizeof *units->bounds);
  units->bounds[unit] = (uint32_t)tile;
  units->count++;
  units->total_bytes += unit_bytes(units, unit - 1) + unit_bytes(units, unit);
}

void qn_packed_units_destroy(struct qn_packed_units *units) {
  qn_free(units->bounds);
  *units = (struct qn_packed_units){0};
}
