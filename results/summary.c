#include "results/summary.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "formats/graph/components.h"
#include "kernels/sample.h"
#include "kernels/work_division/chunks.h"
#include "results/values.h"
#include "support/memory.h"
#include "support/multiversion.h"
#include "support/sizes.h"
#include "support/threads.h"

#define DEFAULT_TOP 10
/* Beyond so many levels a private histogram for each thread costs more than it saves. */
#define FEW_LEVELS 4096
/* So few are counted in several histograms by turns. */
#define FEW_TURNED 255
/* So many of the largest values are found by each thread for its part. */
#define FEW_ENTRIES 4096

struct figures {
  uint64_t reached;
  uint64_t least, most; /* of whole numbers, which a double may not hold */
  double min, max, sum;
};
static const struct figures no_figures = {0, UINT64_MAX, 0, INFINITY, -INFINITY, 0};

/* Of words, which most results are: without a branch a value, and exact. One more than a word is 0
 * where there is none. */
QN_VECTOR_CLONES static struct figures figures_of_words(const uint32_t *values, uint64_t count) {
  uint64_t sum = 0;
  uint32_t none = 0, min = UINT32_MAX, above_max = 0;
#pragma omp simd reduction(+ : sum, none) reduction(min : min) reduction(max : above_max)
  for (uint64_t i = 0; i < count; i++) {
    const uint32_t word = values[i], above = word + 1;
    none += above == 0;
    sum += word;
    min = word < min ? word : min;
    above_max = above > above_max ? above : above_max;
  }
  if (none == count)
    return no_figures;
  const uint32_t max = above_max - 1;
  sum -= (uint64_t)none * UINT32_MAX;
  return (struct figures){count - none, min, max, min, max, (double)sum};
}

static struct figures figures_of_wide(const uint64_t *values, uint64_t count) {
  struct figures figures = no_figures;
  for (uint64_t i = 0; i < count; i++) {
    if (values[i] == UINT64_MAX)
      continue;
    figures.reached++;
    figures.least = values[i] < figures.least ? values[i] : figures.least;
    figures.most = values[i] > figures.most ? values[i] : figures.most;
    figures.sum += (double)values[i];
  }
  figures.min = figures.reached ? (double)figures.least : (double)INFINITY;
  figures.max = figures.reached ? (double)figures.most : -(double)INFINITY;
  return figures;
}

static struct figures figures_of(const struct qn_run_result *result, uint64_t begin, uint64_t end) {
  struct figures figures = no_figures;
  if (result->type == QN_RESULT_U32)
    return figures_of_words((const uint32_t *)result->values + begin, end - begin);
  if (result->type == QN_RESULT_U64)
    return figures_of_wide((const uint64_t *)result->values + begin, end - begin);
  for (uint64_t v = begin; v < end; v++) {
    const double value = qn_value_number(result, v);
    if (isinf(value))
      continue;
    figures.reached++;
    figures.min = fmin(figures.min, value);
    figures.max = fmax(figures.max, value);
    figures.sum += value;
  }
  return figures;
}

/* In chunks added up in order: the sum is the same for any number of threads. */
static enum qn_status find_figures(const struct qn_run_result *result, struct figures *figures,
                                   struct qn_error *error) {
  struct qn_sum sum;
  uint64_t num_values = result->num_values, reached = 0, least = UINT64_MAX, most = 0;
  double min = INFINITY, max = -INFINITY;
  enum qn_status status = qn_sum_create(&sum, qn_sweep_chunks(num_values), error);
  if (status)
    return status;
#pragma omp parallel for schedule(static) reduction(+ : reached)                                   \
    reduction(min : min, least) reduction(max : max, most)
  for (uint64_t chunk = 0; chunk < sum.num_parts; chunk++) {
    const uint64_t begin = chunk * QN_SWEEP_VERTICES, left = num_values - begin;
    const struct figures here =
        figures_of(result, begin, begin + (left < QN_SWEEP_VERTICES ? left : QN_SWEEP_VERTICES));
    reached += here.reached;
    least = here.least < least ? here.least : least;
    most = here.most > most ? here.most : most;
    min = fmin(min, here.min);
    max = fmax(max, here.max);
    sum.parts[chunk] = here.sum;
  }
  *figures = (struct figures){reached, least, most, min, max, qn_sum_total(&sum)};
  qn_sum_destroy(&sum);
  return QN_OK;
}

/* Each entry of `levels` in turn counts for one of these, so that a value need not wait until the
 * one before it is counted. The last level is for what is in none. */
