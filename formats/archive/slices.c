/* Which rows columns are in: by the row offsets before them. */
#include "formats/archive/slices.h"

#include <string.h>

#include "formats/archive/paging.h"
#include "support/memory.h"

static uint64_t rows_of(const struct qn_container *container) {
  const struct qn_container_info *info = qn_container_info(container);
  return qn_is_rectangular(info) ? info->num_rows : info->num_vertices;
}

const struct qn_section *qn_row_offsets_of(const struct qn_container *container,
                                           const struct qn_section *columns) {
  const bool out = strcmp(columns->name, "column_indices") == 0;
  if (qn_container_info(container)->layout != QN_LAYOUT_GRAPH || columns->upper ||
      columns->element_bytes != sizeof(uint32_t) ||
      (!out && strcmp(columns->name, "in_column_indices") != 0))
    return NULL;
  const struct qn_section *offsets =
      qn_container_section(container, out ? "row_offsets" : "in_row_offsets");
  const bool fit = offsets && offsets->element_bytes == sizeof(uint64_t) && !offsets->upper &&
                   offsets->offset < columns->offset && offsets->count == rows_of(container) + 1;
  return fit ? offsets : NULL;
}

struct qn_row_slices qn_row_slices_of(const struct qn_container *container,
                                      const uint64_t *row_offsets) {
  const struct qn_container_info *info = qn_container_info(container);
  return (struct qn_row_slices){.row_offsets = row_offsets,
                                .num_rows = rows_of(container),
                                .first_row =
                                    qn_is_rectangular(info) ? (uint32_t)info->first_row : 0};
}

static bool ascend(const uint64_t *row_offsets, uint64_t num_rows, uint64_t num_columns) {
  bool sound = row_offsets[0] == 0 && row_offsets[num_rows] == num_columns;
  for (uint64_t row = 0; row < num_rows; row++)
    sound = sound && row_offsets[row] <= row_offsets[row + 1];
  return sound;
}

enum qn_status qn_row_slices_read(struct qn_frame_decoders *decoders,
                                  const struct qn_container *archive,
                                  const struct qn_section *columns, struct qn_row_slices *slices,
                                  struct qn_error *error) {
  const struct qn_section *offsets = qn_row_offsets_of(archive, columns);
  uint64_t *row_offsets;
  if (!offsets)
    return qn_container_violation(archive, error, "A-1", "section %s has no row offsets before it",
                                  columns->name);
  enum qn_status status =
      qn_pages_alloc(&row_offsets, offsets->count, sizeof *row_offsets, offsets->name, error);
  if (!status)
    status = qn_archive_section_read(decoders, archive, offsets, row_offsets, error);
  if (!status && !ascend(row_offsets, offsets->count - 1, columns->count))
    status = qn_container_violation(archive, error, "A-7",
                                    "%s do not ascend from 0 to the length of section %s",
                                    offsets->name, columns->name);
  *slices = qn_row_slices_of(archive, row_offsets);
  return status;
}

void qn_row_slices_destroy(struct qn_row_slices *slices) {
  qn_pages_free((void *)(uintptr_t)slices->row_offsets, slices->num_rows + 1,
                sizeof *slices->row_offsets);
  *slices = (struct qn_row_slices){0};
}
