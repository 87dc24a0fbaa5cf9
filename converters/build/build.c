/* The builder's stages: number the vertices, spread the edges over buckets,
 * sort the buckets, write the arrays. Edges on disk go through the middle two part by part
 * (build_on_disk.c). */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "converters/build/build_job.h"
#include "formats/container/prefault.h"
#include "formats/graph/statistics.h"
#include "formats/text/exact_numbers.h"
#include "support/context.h"
#include "support/progress.h"
#include "support/threads.h"
#include <quern/graph.h>
#include <quern/transpose.h>

enum qn_status qn_build_check(const struct qn_build *build, struct qn_error *error) {
  if (build->names && build->ids == QN_ID_COMPACT)
    return qn_fail(error, QN_USAGE, "vertices with names cannot be compacted");
  if (build->names && build->num_vertices == QN_VERTICES_FROM_EDGES)
    return qn_fail(error, QN_USAGE, "names need a declared number of vertices");
  bool merge_weights =
      build->duplicates == QN_DUPLICATES_MIN || build->duplicates == QN_DUPLICATES_SUM;
  if (merge_weights && build->weights == QN_WEIGHTS_NONE)
    return qn_fail(error, QN_USAGE,
                   "duplicates cannot be merged by weight when weights are dropped; use "
                   "--duplicates=remove");
  return QN_OK;
}

/* ---- Weights -------------------------------------------------------------- */

/* The first type that holds all weights. */
static enum qn_weight_type least_type(const struct qn_edge_list *list, bool narrow) {
  const uint64_t *blocks = list->blocks_of;
  if (blocks[QN_WEIGHT_F32] || blocks[QN_WEIGHT_F64])
    return narrow || !list->beyond_f32 ? QN_WEIGHT_F32 : QN_WEIGHT_F64;
  if (blocks[QN_WEIGHT_I64])
    return narrow ? QN_WEIGHT_F32 : QN_WEIGHT_I64;
  return blocks[QN_WEIGHT_U32] ? QN_WEIGHT_U32 : QN_WEIGHT_NONE;
}

static enum qn_weight_type chosen_type(enum qn_weight_choice choice) {
  switch (choice) {
  case QN_WEIGHTS_U32:
    return QN_WEIGHT_U32;
  case QN_WEIGHTS_F32:
    return QN_WEIGHT_F32;
  case QN_WEIGHTS_I64:
    return QN_WEIGHT_I64;
  case QN_WEIGHTS_F64:
    return QN_WEIGHT_F64;
  default:
    return QN_WEIGHT_NONE;
  }
}

enum qn_status qn_build_choose_weight_type(struct qn_build_job *job, struct qn_error *error) {
  const struct qn_build *build = job->build;
  const uint64_t *blocks = job->list->blocks_of;
  enum qn_weight_type least = least_type(job->list, build->narrow_weights);
  enum qn_weight_type chosen = chosen_type(build->weights);
  bool real = blocks[QN_WEIGHT_F32] || blocks[QN_WEIGHT_F64];
  job->weight_type = build->weights == QN_WEIGHTS_AUTO ? least : chosen;
  if (build->weights == QN_WEIGHTS_NONE)
    least = QN_WEIGHT_NONE;
  else if (least != QN_WEIGHT_NONE && blocks[QN_WEIGHT_NONE])
    return qn_fail(error, QN_INVALID, "some edges have a weight and some have none");
  else if (least == QN_WEIGHT_NONE && job->list->num_edges && chosen != QN_WEIGHT_NONE)
    return qn_fail(error, QN_INVALID, "weights were asked for, but the edges have none");
  else if (chosen == QN_WEIGHT_U32 && (real || blocks[QN_WEIGHT_I64]))
    return qn_fail(error, QN_INVALID,
                   "some weights are not integers from 0 to 4294967295; use --weights=%s",
                   real ? "f64" : "i64");
  else if (chosen == QN_WEIGHT_I64 && real)
    return qn_fail(error, QN_INVALID,
                   "some weights are not integers of 64 bits; use --weights=f64");
  bool merge = build->duplicates == QN_DUPLICATES_MIN || build->duplicates == QN_DUPLICATES_SUM;
  if (merge && job->weight_type == QN_WEIGHT_NONE && job->list->num_edges)
    return qn_fail(error, QN_INVALID,
                   "duplicates cannot be merged by weight: the edges have none; use "
                   "--duplicates=remove");
  return QN_OK;
}

