/* Threads sort as many ids as memory allows at a time, leave each once, and divide them into piles
 * by ranges that samples suggest. Then each pile is sorted by itself: the piles in their order are
 * all ids. */
#include "converters/blocks/numbering.h"

#include <stdlib.h>
#include <string.h>

#include "converters/blocks/spill.h"
#include "converters/build/id_map.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/memory_plan.h"
#include "support/progress.h"
#include "support/search.h"
#include "support/temp_file.h"
#include "support/threads.h"

enum { MOST_PILES = 1024, SAMPLED_BLOCKS = 256, SAMPLES_OF_BLOCK = 256 };

/* Ids that are sorted at once are this many at least, and of a thread at most. */
#define FEWEST_SORTED ((uint64_t)1 << 12)
#define MOST_SORTED ((uint64_t)1 << 22)

/* What ids may take: a part of the memory that is allowed, or that there is. */
static uint64_t memory_for_ids(void) {
  const uint64_t limit = qn_memory_limit();
  return (limit ? limit : qn_memory_available()) / 4;
}

/* ---- Sorting numbers -------------------------------------------------------------- */

/* Sort by one byte after the other that is not the same in all, and leave each number once; the
 * numbers are in `ids`, or else in `other`, which is returned. */
static uint64_t *sort_numbers(uint64_t *ids, uint64_t *other, uint64_t *count) {
  uint64_t any = 0, all = UINT64_MAX, kept = 0;
  for (uint64_t i = 0; i < *count; i++) {
    any |= ids[i];
    all &= ids[i];
  }
  for (unsigned shift = 0; shift < 64; shift += 8) {
    uint64_t places[256] = {0}, sum = 0;
    if (((any ^ all) >> shift & 255) == 0)
      continue;
    for (uint64_t i = 0; i < *count; i++)
      places[ids[i] >> shift & 255]++;
    for (unsigned digit = 0; digit < 256; digit++) {
      const uint64_t digits = places[digit];
      places[digit] = sum;
      sum += digits;
    }
    for (uint64_t i = 0; i < *count; i++)
      other[places[ids[i] >> shift & 255]++] = ids[i];
    uint64_t *swap = ids;
    ids = other;
    other = swap;
  }
  for (uint64_t i = 0; i < *count; i++)
    if (!kept || ids[kept - 1] != ids[i])
      ids[kept++] = ids[i];
  *count = kept;
  return ids;
}

/* ---- Ids to piles -------------------------------------------------------------------- */

struct piling {
  const struct qn_list_source *source;
  const struct qn_build *build;
  uint64_t begins[MOST_PILES]; /* the least id of each pile; the first one's is 0 */
  uint64_t num_piles;
  uint64_t at_once; /* ids that a thread sorts */
  struct qn_block_spill *spill;
};

/* What a thread has. */
struct sorting {
  struct piling *piling;
  struct qn_block_sorter *sorter;
  uint64_t *ids, *other; /* [at_once] */
  uint64_t count;
};

static enum qn_status empty(struct sorting *sorting, struct qn_error *error) {
  const struct piling *piling = sorting->piling;
  uint64_t pile = 0;
  const uint64_t *ids = sort_numbers(sorting->ids, sorting->other, &sorting->count);
  enum qn_status status = QN_OK;
  for (uint64_t i = 0; !status && i < sorting->count; i++) {
    while (pile + 1 < piling->num_piles && ids[i] >= piling->begins[pile + 1])
      pile++;
    status = qn_block_spill_add(sorting->sorter, pile, &ids[i], error);
  }
  sorting->count = 0;
  return status;
}

static enum qn_status take_id(struct sorting *sorting, uint64_t id, struct qn_error *error) {
  sorting->ids[sorting->count++] = id;
  return sorting->count == sorting->piling->at_once ? empty(sorting, error) : QN_OK;
}

static enum qn_status take_block(struct sorting *sorting, uint64_t index,
                                 struct qn_loaded_block *loaded, struct qn_error *error) {
  struct qn_edge_block *block;
  enum qn_status status = qn_context_check(error);
  if (!status)
    status = qn_list_source_load(sorting->piling->source, index, loaded, &block, error);
  for (uint32_t i = 0; !status && i < block->count; i++) {
    const struct qn_edge_ends ends = qn_edge_block_ends(block, i);
    status = take_id(sorting, ends.source, error);
    if (!status)
      status = take_id(sorting, ends.destination, error);
  }
  return status;
}

