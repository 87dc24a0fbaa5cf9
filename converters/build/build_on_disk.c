/* Building from edges on disk: one group of piles after the other is read, sorted in memory as a
 * whole graph would be, and written behind the one before. A pile that is too large for memory is
 * divided into smaller ones first: by source; those of one vertex by destination; and edges that
 * are all the same need no sorting. */
#include <math.h>
#include <omp.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "converters/build/build_job.h"
#include "converters/edges/spill.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/sizes.h"
#include "support/threads.h"
#include <quern/graph.h>

struct disk_build {
  struct qn_build_job *job;
  uint64_t capacity; /* edges that memory can sort at once */
  uint64_t *row_offsets;
  uint32_t *columns;
  uint32_t *weights;        /* NULL without */
  uint32_t *merged_weights; /* the same, if they are not in their section yet */
  uint64_t most_edges;      /* room in columns and weights */
  uint64_t num_edges;       /* written */
};

/* Edges from [first_row, end_row) to [first_column, end_column); of several rows all columns. */
struct range {
  uint64_t first_row, end_row;
  uint64_t first_column, end_column;
};

/* Piles that are sorted together. */
struct group {
  const struct qn_division *division;
  bool raw; /* blocks are as they were read */
  struct range range;
  const struct qn_pile *piles;
  unsigned num_piles;
  uint64_t num_edges;
};

/* ---- Reading a group ------------------------------------------------------ */

/* Block `index` of the group, counted through its piles. */
static const struct qn_pile_block *block_of(const struct group *group, uint64_t index) {
  const struct qn_pile *pile = group->piles;
  while (index >= pile->num_blocks)
    index -= pile++->num_blocks;
  return &pile->blocks[index];
}

static uint64_t count_blocks(const struct group *group) {
  uint64_t count = 0;
  for (unsigned p = 0; p < group->num_piles; p++)
    count += group->piles[p].num_blocks;
  return count;
}

static enum qn_status load_block(const struct disk_build *build, const struct group *group,
                                 const struct qn_pile_block *from, void *scratch,
                                 struct qn_edge_block *block, uint32_t **weights,
                                 struct qn_error *error) {
  uint64_t self_loops = 0;
  enum qn_status status = qn_division_load(group->division, from, scratch, block, error);
  *weights = NULL;
  if (status)
    return status;
  if (group->raw)
    *weights = qn_build_prepare_block(build->job, block, &self_loops);
  else if (block->weight_type != QN_WEIGHT_NONE)
    *weights = qn_edge_block_weights(block);
  return QN_OK;
}

static enum qn_status load_lane(struct disk_build *build, const struct group *group, uint64_t lane,
                                struct qn_error *error) {
  struct qn_build_job *job = build->job;
  struct qn_block_pool *pool = job->list->pool;
  struct qn_edge_block *block = qn_block_take(pool);
  void *scratch = qn_block_take(pool);
  uint64_t begin, end;
  enum qn_status status = QN_OK;
  if (!block || !scratch)
    return qn_block_pool_exhausted(pool, error);
  qn_part_of(count_blocks(group), job->buckets.num_lanes, lane, &begin, &end);
  for (uint64_t i = begin; i < end && !status; i++) {
    uint32_t *weights;
    status = load_block(build, group, block_of(group, i), scratch, block, &weights, error);
    if (status)
      break;
    uint64_t *pairs = qn_edge_block_ids(block);
    for (uint64_t k = 0; k < block->count; k++)
      pairs[k] -= group->range.first_row;
    if (qn_edge_buckets_add(&job->buckets, lane, pairs, weights, block->count, false))
      status = qn_block_pool_exhausted(pool, error);
  }
  qn_block_give(pool, block);
  qn_block_give(pool, scratch);
  return status;
}