/* A weight of a block: whole, or real. */
struct number {
  bool is_real;
  int64_t whole;
  double real;
};

static struct number number_at(const struct qn_edge_list *list, enum qn_weight_type type,
                               const void *weights, uint32_t i) {
  float narrow;
  switch (type) {
  case QN_WEIGHT_U32:
    return (struct number){.whole = ((const uint32_t *)weights)[i]};
  case QN_WEIGHT_I64:
    return (struct number){.whole = ((const int64_t *)weights)[i]};
  case QN_WEIGHT_F32:
    narrow = ((const float *)weights)[i];
    return (struct number){true, 0,
                           list->binary_weights ? (double)narrow : qn_decimal_of_f32(narrow)};
  default:
    return (struct number){true, 0, ((const double *)weights)[i]};
  }
}

static float number_to_f32(struct qn_edge_list *list, const struct number *number) {
  float value = number->is_real ? (float)number->real : (float)number->whole;
  bool same = !number->is_real       ? qn_real_is_whole(value, number->whole)
              : list->binary_weights ? (double)value == number->real
                                     : qn_f32_holds(number->real);
  if (!same)
    qn_edge_list_note_rounded(list, number->is_real ? number->real : number->whole, value);
  return value;
}

static double number_to_f64(struct qn_edge_list *list, const struct number *number) {
  if (number->is_real)
    return number->real;
  double value = (double)number->whole;
  if (!qn_real_is_whole(value, number->whole))
    qn_edge_list_note_rounded(list, number->whole, value);
  return value;
}

/* Whole numbers become real ones, or wider; real ones wider, or narrower. */
static void convert_weights(const struct qn_build_job *job, struct qn_edge_block *block, void *to) {
  const void *weights = qn_edge_block_weights(block);
  for (uint32_t i = 0; i < block->count; i++) {
    struct number number = number_at(job->list, block->weight_type, weights, i);
    if (job->weight_type == QN_WEIGHT_F32)
      ((float *)to)[i] = number_to_f32(job->list, &number);
    else if (job->weight_type == QN_WEIGHT_F64)
      ((double *)to)[i] = number_to_f64(job->list, &number);
    else
      ((int64_t *)to)[i] = number.whole;
  }
}

enum qn_status qn_build_weights(const struct qn_build_job *job, struct qn_edge_block *block,
                                void **scratch, const void **weights) {
  *weights = job->weight_type == QN_WEIGHT_NONE ? NULL : qn_edge_block_weights(block);
  if (!*weights || block->weight_type == job->weight_type)
    return QN_OK;
  if (!*scratch)
    *scratch = qn_block_take(job->list->pool);
  if (!*scratch)
    return QN_SYSTEM;
  convert_weights(job, block, *scratch);
  *weights = *scratch;
  return QN_OK;
}

/* Whole numbers in full, others so that they read back. */
static const char *number_text(long double number, char *text, size_t size) {
  bool large = fabsl(number) >= 0x1p53L;
  if (number == truncl(number) && fabsl(number) < 0x1p64L)
    snprintf(text, size, "%.0Lf", number);
  else
    snprintf(text, size, "%.*Lg", large ? 19 : 17, number);
  return text;
}

/* Rounding has to be asked for: times in seconds would lose minutes. */
enum qn_status qn_build_check_rounding(const struct qn_build_job *job, struct qn_error *error) {
  long double exact, wrong;
  char text[64];
  bool real = job->weight_type == QN_WEIGHT_F32 || job->weight_type == QN_WEIGHT_F64;
  if (!real || !qn_edge_list_rounded(job->list, &exact, &wrong))
    return QN_OK;
  unsigned bits = 8 * qn_weight_bytes(job->weight_type);
  number_text(exact, text, sizeof text);
  if (!isfinite(wrong))
    return qn_fail(error, QN_INVALID, "weight %s is too large for a %u-bit float", text, bits);
  if (job->build->narrow_weights) {
    qn_note(QN_NOTE_WEIGHTS_ROUNDED, "weights are rounded to %u-bit floats, by up to %.9Lg (%s)",
            bits, wrong, text);
    return QN_OK;
  }
  if (job->build->rounded)
    *job->build->rounded = true;
  /* Of decimals f64 has the nearest one; whole numbers it holds or not. */
  const bool fits_f64 = exact != truncl(exact) || (double)exact == exact;
  char loss[64] = "it has too many digits"; /* also for the sums here */
  if (wrong > 0)
    snprintf(loss, sizeof loss, "it would be wrong by %.9Lg", wrong);
  return qn_fail(error, QN_INVALID,
                 "weights are kept as %u-bit floats because %s, but such a float cannot hold %s "
                 "(%s); --narrow-weights rounds them%s",
                 bits,
                 job->build->weights == QN_WEIGHTS_AUTO ? "some are real, or beyond 2^63"
                                                        : "--weights says so",
                 text, loss, bits == 32 && fits_f64 ? ", --weights=f64 does not" : "");
}

