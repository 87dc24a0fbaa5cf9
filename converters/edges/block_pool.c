#include "converters/edges/block_pool.h"

#include <pthread.h>

#include "support/memory.h"
#include "support/threads.h"

/* An arena is made of huge pages, which are committed when they are touched. Threads that touch the
 * same fresh one all clear it, and one of them is used: so blocks taken one after the other are of
 * as many huge pages as there are threads. */
#define PAGE_BLOCKS (((uint64_t)2 << 20) / QN_BLOCK_BYTES)
#define ARENA_PAGES ((uint64_t)32)
#define ARENA_BLOCKS (ARENA_PAGES * PAGE_BLOCKS)
/* One block more, so that blocks can be aligned wherever the arena begins. */
#define ARENA_BYTES ((ARENA_BLOCKS + 1) * QN_BLOCK_BYTES)

struct free_block {
  struct free_block *next;
};

struct qn_block_pool {
  pthread_mutex_t mutex;
  struct free_block *free_blocks;
  char **arenas;
  uint64_t num_arenas;
  uint64_t num_used;      /* arenas that blocks have been taken of */
  uint64_t blocks_left;   /* of the last one used, not taken yet */
  uint64_t pages_at_once; /* a power of two */
};

enum qn_status qn_block_pool_create(struct qn_block_pool **out, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, "a block pool", error);
  if (status)
    return status;
  struct qn_block_pool *pool = *out;
  pthread_mutex_init(&pool->mutex, NULL);
  pool->pages_at_once = 1;
  while (pool->pages_at_once < qn_threads() && pool->pages_at_once < ARENA_PAGES)
    pool->pages_at_once *= 2;
  return QN_OK;
}

void qn_block_pool_destroy(struct qn_block_pool *pool) {
  if (!pool)
    return;
  for (uint64_t i = 0; i < pool->num_arenas; i++)
    qn_pages_free(pool->arenas[i], ARENA_BYTES, 1);
  qn_free(pool->arenas);
  pthread_mutex_destroy(&pool->mutex);
  qn_free(pool);
}

static enum qn_status begin_arena(struct qn_block_pool *pool) {
  uint64_t n = pool->num_arenas;
  if (pool->num_used < n) {
    pool->num_used++;
    pool->blocks_left = ARENA_BLOCKS;
    return QN_OK;
  }
  if ((n & (n - 1)) == 0 &&
      qn_realloc(&pool->arenas, n ? 2 * n : 1, sizeof *pool->arenas, "the list of arenas", NULL))
    return QN_SYSTEM;
  if (qn_pages_alloc(&pool->arenas[n], ARENA_BYTES, 1, "an arena of edges", NULL))
    return QN_SYSTEM;
  pool->num_used = ++pool->num_arenas;
  pool->blocks_left = ARENA_BLOCKS;
  return QN_OK;
}

/* The place of the block that is taken as number `index` of an arena. */
static uint64_t place_of(const struct qn_block_pool *pool, uint64_t index) {
  uint64_t group = pool->pages_at_once * PAGE_BLOCKS, within = index % group;
  return index - within + within % pool->pages_at_once * PAGE_BLOCKS + within / pool->pages_at_once;
}

void *qn_block_take(struct qn_block_pool *pool) {
  void *block = NULL;
  pthread_mutex_lock(&pool->mutex);
  if (pool->free_blocks) {
    block = pool->free_blocks;
    pool->free_blocks = pool->free_blocks->next;
  } else if (pool->blocks_left || !begin_arena(pool)) {
    uintptr_t arena = (uintptr_t)pool->arenas[pool->num_used - 1];
    uintptr_t first = (arena + QN_BLOCK_BYTES - 1) & ~(uintptr_t)(QN_BLOCK_BYTES - 1);
    block = (void *)(first + place_of(pool, ARENA_BLOCKS - pool->blocks_left) * QN_BLOCK_BYTES);
    pool->blocks_left--;
  }
  pthread_mutex_unlock(&pool->mutex);
  return block;
}

void qn_block_give(struct qn_block_pool *pool, void *block) {
  struct free_block *freed = block;
  pthread_mutex_lock(&pool->mutex);
  freed->next = pool->free_blocks;
  pool->free_blocks = freed;
  pthread_mutex_unlock(&pool->mutex);
}

void qn_block_pool_reset(struct qn_block_pool *pool) {
  pool->free_blocks = NULL;
  pool->num_used = 0;
  pool->blocks_left = 0;
}

enum qn_status qn_block_pool_exhausted(const struct qn_block_pool *pool, struct qn_error *error) {
  return qn_fail(error, QN_SYSTEM, "out of memory for edges after %llu MiB",
                 (unsigned long long)(pool->num_arenas * (ARENA_BLOCKS * QN_BLOCK_BYTES >> 20)));
}
