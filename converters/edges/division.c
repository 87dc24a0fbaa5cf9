#include "converters/edges/division.h"

#include <stdlib.h>
#include <string.h>

#include "support/memory.h"
#include <quern/inline.h>

/* A block being filled for a pile. */
struct open_block {
  struct qn_edge_block *block; /* NULL: none */
  uint64_t *ids;
  void *weights;
  uint32_t count;
  uint32_t capacity;
};

struct qn_divider {
  struct qn_division *division;
  struct qn_divider *next;      /* of all */
  struct qn_divider *next_idle; /* of those that are closed */
  unsigned shift;               /* by which the open blocks are divided */
  uint64_t sequence;
  uint64_t position; /* of the next block that is written */
  struct open_block open[QN_MAX_PILES];
};

uint64_t qn_divider_bytes(unsigned num_piles) {
  return sizeof(struct qn_divider) + num_piles * QN_BLOCK_BYTES;
}

enum qn_status qn_division_create(struct qn_block_pool *pool,
                                  const struct qn_division_options *options,
                                  struct qn_division **out, struct qn_error *error) {
  struct qn_division *division;
  *out = NULL;
  enum qn_status status =
      qn_alloc_zeroed(&division, 1, sizeof *division, "a division of edges", error);
  if (status)
    return status;
  division->options = *options;
  division->pool = pool;
  division->shift = options->shift;
  status = qn_temp_file_create(qn_temp_folder(), &division->file, error);
  if (status) {
    qn_free(division);
    return status;
  }
  pthread_mutex_init(&division->mutex, NULL);
  *out = division;
  return QN_OK;
}

void qn_division_destroy(struct qn_division *division) {
  if (!division)
    return;
  for (struct qn_divider *divider = division->dividers, *next; divider; divider = next) {
    next = divider->next;
    qn_free(divider);
  }
  for (unsigned p = 0; p < QN_MAX_PILES; p++)
    qn_free(division->piles[p].blocks);
  qn_temp_file_destroy(division->file);
  pthread_mutex_destroy(&division->mutex);
  qn_free(division);
}

uint64_t qn_division_directory_bytes(const struct qn_division *division) {
  uint64_t blocks = 0;
  for (unsigned p = 0; p < QN_MAX_PILES; p++)
    blocks += division->piles[p].capacity;
  return blocks * sizeof(struct qn_pile_block);
}

/* ---- Blocks to the file --------------------------------------------------- */

static enum qn_status list_block(struct qn_pile *pile, const struct qn_pile_block *block,
                                 struct qn_error *error) {
  if (pile->num_blocks == pile->capacity) {
    uint64_t capacity = pile->capacity ? pile->capacity + pile->capacity / 2 + 1 : 16;
    enum qn_status status =
        qn_realloc(&pile->blocks, capacity, sizeof *pile->blocks, "the list of edge blocks", error);
    if (status)
      return status;
    pile->capacity = capacity;
  }
  pile->blocks[pile->num_blocks++] = *block;
  pile->num_edges += block->count;
  return QN_OK;
}

static unsigned bits_of(uint64_t value) {
  return value ? 64 - (unsigned)__builtin_clzll(value) : 0;
}

/* How narrow edges are packed. */
static void choose_packing(const uint64_t *pairs, struct qn_pile_block *block) {
  uint32_t least = UINT32_MAX, most = 0, destinations = 0;
  for (uint32_t i = 0; i < block->count; i++) {
    uint32_t source = (uint32_t)pairs[i];
    least = source < least ? source : least;
    most = source > most ? source : most;
    destinations |= (uint32_t)(pairs[i] >> 32);
  }
  unsigned bits = bits_of(most - least) + bits_of(destinations);
  block->base = least;
  block->source_bits = (uint8_t)bits_of(most - least);
  block->edge_bytes = (uint8_t)(bits ? (bits + 7) / 8 : 1);
}

/* In place: eight bytes are stored whatever an edge takes, and never reach one not packed yet. */
static void pack(uint64_t *pairs, const struct qn_pile_block *block) {
  char *out = (char *)pairs;
  for (uint32_t i = 0; i < block->count; i++) {
    uint64_t source = (uint32_t)pairs[i] - block->base, destination = pairs[i] >> 32;
    uint64_t packed = source | destination << block->source_bits;
    memcpy(out, &packed, sizeof packed);
    out += block->edge_bytes;
  }
}

