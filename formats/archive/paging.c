#include "formats/archive/paging.h"

#include <string.h>

#include "support/memory.h"

enum qn_status qn_archive_section_read(struct qn_frame_decoders *decoders,
                                       const struct qn_container *archive,
                                       const struct qn_section *section, void *out,
                                       struct qn_error *error) {
  uint64_t count;
  if (section->codec == QN_CODEC_NONE) {
    memcpy(out, section->data, section->logical_bytes);
    return QN_OK;
  }
  enum qn_status status = qn_frames_count(archive, section, &count, error);
  if (!status && count != section->count)
    status = qn_container_violation(archive, error, "A-4", "section %s has no upper triangle",
                                    section->name);
  return status ? status
                : qn_frames_read(decoders, archive, section, count, NULL, out, NULL, error);
}

/* A section of the RVT, which is there. `out` is the address of a pointer. */
static enum qn_status read_section(struct qn_frame_decoders *decoders,
                                   const struct qn_container *archive, const char *name, void *out,
                                   struct qn_error *error) {
  const struct qn_section *section = qn_container_section(archive, name);
  void *memory;
  enum qn_status status = qn_alloc(&memory, section->logical_bytes, 1, name, error);
  memcpy(out, &memory, sizeof memory);
  return status ? status : qn_archive_section_read(decoders, archive, section, memory, error);
}

static enum qn_status read_rvt(struct qn_frame_decoders *decoders,
                               const struct qn_container *archive, struct qn_archive_paging *paging,
                               struct qn_error *error) {
  enum qn_status status = read_section(decoders, archive, "start_vids", &paging->start_vids, error);
  if (!status)
    status = read_section(decoders, archive, "lp_ranges", &paging->lp_ranges, error);
  if (!status)
    status = read_section(decoders, archive, "edge_offsets", &paging->edge_offsets, error);
  return status;
}

enum qn_status qn_archive_paging_read(struct qn_frame_decoders *decoders,
                                      const struct qn_container *archive,
                                      struct qn_archive_paging *paging, struct qn_error *error) {
  struct qn_slotted_pages view;
  memset(paging, 0, sizeof *paging);
  enum qn_status status = qn_slotted_pages_view_pages(archive, &view, error);
  if (!status)
    status = read_rvt(decoders, archive, paging, error);
  if (!status) {
    view.start_vids = paging->start_vids;
    view.lp_ranges = paging->lp_ranges;
    view.edge_offsets = paging->edge_offsets;
    status = qn_slotted_pages_check_rvt(archive, &view, error);
  }
  if (!status)
    status = qn_paging_create(&view, &paging->paging, error);
  if (status)
    qn_archive_paging_destroy(paging);
  return status;
}

void qn_archive_paging_destroy(struct qn_archive_paging *paging) {
  qn_paging_destroy(&paging->paging);
  qn_free(paging->start_vids);
  qn_free(paging->lp_ranges);
  qn_free(paging->edge_offsets);
  memset(paging, 0, sizeof *paging);
}
