/* Ids that lie close together are marked in a bitmap; the vertex of an id is the
 * number of marks before it. Ids scattered over a wide range are sorted, and
 * looked up by their leading bits, then by bisection. Both maps are monotone:
 * vertices are numbered in the ids' order. Of edges that are not in memory the ids
 * were collected as they came: the lower ones marked, the higher ones sorted. */
#include "converters/build/id_map.h"

#include <stdlib.h>

#include "converters/build/id_map_state.h"
#include "converters/edges/id_collector.h"
#include "converters/edges/spill.h"
#include "support/memory.h"
#include "support/multiversion.h"
#include "support/search.h"
#include "support/temp_file.h"
#include "support/threads.h"
#include <quern/inline.h>

/* ---- Marks ---------------------------------------------------------------- */

struct marking {
  struct qn_edge_list *list;
  struct qn_id_marks *marks;
};

static bool mark_listed(const void *context, uint64_t index, struct qn_edge_block **scratch,
                        uint64_t *sum) {
  const struct marking *marking = context;
  const struct qn_edge_list *list = marking->list;
  (void)sum;
  if (list->marks.bits && list->blocks[index]->marked)
    return true;
  struct qn_edge_block *block = qn_edge_list_load(marking->list, index, scratch);
  if (block)
    qn_mark_block(marking->marks, block);
  return block != NULL;
}

static enum qn_status map_by_marks(struct qn_id_map *map, struct qn_edge_list *list,
                                   const struct qn_build *build, uint64_t largest,
                                   struct qn_error *error) {
  map->kind = MAP_MARKS;
  map->num_marks = map->marks_capacity = (largest >> 6) + 1;
  enum qn_status status =
      qn_pages_alloc(&map->marks, map->num_marks, sizeof *map->marks, "the map of ids", error);
  if (status)
    return status;
  struct qn_id_marks *marks = map->marks;
  uint64_t sum, num_noted = list->marks.bits ? (list->largest >> 6) + 1 : 0;
  num_noted = num_noted < QN_EDGE_MARKS_WORDS ? num_noted : QN_EDGE_MARKS_WORDS;
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < num_noted; i++)
    marks[i].bits = list->marks.bits[i];
  if (!qn_edge_list_each(list, mark_listed, &(struct marking){list, marks}, &sum))
    return qn_edge_list_load_failed(list, error);
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < build->num_extra_ids; i++)
    qn_mark(marks, build->extra_ids[i]);
  map->num_vertices = map->num_marked = qn_rank_marks(marks, map->num_marks);
  return QN_OK;
}

/* ---- Sorted ids ----------------------------------------------------------- */

static uint64_t copy_block_ids(struct qn_edge_block *block, uint64_t *out) {
  const uint64_t *ids = qn_edge_block_ids(block);
  uint64_t count = 2 * (uint64_t)block->count;
  for (uint64_t i = 0; i < count; i++)
    out[i] = block->wide ? ids[i] : i & 1 ? ids[i / 2] >> 32 : (uint32_t)ids[i / 2];
  return count;
}

/* Ascending runs of the ids in equal parts of the blocks and extra ids, in places `begin[]`. */
struct runs {
  uint64_t *ids, *other;
  uint64_t *begin, *count;
  uint64_t num_runs, capacity;
};

static bool sort_runs(struct runs *runs, struct qn_edge_list *list, const struct qn_build *build) {
  int failed = 0;
#pragma omp parallel for schedule(dynamic) reduction(| : failed)
  for (uint64_t r = 0; r < runs->num_runs; r++) {
    struct qn_edge_block *scratch = NULL;
    uint64_t first, end, n = 0;
    uint64_t *out = runs->ids + runs->begin[r];
    qn_part_of(list->num_blocks, runs->num_runs, r, &first, &end);
    for (uint64_t i = first; i < end && !failed; i++) {
      struct qn_edge_block *block = qn_edge_list_load(list, i, &scratch);
      failed |= !block;
      n += block ? copy_block_ids(block, out + n) : 0;
    }
    if (scratch)
      qn_block_give(list->pool, scratch);
    qn_part_of(build->num_extra_ids, runs->num_runs, r, &first, &end);
    for (uint64_t i = first; i < end; i++)
      out[n++] = build->extra_ids[i];
    runs->count[r] = qn_sort_unique(out, n);
  }
  return !failed;
}