/* ---- Edges into buckets --------------------------------------------------- */

static int compare_blocks(const void *left, const void *right) {
  const struct qn_edge_block *a = *(struct qn_edge_block *const *)left;
  const struct qn_edge_block *b = *(struct qn_edge_block *const *)right;
  if (a->sequence != b->sequence)
    return a->sequence < b->sequence ? -1 : 1;
  return a->position < b->position ? -1 : a->position > b->position;
}

void qn_build_order_blocks(struct qn_edge_list *list) {
  if (list->num_blocks)
    qsort(list->blocks, list->num_blocks, sizeof *list->blocks, compare_blocks);
}

/* Counts the block's loops and takes them out if `remove`. */
static uint64_t filter_self_loops(struct qn_edge_block *block, bool remove) {
  uint64_t *pairs = qn_edge_block_ids(block), loops = 0;
  void *weights = qn_edge_block_weights(block);
  unsigned weight_bytes = qn_weight_bytes(block->weight_type);
  for (uint32_t i = 0; i < block->count; i++)
    loops += (uint32_t)pairs[i] == pairs[i] >> 32;
  if (!loops || !remove)
    return loops;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < block->count; i++) {
    pairs[kept] = pairs[i];
    if (weight_bytes)
      qn_weight_copy(weights, kept, weights, i, weight_bytes);
    kept += (uint32_t)pairs[i] != pairs[i] >> 32;
  }
  block->count = kept;
  return loops;
}

void qn_build_prepare_block(const struct qn_build_job *job, struct qn_edge_block *block,
                            uint64_t *self_loops) {
  bool remove = job->build->self_loops == QN_SELF_LOOPS_REMOVE;
  qn_id_map_apply(job->ids, block);
  *self_loops += filter_self_loops(block, remove);
}

/* What a lane loads blocks into, and converts weights into. */
struct lane_scratch {
  struct qn_edge_block *block;
  void *weights;
};

static void turn_edges(struct qn_edge_block *block) {
  uint64_t *pairs = qn_edge_block_ids(block);
  for (uint32_t i = 0; i < block->count; i++)
    pairs[i] = pairs[i] >> 32 | pairs[i] << 32;
}

static bool spread_block(struct qn_build_job *job, uint64_t lane, uint64_t index, bool turned,
                         struct lane_scratch *scratch, uint64_t *self_loops) {
  struct qn_edge_block *block = qn_edge_list_load(job->list, index, &scratch->block);
  const void *weights;
  if (!block)
    return false;
  qn_build_prepare_block(job, block, self_loops);
  if (turned)
    turn_edges(block);
  enum qn_status status = qn_build_weights(job, block, &scratch->weights, &weights);
  if (!status)
    status = qn_edge_buckets_add(&job->buckets, lane, qn_edge_block_ids(block), weights,
                                 block->count, job->build->undirected);
  qn_edge_list_drop(job->list, index);
  return !status;
}

/* Each lane takes consecutive blocks, so that lanes are in input order. */
enum qn_status qn_build_spread(struct qn_build_job *job, uint64_t first_lane, uint64_t num_lanes,
                               bool turned, struct qn_error *error) {
  struct qn_edge_list *list = job->list;
  uint64_t self_loops = 0;
  int failed = 0;
  qn_progress_begin("distributing", "edges", list->num_edges);
#pragma omp parallel for schedule(static, 1) reduction(+ : self_loops) reduction(| : failed)
  for (uint64_t lane = 0; lane < num_lanes; lane++) {
    struct lane_scratch scratch = {NULL, NULL};
    uint64_t begin, end;
    qn_part_of(list->num_blocks, num_lanes, lane, &begin, &end);
    for (uint64_t i = begin; i < end && !failed && !qn_context_check(NULL); i++) {
      uint64_t count = list->blocks[i]->count;
      failed |= !spread_block(job, first_lane + lane, i, turned, &scratch, &self_loops);
      qn_progress_add(count);
    }
    if (scratch.block)
      qn_block_give(list->pool, scratch.block);
    if (scratch.weights)
      qn_block_give(list->pool, scratch.weights);
  }
  qn_progress_end();
  if (failed)
    return qn_edge_list_load_failed(list, error);
  qn_build_count_read(job, self_loops);
  return qn_context_check(error);
}

