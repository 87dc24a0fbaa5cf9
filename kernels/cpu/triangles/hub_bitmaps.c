#include "kernels/cpu/triangles/hub_bitmaps.h"

#include "support/memory.h"

#define MAX_HUBS ((uint64_t)1 << 15)

enum qn_status qn_hub_bitmaps_create(const struct qn_orientation *edges,
                                     struct qn_hub_bitmaps *bitmaps, struct qn_error *error) {
  const uint64_t num_hubs = edges->num_vertices < MAX_HUBS ? edges->num_vertices : MAX_HUBS;
  *bitmaps = (struct qn_hub_bitmaps){.num_hubs = num_hubs};
  enum qn_status status = qn_pages_alloc(&bitmaps->bits, qn_hub_word(num_hubs),
                                         sizeof *bitmaps->bits, "bitmaps of hubs", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 64)
  for (uint64_t b = 0; b < num_hubs; b++)
    qn_mark_list(edges->earlier + edges->offsets[b], edges->counts[b],
                 bitmaps->bits + qn_hub_word(b));
  return QN_OK;
}

void qn_hub_bitmaps_destroy(struct qn_hub_bitmaps *bitmaps) {
  qn_pages_free(bitmaps->bits, qn_hub_word(bitmaps->num_hubs), sizeof *bitmaps->bits);
  *bitmaps = (struct qn_hub_bitmaps){0};
}