static void merge_runs(struct runs *runs) {
  while (runs->num_runs > 1) {
    uint64_t pairs = (runs->num_runs + 1) / 2;
#pragma omp parallel for schedule(dynamic)
    for (uint64_t p = 0; p < pairs; p++) {
      uint64_t a = 2 * p, b = 2 * p + 1;
      bool alone = b == runs->num_runs;
      runs->count[a] = qn_merge_unique(runs->ids + runs->begin[a], runs->count[a],
                                       alone ? NULL : runs->ids + runs->begin[b],
                                       alone ? 0 : runs->count[b], runs->other + runs->begin[a]);
    }
    for (uint64_t p = 0; p < pairs; p++) {
      runs->begin[p] = runs->begin[2 * p];
      runs->count[p] = runs->count[2 * p];
    }
    runs->num_runs = pairs;
    uint64_t *swap = runs->ids;
    runs->ids = runs->other;
    runs->other = swap;
  }
}

/* Where the ids of each run go: those of its blocks' edges and its extra ones. */
static void place_runs(struct runs *runs, const struct qn_edge_list *list,
                       const struct qn_build *build) {
  runs->begin[0] = 0;
  for (uint64_t r = 0; r < runs->num_runs; r++) {
    uint64_t first, end, n = 0;
    qn_part_of(list->num_blocks, runs->num_runs, r, &first, &end);
    for (uint64_t i = first; i < end; i++)
      n += 2 * (uint64_t)list->blocks[i]->count;
    qn_part_of(build->num_extra_ids, runs->num_runs, r, &first, &end);
    runs->begin[r + 1] = runs->begin[r] + n + (end - first);
  }
}

static enum qn_status collect_sorted(struct qn_id_map *map, struct qn_edge_list *list,
                                     const struct qn_build *build, struct qn_error *error) {
  struct runs runs = {.num_runs = (uint64_t)qn_threads() * 8,
                      .capacity = 2 * list->num_edges + build->num_extra_ids};
  enum qn_status status = qn_pages_alloc(&runs.ids, runs.capacity, 8, "the ids", error);
  if (!status)
    status = qn_pages_alloc(&runs.other, runs.capacity, 8, "the ids", error);
  if (!status)
    status = qn_alloc(&runs.begin, runs.num_runs + 1, 8, "runs of ids", error);
  if (!status)
    status = qn_alloc(&runs.count, runs.num_runs, 8, "runs of ids", error);
  if (!status) {
    place_runs(&runs, list, build);
    if (!sort_runs(&runs, list, build))
      status = qn_edge_list_load_failed(list, error);
  }
  if (!status) {
    merge_runs(&runs);
    map->num_vertices = map->num_sorted = runs.count[0];
    map->sorted = runs.ids;
    map->sorted_capacity = runs.capacity;
    runs.ids = NULL;
  }
  qn_pages_free(runs.ids, runs.capacity, 8);
  qn_pages_free(runs.other, runs.capacity, 8);
  qn_free(runs.begin);
  qn_free(runs.count);
  return status;
}

/* Where each value of the leading bits begins, about one value a vertex. */
static enum qn_status index_sorted(struct qn_id_map *map, struct qn_error *error) {
  uint64_t n = map->num_sorted, largest = map->sorted[n - 1];
  unsigned id_bits = 64 - (unsigned)__builtin_clzll(largest | 1);
  unsigned start_bits = 64 - (unsigned)__builtin_clzll(n);
  map->start_shift = id_bits > start_bits ? id_bits - start_bits : 0;
  map->num_starts = (largest >> map->start_shift) + 1;
  enum qn_status status = qn_pages_alloc(&map->starts, map->num_starts + 1, sizeof *map->starts,
                                         "the index of ids", error);
  if (status)
    return status;
  uint64_t start = 0;
  for (uint64_t v = 0; v < n; v++)
    while (start <= map->sorted[v] >> map->start_shift)
      map->starts[start++] = (uint32_t)v;
  map->starts[map->num_starts] = (uint32_t)n;
  return QN_OK;
}

