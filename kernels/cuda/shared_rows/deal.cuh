/* Rows of plain CSR as they are dealt to several devices: each gets the rows of consecutive
 * vertices, with about as many edges and vertices as any other's, and units of these rows alone. */
#pragma once

#include <algorithm>

#include "kernels/cuda/rows/row_units.cuh"
#include "kernels/device_run.h"

namespace {

struct dealt_units {
  struct row_units cut;                    /* of all devices, one after another */
  uint64_t firsts[QN_MAX_DEVICES + 1];     /* device i has the units [firsts[i], firsts[i + 1]) */
  uint64_t first_hubs[QN_MAX_DEVICES + 1]; /* and hubs */
};

/* Where the rows of each device begin. Words of bitmaps belong to one device: all but the last cut
 * are multiples of 32. */
inline void deal_rows(const struct qn_csr *csr, unsigned num_devices, uint64_t *cuts) {
  const uint64_t num_vertices = csr->num_vertices, weight = csr->num_edges + num_vertices;
  cuts[0] = 0;
  for (unsigned i = 1; i < num_devices; i++) {
    const uint64_t before = (uint64_t)((unsigned __int128)weight * i / num_devices);
    uint64_t low = cuts[i - 1], high = num_vertices;
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if (csr->row_offsets[middle] + middle < before)
        low = middle + 1;
      else
        high = middle;
    }
    cuts[i] = std::min(std::max((low + 16) / 32 * 32, cuts[i - 1]), num_vertices);
  }
  cuts[num_devices] = num_vertices;
}

/* The devices' units in one list, and their hubs, whose parts are counted on. */
inline enum qn_status join_units(const struct row_units *pieces, unsigned num_devices,
                                 struct dealt_units *dealt, struct qn_error *error) {
  struct row_units *cut = &dealt->cut;
  for (unsigned i = 0; i < num_devices; i++) {
    dealt->firsts[i + 1] = dealt->firsts[i] + pieces[i].num_units;
    dealt->first_hubs[i + 1] = dealt->first_hubs[i] + pieces[i].num_hubs;
  }
  cut->num_units = dealt->firsts[num_devices];
  cut->num_hubs = dealt->first_hubs[num_devices];
  if (cut->num_units > INT32_MAX)
    return qn_fail(error, QN_UNSUPPORTED, "the graph has too many edges for devices");
  enum qn_status status =
      qn_pages_alloc(&cut->units, cut->num_units, sizeof *cut->units, "units of rows", error);
  if (!status)
    status = qn_pages_alloc(&cut->hubs, cut->num_hubs, sizeof *cut->hubs, "units of rows", error);
  for (unsigned i = 0; i < num_devices && !status; i++) {
    for (uint64_t unit = 0; unit < pieces[i].num_units; unit++) {
      struct row_unit *to = &cut->units[dealt->firsts[i] + unit];
      *to = pieces[i].units[unit];
      to->part += to->part == NO_PART ? 0 : (uint32_t)cut->num_parts;
    }
    for (uint64_t hub = 0; hub < pieces[i].num_hubs; hub++) {
      struct row_hub *to = &cut->hubs[dealt->first_hubs[i] + hub];
      *to = pieces[i].hubs[hub];
      to->first_part += (uint32_t)cut->num_parts;
    }
    cut->num_parts += pieces[i].num_parts;
  }
  return status;
}

/* `matrix` is of plain CSR, and lives as long. `dealt` is zero; its `cut` is
 * owned until row_units_destroy, also after a failure. */
inline enum qn_status deal_units(const struct row_matrix *matrix, uint64_t most,
                                 unsigned num_devices, const uint64_t *cuts,
                                 struct dealt_units *dealt, struct qn_error *error) {
  struct row_units pieces[QN_MAX_DEVICES];
  enum qn_status status = QN_OK;
  memset(pieces, 0, sizeof pieces);
  for (unsigned i = 0; i < num_devices && !status; i++) {
    struct row_matrix own = *matrix;
    own.block_rows = &cuts[i];
    status = row_units_create(&pieces[i], &own, most, error);
  }
  dealt->cut.matrix = *matrix;
  if (!status)
    status = join_units(pieces, num_devices, dealt, error);
  for (unsigned i = 0; i < num_devices; i++)
    row_units_destroy(&pieces[i]);
  return status;
}

} /* namespace */
