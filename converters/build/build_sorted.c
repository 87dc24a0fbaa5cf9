/* Building from edges that come sorted, as those of many files do: other systems' rows, lists that
 * were written row by row. They only need to be copied, block by block, to where they belong; maps
 * of ids keep their order. */
#include <string.h>

#include "converters/build/build_job.h"
#include "support/memory.h"
#include "support/progress.h"

/* What of a block goes where. */
struct part {
  struct qn_edge_ends first, last;
  uint64_t first_edge; /* in the arrays */
  uint64_t first_row;  /* whose offset this block writes */
  uint32_t count;      /* edges that are left */
  bool repeats;        /* the first of them is the last one before the block, and goes, too */
};

struct sorted_build {
  struct qn_build_job *job;
  bool shrinks; /* edges are taken out, so that places are known only when all were looked at */
  struct part *parts;
  struct qn_graph_arrays arrays;
};

bool qn_build_is_sorted(const struct qn_build_job *job) {
  const struct qn_edge_list *list = job->list;
  enum qn_duplicates duplicates = job->build->duplicates;
  if (job->build->undirected ||
      (duplicates != QN_DUPLICATES_KEEP && duplicates != QN_DUPLICATES_REMOVE))
    return false;
  for (uint64_t b = 0; b < list->num_blocks; b++) {
    struct qn_edge_block *block = list->blocks[b], *before = b ? list->blocks[b - 1] : NULL;
    if (!block->ascending ||
        (before && qn_edge_is_before(qn_edge_block_ends(block, 0), qn_edge_block_last(before))))
      return false;
  }
  return true;
}

/* ---- Blocks --------------------------------------------------------------- */

static void remove_duplicates(struct qn_edge_block *block) {
  uint64_t *pairs = qn_edge_block_ids(block);
  void *weights = qn_edge_block_weights(block);
  unsigned weight_bytes = qn_weight_bytes(block->weight_type);
  uint32_t kept = block->count > 0;
  for (uint32_t i = 1; i < block->count; i++) {
    pairs[kept] = pairs[i];
    if (weight_bytes)
      qn_weight_copy(weights, kept, weights, i, weight_bytes);
    kept += pairs[i] != pairs[kept - 1];
  }
  block->count = kept;
}

static void prepare_block(const struct qn_build_job *job, struct qn_edge_block *block,
                          uint64_t *self_loops) {
  qn_build_prepare_block(job, block, self_loops);
  if (job->build->duplicates == QN_DUPLICATES_REMOVE)
    remove_duplicates(block);
}

static void write_block(struct qn_edge_block *block, const char *weights, uint64_t weight_bytes,
                        const struct part *part, const struct qn_graph_arrays *arrays) {
  const uint64_t *pairs = qn_edge_block_ids(block) + part->repeats;
  uint64_t row = part->first_row, edge = part->first_edge;
  uint32_t *columns = arrays->column_indices, count = part->count - part->repeats;
  for (uint32_t i = 0; i < count; i++) {
    while (row <= (uint32_t)pairs[i])
      arrays->row_offsets[row++] = edge + i;
    columns[edge + i] = (uint32_t)(pairs[i] >> 32);
  }
  if (weights && count)
    memcpy((char *)arrays->weights + edge * weight_bytes, weights + part->repeats * weight_bytes,
           count * weight_bytes);
}

/* ---- All blocks ----------------------------------------------------------- */

/* The blocks as they are listed. */
static void list_parts(const struct sorted_build *build) {
  const struct qn_edge_list *list = build->job->list;
#pragma omp parallel for schedule(static)
  for (uint64_t b = 0; b < list->num_blocks; b++) {
    struct qn_edge_block *block = list->blocks[b];
    build->parts[b] = (struct part){.first = qn_edge_block_ends(block, 0),
                                    .last = qn_edge_block_last(block),
                                    .count = block->count};
  }
}

/* What is left of a block. One in memory is prepared here; one of a view will be prepared once more
 * when it is written. */