static enum qn_status map_by_sorting(struct qn_id_map *map, struct qn_edge_list *list,
                                     const struct qn_build *build, struct qn_error *error) {
  map->kind = MAP_SORTED;
  enum qn_status status = collect_sorted(map, list, build, error);
  if (status || map->num_vertices > UINT32_MAX || map->num_sorted == 0)
    return status;
  return index_sorted(map, error);
}

static inline uint64_t find_sorted(const struct qn_id_map *map, uint64_t id) {
  const uint32_t *starts = map->starts + (id >> map->start_shift);
  return qn_range_at_u64(map->sorted, starts[0], starts[1], id);
}

/* ---- Collected ids -------------------------------------------------------- */

static enum qn_status map_collected(struct qn_id_map *map, struct qn_id_collector *collector,
                                    const struct qn_build *build, uint64_t largest,
                                    struct qn_error *error) {
  enum qn_status status =
      qn_id_collector_add_ids(collector, build->extra_ids, build->num_extra_ids, error);
  if (!status)
    status = qn_id_collector_finish(collector, error);
  if (!status)
    status = qn_id_collector_check(collector, error);
  if (status)
    return status;
  uint64_t near_end = largest < collector->near_end ? largest + 1 : collector->near_end;
  map->kind = MAP_MARKS_THEN_SORTED;
  map->marks = collector->marks;
  map->num_marks = (near_end + 63) >> 6;
  map->marks_capacity = collector->near_end >> 6;
  collector->marks = NULL;
  map->num_marked = qn_rank_marks(map->marks, map->num_marks);
  map->sorted = collector->far;
  map->num_sorted = collector->num_far;
  map->sorted_capacity = collector->far_capacity;
  collector->far = NULL;
  map->num_vertices = map->num_marked + map->num_sorted;
  if (map->num_sorted && map->num_vertices <= UINT32_MAX)
    return index_sorted(map, error);
  map->kind = map->num_sorted ? MAP_MARKS_THEN_SORTED : MAP_MARKS;
  return QN_OK;
}

/* ---- Deciding ------------------------------------------------------------- */

uint64_t qn_id_map_largest(const struct qn_edge_list *list, const struct qn_build *build) {
  uint64_t largest = list->largest;
  for (uint64_t i = 0; i < build->num_extra_ids; i++)
    largest = build->extra_ids[i] > largest ? build->extra_ids[i] : largest;
  return largest;
}

enum qn_status qn_id_map_keep(struct qn_id_map *map, const struct qn_build *build, bool any,
                              uint64_t largest, struct qn_error *error) {
  map->kind = MAP_IDENTITY;
  if (build->num_vertices != QN_VERTICES_FROM_EDGES) {
    if (build->num_vertices > UINT32_MAX)
      return qn_fail(error, QN_INVALID,
                     "the input declares %llu vertices, but at most 2^32-1 can be kept; use "
                     "--ids=compact to number only those that have edges, or --block-vertices, "
                     "by one process, to make a set of all",
                     (unsigned long long)build->num_vertices);
    if (any && largest >= build->num_vertices)
      return qn_fail(error, QN_INVALID, "vertex %llu is beyond the %llu vertices declared",
                     (unsigned long long)largest, (unsigned long long)build->num_vertices);
    map->num_vertices = build->num_vertices;
    return QN_OK;
  }
  if (any && largest >= UINT32_MAX)
    return qn_fail(
        error, QN_INVALID,
        "vertex id %llu is too large to keep (at most 4294967294); use --ids=compact, or "
        "--block-vertices, by one process, to make a set",
        (unsigned long long)largest);
  map->num_vertices = any ? largest + 1 : 0;
  return QN_OK;
}

