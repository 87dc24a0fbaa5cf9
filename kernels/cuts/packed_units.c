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
