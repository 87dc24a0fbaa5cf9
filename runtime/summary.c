#include "runtime/summary.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "formats/graph/components.h"
#include "kernels/cuts/chunks.h"
#include "kernels/sample.h"
#include "runtime/values.h"
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
  enum qn_status status = qn_component_sizes(result->values, result->num_values, &sizes, error);
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
static uint64_t place_of(const struct qn_run_input *input, const struct qn_run_result *result,
                         uint64_t position) {
  return result->shape == QN_SHAPE_PAIRS ? position : qn_vertex_at(input, position);
}

/* Of positions [begin, end): a heap of as many as rank first, `limit` at most. */
static uint64_t fill_heap(const struct qn_run_input *input, const struct qn_run_result *result,
                          uint64_t begin, uint64_t end, struct ranked *heap, uint64_t limit) {
  uint64_t count = 0;
  for (uint64_t i = begin; i < end; i++) {
    struct ranked entry = {0, i};
    if (!find_rank(result, place_of(input, result, i), &entry.rank))
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
static uint64_t find_top(const struct qn_run_input *input, const struct qn_run_result *result,
                         struct ranked *heaps, uint64_t limit, uint64_t parts) {
  uint64_t all = 0;
#pragma omp parallel for ordered schedule(static, 1)
  for (uint64_t part = 0; part < parts; part++) {
    uint64_t begin, end;
    qn_part_of(result->num_values, parts, part, &begin, &end);
    const uint64_t count = fill_heap(input, result, begin, end, heaps + part * limit, limit);
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

static enum qn_status add_top(const struct qn_run_input *input, const struct qn_run_result *result,
                              uint64_t top, json_t *object, struct qn_error *error) {
  const uint32_t *vertices = qn_result_vertices(result), *others = qn_result_others(result);
  struct ranked *heap;
  uint64_t limit = top < result->num_values ? top : result->num_values;
  /* Of many entries one heap, which is as long as a part would be. */
  const uint64_t parts = limit <= FEW_ENTRIES ? qn_threads() : 1;
  enum qn_status status = qn_alloc(&heap, parts * limit, sizeof *heap, "ranking", error);
  if (status)
    return status;
  uint64_t count = limit ? find_top(input, result, heap, limit, parts) : 0;
  json_t *list = json_array();
  for (uint64_t i = 0; i < count; i++) {
    const uint64_t place = place_of(input, result, heap[i].position);
    const uint64_t vertex = vertices ? vertices[place] : place;
    json_t *entry = json_pack("{s:o, s:o}", "id", qn_id_json(input, vertex), "value",
                              value_json(result, place));
    if (others)
      json_object_set_new(entry, "other", qn_id_json(input, others[place]));
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
static void add_path(const struct qn_run_input *input, const struct qn_run_result *result,
                     json_t *object) {
  json_t *path = json_array();
  for (uint64_t i = 0; i < result->num_values; i++)
    json_array_append_new(path, qn_id_json(input, result->path[i]));
  json_object_set_new(object, "hops", json_integer((json_int_t)result->num_values - 1));
  json_object_set_new(object, "length", value_json(result, result->num_values - 1));
  json_object_set_new(object, "path", path);
}

static enum qn_status summarize_values(const struct qn_run *run, json_t *object,
                                       struct qn_error *error) {
  struct figures figures;
  if (run->algorithm->values & QN_VALUES_VERTICES)
    return add_components(&run->result, object, error);
  enum qn_status status = find_figures(&run->result, &figures, error);
  if (status)
    return status;
  if (run->algorithm->values & QN_VALUES_LEVELS)
    return add_levels(&run->result, &figures, object, error);
  add_figures(&run->result, &figures, object);
  return QN_OK;
}

static void add_sizes(const struct qn_run_result *result, json_t *object) {
  if (result->shape == QN_SHAPE_SAMPLE) {
    const struct qn_sample *sample = result->sample;
    json_object_set_new(object, "nodes", json_integer((json_int_t)sample->num_nodes));
    json_object_set_new(object, "edges", json_integer((json_int_t)sample->num_edges));
    return;
  }
  json_object_set_new(object, "walks", json_integer((json_int_t)result->num_values));
  json_object_set_new(object, "steps", json_integer((json_int_t)result->walks.steps));
}

static enum qn_status summarize(const struct qn_run_input *input, const struct qn_run *run,
                                int64_t top, json_t *object, struct qn_error *error) {
  if (run->result.shape == QN_SHAPE_PATH) {
    add_path(input, &run->result, object);
    return QN_OK;
  }
  if (top < 0)
    top = run->algorithm->values & QN_VALUES_RANKED ? DEFAULT_TOP : 0;
  enum qn_status status = summarize_values(run, object, error);
  if (!status && top > 0 && !(run->algorithm->values & QN_VALUES_VERTICES))
    status = add_top(input, &run->result, (uint64_t)top, object, error);
  return status;
}

/* Each column as if it were all. */
static enum qn_status summarize_columns(const struct qn_run_input *input, const struct qn_run *run,
                                        int64_t top, json_t *object, struct qn_error *error) {
  const uint64_t bytes = run->result.num_values * qn_result_bytes(run->result.type);
  const struct qn_result_columns *of = &run->result.columns;
  struct qn_run one = *run;
  json_t *columns = json_array();
  enum qn_status status = QN_OK;
  json_object_set_new(object, "columns", columns);
  for (uint32_t i = 0; !status && i < of->count; i++) {
    json_t *column = json_object();
    if (of->names)
      json_object_set_new(column, "name", json_string(of->names[i]));
    one.result.shape = QN_SHAPE_VALUES;
    one.result.values = (char *)run->result.values + i * bytes;
    status = summarize(input, &one, top, column, error);
    json_array_append_new(columns, column);
  }
  return status;
}

enum qn_status qn_summary_create(const struct qn_run_input *input, const struct qn_run *run,
                                 int64_t top, json_t **out, struct qn_error *error) {
  json_t *object = *out = json_object();
  if (run->algorithm->counts) {
    json_object_set_new(object, run->algorithm->counts,
                        json_integer((json_int_t)run->result.number));
    return QN_OK;
  }
  if (run->algorithm->shape == QN_SHAPE_WALKS || run->algorithm->shape == QN_SHAPE_SAMPLE) {
    add_sizes(&run->result, object);
    return QN_OK;
  }
  enum qn_status status = run->result.shape == QN_SHAPE_COLUMNS
                              ? summarize_columns(input, run, top, object, error)
                              : summarize(input, run, top, object, error);
  if (!status && run->result.shape == QN_SHAPE_VALUES && run->result.score.key)
    json_object_set_new(object, run->result.score.key, json_real(run->result.score.value));
  if (status) {
    json_decref(object);
    *out = NULL;
  }
  return status;
}

static void print_levels(const json_t *levels, FILE *stream) {
  size_t level, shown = 24, count = json_array_size(levels);
  for (level = 0; level < count; level++) {
    if (level == shown && count > shown + 1) {
      fprintf(stream, "  ... and %zu more levels (--json lists them all)\n", count - shown);
      break;
    }
    char text[32];
    uint64_t vertices = (uint64_t)json_integer_value(json_array_get(levels, level));
    fprintf(stream, "  level %-6zu %15s vertices\n", level,
            qn_count_text(vertices, text, sizeof text));
  }
}

static void print_top(const json_t *top, FILE *stream) {
  size_t place;
  const json_t *entry;
  json_array_foreach((json_t *)top, place, entry) {
    const json_t *value = json_object_get(entry, "value");
    const char *other = json_string_value(json_object_get(entry, "other"));
    const char *id = json_string_value(json_object_get(entry, "id"));
    if (other)
      fprintf(stream, "  %4zu. %-20s %-20s", place + 1, id, other);
    else
      fprintf(stream, "  %4zu. %-40s ", place + 1, id);
    json_dumpf(value, stream, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    putc('\n', stream);
  }
}

/* Each with its largest values. */
static void print_named_columns(const json_t *columns, FILE *stream) {
  size_t i;
  const json_t *column;
  json_array_foreach((json_t *)columns, i, column) {
    fprintf(stream, "%s\n", json_string_value(json_object_get(column, "name")));
    print_top(json_object_get(column, "top"), stream);
  }
}

static void print_columns(const json_t *columns, FILE *stream) {
  char count[32], least[32], most[32];
  uint64_t fewest = UINT64_MAX, greatest = 0;
  size_t i;
  const json_t *column;
  json_array_foreach((json_t *)columns, i, column) {
    const uint64_t reached = (uint64_t)json_integer_value(json_object_get(column, "reached"));
    fewest = reached < fewest ? reached : fewest;
    greatest = reached > greatest ? reached : greatest;
  }
  fprintf(stream, "%-10s %s, with %s to %s vertices reached\n", "columns",
          qn_count_text(json_array_size(columns), count, sizeof count),
          qn_count_text(fewest, least, sizeof least), qn_count_text(greatest, most, sizeof most));
}

/* The ends and some of what lies between them. */
static void print_path(const json_t *path, FILE *stream) {
  const size_t count = json_array_size(path), shown = 12;
  fprintf(stream, "%-10s", "path");
  for (size_t i = 0; i < count; i++)
    if (count <= 2 * shown || i < shown || i >= count - shown)
      fprintf(stream, " %s", json_string_value(json_array_get(path, i)));
    else if (i == shown)
      fprintf(stream, " ... (%zu more)", count - 2 * shown);
  putc('\n', stream);
}

void qn_summary_print(const json_t *summary, FILE *stream) {
  const char *key;
  json_t *value;
  json_object_foreach((json_t *)summary, key, value) {
    char text[32];
    if (json_is_integer(value)) {
      fprintf(stream, "%-10s %s\n", key,
              qn_count_text((uint64_t)json_integer_value(value), text, sizeof text));
    } else if (json_is_real(value)) {
      fprintf(stream, "%-10s %.9g\n", key, json_real_value(value));
    } else if (strcmp(key, "columns") == 0) {
      (json_object_get(json_array_get(value, 0), "name") ? print_named_columns
                                                         : print_columns)(value, stream);
    } else if (strcmp(key, "path") == 0) {
      print_path(value, stream);
    } else {
      fprintf(stream, "%s\n", key);
      (json_is_object(json_array_get(value, 0)) ? print_top : print_levels)(value, stream);
    }
  }
}