static enum qn_status sorting_begin(struct piling *piling, struct sorting *sorting,
                                    struct qn_error *error) {
  *sorting = (struct sorting){.piling = piling};
  enum qn_status status =
      qn_pages_alloc(&sorting->ids, piling->at_once, sizeof *sorting->ids, "ids", error);
  if (!status)
    status = qn_pages_alloc(&sorting->other, piling->at_once, sizeof *sorting->other, "ids", error);
  return status ? status : qn_block_sorter_open(piling->spill, &sorting->sorter, error);
}

static enum qn_status sorting_end(struct sorting *sorting, enum qn_status status,
                                  struct qn_error *error) {
  const uint64_t room = sorting->piling->at_once;
  if (!status)
    status = empty(sorting, error);
  if (sorting->sorter)
    status = qn_block_sorter_finish(sorting->sorter, status, error);
  qn_pages_free(sorting->ids, room, sizeof *sorting->ids);
  qn_pages_free(sorting->other, room, sizeof *sorting->other);
  return status;
}

/* All ids, by all threads; the first failure is told. */
static enum qn_status take_ids(struct piling *piling, struct qn_error *error) {
  const struct qn_list_source *source = piling->source;
  const struct qn_build *build = piling->build;
  enum qn_status status = QN_OK;
#pragma omp parallel
  {
    struct qn_loaded_block loaded = {0};
    struct sorting sorting;
    struct qn_error failure;
    enum qn_status mine = sorting_begin(piling, &sorting, &failure);
#pragma omp for schedule(dynamic) nowait
    for (uint64_t i = 0; i < source->num_blocks; i++)
      if (!mine)
        mine = take_block(&sorting, i, &loaded, &failure);
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < build->num_extra_ids; i++)
      if (!mine)
        mine = take_id(&sorting, build->extra_ids[i], &failure);
    mine = sorting_end(&sorting, mine, &failure);
    qn_loaded_block_free(source->list->pool, &loaded);
#pragma omp critical(qn_numbering_failed)
    if (mine && !status) {
      status = mine;
      *error = failure;
    }
  }
  return status;
}

/* ---- Where piles begin ------------------------------------------------------------------ */

static uint64_t sample_block(struct qn_edge_block *block, uint64_t *samples) {
  const uint64_t most = block->count < SAMPLES_OF_BLOCK / 2 ? block->count : SAMPLES_OF_BLOCK / 2;
  for (uint64_t i = 0; i < most; i++) {
    const struct qn_edge_ends ends =
        qn_edge_block_ends(block, (uint32_t)((uint64_t)block->count * i / most));
    samples[2 * i] = ends.source;
    samples[2 * i + 1] = ends.destination;
  }
  return 2 * most;
}

static enum qn_status sample(const struct piling *piling, uint64_t *samples, uint64_t *count,
                             struct qn_error *error) {
  const struct qn_list_source *source = piling->source;
  const struct qn_build *build = piling->build;
  const uint64_t step = source->num_blocks / SAMPLED_BLOCKS + 1;
  struct qn_loaded_block loaded = {0};
  enum qn_status status = QN_OK;
  *count = 0;
  for (uint64_t i = 0; !status && i < source->num_blocks; i += step) {
    struct qn_edge_block *block;
    status = qn_list_source_load(source, i, &loaded, &block, error);
    if (!status)
      *count += sample_block(block, samples + *count);
  }
  qn_loaded_block_free(source->list->pool, &loaded);
  for (uint64_t i = 0; i < SAMPLES_OF_BLOCK && i < build->num_extra_ids; i++)
    samples[(*count)++] = build->extra_ids[build->num_extra_ids * i / SAMPLES_OF_BLOCK];
  return status;
}

/* So many piles that each may be sorted in memory, even if no id occurs twice. */
static enum qn_status choose_piles(struct piling *piling, uint64_t num_ids,
                                   struct qn_error *error) {
  enum { MOST = (SAMPLED_BLOCKS + 1) * SAMPLES_OF_BLOCK };
  const uint64_t pile_bytes = memory_for_ids() / 2 + 1;
  uint64_t wanted = num_ids * 2 * sizeof(uint64_t) / pile_bytes + 1, *samples, *other, count;
  enum qn_status status = qn_alloc(&samples, MOST, 2 * sizeof *samples, "samples of ids", error);
  if (status)
    return status;
  other = samples + MOST;
  status = sample(piling, samples, &count, error);
  wanted = wanted < MOST_PILES ? wanted : MOST_PILES;
  piling->num_piles = 1;
  const uint64_t *sorted = status ? samples : sort_numbers(samples, other, &count);
  for (uint64_t p = 1; !status && p < wanted; p++) {
    const uint64_t begin = count ? sorted[count * p / wanted] : 0;
    if (begin > piling->begins[piling->num_piles - 1])
      piling->begins[piling->num_piles++] = begin;
  }
  qn_free(samples);
  return status;
}

