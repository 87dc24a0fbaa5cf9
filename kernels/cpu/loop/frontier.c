#include "kernels/cpu/loop/frontier.h"

#include <string.h>
#include <sys/mman.h>

#include "support/memory.h"
#include "support/threads.h"

/* Bitmaps of fewer words are gone through by one thread. */
#define PARALLEL_WORDS ((uint64_t)1 << 12)

enum qn_status qn_frontier_create_bitmap(struct qn_frontier *frontier, uint64_t num_vertices,
                                         struct qn_error *error) {
  *frontier = (struct qn_frontier){.num_vertices = num_vertices, .marked = true};
  return qn_pages_alloc(&frontier->bits, qn_frontier_words(frontier), sizeof *frontier->bits,
                        "frontier bitmap", error);
}

enum qn_status qn_frontier_create(struct qn_frontier *frontier, uint64_t num_vertices,
                                  struct qn_error *error) {
  enum qn_status status = qn_frontier_create_bitmap(frontier, num_vertices, error);
  frontier->queued = true;
  if (!status)
    status = qn_pages_alloc(&frontier->queue, num_vertices, sizeof *frontier->queue,
                            "frontier queue", error);
  if (status)
    qn_frontier_destroy(frontier);
  else /* a search queues few vertices at a time: huge pages would take longer to clear than it */
    madvise(frontier->queue, num_vertices * sizeof *frontier->queue, MADV_NOHUGEPAGE);
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
#pragma omp parallel for schedule(static) if (words > PARALLEL_WORDS)
  for (uint64_t word = 0; word < words; word++)
    frontier->bits[word] = 0;
}

void qn_frontier_clear(struct qn_frontier *frontier) {
  if (frontier->marked)
    clear_bits(frontier);
  frontier->count = 0;
  frontier->marked = true;
  frontier->queued = frontier->queue != NULL;
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

static uint64_t count_members(const struct qn_frontier *frontier, unsigned parts, unsigned part) {
  uint64_t begin, end, count = 0;
  qn_part_of(qn_frontier_words(frontier), parts, part, &begin, &end);
  for (uint64_t word = begin; word < end; word++)
    count += (uint64_t)__builtin_popcountll(frontier->bits[word]);
  return count;
}

/* Queue those of a part, behind those of the parts before it. */
static void append_members(struct qn_frontier *frontier, unsigned parts, unsigned part,
                           const uint64_t *counts) {
  uint64_t begin, end, place = 0;
  for (unsigned before = 0; before < part; before++)
    place += counts[before];
  qn_part_of(qn_frontier_words(frontier), parts, part, &begin, &end);
  for (uint64_t word = begin; word < end; word++)
    for (uint64_t left = frontier->bits[word]; left; left &= left - 1)
      frontier->queue[place++] = (uint32_t)(word * 64 + (uint64_t)__builtin_ctzll(left));
}

void qn_frontier_enqueue(struct qn_frontier *frontier) {
  if (frontier->queued)
    return;
  uint64_t words = qn_frontier_words(frontier);
  uint64_t counts[QN_MAX_THREADS];
  unsigned parts = words > PARALLEL_WORDS ? qn_threads() : 1;
  frontier->count = 0;
#pragma omp parallel if (parts > 1)
  {
#pragma omp for schedule(static, 1)
    for (unsigned part = 0; part < parts; part++)
      counts[part] = count_members(frontier, parts, part);
    if (frontier->queue) {
#pragma omp for schedule(static, 1)
      for (unsigned part = 0; part < parts; part++)
        append_members(frontier, parts, part, counts);
    }
  }
  for (unsigned part = 0; part < parts; part++)
    frontier->count += counts[part];
  frontier->queued = frontier->queue != NULL;
}

void qn_frontier_adopt(struct qn_frontier *frontier) {
  frontier->marked = true;
  frontier->queued = false;
  qn_frontier_enqueue(frontier);
}