static enum qn_status load_group(struct disk_build *build, const struct group *group,
                                 struct qn_error *error) {
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(static, 1)
  for (uint64_t lane = 0; lane < build->job->buckets.num_lanes; lane++) {
    struct qn_error own;
    enum qn_status failed = load_lane(build, group, lane, &own);
    if (failed) {
#pragma omp critical(load_group)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  return status;
}

/* Let the disk fetch what comes next while this group is being sorted. */
static void expect_group(const struct group *group) {
  uint64_t most = qn_memory_limit() / 4, expected = 0;
  for (unsigned p = 0; p < group->num_piles; p++)
    for (uint64_t i = 0; i < group->piles[p].num_blocks && expected < most; i++) {
      const struct qn_pile_block *block = &group->piles[p].blocks[i];
      uint64_t bytes =
          (uint64_t)block->count * (block->edge_bytes + (block->weight_type ? 4u : 0u));
      qn_temp_file_expect(group->division->file, bytes, block->offset);
      expected += bytes;
    }
}

/* ---- Sorting a group ------------------------------------------------------ */

/* Pages of the output that are full need not stay with the process: the file has them. */
static void drop_written(uint32_t *array, uint64_t first, uint64_t count) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t begin = ((uintptr_t)(array + first) + page - 1) / page * page;
  uintptr_t end = (uintptr_t)(array + first + count) / page * page;
  if (begin < end)
    madvise((void *)begin, end - begin, MADV_DONTNEED);
}

/* Rows are written whole or, of one vertex, column range by column range: then only the first
 * may say where the row begins. */
static enum qn_status write_group(struct disk_build *build, const struct group *group,
                                  struct qn_error *error) {
  const struct qn_edge_buckets *buckets = &build->job->buckets;
  uint64_t ignored[2], *rows = build->row_offsets + group->range.first_row;
  uint64_t count = qn_build_count_sorted(buckets);
  if (group->range.first_column > 0)
    rows = ignored;
  enum qn_status status =
      qn_edge_buckets_write(buckets, build->num_edges, rows, build->columns + build->num_edges,
                            build->weights ? build->weights + build->num_edges : NULL, error);
  drop_written(build->columns, build->num_edges, count);
  if (build->weights)
    drop_written(build->weights, build->num_edges, count);
  build->num_edges += count;
  build->row_offsets[group->range.end_row] = build->num_edges;
  return status;
}

static enum qn_status sort_group(struct disk_build *build, const struct group *group,
                                 const struct group *next, struct qn_error *error) {
  struct qn_build_job *job = build->job;
  uint64_t lanes = qn_threads();
  struct qn_bucket_shape shape =
      qn_bucket_shape_for(group->range.end_row - group->range.first_row, job->num_vertices,
                          group->num_edges, job->weight_type != QN_WEIGHT_NONE, lanes);
  qn_block_pool_reset(job->list->pool);
  enum qn_status status =
      qn_edge_buckets_create(job->list->pool, &shape, lanes, &job->buckets, error);
  if (!status)
    status = load_group(build, group, error);
  if (!status && next)
    expect_group(next);
  if (!status)
    status = qn_build_sort(job, group->range.first_row, error);
  if (!status)
    status = write_group(build, group, error);
  qn_edge_buckets_destroy(&job->buckets);
  qn_progress_add(group->num_edges);
  return status;
}

/* ---- Edges that are all the same ------------------------------------------ */

struct merging {
  uint64_t count;
  uint32_t first;
  double real;
  uint64_t whole;
};

static void merge_weight(const struct qn_build_job *job, struct merging *merging, uint32_t bits) {
  bool sum = job->build->duplicates == QN_DUPLICATES_SUM;
  float real;
  memcpy(&real, &bits, sizeof real);
  if (merging->count++ == 0) {
    merging->first = bits;
    merging->real = real;
    merging->whole = bits;
  } else if (job->weight_type == QN_WEIGHT_F32) {
    merging->real = sum                    ? merging->real + (double)real
                    : real < merging->real ? real
                                           : merging->real;
  } else if (merging->whole <= UINT32_MAX) {
    merging->whole = sum ? merging->whole + bits : bits < merging->whole ? bits : merging->whole;
  }
}

static enum qn_status write_merged(struct disk_build *build, const struct group *group,
                                   const struct merging *merging, struct qn_error *error) {
  const struct qn_build_job *job = build->job;
  bool by_weight = job->build->duplicates != QN_DUPLICATES_REMOVE;
  float real = (float)merging->real;
  uint32_t bits = merging->first;
  if (by_weight && job->weight_type == QN_WEIGHT_F32)
    memcpy(&bits, &real, sizeof bits);
  else if (by_weight)
    bits = (uint32_t)merging->whole;
  bool fits = job->weight_type == QN_WEIGHT_F32 ? isfinite(real) : merging->whole <= UINT32_MAX;
  if (by_weight && !fits)
    return qn_build_fail_overflow(job, group->range.first_row, group->range.first_column, error);
  build->columns[build->num_edges] = (uint32_t)group->range.first_column;
  if (build->weights)
    build->weights[build->num_edges] = bits;
  build->num_edges++;
  return QN_OK;
}

/* One block after the other, in the order of the input. */
static enum qn_status write_equal(struct disk_build *build, const struct group *group,
                                  struct qn_error *error) {
  struct qn_block_pool *pool = build->job->list->pool;
  bool keep = build->job->build->duplicates == QN_DUPLICATES_KEEP;
  struct merging merging = {0};
  enum qn_status status = QN_OK;
  qn_block_pool_reset(pool);
  struct qn_edge_block *block = qn_block_take(pool);
  void *scratch = qn_block_take(pool);
  if (!block || !scratch)
    return qn_block_pool_exhausted(pool, error);
  if (group->range.first_column == 0)
    build->row_offsets[group->range.first_row] = build->num_edges;
  for (uint64_t i = 0; i < count_blocks(group) && !status; i++) {
    uint32_t *weights;
    status = load_block(build, group, block_of(group, i), scratch, block, &weights, error);
    for (uint64_t k = 0; k < block->count && !status; k++) {
      if (!keep) {
        merge_weight(build->job, &merging, weights ? weights[k] : 0);
        continue;
      }
      build->columns[build->num_edges] = (uint32_t)group->range.first_column;
      if (weights)
        build->weights[build->num_edges] = weights[k];
      build->num_edges++;
    }
  }
  if (!status && merging.count)
    status = write_merged(build, group, &merging, error);
  build->row_offsets[group->range.end_row] = build->num_edges;
  return status;
}

/* ---- Groups --------------------------------------------------------------- */

static enum qn_status build_division(struct disk_build *build, const struct qn_division *division,
                                     bool raw, const struct range *range, struct qn_error *error);

/* Blocks divided again are finished: vertices, with the graph's weights. */
static void finish_block(struct qn_edge_block *block, const void *context) {
  const struct qn_build_job *job = context;
  uint64_t self_loops = 0;
  qn_build_prepare_block(job, block, &self_loops);
  block->weight_type = job->weight_type;
  block->largest = 0; /* the piles reach as far as they must */
}

static void leave_block(struct qn_edge_block *block, const void *context) {
  (void)context;
  block->largest = 0;
}

/* A pile that does not fit is divided into smaller ones. */
static enum qn_status divide_group(struct disk_build *build, const struct group *group,
                                   struct qn_error *error) {
  const struct range *range = &group->range;
  bool one_row = range->end_row - range->first_row == 1;
  uint64_t first = one_row ? range->first_column : range->first_row;
  uint64_t width = one_row ? range->end_column - first : range->end_row - first;
  struct qn_division_options options = {.by = one_row ? QN_BY_DESTINATION : QN_BY_SOURCE,
                                        .first = first,
                                        .num_piles = qn_spill_piles(build->job->list->spill)};
  struct qn_division *smaller;
  if (one_row && width == 1)
    return write_equal(build, group, error);
  while ((width - 1) >> options.shift >= options.num_piles)
    options.shift++;
  qn_block_pool_reset(build->job->list->pool);
  enum qn_status status = qn_division_create(build->job->list->pool, &options, &smaller, error);
  if (status)
    return status;
  status =
      qn_division_refill(smaller, group->division, group->piles->blocks, group->piles->num_blocks,
                         group->raw ? finish_block : leave_block, build->job, error);
  if (!status)
    status = qn_division_flush(smaller, error);
  if (!status)
    status = build_division(build, smaller, false, range, error);
  qn_division_destroy(smaller);
  return status;
}

/* The first vertex on pile `p`; for the pile after the last one the end of the range. */
static uint64_t pile_begin(const struct disk_build *build, const struct qn_division *division,
                           bool raw, const struct range *range, unsigned p) {
  uint64_t offset = (uint64_t)p << division->shift;
  uint64_t end = division->options.by == QN_BY_SOURCE ? range->end_row : range->end_column;
  if (p == division->options.num_piles || offset >> division->shift != p)
    return end;
  uint64_t vertex =
      raw ? qn_id_map_below(build->job->ids, offset) : division->options.first + offset;
  return vertex < end ? vertex : end;
}

/* As many piles from `first` on as fit together, one at least. */
static struct group group_from(const struct disk_build *build, const struct qn_division *division,
                               bool raw, const struct range *range, unsigned first) {
  struct group group = {.division = division,
                        .raw = raw,
                        .range = *range,
                        .piles = &division->piles[first],
                        .num_piles = 1,
                        .num_edges = division->piles[first].num_edges};
  unsigned end = first + 1;
  for (; end < division->options.num_piles; end++) {
    if (group.num_edges + division->piles[end].num_edges > build->capacity)
      break;
    group.num_edges += division->piles[end].num_edges;
    group.num_piles++;
  }
  uint64_t begin = pile_begin(build, division, raw, range, first);
  uint64_t stop = pile_begin(build, division, raw, range, end);
  if (division->options.by == QN_BY_SOURCE) {
    group.range.first_row = begin;
    group.range.end_row = stop;
  } else {
    group.range.first_column = begin;
    group.range.end_column = stop;
  }
  return group;
}

static enum qn_status build_division(struct disk_build *build, const struct qn_division *division,
                                     bool raw, const struct range *range, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (unsigned p = 0; p < division->options.num_piles && !status;) {
    struct group group = group_from(build, division, raw, range, p), next;
    p += group.num_piles;
    bool more = p < division->options.num_piles;
    if (more)
      next = group_from(build, division, raw, range, p);
    if (group.range.first_row == group.range.end_row ||
        group.range.first_column == group.range.end_column)
      continue; /* ids beyond the largest */
    status = group.num_edges > build->capacity
                 ? divide_group(build, &group, error)
                 : sort_group(build, &group, more ? &next : NULL, error);
  }
  return status;
}

/* ---- The whole ------------------------------------------------------------ */

/* Names that were read, not those of a mapped container. */
static uint64_t names_bytes(const struct qn_build_job *job) {
  const struct qn_ids *names = job->build->names;
  if (!names || job->list->spill->options.ids == QN_SPILL_IDS_IGNORE)
    return 0;
  uint64_t bytes = 12 * names->num_vertices;
  return names->kind == QN_IDS_STRINGS ? bytes + names->string_offsets[names->num_vertices] : bytes;
}

/* Sorting takes a record of 8 bytes an edge, or 16 with weights, as much again twice where all
 * edges are in one bucket, and some more for chunks that are not full. */
static enum qn_status choose_capacity(struct disk_build *build, struct qn_error *error) {
  const struct qn_build_job *job = build->job;
  const struct qn_division *division = job->list->spill->division;
  uint64_t limit = qn_memory_limit();
  uint64_t taken = QN_SPILL_FIXED_BYTES + qn_threads() * QN_SPILL_THREAD_BYTES +
                   qn_id_map_bytes(job->ids) + names_bytes(job) +
                   qn_division_directory_bytes(division);
  uint64_t edge_bytes = job->weight_type == QN_WEIGHT_NONE ? 26 : 52;
  char limit_text[32], needed_text[32];
  uint64_t needed = taken + QN_SPILL_LEAST_EDGES * edge_bytes;
  if (limit < needed)
    return qn_fail(error, QN_SYSTEM,
                   "%s of memory are too little for this graph: --memory %llu or more is needed "
                   "(%s)",
                   qn_size_text(limit, limit_text, sizeof limit_text), (unsigned long long)needed,
                   qn_size_text(needed, needed_text, sizeof needed_text));
  build->capacity = (limit - taken) / edge_bytes;
  if (job->list->spill->options.edges_at_once)
    build->capacity = job->list->spill->options.edges_at_once;
  return QN_OK;
}

/* How many are left of equal edges is only known at the end: then weights wait in a file. */
static enum qn_status add_sections(struct disk_build *build, struct qn_error *error) {
  struct qn_build_job *job = build->job;
  bool merge = job->build->duplicates != QN_DUPLICATES_KEEP;
  void *weights = NULL;
  enum qn_status status;
  if ((status = qn_graph_write_rows(job->writer, job->num_vertices, &build->row_offsets, error)) ||
      (status = qn_graph_write_columns(job->writer, build->most_edges, &build->columns, error)))
    return status;
  if (job->weight_type == QN_WEIGHT_NONE)
    return QN_OK;
  if (merge)
    status = qn_bulk_alloc(&build->merged_weights, build->most_edges, 4, "weights", error);
  else
    status = qn_graph_write_weights(job->writer, build->most_edges, &weights, error);
  build->weights = merge ? build->merged_weights : weights;
  return status;
}

static enum qn_status finish_sections(struct disk_build *build, struct qn_error *error) {
  struct qn_build_job *job = build->job;
  void *weights = build->weights;
  enum qn_status status = QN_OK;
  if (job->build->duplicates != QN_DUPLICATES_KEEP) {
    status = qn_writer_shrink(job->writer, build->num_edges, error);
    if (!status)
      status = qn_graph_write_weights(job->writer, build->num_edges, &weights, error);
    if (!status && weights)
      memcpy(weights, build->merged_weights, 4 * build->num_edges);
  }
  qn_build_set_out(job, build->row_offsets, build->columns, weights, build->num_edges);
  return status;
}

static uint64_t count_edges(const struct qn_division *division) {
  uint64_t count = 0;
  for (unsigned p = 0; p < QN_MAX_PILES; p++)
    count += division->piles[p].num_edges;
  return count;
}

static enum qn_status sort_all(struct disk_build *build, struct qn_error *error) {
  struct qn_build_job *job = build->job;
  const struct qn_division *division = job->list->spill->division;
  struct range all = {.end_row = job->num_vertices, .end_column = job->num_vertices};
  if (!division)
    return QN_OK;
  enum qn_status status = choose_capacity(build, error);
  if (status)
    return status;
  qn_progress_begin("sorting", "edges", build->most_edges);
  status = build_division(build, division, true, &all, error);
  qn_progress_end();
  return status;
}

enum qn_status qn_build_on_disk(struct qn_build_job *job, struct qn_error *error) {
  struct qn_spill *spill = job->list->spill;
  struct disk_build build = {.job = job};
  enum qn_status status = QN_OK;
  if (spill->division) {
    if (job->build->undirected != spill->division->options.both)
      return qn_fail(error, QN_USAGE,
                     "only the end of the input said that its edges go both ways: with --memory, "
                     "use --undirected too");
    status = qn_division_flush(spill->division, error);
    build.most_edges = count_edges(spill->division);
    if (job->build->self_loops == QN_SELF_LOOPS_REMOVE)
      build.most_edges -= spill->self_loops;
  }
  qn_build_count_read(job, spill->self_loops);
  if (!status)
    status = add_sections(&build, error);
  if (!status)
    status = sort_all(&build, error);
  qn_division_destroy(spill->division);
  spill->division = NULL;
  if (!status)
    status = finish_sections(&build, error);
  qn_pages_free(build.merged_weights, build.most_edges, 4);
  return status;
}