enum qn_status qn_id_map_collect(struct qn_id_map *map, struct qn_edge_list *list,
                                 const struct qn_build *build, bool close, uint64_t largest,
                                 struct qn_error *error) {
  enum qn_status status = QN_OK;
  if (list->spill && !list->spill->ids) /* no edge came */
    status = qn_id_collector_create(qn_memory_limit(), &list->spill->ids, error);
  if (status || list->spill)
    return status ? status : map_collected(map, list->spill->ids, build, largest, error);
  return close ? map_by_marks(map, list, build, largest, error)
               : map_by_sorting(map, list, build, error);
}

static enum qn_status compact_ids(struct qn_id_map *map, struct qn_edge_list *list,
                                  const struct qn_build *build, uint64_t largest,
                                  struct qn_error *error) {
  uint64_t ids = 2 * list->num_edges + build->num_extra_ids;
  /* Marks take a quarter of a byte for each number up to the largest, sorting 16 bytes an id. */
  bool close = largest / 4 / 16 <= ids || largest < (uint64_t)1 << 24;
  enum qn_status status = qn_id_map_collect(map, list, build, close, largest, error);
  if (!status && map->num_vertices > UINT32_MAX)
    return qn_fail(
        error, QN_INVALID,
        "%llu different vertex ids, but at most 2^32-1 are possible; --block-vertices, by "
        "one process, makes a set of more",
        (unsigned long long)map->num_vertices);
  if (!status && map->num_vertices == largest + 1)
    map->kind = MAP_IDENTITY; /* no gaps: every id is its own rank */
  return status;
}

bool qn_id_map_keeps(const struct qn_build *build, bool any, uint64_t largest) {
  const bool declared = build->num_vertices != QN_VERTICES_FROM_EDGES;
  return build->ids == QN_ID_KEEP || (build->ids == QN_ID_AUTO && declared) || !any ||
         (declared && largest >= build->num_vertices);
}

enum qn_status qn_id_map_create(struct qn_edge_list *list, const struct qn_build *build,
                                struct qn_id_map **out, struct qn_error *error) {
  enum qn_status status = qn_alloc_zeroed(out, 1, sizeof **out, "the map of ids", error);
  if (status)
    return status;
  bool any = list->num_edges + build->num_extra_ids > 0;
  uint64_t largest = qn_id_map_largest(list, build);
  if (qn_id_map_keeps(build, any, largest))
    status = qn_id_map_keep(*out, build, any, largest, error);
  else
    status = compact_ids(*out, list, build, largest, error);
  if (status) {
    qn_id_map_destroy(*out);
    *out = NULL;
  }
  return status;
}

void qn_id_map_destroy(struct qn_id_map *map) {
  if (!map)
    return;
  qn_pages_free(map->marks, map->marks_capacity, sizeof *map->marks);
  qn_pages_free(map->sorted, map->sorted_capacity, sizeof *map->sorted);
  qn_pages_free(map->starts, map->num_starts + 1, sizeof *map->starts);
  qn_free(map);
}

/* ---- Using ---------------------------------------------------------------- */

uint64_t qn_id_map_num_vertices(const struct qn_id_map *map) {
  return map->num_vertices;
}

static inline uint64_t vertex_of(const struct qn_id_map *map, enum map_kind kind, uint64_t id) {
  switch (kind) {
  case MAP_IDENTITY:
    return id;
  case MAP_MARKS:
    return qn_rank_of(map->marks, id);
  case MAP_SORTED:
    return find_sorted(map, id);
  case MAP_GIVEN:
    return map->given[id];
  case MAP_SHARED:
    return id >> 6 < map->num_marks ? qn_rank_of(map->marks, id) : map->given[find_sorted(map, id)];
  default:
    return id >> 6 < map->num_marks ? qn_rank_of(map->marks, id)
                                    : map->num_marked + find_sorted(map, id);
  }
}

