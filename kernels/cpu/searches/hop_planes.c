#include "kernels/cpu/searches/hop_planes.h"

#include <omp.h>
#include <string.h>

#include "formats/graph/stream_store.h"
#include "support/memory.h"
#include "support/multiversion.h"
#include "support/threads.h"

#define MOST_PLANES 32

/* 64 vertices: of each plane, and of what was not seen, the words of searches, turned to words of
 * vertices. */
struct qn_hop_block {
  uint64_t words[MOST_PLANES + 1][64];
  uint32_t values[MOST_PLANES + 1]; /* that a bit stands for */
  uint32_t count;                   /* of planes that are not empty, and that */
  uint32_t num_vertices;
};

enum qn_status qn_hop_planes_create(struct qn_hop_planes *planes, uint64_t num_vertices,
                                    uint64_t most, struct qn_error *error) {
  *planes = (struct qn_hop_planes){.num_vertices = num_vertices};
  while (planes->num_planes < MOST_PLANES && most >> planes->num_planes)
    planes->num_planes++;
  enum qn_status status = qn_pages_alloc(&planes->words, planes->num_planes * num_vertices,
                                         sizeof *planes->words, "hops of searches", error);
  return status ? status
                : qn_pages_alloc(&planes->blocks, qn_threads(), sizeof *planes->blocks,
                                 "blocks of hops", error);
}

void qn_hop_planes_destroy(struct qn_hop_planes *planes) {
  qn_pages_free(planes->words, planes->num_planes * planes->num_vertices, sizeof *planes->words);
  qn_pages_free(planes->blocks, qn_threads(), sizeof *planes->blocks);
}

/* ---- Spreading ------------------------------------------------------------------- */

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

static inline void spread_search(const struct qn_hop_block *block, unsigned search,
                                 uint32_t *column) {
  uint32_t hops[64] = {0};
  for (uint32_t k = 0; k < block->count; k++) {
    const uint32_t value = block->values[k];
    const uint32_t low = (uint32_t)block->words[k][search];
    const uint32_t high = (uint32_t)(block->words[k][search] >> 32);
    for (unsigned i = 0; i < 32; i++)
      hops[i] |= (0 - (low >> i & 1)) & value;
    for (unsigned i = 0; i < 32; i++)
      hops[32 + i] |= (0 - (high >> i & 1)) & value;
  }
  if ((uintptr_t)column % QN_STREAM_BYTES == 0 && block->num_vertices == 64)
    for (unsigned i = 0; i < 64; i += QN_STREAM_BYTES / sizeof *hops)
      qn_stream_store(column + i, hops + i);
  else
    memcpy(column, hops, block->num_vertices * sizeof *hops);
}

QN_VECTOR_CLONES static void spread_block(struct qn_hop_block *block, uint32_t *columns,
                                          uint64_t stride, uint32_t num_searches) {
  for (uint32_t k = 0; k < block->count; k++)
    turn(block->words[k]);
  for (uint32_t search = 0; search < num_searches; search++)
    spread_search(block, search, columns + search * stride);
}

/* The block's words of a plane, which become zero; nothing if they are so. */
static void take_plane(struct qn_hop_block *block, uint64_t *words, uint32_t value) {
  uint64_t *taken = block->words[block->count], any = 0;
  for (uint32_t i = 0; i < block->num_vertices; i++)
    any |= taken[i] = words[i];
  if (!any)
    return;
  memset(words, 0, block->num_vertices * sizeof *words);
  block->values[block->count++] = value;
}

static void take_unseen(struct qn_hop_block *block, const uint64_t *seen, uint64_t stride) {
  for (uint32_t i = 0; i < block->num_vertices; i++)
    block->words[block->count][i] = ~seen[i * stride];
  block->values[block->count++] = UINT32_MAX;
}

void qn_hop_planes_spread(struct qn_hop_planes *planes, uint32_t last, const uint64_t *seen,
                          uint64_t stride, uint32_t *columns, uint32_t num_searches) {
  const uint64_t num_vertices = planes->num_vertices;
#pragma omp parallel
  {
    struct qn_hop_block *block = &planes->blocks[omp_get_thread_num()];
#pragma omp for schedule(static) nowait
    for (uint64_t first = 0; first < num_vertices; first += 64) {
      block->num_vertices = num_vertices - first < 64 ? (uint32_t)(num_vertices - first) : 64;
      block->count = 0;
      for (uint32_t plane = 0; plane < planes->num_planes && last >> plane; plane++)
        take_plane(block, planes->words + plane * num_vertices + first, (uint32_t)1 << plane);
      take_unseen(block, seen + first * stride, stride);
      spread_block(block, columns + first, num_vertices, num_searches);
    }
    qn_stream_fence();
  }
}