static bool shrink_listed(const void *context, uint64_t index, struct qn_edge_block **scratch,
                          uint64_t *self_loops) {
  const struct sorted_build *build = context;
  struct part *part = &build->parts[index];
  struct qn_edge_block *block = qn_edge_list_load(build->job->list, index, scratch);
  *part = (struct part){.count = 0};
  if (!block)
    return false;
  prepare_block(build->job, block, self_loops);
  if (block->count)
    *part = (struct part){.first = qn_edge_block_ends(block, 0),
                          .last = qn_edge_block_ends(block, block->count - 1),
                          .count = block->count};
  return true;
}

/* Place the blocks one after the other; returns how many edges there are. */
static uint64_t place_blocks(const struct sorted_build *build, uint64_t *end_row) {
  const struct qn_build_job *job = build->job;
  bool unique = job->build->duplicates == QN_DUPLICATES_REMOVE;
  uint64_t num_edges = 0, row = 0;
  const struct part *before = NULL;
  for (uint64_t b = 0; b < job->list->num_blocks; b++) {
    struct part *part = &build->parts[b];
    part->first_edge = num_edges;
    part->first_row = row;
    if (part->count == 0)
      continue;
    part->repeats = unique && before && part->first.source == before->last.source &&
                    part->first.destination == before->last.destination;
    num_edges += part->count - part->repeats;
    uint64_t source = part->last.source;
    row = (build->shrinks ? source : qn_id_map_below(job->ids, source)) + 1;
    before = part;
  }
  *end_row = row;
  return num_edges;
}

static bool write_listed(const void *context, uint64_t index, struct qn_edge_block **scratch,
                         uint64_t *self_loops) {
  const struct sorted_build *build = context;
  struct qn_edge_list *list = build->job->list;
  const struct part *part = &build->parts[index];
  struct qn_edge_block *block = qn_edge_list_load(list, index, scratch);
  qn_progress_add(list->blocks[index]->count);
  if (!block)
    return false;
  const void *weights;
  void *converted = NULL;
  if (!build->shrinks || block == *scratch)
    prepare_block(build->job, block, self_loops);
  list->changed |= block->count != part->count;
  if (block->count != part->count || qn_build_weights(build->job, block, &converted, &weights))
    return false;
  write_block(block, weights, qn_weight_bytes(build->job->weight_type), part, &build->arrays);
  if (converted)
    qn_block_give(list->pool, converted);
  return true;
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status copy_blocks(struct sorted_build *build, struct qn_error *error) {
  struct qn_build_job *job = build->job;
  uint64_t self_loops = 0, again, row;
  if (!build->shrinks)
    list_parts(build);
  else if (!qn_edge_list_each(job->list, shrink_listed, build, &self_loops))
    return qn_edge_list_load_failed(job->list, error);
  uint64_t num_edges = place_blocks(build, &row);
  enum qn_status status = qn_build_add_sections(job, num_edges, &build->arrays, error);
  if (status)
    return status;
  if (!qn_edge_list_each(job->list, write_listed, build, build->shrinks ? &again : &self_loops))
    return qn_edge_list_load_failed(job->list, error);
  while (row <= job->num_vertices)
    build->arrays.row_offsets[row++] = num_edges;
  qn_build_count_read(job, self_loops);
  return QN_OK;
}

enum qn_status qn_build_sorted(struct qn_build_job *job, struct qn_error *error) {
  const struct qn_build *options = job->build;
  struct sorted_build build = {.job = job};
  build.shrinks =
      options->self_loops == QN_SELF_LOOPS_REMOVE || options->duplicates == QN_DUPLICATES_REMOVE;
  enum qn_status status = qn_alloc(&build.parts, job->list->num_blocks, sizeof *build.parts,
                                   "the places of edge blocks", error);
  if (status)
    return status;
  qn_progress_begin("writing", "edges", job->list->num_edges);
  status = copy_blocks(&build, error);
  qn_progress_end();
  qn_free(build.parts);
  return status;
}
