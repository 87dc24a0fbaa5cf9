/* Building from edges on disk: one group of piles after the other is read, sorted in memory as a
 * whole graph would be, and written behind the one before. A pile that is too large for memory is
 * divided into smaller ones first: by source; those of one vertex by destination; and edges that
 * are all the same need no sorting. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "converters/build/build_job.h"
#include "converters/build/weight_merge.h"
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
  unsigned weight_bytes; /* 0 without */
  char *weights;         /* NULL without */
  char *merged_weights;  /* the same, if they are not in their section yet */
  uint64_t most_edges;   /* room in columns and weights */
  uint64_t num_edges;    /* written */
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

/* A block, and memory for what is read and for weights in the graph's type. */
struct loader {
  struct qn_block_pool *pool;
  struct qn_edge_block *block;
  void *scratch, *converted;
};

static enum qn_status loader_create(struct qn_block_pool *pool, struct loader *loader,
                                    struct qn_error *error) {
  *loader = (struct loader){pool, qn_block_take(pool), qn_block_take(pool), NULL};
  return loader->block && loader->scratch ? QN_OK : qn_block_pool_exhausted(pool, error);
}

static void loader_destroy(struct loader *loader) {
  qn_block_give(loader->pool, loader->block);
  qn_block_give(loader->pool, loader->scratch);
  if (loader->converted)
    qn_block_give(loader->pool, loader->converted);
}

static enum qn_status load_block(const struct disk_build *build, const struct group *group,
                                 const struct qn_pile_block *from, struct loader *loader,
                                 const void **weights, struct qn_error *error) {
  uint64_t self_loops = 0;
  enum qn_status status =
      qn_division_load(group->division, from, loader->scratch, loader->block, error);
  if (status)
    return status;
  if (group->raw)
    qn_build_prepare_block(build->job, loader->block, &self_loops);
  status = qn_build_weights(build->job, loader->block, &loader->converted, weights);
  return status ? qn_block_pool_exhausted(loader->pool, error) : QN_OK;
}

static enum qn_status load_lane(struct disk_build *build, const struct group *group, uint64_t lane,
                                struct qn_error *error) {
  struct qn_build_job *job = build->job;
  struct loader loader;
  uint64_t begin, end;
  enum qn_status status = loader_create(job->list->pool, &loader, error);
  if (status)
    return status;
  qn_part_of(count_blocks(group), job->buckets.num_lanes, lane, &begin, &end);
  for (uint64_t i = begin; i < end && !status; i++) {
    const struct qn_edge_block *block = loader.block;
    const void *weights;
    status = load_block(build, group, block_of(group, i), &loader, &weights, error);
    if (status)
      break;
    uint64_t *pairs = qn_edge_block_ids(loader.block);
    for (uint64_t k = 0; k < block->count; k++)
      pairs[k] -= group->range.first_row;
    if (qn_edge_buckets_add(&job->buckets, lane, pairs, weights, block->count, false))
      status = qn_block_pool_exhausted(loader.pool, error);
  }
  loader_destroy(&loader);
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
          (uint64_t)block->count * (block->edge_bytes + qn_weight_bytes(block->weight_type));
      qn_temp_file_expect(group->division->file, bytes, block->offset);
      expected += bytes;
    }
}

/* ---- Sorting a group ------------------------------------------------------ */

/* Pages of the output that are full need not stay with the process: the file has them. */
static void drop_written(void *array, uint64_t width, uint64_t first, uint64_t count) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  uintptr_t begin = ((uintptr_t)array + first * width + page - 1) / page * page;
  uintptr_t end = ((uintptr_t)array + (first + count) * width) / page * page;
  if (begin < end)
    madvise((void *)begin, end - begin, MADV_DONTNEED);
}