void qn_build_count_read(struct qn_build_job *job, uint64_t self_loops) {
  struct qn_ledger *ledger = job->ledger;
  uint64_t num_edges = job->list->num_edges;
  ledger->edges_read = num_edges - ledger->edges_added;
  ledger->self_loops_removed = job->build->self_loops == QN_SELF_LOOPS_REMOVE ? self_loops : 0;
  job->self_loops = self_loops - ledger->self_loops_removed;
  if (job->build->undirected)
    ledger->edges_added += num_edges - self_loops;
}

/* ---- Buckets into arrays -------------------------------------------------- */

enum qn_status qn_build_sort(struct qn_build_job *job, uint64_t first_row, struct qn_error *error) {
  struct qn_sort_options options = {.duplicates = job->build->duplicates,
                                    .weight_type = job->weight_type};
  struct qn_sort_overflow overflow;
  enum qn_status status = qn_edge_buckets_sort(&job->buckets, &options, &overflow, error);
  if (status || !overflow.found)
    return status;
  return qn_build_fail_overflow(job, first_row + overflow.source, overflow.destination, error);
}

enum qn_status qn_build_fail_overflow(const struct qn_build_job *job, uint64_t source,
                                      uint64_t destination, struct qn_error *error) {
  if (job->build->overflowed) {
    job->build->overflowed[0] = source;
    job->build->overflowed[1] = destination;
  }
  return qn_fail(error, QN_INVALID,
                 "the weights of the edges from %llu to %llu sum to more than %s can hold%s",
                 (unsigned long long)qn_id_map_id(job->ids, (uint32_t)source),
                 (unsigned long long)qn_id_map_id(job->ids, (uint32_t)destination),
                 qn_weight_type_name(job->weight_type),
                 job->weight_type == QN_WEIGHT_U32   ? "; use --weights=i64"
                 : job->weight_type == QN_WEIGHT_F64 ? ""
                                                     : "; use --weights=f64");
}

static enum qn_status sort_buckets(struct qn_build_job *job, struct qn_error *error) {
  qn_progress_begin("sorting", "edges", 0);
  enum qn_status status = qn_build_sort(job, 0, error);
  qn_progress_end();
  return status ? status : qn_context_check(error);
}

uint64_t qn_build_count_sorted(const struct qn_edge_buckets *buckets) {
  uint64_t total = 0;
  for (uint64_t b = 0; b < buckets->shape.num_buckets; b++)
    total += buckets->counts[b];
  return total;
}

void qn_build_set_out(struct qn_build_job *job, const uint64_t *row_offsets,
                      const uint32_t *columns, const void *weights, uint64_t num_edges) {
  struct qn_csr *csr = &job->out;
  *csr = (struct qn_csr){.num_vertices = job->num_vertices,
                         .num_edges = num_edges,
                         .row_offsets = row_offsets,
                         .column_indices = columns,
                         .weights = {.type = job->weight_type, .data = weights}};
}

enum qn_status qn_build_add_sections(struct qn_build_job *job, uint64_t num_edges,
                                     struct qn_graph_arrays *arrays, struct qn_error *error) {
  enum qn_status status;
  arrays->weights = NULL;
  if ((status = qn_graph_write_rows(job->writer, job->num_vertices, &arrays->row_offsets, error)) ||
      (status = qn_graph_write_columns(job->writer, num_edges, &arrays->column_indices, error)) ||
      (status = qn_graph_write_weights(job->writer, num_edges, &arrays->weights, error)))
    return status;
  qn_build_set_out(job, arrays->row_offsets, arrays->column_indices, arrays->weights, num_edges);
  return QN_OK;
}

static enum qn_status write_out_edges(struct qn_build_job *job, struct qn_error *error) {
  struct qn_graph_arrays arrays;
  uint64_t num_edges = qn_build_count_sorted(&job->buckets);
  enum qn_status status = qn_build_add_sections(job, num_edges, &arrays, error);
  if (status)
    return status;
  qn_progress_begin("writing", "edges", num_edges);
  status = qn_edge_buckets_write(&job->buckets, 0, arrays.row_offsets, arrays.column_indices,
                                 arrays.weights, error);
  qn_progress_end();
  return status;
}