/* ---- All ids, ascending ----------------------------------------------------------------- */

static enum qn_status sort_pile(const struct piling *piling, uint64_t pile,
                                struct qn_numbering *numbering, struct qn_error *error) {
  const uint64_t room = qn_block_spill_count(piling->spill, pile);
  uint64_t *ids = numbering->ids + numbering->num_vertices, *other, count = room;
  enum qn_status status = qn_bulk_alloc(&other, room, sizeof *other, "ids", error);
  if (!status)
    status = qn_block_spill_take(piling->spill, pile, ids, error);
  if (!status) {
    const uint64_t *sorted = sort_numbers(ids, other, &count);
    if (sorted != ids && count)
      memcpy(ids, sorted, count * sizeof *ids);
    numbering->num_vertices += count;
  }
  qn_pages_free(other, room, sizeof *other);
  return status ? status : qn_context_check(error);
}

static enum qn_status sort_piles(const struct piling *piling, struct qn_numbering *numbering,
                                 struct qn_error *error) {
  for (uint64_t p = 0; p < piling->num_piles; p++)
    numbering->room += qn_block_spill_count(piling->spill, p);
  enum qn_status status =
      qn_bulk_alloc(&numbering->ids, numbering->room, sizeof *numbering->ids, "ids", error);
  for (uint64_t p = 0; !status && p < piling->num_piles; p++)
    status = sort_pile(piling, p, numbering, error);
  return status;
}

static enum qn_status number(struct piling *piling, struct qn_numbering *numbering,
                             struct qn_error *error) {
  const uint64_t num_ids = 2 * piling->source->list->num_edges + piling->build->num_extra_ids;
  const uint64_t at_once = memory_for_ids() / (4 * sizeof(uint64_t)) / qn_threads();
  piling->at_once = at_once < FEWEST_SORTED ? FEWEST_SORTED
                    : at_once > MOST_SORTED ? MOST_SORTED
                                            : at_once;
  enum qn_status status = choose_piles(piling, num_ids, error);
  if (!status)
    status = qn_block_spill_create(piling->num_piles, 1, &piling->spill, error);
  if (!status)
    status = take_ids(piling, error);
  if (!status)
    status = sort_piles(piling, numbering, error);
  qn_block_spill_destroy(piling->spill);
  return status;
}

static enum qn_status keep(const struct qn_build *build, bool any, uint64_t largest,
                           struct qn_numbering *numbering, struct qn_error *error) {
  const bool declared = build->num_vertices != QN_VERTICES_FROM_EDGES;
  if (declared && any && largest >= build->num_vertices)
    return qn_fail(error, QN_INVALID, "vertex %llu is beyond the %llu vertices declared",
                   (unsigned long long)largest, (unsigned long long)build->num_vertices);
  if (any && largest >= INT64_MAX)
    return qn_fail(error, QN_INVALID,
                   "vertex id %llu is too large to keep (at most 2^63 - 2); use --ids=compact",
                   (unsigned long long)largest);
  numbering->num_vertices = declared ? build->num_vertices : any ? largest + 1 : 0;
  return QN_OK;
}

enum qn_status qn_numbering_create(const struct qn_list_source *source,
                                   const struct qn_build *build, struct qn_numbering *numbering,
                                   struct qn_error *error) {
  struct piling *piling;
  const bool any = source->list->num_edges + build->num_extra_ids > 0;
  const uint64_t largest = qn_id_map_largest(source->list, build);
  *numbering = (struct qn_numbering){0};
  if (qn_id_map_keeps(build, any, largest))
    return keep(build, any, largest, numbering, error);
  enum qn_status status = qn_alloc_zeroed(&piling, 1, sizeof *piling, "piles of ids", error);
  if (status)
    return status;
  piling->source = source;
  piling->build = build;
  qn_progress_begin("numbering", "edges", 0);
  status = number(piling, numbering, error);
  qn_progress_end();
  qn_free(piling);
  if (!status && numbering->num_vertices - 1 == largest) { /* no gaps: every id is its own rank */
    qn_pages_free(numbering->ids, numbering->room, sizeof *numbering->ids);
    numbering->ids = NULL;
  }
  return status;
}

