#include "kernels/cpu/loop/frontier.h"

#include <string.h>

#include "support/memory.h"
#include "support/threads.h"

/* Bitmaps of fewer words are gone through by one thread. */
#define PARALLEL_WORDS ((uint64_t)1 << 15)

enum qn_status qn_frontier_create(struct qn_frontier *frontier, uint64_t num_vertices,
                                  struct qn_error *error) {
  *frontier = (struct qn_frontier){.num_vertices = num_vertices, .marked = true, .queued = true};
  enum qn_status status = qn_pages_alloc(&frontier->bits, qn_frontier_words(frontier),
                                         sizeof *frontier->bits, "frontier bitmap", error);
  if (!status)
    status = qn_pages_alloc(&frontier->queue, num_vertices, sizeof *frontier->queue,
                            "frontier queue", error);
  if (status)
    qn_frontier_destroy(frontier);
  return status;
}

void qn_frontier_destroy(struct qn_frontier *frontier) {
  qn_pages_free(frontier->bits, qn_frontier_words(frontier), sizeof *frontier->bits);
  qn_pages_free(frontier->queue, frontier->num_vertices, sizeof *frontier->queue);
  *frontier = (struct qn_frontier){0};
}

static void clear_bits(struct qn_frontier *frontier) {
  /* A short queue knows which words are set; clearing them all would cost V / 8 bytes a level,
   * which is what a search of a long path would spend its time on. */
  uint64_t words = qn_frontier_words(frontier);
  if (frontier->queued && frontier->count < words / 8) {
    for (uint64_t i = 0; i < frontier->count; i++)
      frontier->bits[frontier->queue[i] / 64] = 0;
    return;
  }
#pragma omp parallel for schedule(static)
  for (uint64_t word = 0; word < words; word++)
    frontier->bits[word] = 0;
}

void qn_frontier_clear(struct qn_frontier *frontier) {
  if (frontier->marked)
    clear_bits(frontier);
  frontier->count = 0;
  frontier->marked = frontier->queued = true;
}

void qn_frontier_mark(struct qn_frontier *frontier) {
  if (frontier->marked)
    return;
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < frontier->count; i++)
    qn_frontier_insert(frontier, frontier->queue[i]);
  frontier->marked = true;
}

void qn_frontier_flush(struct qn_frontier *frontier, struct qn_queue_block *block) {
  uint64_t place = __atomic_fetch_add(&frontier->count, block->count, __ATOMIC_RELAXED);
  memcpy(frontier->queue + place, block->vertices, block->count * sizeof *block->vertices);
  block->count = 0;
}

static uint64_t append_members(uint64_t bits, uint64_t first, uint32_t *queue) {
  uint64_t count = 0;
  for (; bits; bits &= bits - 1)
    queue[count++] = (uint32_t)(first + (uint64_t)__builtin_ctzll(bits));
  return count;
}

void qn_frontier_enqueue(struct qn_frontier *frontier) {
  if (frontier->queued)
    return;
  uint64_t words = qn_frontier_words(frontier);
  uint64_t starts[QN_MAX_THREADS + 1] = {0};
  unsigned parts = words > PARALLEL_WORDS ? qn_threads() : 1;
#pragma omp parallel for schedule(static, 1) if (parts > 1)
  for (unsigned part = 0; part < parts; part++) {
    uint64_t begin, end, count = 0;
    qn_part_of(words, parts, part, &begin, &end);
    for (uint64_t word = begin; word < end; word++)
      count += (uint64_t)__builtin_popcountll(frontier->bits[word]);
    starts[part + 1] = count;
  }
  for (unsigned part = 0; part < parts; part++)
    starts[part + 1] += starts[part];
#pragma omp parallel for schedule(static, 1) if (parts > 1)
  for (unsigned part = 0; part < parts; part++) {
    uint64_t begin, end, place = starts[part];
    qn_part_of(words, parts, part, &begin, &end);
    for (uint64_t word = begin; word < end; word++)
      place += append_members(frontier->bits[word], word * 64, frontier->queue + place);
  }
  frontier->count = starts[parts];
  frontier->queued = true;
}

void qn_frontier_adopt(struct qn_frontier *frontier) {
  frontier->marked = true;
  frontier->queued = false;
  qn_frontier_enqueue(frontier);
}