static void unpack(const char *bytes, const struct qn_pile_block *block, uint64_t *pairs) {
  uint64_t source_mask = ((uint64_t)1 << block->source_bits) - 1;
  uint64_t mask =
      block->edge_bytes == 8 ? UINT64_MAX : ((uint64_t)1 << (8 * block->edge_bytes)) - 1;
  for (uint32_t i = 0; i < block->count; i++) {
    uint64_t packed;
    memcpy(&packed, bytes + (uint64_t)i * block->edge_bytes, 8);
    packed &= mask;
    pairs[i] = ((packed & source_mask) + block->base) | packed >> block->source_bits << 32;
  }
}

static enum qn_status write_block(struct qn_division *division, struct open_block *open,
                                  struct qn_pile_block *block, struct qn_error *error) {
  char *bytes = (char *)open->ids;
  if (!block->wide) {
    choose_packing(open->ids, block);
    pack(open->ids, block);
  } else {
    block->edge_bytes = 16;
  }
  uint64_t length = (uint64_t)block->count * block->edge_bytes;
  if (block->weight_type != QN_WEIGHT_NONE) {
    uint64_t weights = (uint64_t)block->count * qn_weight_bytes(block->weight_type);
    memmove(bytes + length, open->weights, weights);
    length += weights;
  }
  return qn_temp_file_append(division->file, bytes, length, &block->offset, error);
}

/* The pile is that of the shift when the block was begun; by now piles may have been joined. */
static enum qn_status flush_open(struct qn_divider *divider, unsigned pile,
                                 struct qn_error *error) {
  struct qn_division *division = divider->division;
  struct open_block *open = &divider->open[pile];
  if (!open->block)
    return QN_OK;
  struct qn_pile_block block = {.sequence = divider->sequence,
                                .position = divider->position++,
                                .count = open->count,
                                .wide = open->block->wide,
                                .weight_type = (uint8_t)open->block->weight_type};
  enum qn_status status = open->count ? write_block(division, open, &block, error) : QN_OK;
  qn_block_give(division->pool, open->block);
  bool any = open->count > 0;
  *open = (struct open_block){0};
  if (status || !any)
    return status;
  pthread_mutex_lock(&division->mutex);
  const unsigned joined = (unsigned)((uint64_t)pile >> (division->shift - divider->shift));
  status = list_block(&division->piles[joined], &block, error);
  pthread_mutex_unlock(&division->mutex);
  return status;
}

static enum qn_status flush_all(struct qn_divider *divider, bool only_weighted,
                                struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (unsigned p = 0; p < divider->division->options.num_piles && !status; p++) {
    const struct qn_edge_block *block = divider->open[p].block;
    if (block && (!only_weighted || block->weight_type != QN_WEIGHT_NONE))
      status = flush_open(divider, p, error);
  }
  return status;
}

/* ---- Dividers ------------------------------------------------------------- */

struct qn_divider *qn_divider_open(struct qn_division *division, uint64_t sequence) {
  pthread_mutex_lock(&division->mutex);
  struct qn_divider *divider = division->idle;
  if (divider)
    division->idle = divider->next_idle;
  unsigned shift = division->shift;
  pthread_mutex_unlock(&division->mutex);
  if (!divider) {
    if (qn_alloc_zeroed(&divider, 1, sizeof *divider, "a divider of edges", NULL))
      return NULL;
    divider->division = division;
    divider->shift = shift;
    pthread_mutex_lock(&division->mutex);
    divider->next = division->dividers;
    division->dividers = divider;
    pthread_mutex_unlock(&division->mutex);
  }
  divider->sequence = sequence;
  divider->position = 0;
  return divider;
}

enum qn_status qn_divider_close(struct qn_divider *divider, struct qn_error *error) {
  if (!divider)
    return QN_OK;
  struct qn_division *division = divider->division;
  enum qn_status status = flush_all(divider, true, error);
  pthread_mutex_lock(&division->mutex);
  divider->next_idle = division->idle;
  division->idle = divider;
  pthread_mutex_unlock(&division->mutex);
  return status;
}

/* Join piles [first, end) to pile `to`, which is below them or the first one. */
static enum qn_status join_piles(struct qn_division *division, unsigned first, unsigned end,
                                 unsigned to, struct qn_error *error) {
  struct qn_pile joined = {0};
  enum qn_status status = QN_OK;
  for (unsigned p = first; p < end; p++) {
    struct qn_pile *pile = &division->piles[p];
    if (!joined.blocks) {
      joined = *pile;
      *pile = (struct qn_pile){0};
    }
    for (uint64_t i = 0; i < pile->num_blocks && !status; i++)
      status = list_block(&joined, &pile->blocks[i], error);
    qn_free(pile->blocks);
    *pile = (struct qn_pile){0};
  }
  division->piles[to] = joined;
  return status;
}

