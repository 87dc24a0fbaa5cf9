#include "kernels/cpu/set/oriented.h"

#include "kernels/cpu/set/bands.h"

static struct qn_row_parts parts_of(const struct qn_csr *csr) {
  return (struct qn_row_parts){.offsets = csr->row_offsets, .columns = csr->column_indices};
}

static enum qn_status take(void *context, uint64_t band, struct qn_oriented_rows *rows,
                           struct qn_error *error) {
  struct qn_bands *bands = context;
  const struct qn_band *made = &bands->made;
  enum qn_status status = qn_bands_take(bands, band, error);
  *rows = (struct qn_oriented_rows){.begin = made->begin,
                                    .end = made->end,
                                    .out = parts_of(&made->rows),
                                    .in = parts_of(&made->columns),
                                    .has_in = !bands->view->has_out_rows};
  return status;
}

enum qn_status qn_set_orient(const void *set, bool wants_ways, struct qn_orientation *orientation,
                             struct qn_error *error) {
  const struct qn_set_view *view = set;
  struct qn_bands bands;
  *orientation = (struct qn_orientation){0};
  enum qn_status status = qn_bands_create(view, &bands, error);
  const struct qn_oriented_source source = {.num_vertices = view->num_vertices,
                                            .num_bands = bands.num_bands,
                                            .take = take,
                                            .context = &bands,
                                            .wants_ways = wants_ways && !view->has_out_rows};
  if (!status)
    status = qn_orientation_of_bands(&source, orientation, error);
  qn_bands_destroy(&bands);
  return status;
}
