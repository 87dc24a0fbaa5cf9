/* Packed rows that several devices share: the tiles of a range of vertices are one device's, and
 * the ranges begin where those of tiles do (specs/packed.md), so that no row is in two.
 *
 * All-active programs sum up a device's rows where they lie: what its vertices have is there alone,
 * and what all send on every device (sweep/team.cuh). */
#pragma once

#include <algorithm>

#include "kernels/cuda/packed/walk.cuh"
#include "kernels/cuda/sweep/shared_reading.cuh"

namespace {

/* A run's. */
struct packed_deal {
  struct sweep_dealt_rows dealt; /* the first: what the team calls has it */
  struct qn_packed_units *units;
  unsigned num_devices;
  uint32_t tiles[QN_MAX_DEVICES + 1];  /* device i has the tiles [tiles[i], tiles[i + 1]) */
  uint64_t firsts[QN_MAX_DEVICES + 1]; /* and the units [firsts[i], firsts[i + 1]) */
};

inline const struct packed_deal *packed_deal_of(const struct sweep_dealt_rows *rows) {
  return reinterpret_cast<const struct packed_deal *>(rows);
}

/* The first tile of a range from `tile` on. */
inline uint64_t packed_next_range(const struct qn_packed_rows *rows, uint64_t tile) {
  while (tile < rows->num_tiles && !qn_packed_begins_range(rows->tile_rows, tile))
    tile++;
  return tile;
}

/* About as many edges for each device; units end where their tiles do. */
inline void packed_deal_tiles(struct packed_deal *deal) {
  const struct qn_packed_rows *rows = deal->units->rows;
  const uint64_t *edges = rows->tile_edges;
  const uint32_t *bounds = deal->units->bounds;
  for (unsigned i = 1; i < deal->num_devices; i++) {
    const uint64_t before = (uint64_t)((unsigned __int128)rows->num_edges * i / deal->num_devices);
    const uint64_t tile = packed_next_range(
        rows, (uint64_t)(std::lower_bound(edges, edges + rows->num_tiles, before) - edges));
    const uint64_t first_row = rows->tile_rows[tile] / QN_PACKED_RANGE * QN_PACKED_RANGE;
    deal->tiles[i] = (uint32_t)std::max<uint64_t>(tile, deal->tiles[i - 1]);
    deal->dealt.cuts[i] =
        tile < rows->num_tiles ? std::max(first_row, deal->dealt.cuts[i - 1]) : rows->num_vertices;
    qn_packed_units_begin_at(deal->units, deal->tiles[i]);
  }
  deal->tiles[deal->num_devices] = (uint32_t)rows->num_tiles;
  deal->dealt.cuts[deal->num_devices] = rows->num_vertices;
  for (unsigned i = 1; i <= deal->num_devices; i++)
    deal->firsts[i] =
        (uint64_t)(std::lower_bound(bounds, bounds + deal->units->count, deal->tiles[i]) - bounds);
}

inline unsigned packed_owner(const void *user, uint64_t unit) {
  const struct packed_deal *deal = (const struct packed_deal *)user;
  return sweep_owner_of(deal->firsts, deal->num_devices, unit);
}

inline void describe_dealt_unit(const void *user, uint64_t unit, struct qn_unit *out) {
  describe_unit(((const struct packed_deal *)user)->units, unit, out);
}

/* ---- Tiles that are resident, of all-active programs -------------------------------------------
 */

#if SWEEP_FRONTIER
inline void packed_keep_tiles(struct sweep_dealt_rows *) {}
#else
/* What a device has of all words, and weights. */
struct packed_stretch {
  uint64_t first_word, num_words;     /* with those behind the last tile */
  uint64_t first_weight, num_weights; /* words of codes, or weights */
};

inline struct packed_stretch packed_stretch_of(const struct packed_deal *deal, unsigned device) {
  const struct qn_packed_rows *rows = deal->units->rows;
  const uint64_t begin = deal->tiles[device], end = deal->tiles[device + 1];
  const uint64_t first = rows->tile_edges[begin], last = rows->tile_edges[end];
  struct packed_stretch stretch = {};
  if (begin == end)
    return stretch;
  stretch.first_word = rows->tile_starts[begin];
  stretch.num_words = rows->tile_starts[end] - rows->tile_starts[begin] + QN_PACKED_BEHIND;
  if (!PROGRAM_USES_WEIGHTS || rows->weights.type == QN_WEIGHT_NONE || first == last)
    return stretch;
  stretch.first_weight = first;
  stretch.num_weights = last - first;
  if (rows->codes.kind != QN_PACKED_PLAIN) {
    stretch.first_weight = first / 32 * rows->codes.bits + first % 32 * rows->codes.bits / 32;
    stretch.num_weights = qn_packed_code_words(last, rows->codes.bits) - stretch.first_weight;
  }
  return stretch;
}

inline uint64_t packed_resident_bytes(const struct sweep_dealt_rows *dealt, unsigned device) {
  const struct packed_deal *deal = packed_deal_of(dealt);
  const struct qn_packed_rows *rows = deal->units->rows;
  const struct packed_stretch stretch = packed_stretch_of(deal, device);
  const uint64_t size =
      rows->codes.kind == QN_PACKED_PLAIN ? qn_weight_bytes(rows->weights.type) : 4;
  return qn_cuda_rounded(4 * stretch.num_words) + qn_cuda_rounded(size * stretch.num_weights);
}

inline enum qn_status packed_upload_tiles(struct sweep_run *run, struct qn_error *error) {
  const struct packed_deal *deal = packed_deal_of(run->member->team->rows);
  const struct qn_packed_rows *rows = deal->units->rows;
  const struct packed_stretch stretch = packed_stretch_of(deal, run->member->index);
  struct packed_tiles *tiles = &run->state.layout.tiles;
  struct qn_cuda_memory *memory = &run->memory;
  enum qn_status status =
      qn_cuda_copy_of(memory, &tiles->words, rows->words + stretch.first_word, stretch.num_words, 0,
                      sizeof *rows->words, "tiles", error);
  tiles->words = sweep_by_vertex(tiles->words, stretch.first_word);
  tiles->num_words = stretch.first_word + stretch.num_words - QN_PACKED_BEHIND;
  if (status || stretch.num_weights == 0)
    return status;
  if (tiles->codes.there) {
    status = qn_cuda_copy_of(memory, &tiles->code_words, rows->codes.words + stretch.first_weight,
                             stretch.num_weights, 0, sizeof *rows->codes.words, "codes of weights",
                             error);
    tiles->code_words = sweep_by_vertex(tiles->code_words, stretch.first_weight);
    return status;
  }
  struct qn_weights own = rows->weights;
  const uint64_t size = qn_weight_bytes(own.type);
  own.data = qn_cuda_weights_at(&own, stretch.first_weight);
  status = qn_cuda_weights_upload(memory, &own, stretch.num_weights, &tiles->weights, error);
  tiles->weights.data =
      sweep_by_vertex((const char *)tiles->weights.data, stretch.first_weight * size);
  return status;
}

inline enum qn_status packed_walk_own(struct sweep_run *run, struct qn_error *error) {
  enum qn_status status = walk_all(run, error);
  return status ? status : engine_complete(run, error);
}

inline void packed_keep_tiles(struct sweep_dealt_rows *rows) {
  rows->resident_bytes = packed_resident_bytes;
  rows->upload = packed_upload_tiles;
  rows->walk = packed_walk_own;
}
#endif

/* ---- The run ------------------------------------------------------------------------------- */

inline enum qn_status packed_run_devices(const struct qn_run_request *request,
                                         const struct qn_packed *view,
                                         struct qn_packed_units *units,
                                         struct qn_run_result *result, struct qn_error *error) {
  struct packed_deal deal;
  memset(&deal, 0, sizeof deal);
  deal.units = units;
  deal.num_devices = request->device->num_devices;
  packed_keep_tiles(&deal.dealt);
  packed_deal_tiles(&deal);
  struct qn_unit_source source = unit_source(units);
  source.user = &deal;
  source.describe = describe_dealt_unit;
  source.owner = packed_owner;
  auto upload = [&](struct sweep_run *run, struct qn_error *failure) {
    struct engine_device *device = &run->state.layout;
    enum qn_status status = upload_layout(view, units, &source, run, failure);
    device->first_tile = deal.tiles[run->member->index];
    device->end_tile = deal.tiles[run->member->index + 1];
    return status;
  };
  struct unit_reading readings[QN_MAX_DEVICES];
  auto plan = [&](struct sweep_run *run) {
    run->engine = &readings[run->member->index];
    return plan_reading(view, run);
  };
  return sweep_run_devices_reading(
      request, view->num_vertices, view->num_edges, NULL, &source, &deal.dealt,
      [&](unsigned index) { return &readings[index]; }, plan, upload, result, error);
}

} /* namespace */