/* Let the piles reach up to id `largest`. */
static enum qn_status reach(struct qn_divider *divider, uint64_t largest, struct qn_error *error) {
  struct qn_division *division = divider->division;
  unsigned num_piles = division->options.num_piles, more = 0;
  uint64_t offset = largest - division->options.first;
  enum qn_status status = QN_OK;
  if (largest < division->options.first || offset >> divider->shift < num_piles)
    return QN_OK;
  pthread_mutex_lock(&division->mutex);
  while (offset >> (division->shift + more) >= num_piles)
    more++;
  for (unsigned p = 0; p < num_piles && more && !status; p++) {
    uint64_t first = (uint64_t)p << more, end = first + ((uint64_t)1 << more);
    if (first < num_piles)
      status = join_piles(division, (unsigned)first, end < num_piles ? (unsigned)end : num_piles, p,
                          error);
  }
  division->shift += more;
  unsigned shift = division->shift;
  pthread_mutex_unlock(&division->mutex);
  if (!status)
    status = flush_all(divider, false, error);
  divider->shift = shift;
  return status;
}

/* Make room for an edge of this kind on a pile. */
static enum qn_status begin_block(struct qn_divider *divider, unsigned pile, bool wide,
                                  enum qn_weight_type type, struct qn_error *error) {
  struct open_block *open = &divider->open[pile];
  enum qn_status status = flush_open(divider, pile, error);
  if (status)
    return status;
  struct qn_edge_block *block = qn_block_take(divider->division->pool);
  if (!block)
    return qn_block_pool_exhausted(divider->division->pool, error);
  *block = (struct qn_edge_block){.wide = wide, .weight_type = type};
  *open = (struct open_block){.block = block,
                              .ids = qn_edge_block_ids(block),
                              .weights = qn_edge_block_weights(block),
                              .capacity = qn_edge_block_capacity(wide, type)};
  return QN_OK;
}

QN_ALWAYS_INLINE enum qn_status put(struct qn_divider *divider, enum qn_divide_by by, bool wide,
                                    enum qn_weight_type type, uint64_t source, uint64_t destination,
                                    uint64_t weight, struct qn_error *error) {
  uint64_t id = (by == QN_BY_SOURCE ? source : destination) - divider->division->options.first;
  unsigned pile = (unsigned)(id >> divider->shift);
  struct open_block *open = &divider->open[pile];
  bool fits = open->count < open->capacity && (!wide || open->block->wide) &&
              open->block->weight_type == type;
  if (__builtin_expect(!fits, 0)) {
    enum qn_status status = begin_block(divider, pile, wide, type, error);
    if (status)
      return status;
  }
  uint32_t i = open->count++;
  if (type != QN_WEIGHT_NONE)
    qn_weight_store(open->weights, qn_weight_bytes(type), i, weight);
  if (!wide && !open->block->wide) {
    open->ids[i] = source | destination << 32;
  } else {
    open->ids[2 * (uint64_t)i] = source;
    open->ids[2 * (uint64_t)i + 1] = destination;
  }
  return QN_OK;
}

QN_ALWAYS_INLINE enum qn_status put_all(struct qn_divider *divider, struct qn_edge_block *block,
                                        enum qn_divide_by by, bool wide, enum qn_weight_type type,
                                        bool both, struct qn_error *error) {
  const uint64_t *ids = qn_edge_block_ids(block);
  const void *weights = qn_edge_block_weights(block);
  const unsigned weight_bytes = qn_weight_bytes(type);
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; i < block->count && !status; i++) {
    uint64_t source = wide ? ids[2 * i] : (uint32_t)ids[i];
    uint64_t destination = wide ? ids[2 * i + 1] : ids[i] >> 32;
    uint64_t weight = weight_bytes ? qn_weight_load(weights, weight_bytes, i) : 0;
    status = put(divider, by, wide, type, source, destination, weight, error);
    if (both && source != destination && !status)
      status = put(divider, by, wide, type, destination, source, weight, error);
  }
  return status;
}

enum qn_status qn_divider_add(struct qn_divider *divider, struct qn_edge_block *block,
                              struct qn_error *error) {
  const struct qn_division_options *options = &divider->division->options;
  enum qn_status status = reach(divider, block->largest, error);
  if (status)
    return status;
  if (options->by == QN_BY_SOURCE && !block->wide && block->weight_type == QN_WEIGHT_NONE)
    return options->both
               ? put_all(divider, block, QN_BY_SOURCE, false, QN_WEIGHT_NONE, true, error)
               : put_all(divider, block, QN_BY_SOURCE, false, QN_WEIGHT_NONE, false, error);
  return put_all(divider, block, options->by, block->wide, block->weight_type, options->both,
                 error);
}