/* Inlined for each kind. Narrow pairs never overtake the wide ones that they are made from. */
QN_ALWAYS_INLINE void apply_kind(const struct qn_id_map *map, enum map_kind kind,
                                 struct qn_edge_block *block) {
  uint64_t *ids = qn_edge_block_ids(block);
  if (block->wide) {
    for (uint64_t i = 0; i < block->count; i++)
      ids[i] = vertex_of(map, kind, ids[2 * i]) | vertex_of(map, kind, ids[2 * i + 1]) << 32;
  } else {
    for (uint64_t i = 0; i < block->count; i++)
      ids[i] = vertex_of(map, kind, (uint32_t)ids[i]) | vertex_of(map, kind, ids[i] >> 32) << 32;
  }
}

QN_SCALAR_CLONES static void apply_map(const struct qn_id_map *map, struct qn_edge_block *block) {
  switch (map->kind) {
  case MAP_IDENTITY:
    if (block->wide)
      apply_kind(map, MAP_IDENTITY, block);
    break;
  case MAP_MARKS:
    apply_kind(map, MAP_MARKS, block);
    break;
  case MAP_SORTED:
    apply_kind(map, MAP_SORTED, block);
    break;
  case MAP_MARKS_THEN_SORTED:
    apply_kind(map, MAP_MARKS_THEN_SORTED, block);
    break;
  case MAP_SHARED:
    apply_kind(map, MAP_SHARED, block);
    break;
  case MAP_GIVEN:
    apply_kind(map, MAP_GIVEN, block);
    break;
  }
}

void qn_id_map_apply(const struct qn_id_map *map, struct qn_edge_block *block) {
  apply_map(map, block);
  if (block->wide && block->weight_type != QN_WEIGHT_NONE) {
    const void *from = qn_edge_block_weights(block);
    block->wide = false;
    memmove(qn_edge_block_weights(block), from,
            (size_t)block->count * qn_weight_bytes(block->weight_type));
  }
  block->wide = false;
}

bool qn_id_map_is_identity(const struct qn_id_map *map) {
  return map->kind == MAP_IDENTITY;
}

void qn_id_map_list(const struct qn_id_map *map, uint64_t *ids) {
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < map->num_marks; i++) {
    uint64_t v = map->marks[i].rank;
    for (uint64_t bits = map->marks[i].bits; bits; bits &= bits - 1)
      ids[v++] = i << 6 | (uint64_t)__builtin_ctzll(bits);
  }
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < map->num_sorted; i++)
    ids[map->num_marked + i] = map->sorted[i];
}

uint64_t qn_id_map_below(const struct qn_id_map *map, uint64_t id) {
  if (map->kind == MAP_IDENTITY)
    return id < map->num_vertices ? id : map->num_vertices;
  if (id >> 6 < map->num_marks)
    return qn_rank_of(map->marks, id);
  return map->num_marked + qn_lower_bound_u64(map->sorted, 0, map->num_sorted, id);
}

uint64_t qn_id_map_bytes(const struct qn_id_map *map) {
  uint64_t starts = map->starts ? (map->num_starts + 1) * sizeof *map->starts : 0;
  return map->num_marks * sizeof *map->marks + map->sorted_capacity * sizeof *map->sorted + starts;
}

uint64_t qn_id_map_id(const struct qn_id_map *map, uint32_t vertex) {
  if (map->kind == MAP_IDENTITY)
    return vertex;
  if (vertex >= map->num_marked)
    return map->sorted[vertex - map->num_marked];
  uint64_t low = 0, high = map->num_marks;
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (map->marks[middle].rank <= vertex)
      low = middle;
    else
      high = middle;
  }
  uint64_t bits = map->marks[low].bits;
  for (uint64_t skip = vertex - map->marks[low].rank; skip; skip--)
    bits &= bits - 1;
  return low << 6 | (uint64_t)__builtin_ctzll(bits);
}