#define TURNS 4
static void count_words(const uint32_t *words, uint64_t count, uint64_t *levels,
                        uint64_t num_levels) {
  uint64_t turns[TURNS][FEW_TURNED + 1] = {0};
  for (uint64_t i = 0; i < count; i++)
    turns[i % TURNS][words[i] < num_levels ? words[i] : num_levels]++;
  for (uint64_t level = 0; level < num_levels; level++)
    for (int turn = 0; turn < TURNS; turn++)
      levels[level] += turns[turn][level];
}

/* Of the values of one chunk. */
static void count_chunk(const struct qn_run_result *result, uint64_t begin, uint64_t count,
                        uint64_t *levels, uint64_t num_levels) {
  if (result->type == QN_RESULT_U32 && num_levels <= FEW_TURNED) {
    count_words((const uint32_t *)result->values + begin, count, levels, num_levels);
    return;
  }
  for (uint64_t v = begin; v < begin + count; v++) {
    const double value = qn_value_number(result, v);
    if (!isinf(value))
      levels[(uint64_t)value]++;
  }
}

/* A histogram for each thread, in memory of its own: a reduction would have it on the thread's
 * stack. */
static enum qn_status count_levels(const struct qn_run_result *result, uint64_t *levels,
                                   uint64_t num_levels, struct qn_error *error) {
  const unsigned threads = num_levels <= FEW_LEVELS ? (unsigned)omp_get_max_threads() : 1;
  uint64_t *counts;
  enum qn_status status = qn_alloc_zeroed(&counts, (uint64_t)threads * num_levels, sizeof *counts,
                                          "histograms of levels", error);
  if (status)
    return status;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (uint64_t begin = 0; begin < result->num_values; begin += QN_SWEEP_VERTICES) {
    const uint64_t left = result->num_values - begin;
    count_chunk(result, begin, left < QN_SWEEP_VERTICES ? left : QN_SWEEP_VERTICES,
                counts + (uint64_t)omp_get_thread_num() * num_levels, num_levels);
  }
  for (unsigned thread = 0; thread < threads; thread++)
    for (uint64_t level = 0; level < num_levels; level++)
      levels[level] += counts[thread * num_levels + level];
  qn_free(counts);
  return QN_OK;
}

static enum qn_status add_levels(const struct qn_run_result *result, const struct figures *figures,
                                 json_t *object, struct qn_error *error) {
  uint64_t num_levels = figures->reached ? (uint64_t)figures->max + 1 : 0;
  uint64_t *levels;
  enum qn_status status =
      qn_alloc_zeroed(&levels, num_levels, sizeof *levels, "histogram of levels", error);
  if (status)
    return status;
  if (num_levels)
    status = count_levels(result, levels, num_levels, error);
  if (status) {
    qn_free(levels);
    return status;
  }
  json_t *list = json_array();
  for (uint64_t level = 0; level < num_levels; level++)
    json_array_append_new(list, json_integer((json_int_t)levels[level]));
  json_object_set_new(object, "reached", json_integer((json_int_t)figures->reached));
  json_object_set_new(object, "levels", list);
  qn_free(levels);
  return QN_OK;
}

static enum qn_status add_components(const struct qn_run_result *result, json_t *object,
                                     struct qn_error *error) {
  struct qn_component_sizes sizes;
  enum qn_status status =
      result->type == QN_RESULT_U64
          ? qn_component_sizes_wide(result->values, result->num_values, &sizes, error)
          : qn_component_sizes(result->values, result->num_values, &sizes, error);
  if (status)
    return status;
  json_object_set_new(object, "count", json_integer((json_int_t)sizes.count));
  json_object_set_new(object, "largest", json_integer((json_int_t)sizes.largest));
  return QN_OK;
}

struct ranked {
  uint64_t rank;     /* by value */
  uint64_t position; /* in original order */
};

/* Does `a` come behind `b` in the ranking? */
static bool ranks_behind(const struct ranked *a, const struct ranked *b) {
  return a->rank < b->rank || (a->rank == b->rank && a->position > b->position);
}

/* What ascends as values do; false: there is none. */
static bool find_rank(const struct qn_run_result *result, uint64_t place, uint64_t *rank) {
  const double number = qn_value_number(result, place) + 0.0; /* of two zeroes one */
  if (result->type == QN_RESULT_U64) {
    *rank = ((const uint64_t *)result->values)[place];
  } else {
    memcpy(rank, &number, sizeof *rank);
    *rank ^= *rank >> 63 ? UINT64_MAX : (uint64_t)1 << 63;
  }
  return !isinf(number);
}