static enum qn_status write_in_edges(struct qn_build_job *job, struct qn_error *error) {
  struct qn_graph_arrays arrays = {0};
  uint64_t num_edges = job->out.num_edges;
  enum qn_status status;
  if ((status =
           qn_graph_write_in_rows(job->writer, job->num_vertices, &arrays.row_offsets, error)) ||
      (status = qn_graph_write_in_columns(job->writer, num_edges, &arrays.column_indices, error)) ||
      (status = qn_graph_write_in_weights(job->writer, num_edges, &arrays.weights, error)))
    return status;
  return qn_csr_transpose(&job->out, &arrays, error);
}

uint64_t qn_build_find_repeated(const struct qn_csr *csr, uint32_t *column) {
  uint64_t found = csr->num_vertices;
#pragma omp parallel for schedule(dynamic, 4096) reduction(min : found)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    for (uint64_t e = csr->row_offsets[v] + 1; e < csr->row_offsets[v + 1]; e++)
      if (csr->column_indices[e] == csr->column_indices[e - 1])
        found = v < found ? v : found;
  for (uint64_t e = found < csr->num_vertices ? csr->row_offsets[found] : 0;
       found < csr->num_vertices; e++)
    if (csr->column_indices[e] == csr->column_indices[e + 1]) {
      *column = csr->column_indices[e];
      break;
    }
  return found;
}

/* What messages call a vertex. */
static const char *vertex_text(const struct qn_build_job *job, uint64_t vertex, char *text,
                               size_t size) {
  char number[32];
  uint64_t length;
  if (job->build->names) {
    const char *name = qn_ids_text(job->build->names, vertex, number, &length);
    snprintf(text, size, "%.*s", (int)length, name);
  } else {
    snprintf(text, size, "%llu", (unsigned long long)qn_id_map_id(job->ids, vertex));
  }
  return text;
}