/* ---- At the end ----------------------------------------------------------- */

static int compare_blocks(const void *left, const void *right) {
  const struct qn_pile_block *a = left, *b = right;
  if (a->weight_type == QN_WEIGHT_NONE && b->weight_type == QN_WEIGHT_NONE)
    return a->offset < b->offset ? -1 : a->offset > b->offset; /* as they lie on disk */
  if (a->sequence != b->sequence)
    return a->sequence < b->sequence ? -1 : 1;
  return a->position < b->position ? -1 : a->position > b->position;
}

enum qn_status qn_division_flush(struct qn_division *division, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (struct qn_divider *divider = division->dividers; divider && !status; divider = divider->next)
    status = flush_all(divider, false, error);
  for (unsigned p = 0; p < division->options.num_piles && !status; p++)
    if (division->piles[p].num_blocks)
      qsort(division->piles[p].blocks, division->piles[p].num_blocks,
            sizeof *division->piles[p].blocks, compare_blocks);
  return status;
}

enum qn_status qn_division_load(const struct qn_division *division,
                                const struct qn_pile_block *from, void *scratch,
                                struct qn_edge_block *block, struct qn_error *error) {
  uint64_t edges = (uint64_t)from->count * from->edge_bytes;
  uint64_t weights = (uint64_t)from->count * qn_weight_bytes(from->weight_type);
  *block = (struct qn_edge_block){.sequence = from->sequence,
                                  .position = from->position,
                                  .count = from->count,
                                  .wide = from->wide,
                                  .weight_type = from->weight_type};
  enum qn_status status =
      qn_temp_file_read(division->file, scratch, edges + weights, from->offset, error);
  if (status)
    return status;
  if (from->wide)
    memcpy(qn_edge_block_ids(block), scratch, edges);
  else
    unpack(scratch, from, qn_edge_block_ids(block));
  if (weights)
    memcpy(qn_edge_block_weights(block), (const char *)scratch + edges, weights);
  return QN_OK;
}

/* ---- Dividing anew -------------------------------------------------------- */

/* Blocks that one sequence takes. */
#define BLOCKS_AT_ONCE 64

struct refilling {
  const struct qn_division *from;
  struct qn_division *to;
  void (*change)(struct qn_edge_block *block, const void *context);
  const void *context;
};

static enum qn_status refill_part(const struct refilling *work, const struct qn_pile_block *blocks,
                                  uint64_t count, uint64_t sequence, struct qn_error *error) {
  struct qn_block_pool *pool = work->to->pool;
  struct qn_divider *divider = qn_divider_open(work->to, sequence);
  struct qn_edge_block *block = qn_block_take(pool);
  void *scratch = qn_block_take(pool);
  enum qn_status status = QN_OK;
  if (!divider || !block || !scratch)
    status = qn_block_pool_exhausted(pool, error);
  for (uint64_t i = 0; i < count && !status; i++) {
    status = qn_division_load(work->from, &blocks[i], scratch, block, error);
    if (status)
      break;
    work->change(block, work->context);
    status = qn_divider_add(divider, block, error);
  }
  if (block)
    qn_block_give(pool, block);
  if (scratch)
    qn_block_give(pool, scratch);
  enum qn_status closed = qn_divider_close(divider, status ? NULL : error);
  return status ? status : closed;
}

enum qn_status qn_division_refill(struct qn_division *to, const struct qn_division *from,
                                  const struct qn_pile_block *blocks, uint64_t num_blocks,
                                  void (*change)(struct qn_edge_block *block, const void *context),
                                  const void *context, struct qn_error *error) {
  struct refilling work = {.from = from, .to = to, .change = change, .context = context};
  uint64_t parts = (num_blocks + BLOCKS_AT_ONCE - 1) / BLOCKS_AT_ONCE;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t part = 0; part < parts; part++) {
    uint64_t first = part * BLOCKS_AT_ONCE;
    uint64_t count = num_blocks - first < BLOCKS_AT_ONCE ? num_blocks - first : BLOCKS_AT_ONCE;
    enum qn_status before;
    struct qn_error own;
#pragma omp atomic read
    before = status;
    enum qn_status after = before ? before : refill_part(&work, blocks + first, count, part, &own);
    if (!before && after) {
#pragma omp critical(qn_division_refill)
      {
        if (error)
          *error = own;
        status = after;
      }
    }
  }
  return status;
}