/* Restore the heap, whose root ranks last, from `hole` downwards. */
static void sift_down(struct ranked *heap, uint64_t count, uint64_t hole, struct ranked entry) {
  for (;;) {
    uint64_t child = 2 * hole + 1;
    if (child + 1 < count && ranks_behind(&heap[child + 1], &heap[child]))
      child++;
    if (child >= count || !ranks_behind(&heap[child], &entry))
      break;
    heap[hole] = heap[child];
    hole = child;
  }
  heap[hole] = entry;
}

/* Where the value is that comes at `position` in original order; pairs have their own order. */
static uint64_t place_of(const struct qn_labels *labels, const struct qn_run_result *result,
                         uint64_t position) {
  return result->shape == QN_SHAPE_PAIRS ? position : qn_vertex_at(labels, position);
}

/* Of positions [begin, end): a heap of as many as rank first, `limit` at most. */
static uint64_t fill_heap(const struct qn_labels *labels, const struct qn_run_result *result,
                          uint64_t begin, uint64_t end, struct ranked *heap, uint64_t limit) {
  uint64_t count = 0;
  for (uint64_t i = begin; i < end; i++) {
    struct ranked entry = {0, i};
    if (!find_rank(result, place_of(labels, result, i), &entry.rank))
      continue;
    if (count < limit) {
      heap[count++] = entry;
      if (count == limit)
        for (uint64_t hole = limit; hole-- > 0;)
          sift_down(heap, limit, hole, heap[hole]);
    } else if (ranks_behind(&heap[0], &entry)) {
      sift_down(heap, limit, 0, entry);
    }
  }
  if (count < limit)
    for (uint64_t hole = count; hole-- > 0;)
      sift_down(heap, count, hole, heap[hole]);
  return count;
}

static int compare_ranked(const void *a, const void *b) {
  return ranks_behind(a, b) ? 1 : -1; /* no two have one position */
}

/* `heaps` [parts * limit]: the first entries are those of all that rank first, in order. Returns
 * how many. */
static uint64_t find_top(const struct qn_labels *labels, const struct qn_run_result *result,
                         struct ranked *heaps, uint64_t limit, uint64_t parts) {
  uint64_t all = 0;
#pragma omp parallel for ordered schedule(static, 1)
  for (uint64_t part = 0; part < parts; part++) {
    uint64_t begin, end;
    qn_part_of(result->num_values, parts, part, &begin, &end);
    const uint64_t count = fill_heap(labels, result, begin, end, heaps + part * limit, limit);
#pragma omp ordered
    {
      memmove(heaps + all, heaps + part * limit, count * sizeof *heaps);
      all += count;
    }
  }
  qsort(heaps, all, sizeof *heaps, compare_ranked);
  return all < limit ? all : limit;
}

/* jansson has no larger integers. */
static json_t *whole_json(uint64_t value) {
  return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

static json_t *value_json(const struct qn_run_result *result, uint64_t vertex) {
  if (result->type == QN_RESULT_U64)
    return whole_json(((const uint64_t *)result->values)[vertex]);
  if (result->type == QN_RESULT_U32)
    return json_integer((json_int_t)qn_value_number(result, vertex));
  return json_real(qn_value_number(result, vertex));
}

static enum qn_status add_top(const struct qn_labels *labels, const struct qn_run_result *result,
                              uint64_t top, json_t *object, struct qn_error *error) {
  const uint32_t *vertices = qn_result_vertices(result), *others = qn_result_others(result);
  struct ranked *heap;
  uint64_t limit = top < result->num_values ? top : result->num_values;
  /* Of many entries one heap, which is as long as a part would be. */
  const uint64_t parts = limit <= FEW_ENTRIES ? qn_threads() : 1;
  enum qn_status status = qn_alloc(&heap, parts * limit, sizeof *heap, "ranking", error);
  if (status)
    return status;
  uint64_t count = limit ? find_top(labels, result, heap, limit, parts) : 0;
  json_t *list = json_array();
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t place = place_of(labels, result, heap[i].position);
    const uint64_t vertex = vertices ? vertices[place] : place;
    json_t *entry = json_pack("{s:o, s:o}", "id", qn_id_json(labels->ids, vertex), "value",
                              value_json(result, place));
    if (others)
      json_object_set_new(entry, "other", qn_id_json(labels->ids, others[place]));
    json_array_append_new(list, entry);
  }
  json_object_set_new(object, "top", list);
  qn_free(heap);
  return QN_OK;
}