void qn_numbering_free(struct qn_numbering *numbering) {
  qn_pages_free(numbering->ids, numbering->room, sizeof *numbering->ids);
  qn_pages_free(numbering->vertices, numbering->num_numbers, sizeof *numbering->vertices);
  qn_pages_free(numbering->name_offsets, numbering->num_numbers + 1,
                sizeof *numbering->name_offsets);
  qn_pages_free(numbering->name_bytes, numbering->bytes_room, 1);
  *numbering = (struct qn_numbering){0};
}

struct qn_ids qn_numbering_ids(const struct qn_numbering *numbering) {
  const bool dense = !numbering->has_names && !numbering->ids;
  return (struct qn_ids){.kind = numbering->has_names ? QN_IDS_STRINGS
                                 : dense              ? QN_IDS_DENSE
                                                      : QN_IDS_NUMBERS,
                         .num_vertices = numbering->num_vertices,
                         .numbers = numbering->ids,
                         .string_offsets = numbering->name_offsets,
                         .string_bytes = numbering->name_bytes,
                         .ascending = true};
}

/* ---- Looking up ------------------------------------------------------------------------- */

/* Of what ranges are. */
static uint64_t count_of(const struct qn_numbering *numbering) {
  return numbering->vertices ? numbering->num_numbers : numbering->num_vertices;
}

uint64_t qn_numbering_ranges(const struct qn_numbering *numbering) {
  const uint64_t bytes = numbering->vertices ? numbering->num_numbers * sizeof(uint64_t)
                         : numbering->ids    ? numbering->num_vertices * 2 * sizeof(uint64_t)
                                             : 0;
  const uint64_t ranges = bytes / (memory_for_ids() + 1) + 1;
  return ranges < MOST_PILES ? ranges : MOST_PILES;
}

static uint64_t begin_of(const struct qn_numbering *numbering, uint64_t num_ranges,
                         uint64_t index) {
  uint64_t begin, end;
  qn_part_of(count_of(numbering), num_ranges, index, &begin, &end);
  return begin;
}

uint64_t qn_numbering_range_of(const struct qn_numbering *numbering, uint64_t num_ranges,
                               uint64_t id) {
  uint64_t low = 0, high = num_ranges;
  while (high - low > 1) {
    const uint64_t middle = low + (high - low) / 2;
    const uint64_t begin = begin_of(numbering, num_ranges, middle);
    if (begin < count_of(numbering) && (numbering->vertices ? begin : numbering->ids[begin]) <= id)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static enum qn_status index_range(struct qn_id_range *range, struct qn_error *error) {
  const uint64_t span = range->ids[range->count - 1] - range->low;
  const unsigned span_bits = 64 - (unsigned)__builtin_clzll(span | 1),
                 count_bits = 64 - (unsigned)__builtin_clzll(range->count);
  range->shift = span_bits > count_bits ? span_bits - count_bits : 0;
  range->num_starts = (span >> range->shift) + 1;
  enum qn_status status = qn_pages_alloc(&range->starts, range->num_starts + 1,
                                         sizeof *range->starts, "the index of ids", error);
  if (status)
    return status;
  uint64_t start = 0;
  for (uint64_t i = 0; i < range->count; i++)
    while (start <= (range->ids[i] - range->low) >> range->shift)
      range->starts[start++] = i;
  range->starts[range->num_starts] = range->count;
  return QN_OK;
}

enum qn_status qn_id_range_open(const struct qn_numbering *numbering, uint64_t num_ranges,
                                uint64_t index, struct qn_id_range *range, struct qn_error *error) {
  uint64_t end;
  *range = (struct qn_id_range){0};
  if (!numbering->ids && !numbering->vertices)
    return QN_OK;
  qn_part_of(count_of(numbering), num_ranges, index, &range->first, &end);
  range->count = end - range->first;
  if (numbering->vertices) {
    range->vertices = numbering->vertices + range->first;
    range->low = range->first;
    return QN_OK;
  }
  range->ids = numbering->ids + range->first;
  range->low = range->count ? range->ids[0] : 0;
  return range->count ? index_range(range, error) : QN_OK;
}

void qn_id_range_close(struct qn_id_range *range) {
  qn_pages_free(range->starts, range->num_starts + 1, sizeof *range->starts);
  *range = (struct qn_id_range){0};
}

uint64_t qn_id_range_vertex(const struct qn_id_range *range, uint64_t id) {
  if (range->vertices)
    return range->vertices[id - range->low];
  if (!range->ids)
    return id;
  const uint64_t *starts = range->starts + ((id - range->low) >> range->shift);
  return range->first + qn_range_at_u64(range->ids, starts[0], starts[1], id);
}
