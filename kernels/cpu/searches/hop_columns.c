#include "kernels/cpu/searches/hop_columns.h"

#include <stdbool.h>
#include <string.h>

#include "formats/graph/stream_store.h"
#include "support/memory.h"
#include "support/multiversion.h"

enum qn_status qn_hop_columns_create(struct qn_hop_columns *hops, uint64_t num_vertices,
                                     struct qn_error *error) {
  *hops = (struct qn_hop_columns){.num_vertices = num_vertices};
  enum qn_status status = qn_pages_alloc(&hops->is_noted, (num_vertices + 63) / 64,
                                         sizeof *hops->is_noted, "blocks of hops", error);
  for (unsigned i = 0; i < QN_KEPT_LEVELS && !status; i++)
    status = qn_pages_alloc(&hops->kept[i], num_vertices, sizeof *hops->kept[i], "levels", error);
  return status;
}

void qn_hop_columns_destroy(struct qn_hop_columns *hops) {
  qn_pages_free(hops->is_noted, (hops->num_vertices + 63) / 64, sizeof *hops->is_noted);
  for (unsigned i = 0; i < QN_KEPT_LEVELS; i++)
    qn_pages_free(hops->kept[i], hops->num_vertices, sizeof *hops->kept[i]);
}

void qn_hop_columns_begin(struct qn_hop_columns *hops, uint32_t *columns, uint32_t num_searches) {
  hops->columns = columns;
  hops->num_searches = num_searches;
  hops->num_kept = 0;
  memset(hops->is_noted, 0, (hops->num_vertices + 63) / 64);
}

/* ---- Spreading levels -------------------------------------------------------- */

/* 64 vertices: for each of some levels which searches came, turned to which vertices each came to.
 */
struct block {
  uint64_t words[QN_KEPT_LEVELS + 1][64];
  uint32_t levels[QN_KEPT_LEVELS + 1];
  uint32_t num_levels;
  uint32_t num_vertices;
  bool is_noted;
};

/* Bit j of word i becomes bit i of word j (Warren: Hacker's Delight, 7-3). */
static inline void turn(uint64_t words[64]) {
  uint64_t mask = UINT32_MAX;
  for (unsigned width = 32; width; width >>= 1, mask ^= mask << width)
    for (unsigned base = 0; base < 64; base += 2 * width)
      for (unsigned i = base; i < base + width; i++) {
        const uint64_t moved = (words[i] >> width ^ words[i + width]) & mask;
        words[i] ^= moved << width;
        words[i + width] ^= moved;
      }
}

static inline void spread_search(const struct block *block, unsigned search, uint32_t *column) {
  uint32_t hops[64] = {0};
  if (block->is_noted)
    memcpy(hops, column, block->num_vertices * sizeof *hops);
  for (uint32_t k = 0; k < block->num_levels; k++) {
    const uint32_t level = block->levels[k];
    const uint32_t low = (uint32_t)block->words[k][search];
    const uint32_t high = (uint32_t)(block->words[k][search] >> 32);
    for (unsigned i = 0; i < 32; i++)
      hops[i] |= (0 - (low >> i & 1)) & level;
    for (unsigned i = 0; i < 32; i++)
      hops[32 + i] |= (0 - (high >> i & 1)) & level;
  }
  if ((uintptr_t)column % QN_STREAM_BYTES == 0 && block->num_vertices == 64)
    for (unsigned i = 0; i < 64; i += QN_STREAM_BYTES / sizeof *hops)
      qn_stream_store(column + i, hops + i);
  else
    memcpy(column, hops, block->num_vertices * sizeof *hops);
}

QN_VECTOR_CLONES static void spread_block(struct block *block, uint32_t *columns, uint64_t stride,
                                          uint32_t num_searches) {
  for (uint32_t k = 0; k < block->num_levels; k++)
    turn(block->words[k]);
  for (uint32_t search = 0; search < num_searches; search++)
    spread_search(block, search, columns + search * stride);
}

/* seen: NULL, there may be more to come. */
static void spread_from(const struct qn_hop_columns *hops, uint64_t first, const uint64_t *seen,
                        uint64_t stride) {
  struct block block;
  const uint64_t left = hops->num_vertices - first;
  block.num_vertices = (uint32_t)(left < 64 ? left : 64);
  block.num_levels = 0;
  block.is_noted = hops->is_noted[first / 64];
  memset(block.words, 0, sizeof block.words);
  for (uint32_t k = 0; k < hops->num_kept; k++) {
    if (hops->levels[k] == 0)
      continue;
    memcpy(block.words[block.num_levels], hops->kept[k] + first,
           block.num_vertices * sizeof **block.words);
    block.levels[block.num_levels++] = hops->levels[k];
  }
  if (seen) {
    for (uint32_t i = 0; i < block.num_vertices; i++)
      block.words[block.num_levels][i] = ~seen[(first + i) * stride];
    block.levels[block.num_levels++] = UINT32_MAX;
  }
  spread_block(&block, hops->columns + first, hops->num_vertices, hops->num_searches);
  hops->is_noted[first / 64] = 1;
}

static void spread(struct qn_hop_columns *hops, const uint64_t *seen, uint64_t stride) {
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (uint64_t block = 0; block < (hops->num_vertices + 63) / 64; block++)
      spread_from(hops, block * 64, seen, stride);
    qn_stream_fence();
  }
}

void qn_hop_columns_finish(struct qn_hop_columns *hops, const uint64_t *seen, uint64_t stride) {
  spread(hops, seen, stride);
}

uint64_t *qn_hop_columns_keep(struct qn_hop_columns *hops, uint32_t level) {
  if (hops->num_kept == QN_KEPT_LEVELS) {
    uint64_t *last = hops->kept[QN_KEPT_LEVELS - 1];
    spread(hops, NULL, 0);
    hops->kept[QN_KEPT_LEVELS - 1] = hops->kept[0];
    hops->kept[0] = last;
    hops->levels[0] = 0;
    hops->num_kept = 1;
  }
  hops->levels[hops->num_kept] = level;
  return hops->kept[hops->num_kept++];
}