static enum qn_status refuse_duplicates(struct qn_build_job *job, struct qn_error *error) {
  uint32_t column = 0;
  char row_text[64], column_text[64];
  uint64_t row = qn_build_find_repeated(&job->out, &column);
  if (row == job->num_vertices)
    return QN_OK;
  if (job->build->repeated) {
    job->build->repeated[0] = job->build->names ? row : qn_id_map_id(job->ids, row);
    job->build->repeated[1] = job->build->names ? column : qn_id_map_id(job->ids, column);
  }
  return qn_fail(error, QN_INVALID,
                 "the edge from %s to %s occurs more than once, which the format forbids; "
                 "--duplicates=keep, remove, min or sum accepts it",
                 vertex_text(job, row, row_text, sizeof row_text),
                 vertex_text(job, column, column_text, sizeof column_text));
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status write_ids(struct qn_build_job *job, struct qn_error *error) {
  if (job->build->names)
    return qn_ids_write(job->writer, job->build->names, error);
  if (qn_id_map_is_identity(job->ids))
    return QN_OK;
  uint64_t *numbers;
  enum qn_status status = qn_ids_write_ascending(job->writer, job->num_vertices, &numbers, error);
  if (!status)
    qn_id_map_list(job->ids, numbers);
  return status;
}

static void fill_info(struct qn_build_job *job) {
  const struct qn_build *build = job->build;
  struct qn_container_info *info = qn_writer_info(job->writer);
  info->layout = QN_LAYOUT_GRAPH;
  info->weight_type = job->weight_type;
  info->directedness = build->undirected || build->already_symmetric ? QN_UNDIRECTED : QN_DIRECTED;
  info->num_vertices = job->num_vertices;
}

/* Both directions, if none can be a duplicate. */
static uint64_t expected_copies(const struct qn_build *build) {
  return build->undirected && build->duplicates == QN_DUPLICATES_KEEP ? 2 : 1;
}

void qn_build_expect(struct qn_edge_list *list, const struct qn_build *build,
                     struct qn_writer *writer) {
  qn_edge_list_fills(list, writer, expected_copies(build) * sizeof(uint32_t));
}

/* The out-edges of a list in memory. */
static enum qn_status build_in_memory(struct qn_build_job *job, struct qn_error *error) {
  qn_build_order_blocks(job->list);
  if (qn_build_is_sorted(job))
    return qn_build_sorted(job, error);
  uint64_t lanes = qn_threads();
  uint64_t rows_bytes = (job->num_vertices + 1) * sizeof(uint64_t), sure_bytes = rows_bytes;
  uint64_t most_edges = job->list->num_edges * (job->build->undirected ? 2 : 1);
  struct qn_bucket_shape shape = qn_bucket_shape_for(
      job->num_vertices, job->num_vertices, most_edges, qn_weight_bytes(job->weight_type), lanes);
  enum qn_status status;
  status = qn_edge_buckets_create(job->list->pool, &shape, lanes, &job->buckets, error);
  if (status)
    return status;
  job->buckets.output = job->writer;
  job->buckets.output_head = rows_bytes;
  if (job->build->duplicates == QN_DUPLICATES_KEEP)
    sure_bytes += most_edges * (sizeof(uint32_t) + qn_weight_bytes(job->weight_type));
  qn_writer_expect(job->writer, sure_bytes);
  if ((status = qn_build_spread(job, 0, lanes, false, error)) ||
      (status = sort_buckets(job, error)))
    return status;
  return write_out_edges(job, error);
}

static enum qn_status write_rows(struct qn_build_job *job, struct qn_error *error) {
  const struct qn_build_rows *rows = job->build->rows;
  struct qn_graph_arrays arrays;
  job->weight_type = qn_writer_info(job->writer)->weight_type = rows->weight_type;
  qn_writer_expect(job->writer,
                   (job->num_vertices + 1) * sizeof(uint64_t) +
                       rows->num_edges * (sizeof(uint32_t) + qn_weight_bytes(rows->weight_type)));
  enum qn_status status = qn_build_add_sections(job, rows->num_edges, &arrays, error);
  if (status)
    return status;
  qn_progress_begin("decoding", "edges", rows->num_edges);
  status = rows->write(rows->context, &arrays, error);
  qn_progress_end();
  job->ledger->edges_read = rows->num_edges;
  return status;
}

/* Loops are stored once, other edges twice. */
static void count_undirected(struct qn_build_job *job) {
  const struct qn_build *build = job->build;
  bool merged = build->duplicates != QN_DUPLICATES_KEEP;
  uint64_t loops = merged && job->self_loops ? qn_csr_count_loops(&job->out) : job->self_loops;
  job->ledger->undirected_edges = (job->out.num_edges + loops) / 2;
  if (build->undirected && !merged && !build->unique)
    job->ledger->parallel_edges = qn_csr_count_parallel(&job->out, true);
}

static enum qn_status run(struct qn_build_job *job, struct qn_error *error) {
  const struct qn_build *build = job->build;
  enum qn_status status;
  if ((status = qn_build_check(build, error)) ||
      (status = qn_build_choose_weight_type(job, error)) ||
      (status = qn_id_map_create(job->list, build, &job->ids, error)))
    return status;
  job->num_vertices = qn_id_map_num_vertices(job->ids);
  fill_info(job);
  status = build->rows        ? write_rows(job, error)
           : job->list->spill ? qn_build_on_disk(job, error)
                              : build_in_memory(job, error);
  if (!status)
    status = qn_build_check_rounding(job, error);
  if (status || (build->unique && (status = refuse_duplicates(job, error))))
    return status;
  if (build->check_symmetric && !qn_csr_is_symmetric(&job->out))
    return qn_fail(error, QN_INVALID,
                   "the input calls its graph undirected, but some edge lacks its reverse");
  struct qn_ledger *ledger = job->ledger;
  ledger->edges_written = job->out.num_edges;
  ledger->duplicates_removed =
      ledger->edges_read + ledger->edges_added - ledger->self_loops_removed - ledger->edges_written;
  qn_writer_info(job->writer)->num_edges = job->out.num_edges;
  bool directed = !build->undirected && !build->already_symmetric;
  if (!directed)
    count_undirected(job);
  else if (build->count_parallel && build->duplicates == QN_DUPLICATES_KEEP)
    ledger->parallel_edges = qn_csr_count_parallel(&job->out, false);
  if (build->transpose && directed && (status = write_in_edges(job, error)))
    return status;
  return write_ids(job, error);
}

enum qn_status qn_build_graph(struct qn_edge_list *list, const struct qn_build *build,
                              struct qn_writer *writer, struct qn_ledger *ledger,
                              struct qn_error *error) {
  struct qn_build_job job = {.list = list, .build = build, .writer = writer, .ledger = ledger};
  enum qn_status status = run(&job, error);
  qn_edge_buckets_destroy(&job.buckets);
  qn_id_map_destroy(job.ids);
  return status;
}