static void *weights_at(const struct disk_build *build, uint64_t edge) {
  return build->weights ? build->weights + edge * build->weight_bytes : NULL;
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
                            weights_at(build, build->num_edges), error);
  drop_written(build->columns, sizeof *build->columns, build->num_edges, count);
  if (build->weights)
    drop_written(build->weights, build->weight_bytes, build->num_edges, count);
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
                          group->num_edges, build->weight_bytes, lanes);
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

/* One of them is left. */
struct merging {
  uint64_t count;
  uint64_t first; /* the first one's weight */
  struct qn_weight_merge merge;
};

static void merge_weight(const struct qn_build_job *job, struct merging *merging, uint64_t bits) {
  bool sum = job->build->duplicates == QN_DUPLICATES_SUM;
  if (merging->count++ > 0) {
    qn_weight_merge_add(&merging->merge, bits);
    return;
  }
  merging->first = bits;
  merging->merge = qn_weight_merge_begin(job->weight_type, sum, bits);
}

static enum qn_status write_merged(struct disk_build *build, const struct group *group,
                                   const struct merging *merging, struct qn_error *error) {
  const struct qn_build_job *job = build->job;
  uint64_t bits = merging->first;
  if (job->build->duplicates != QN_DUPLICATES_REMOVE &&
      !qn_weight_merge_end(&merging->merge, &bits))
    return qn_build_fail_overflow(job, group->range.first_row, group->range.first_column, error);
  build->columns[build->num_edges] = (uint32_t)group->range.first_column;
  if (build->weights)
    qn_weight_store(build->weights, build->weight_bytes, build->num_edges, bits);
  build->num_edges++;
  return QN_OK;
}

/* One block after the other, in the order of the input. */
static enum qn_status write_equal(struct disk_build *build, const struct group *group,
                                  struct qn_error *error) {
  struct qn_block_pool *pool = build->job->list->pool;
  bool keep = build->job->build->duplicates == QN_DUPLICATES_KEEP;
  struct merging merging = {0};
  struct loader loader;
  qn_block_pool_reset(pool);
  enum qn_status status = loader_create(pool, &loader, error);
  if (status)
    return status;
  if (group->range.first_column == 0)
    build->row_offsets[group->range.first_row] = build->num_edges;
  for (uint64_t i = 0; i < count_blocks(group) && !status; i++) {
    const void *weights;
    status = load_block(build, group, block_of(group, i), &loader, &weights, error);
    for (uint64_t k = 0; !status && k < loader.block->count; k++) {
      uint64_t bits = weights ? qn_weight_load(weights, build->weight_bytes, k) : 0;
      if (!keep) {
        merge_weight(build->job, &merging, bits);
        continue;
      }
      build->columns[build->num_edges] = (uint32_t)group->range.first_column;
      if (weights)
        qn_weight_store(build->weights, build->weight_bytes, build->num_edges, bits);
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

/* Blocks divided again have vertices, and weights as they were if the graph will have any. */
static void finish_block(struct qn_edge_block *block, const void *context) {
  const struct qn_build_job *job = context;
  uint64_t self_loops = 0;
  qn_build_prepare_block(job, block, &self_loops);
  if (job->weight_type == QN_WEIGHT_NONE)
    block->weight_type = QN_WEIGHT_NONE;
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

/* Sorting takes a record of 8 bytes an edge, or 16 with weights of any type, as much again twice
 * where all edges are in one bucket, and some more for chunks that are not full. */
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
    status = qn_bulk_alloc(&build->merged_weights, build->most_edges, build->weight_bytes,
                           "weights", error);
  else
    status = qn_graph_write_weights(job->writer, build->most_edges, &weights, error);
  build->weights = merge ? build->merged_weights : (char *)weights;
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
      memcpy(weights, build->merged_weights, build->weight_bytes * build->num_edges);
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
  struct disk_build build = {.job = job, .weight_bytes = qn_weight_bytes(job->weight_type)};
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
  qn_pages_free(build.merged_weights, build.most_edges, build.weight_bytes);
  return status;
}