static void add_figures(const struct qn_run_result *result, const struct figures *figures,
                        json_t *object) {
  bool whole = result->type == QN_RESULT_U32 || result->type == QN_RESULT_U64;
  json_object_set_new(object, "reached", json_integer((json_int_t)figures->reached));
  if (figures->reached == 0)
    return;
  json_object_set_new(object, "min", whole ? whole_json(figures->least) : json_real(figures->min));
  json_object_set_new(object, "max", whole ? whole_json(figures->most) : json_real(figures->max));
  json_object_set_new(object, "sum", json_real(figures->sum));
}

/* The path, its ends included, and its length. */
static void add_path(const struct qn_labels *labels, const struct qn_run_result *result,
                     json_t *object) {
  json_t *path = json_array();
  for (uint64_t i = 0; i < result->num_values; i++)
    json_array_append_new(path, qn_id_json(labels->ids, result->path[i]));
  json_object_set_new(object, "hops", json_integer((json_int_t)result->num_values - 1));
  json_object_set_new(object, "length", value_json(result, result->num_values - 1));
  json_object_set_new(object, "path", path);
}

static enum qn_status add_values(const struct qn_algorithm *algorithm,
                                 const struct qn_run_result *result, json_t *object,
                                 struct qn_error *error) {
  struct figures figures;
  if (algorithm->values & QN_VALUES_VERTICES)
    return add_components(result, object, error);
  enum qn_status status = find_figures(result, &figures, error);
  if (status)
    return status;
  if (algorithm->values & QN_VALUES_LEVELS)
    return add_levels(result, &figures, object, error);
  add_figures(result, &figures, object);
  return QN_OK;
}

static void add_whole(json_t *object, const char *key, uint64_t number) {
  json_object_set_new(object, key, json_integer((json_int_t)number));
}

static enum qn_status summarize(const struct qn_labels *labels,
                                const struct qn_algorithm *algorithm,
                                const struct qn_run_result *result, int64_t top, json_t *object,
                                struct qn_error *error);

/* Each column as if it were all. */
static enum qn_status add_columns(const struct qn_labels *labels,
                                  const struct qn_algorithm *algorithm,
                                  const struct qn_run_result *result, int64_t top, json_t *object,
                                  struct qn_error *error) {
  const uint64_t bytes = result->num_values * qn_result_bytes(result->type);
  const struct qn_result_columns *columns = &result->columns;
  json_t *list = json_array();
  enum qn_status status = QN_OK;
  json_object_set_new(object, "columns", list);
  for (uint32_t i = 0; !status && i < columns->count; i++) {
    const struct qn_run_result one = {.type = result->type,
                                      .num_values = result->num_values,
                                      .values = (char *)result->values + i * bytes};
    json_t *column = json_object();
    if (columns->names)
      json_object_set_new(column, "name", json_string(columns->names[i]));
    status = summarize(labels, algorithm, &one, top, column, error);
    json_array_append_new(list, column);
  }
  return status;
}

static enum qn_status summarize(const struct qn_labels *labels,
                                const struct qn_algorithm *algorithm,
                                const struct qn_run_result *result, int64_t top, json_t *object,
                                struct qn_error *error) {
  enum qn_status status;
  switch (result->shape) {
  case QN_SHAPE_NUMBER:
    return add_whole(object, algorithm->counts, result->number), QN_OK;
  case QN_SHAPE_WALKS:
    add_whole(object, "walks", result->num_values);
    return add_whole(object, "steps", result->walks.steps), QN_OK;
  case QN_SHAPE_SAMPLE:
    add_whole(object, "nodes", result->sample->num_nodes);
    return add_whole(object, "edges", result->sample->num_edges), QN_OK;
  case QN_SHAPE_PATH:
    return add_path(labels, result, object), QN_OK;
  case QN_SHAPE_COLUMNS:
    return add_columns(labels, algorithm, result, top, object, error);
  default:
    if (top < 0)
      top = algorithm->values & QN_VALUES_RANKED ? DEFAULT_TOP : 0;
    status = add_values(algorithm, result, object, error);
    if (!status && top > 0 && !(algorithm->values & QN_VALUES_VERTICES))
      status = add_top(labels, result, (uint64_t)top, object, error);
    if (!status && result->shape == QN_SHAPE_VALUES && result->score.key)
      json_object_set_new(object, result->score.key, json_real(result->score.value));
    return status;
  }
}

enum qn_status qn_summary_create(const struct qn_labels *labels,
                                 const struct qn_algorithm *algorithm,
                                 const struct qn_run_result *result, int64_t top, json_t **out,
                                 struct qn_error *error) {
  json_t *object = json_object();
  enum qn_status status = summarize(labels, algorithm, result, top, object, error);
  *out = status ? NULL : object;
  if (status)
    json_decref(object);
  return status;
}
