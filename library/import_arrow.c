/* Imports from streams of Arrow. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "converters/arrays/edge_columns.h"
#include "converters/parse/column_choice.h"
#include "converters/parse/names.h"
#include "library/arrow_vertices.h"
#include "library/importing.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/threads.h"
#include <quern/import.h>

enum { SOURCE, TARGET, WEIGHT, ROLES };

struct arrow_feed {
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  const char *asked[ROLES]; /* the options "source", "target", "weight"; NULL: not given */
  uint32_t number[ROLES];   /* of the column, from 1; 0: none */
  struct qn_arrow_column_type types[ROLES];
  uint64_t num_rows; /* before the batch that is read next */
  struct qn_edge_feed feed;
  const char *wanted; /* properties of edges, or NULL */
  struct qn_arrow_properties properties;
  struct qn_arrow_vertices vertices;
};

static const struct qn_setting column_settings[] = {
    {"source", QN_SETTING_TEXT, .offset = offsetof(struct arrow_feed, asked[SOURCE])},
    {"target", QN_SETTING_TEXT, .offset = offsetof(struct arrow_feed, asked[TARGET])},
    {"weight", QN_SETTING_TEXT, .offset = offsetof(struct arrow_feed, asked[WEIGHT])},
    {"id", QN_SETTING_TEXT, .offset = offsetof(struct arrow_feed, vertices.asked)},
    {"rows", QN_SETTING_SWITCH, .offset = offsetof(struct arrow_feed, vertices.by_row)},
    {0}};

/* ---- Which columns ---------------------------------------------------------- */

static enum qn_status guess_columns(struct arrow_feed *feed, struct qn_error *error) {
  uint64_t count = (uint64_t)feed->schema.n_children;
  const char **names;
  enum qn_status status = qn_alloc(&names, count, sizeof *names, "names of columns", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < count; i++)
    names[i] = feed->schema.children[i]->name ? feed->schema.children[i]->name : "";
  status = qn_column_choice_of_names(names, count, feed->number, error);
  qn_free(names);
  return status;
}

static enum qn_status choose_columns(struct arrow_feed *feed, struct qn_error *error) {
  bool both = feed->asked[SOURCE] && feed->asked[TARGET];
  enum qn_status status = QN_OK;
  if (!both && (feed->asked[SOURCE] || feed->asked[TARGET]))
    return qn_fail(error, QN_USAGE, "--source and --target go together");
  if (!both)
    status = guess_columns(feed, error);
  for (int role = SOURCE; role <= TARGET && both && !status; role++)
    status = qn_arrow_column_find(&feed->schema, feed->asked[role], &feed->number[role], error);
  if (!status && feed->asked[WEIGHT]) {
    feed->number[WEIGHT] = 0;
    if (*feed->asked[WEIGHT])
      status =
          qn_arrow_column_find(&feed->schema, feed->asked[WEIGHT], &feed->number[WEIGHT], error);
  }
  return status;
}

static enum qn_status check_types(const struct arrow_feed *feed, struct qn_error *error) {
  const struct qn_arrow_column_type *types = feed->types;
  if ((types[SOURCE].values.kind == QN_ARROW_NUMBERS) !=
      (types[TARGET].values.kind == QN_ARROW_NUMBERS))
    return qn_fail(error, QN_INVALID,
                   "of the columns '%.64s' and '%.64s' one is of texts and one of numbers",
                   types[SOURCE].name, types[TARGET].name);
  if (feed->number[WEIGHT] && types[WEIGHT].values.kind != QN_ARROW_NUMBERS)
    return qn_fail(error, QN_INVALID, "column '%.64s' is of texts; weights are numbers",
                   types[WEIGHT].name);
  return QN_OK;
}

static enum qn_status read_schema(struct arrow_feed *feed, const struct qn_read_options *options,
                                  struct qn_error *error) {
  int code = feed->stream.get_schema(&feed->stream, &feed->schema);
  if (code)
    return qn_arrow_stream_fail(&feed->stream, code, error);
  if (!feed->schema.format || strcmp(feed->schema.format, "+s") != 0)
    return qn_fail(error, QN_INVALID, "the Arrow stream is not of record batches");
  enum qn_status status = choose_columns(feed, error);
  if (options->weights == QN_WEIGHTS_NONE)
    feed->number[WEIGHT] = 0;
  for (int role = SOURCE; role < ROLES && !status; role++)
    if (feed->number[role])
      status = qn_arrow_column_type(feed->schema.children[feed->number[role] - 1],
                                    &feed->types[role], error);
  return status ? status : check_types(feed, error);
}

/* ---- Edges of batches -------------------------------------------------------- */

/* Batches are read one after the other, until there are some, and then pushed by all threads in
 * slices, whose edges keep their order. */
#define SLICE_ROWS ((uint64_t)1 << 17)
#define SLICE_STREAMS 64 /* numbers of streams that a slice has for itself */
#define MOST_BATCHES 512

struct batch {
  struct ArrowArray array;
  uint64_t row; /* the number of its first */
  struct qn_arrow_column columns[ROLES];
};

struct slice {
  const struct batch *batch;
  uint64_t first, count; /* rows of the batch */
};

struct group {
  struct batch batches[MOST_BATCHES];
  unsigned count;
  uint64_t num_slices;
  bool last;
};

static enum qn_status view_batch(const struct arrow_feed *feed, struct batch *batch,
                                 struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (int role = SOURCE; role < ROLES && !status; role++)
    if (feed->number[role])
      status = qn_arrow_column_view(&feed->types[role], &batch->array, feed->number[role] - 1,
                                    batch->row, &batch->columns[role], error);
  return status;
}

static enum qn_status read_group(struct arrow_feed *feed, struct group *group,
                                 struct qn_error *error) {
  uint64_t enough = 16 * (uint64_t)qn_threads();
  enum qn_status status = QN_OK;
  group->count = 0;
  group->num_slices = 0;
  while (!status && !group->last && group->count < MOST_BATCHES && group->num_slices < enough) {
    struct batch *batch = &group->batches[group->count];
    *batch = (struct batch){.row = feed->num_rows};
    int code = feed->stream.get_next(&feed->stream, &batch->array);
    if (code)
      return qn_arrow_stream_fail(&feed->stream, code, error);
    group->last = !batch->array.release;
    if (group->last)
      break;
    group->count++;
    status = view_batch(feed, batch, error);
    if (!status)
      status = qn_arrow_properties_add(&feed->properties, &batch->array, batch->row, error);
    feed->num_rows += (uint64_t)batch->array.length;
    group->num_slices += ((uint64_t)batch->array.length + SLICE_ROWS - 1) / SLICE_ROWS;
  }
  return status;
}

static void release_group(struct group *group) {
  for (unsigned i = 0; i < group->count; i++)
    group->batches[i].array.release(&group->batches[i].array);
  group->count = 0;
}

static struct slice slice_of(const struct group *group, uint64_t index) {
  for (unsigned i = 0;; i++) {
    uint64_t rows = group->batches[i].columns[SOURCE].num_rows;
    uint64_t slices = (rows + SLICE_ROWS - 1) / SLICE_ROWS, first = index * SLICE_ROWS;
    if (index < slices)
      return (struct slice){&group->batches[i], first,
                            rows - first < SLICE_ROWS ? rows - first : SLICE_ROWS};
    index -= slices;
  }
}

static struct qn_number_array numbers_of(const struct slice *slice, int role) {
  struct qn_number_array numbers = qn_arrow_column_numbers(&slice->batch->columns[role]);
  numbers.data += slice->first * numbers.width;
  numbers.count = slice->count;
  return numbers;
}

/* Put the row in front of what is wrong with it. */
static enum qn_status fail_row(const struct slice *slice, uint64_t row, const char *what,
                               struct qn_error *error) {
  return qn_fail(error, QN_INVALID, "row %" PRIu64 " (from 0): %s",
                 slice->batch->row + slice->first + row, what);
}

/* As of arrays, reals stay reals. */
static enum qn_status choose_weights(const struct arrow_feed *feed, const struct slice *slice,
                                     struct qn_edge_list *list, struct qn_edge_columns *columns,
                                     struct qn_error *error) {
  struct qn_rounding worst;
  if (!feed->number[WEIGHT])
    return QN_OK;
  columns->weights = numbers_of(slice, WEIGHT);
  uint64_t bad = qn_numbers_weight_type(&columns->weights, &columns->weight_type, &worst);
  if (bad < slice->count)
    return fail_row(slice, bad, "the weight is not finite", error);
  if (worst.error > 0)
    qn_edge_list_note_rounded(list, worst.exact, (double)worst.exact);
  if (columns->weights.kind == QN_NUMBERS_REAL)
    columns->weight_type = columns->weights.width == 4 ? QN_WEIGHT_F32 : QN_WEIGHT_F64;
  return QN_OK;
}

/* The same edges, with the numbers of their rows. */
static enum qn_status push_rows(const struct qn_edge_columns *columns, const struct slice *slice,
                                struct qn_edge_list *numbered, uint64_t sequence,
                                struct qn_error *error) {
  struct qn_edge_columns edges = *columns;
  int64_t *rows;
  uint64_t bad;
  enum qn_status status = qn_alloc(&rows, slice->count, sizeof *rows, "numbers of rows", error);
  if (status)
    return status;
  for (uint64_t i = 0; i < slice->count; i++)
    rows[i] = (int64_t)(slice->batch->row + slice->first + i);
  edges.weights = (struct qn_number_array){.data = (const char *)rows,
                                           .count = slice->count,
                                           .kind = QN_NUMBERS_SIGNED,
                                           .width = sizeof *rows};
  edges.weight_type = QN_WEIGHT_I64;
  edges.part_edges = qn_edge_view_capacity(QN_WEIGHT_I64);
  status = qn_edge_columns_push(&edges, numbered, &sequence, &bad, error);
  qn_free(rows);
  return status;
}

/* Beyond it reals skip whole numbers: two ids may have become one. */
#define MOST_REAL 9007199254740992.0

/* Ids that are reals, where a tool has kept whole numbers so; `*held` is what they lie in then. */
static enum qn_status whole_numbers(const struct slice *slice, int role,
                                    struct qn_number_array *numbers, uint64_t **held,
                                    struct qn_error *error) {
  const struct qn_number_array reals = numbers_of(slice, role);
  *numbers = reals;
  if (reals.kind != QN_NUMBERS_REAL)
    return QN_OK;
  enum qn_status status = qn_alloc(held, reals.count, sizeof **held, "ids", error);
  for (uint64_t i = 0; i < reals.count && !status; i++) {
    double id;
    char what[256];
    qn_numbers_weights(&reals, QN_WEIGHT_F64, i, 1, &id);
    if (id >= 0 && id <= MOST_REAL && id == (double)(uint64_t)id) {
      (*held)[i] = (uint64_t)id;
      continue;
    }
    snprintf(what, sizeof what, "%.64s is %.17g, %s", reals.name, id,
             id > MOST_REAL ? "a real number that may have been rounded: cast ids to integers"
                            : "which is not an id: ids are integers from 0, or texts");
    status = fail_row(slice, i, what, error);
  }
  *numbers = (struct qn_number_array){.name = reals.name,
                                      .data = (const char *)*held,
                                      .count = reals.count,
                                      .kind = QN_NUMBERS_UNSIGNED,
                                      .width = sizeof **held};
  return status;
}

static enum qn_status push_numbers(const struct arrow_feed *feed, struct qn_edge_columns *columns,
                                   const struct slice *slice, struct qn_edge_list *list,
                                   uint64_t sequence, struct qn_error *error) {
  uint64_t bad = UINT64_MAX, *held[2] = {NULL, NULL};
  const uint64_t first = sequence;
  columns->part_edges = qn_edge_view_capacity(columns->weight_type);
  enum qn_status status = whole_numbers(slice, SOURCE, &columns->sources, &held[0], error);
  if (!status)
    status = whole_numbers(slice, TARGET, &columns->destinations, &held[1], error);
  if (!status)
    status = qn_edge_columns_push(columns, list, &sequence, &bad, error);
  if (!status && bad != UINT64_MAX)
    status = fail_row(slice, bad, "an id is negative", error);
  if (!status && feed->feed.numbered)
    status = push_rows(columns, slice, feed->feed.numbered, first, error);
  qn_free(held[0]);
  qn_free(held[1]);
  return status;
}

static enum qn_status number_name(const struct slice *slice, int role, uint64_t row,
                                  struct qn_string_map *names, uint64_t *id,
                                  struct qn_error *error) {
  uint64_t length;
  uint32_t number = 0;
  struct qn_error own;
  const char *text =
      qn_arrow_column_text(&slice->batch->columns[role], slice->first + row, &length);
  if (!text)
    return fail_row(slice, row, "the column's dictionary lacks this element", error);
  enum qn_status status = qn_names_number(names, text, length, &number, &own);
  *id = number;
  if (status == QN_INVALID)
    return fail_row(slice, row, own.message, error);
  if (status && error)
    *error = own;
  return status;
}

/* The first failure counts. */
static enum qn_status close_stream(struct qn_edge_stream *stream, enum qn_status status,
                                   struct qn_error *error) {
  struct qn_error closing;
  enum qn_status closed = qn_edge_stream_close(stream, &closing);
  if (status || !closed)
    return status;
  if (error)
    *error = closing;
  return closed;
}

static enum qn_status push_texts(const struct arrow_feed *feed,
                                 const struct qn_edge_columns *columns, const struct slice *slice,
                                 struct qn_edge_list *list, uint64_t sequence,
                                 struct qn_string_map *names, struct qn_error *error) {
  struct qn_edge_list *const numbered = feed->feed.numbered;
  struct qn_edge_stream stream, rows;
  enum qn_status status = QN_OK;
  qn_edge_stream_open(&stream, list, sequence);
  if (numbered)
    qn_edge_stream_open(&rows, numbered, sequence);
  for (uint64_t row = 0; row < slice->count && !status; row++) {
    uint64_t source, target;
    uint64_t bits = 0; /* a weight of the type */
    status = number_name(slice, SOURCE, row, names, &source, error);
    if (!status)
      status = number_name(slice, TARGET, row, names, &target, error);
    if (status)
      break;
    if (columns->weight_type != QN_WEIGHT_NONE)
      qn_numbers_weights(&columns->weights, columns->weight_type, row, 1, &bits);
    qn_edge_push_arrays(&stream, &source, &target, columns->weight_type, &bits, 1);
    if (numbered)
      qn_edge_push_i64(&rows, source, target, (int64_t)(slice->batch->row + slice->first + row));
  }
  status = close_stream(&stream, status, error);
  return numbered ? close_stream(&rows, status, error) : status;
}

static enum qn_status push_slice(const struct arrow_feed *feed, const struct slice *slice,
                                 struct qn_edge_list *list, uint64_t sequence,
                                 struct qn_string_map *names, struct qn_error *error) {
  struct qn_edge_columns columns = {.num_edges = slice->count};
  enum qn_status status = choose_weights(feed, slice, list, &columns, error);
  if (status)
    return status;
  return names ? push_texts(feed, &columns, slice, list, sequence, names, error)
               : push_numbers(feed, &columns, slice, list, sequence, error);
}

/* The first failure counts. */
static enum qn_status push_group(const struct arrow_feed *feed, const struct group *group,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_string_map *names, struct qn_error *error) {
  enum qn_status status = QN_OK;
  uint64_t failed = UINT64_MAX;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t i = 0; i < group->num_slices; i++) {
    struct qn_error own;
    struct slice slice = slice_of(group, i);
    enum qn_status found =
        push_slice(feed, &slice, list, *sequence + i * SLICE_STREAMS, names, &own);
    if (!found)
      continue;
#pragma omp critical(arrow_failure)
    if (i < failed) {
      failed = i;
      status = found;
      if (error)
        *error = own;
    }
  }
  *sequence += group->num_slices * SLICE_STREAMS;
  return status;
}

/* ---- The whole ---------------------------------------------------------------- */

static enum qn_status check_ids_option(const struct arrow_feed *feed,
                                       const struct qn_read_options *options, bool texts,
                                       struct qn_error *error) {
  if (feed->vertices.by_row && (texts || options->numbers || options->strings))
    return qn_fail(error, QN_USAGE, "rows of vertices: ends are numbers, and --ids says nothing");
  if (texts && options->numbers)
    return qn_fail(error, QN_USAGE, "--ids=keep and compact are for numbers, and these are texts");
  if (!texts && options->strings)
    return qn_fail(error, QN_USAGE, "--ids=strings is for texts, and these are numbers");
  return QN_OK;
}

static enum qn_status push_all(struct arrow_feed *feed, struct qn_edge_list *list,
                               uint64_t *sequence, struct qn_string_map *names,
                               struct qn_error *error) {
  struct group *group;
  enum qn_status status = qn_alloc_zeroed(&group, 1, sizeof *group, "record batches", error);
  if (status)
    return status;
  while (!status && !group->last) {
    status = read_group(feed, group, error);
    if (!status)
      status = push_group(feed, group, list, sequence, names, error);
    release_group(group);
    if (!status)
      status = qn_context_check(error);
  }
  qn_free(group);
  return status;
}

static enum qn_status read_stream(void *context, const struct qn_read_options *options,
                                  struct qn_edge_list *list, uint64_t *sequence,
                                  struct qn_read_result *result, struct qn_error *error) {
  struct arrow_feed *feed = context;
  enum qn_status status = read_schema(feed, options, error);
  bool texts = !status && feed->types[SOURCE].values.kind != QN_ARROW_NUMBERS;
  if (!status)
    status = check_ids_option(feed, options, texts, error);
  if (!status && feed->wanted)
    status = qn_arrow_properties_begin(&feed->properties, &feed->schema, feed->wanted, feed->number,
                                       ROLES, error);
  if (!status && texts)
    status = qn_names_begin(result, error);
  if (!status && feed->vertices.stream.release)
    status = qn_arrow_vertices_read(&feed->vertices, texts, result, error);
  qn_edge_list_weights_are_binary(list, QN_WEIGHT_NONE);
  qn_progress_begin("reading", "bytes", 0);
  if (!status)
    status = push_all(feed, list, sequence, result->names_map, error);
  qn_progress_end();
  result->ledger.records += feed->num_rows;
  result->ledger.edges_read += feed->num_rows;
  return status;
}

/* The columns of both tables; the header says which the weights came from. */
static enum qn_status finish_properties(void *context, const struct qn_ids *ids,
                                        struct qn_properties *properties, uint64_t *of_vertex,
                                        struct qn_error *error) {
  struct arrow_feed *feed = context;
  enum qn_status status =
      qn_arrow_properties_finish(&feed->properties, &properties->of_edges, error);
  const char *weight = feed->types[WEIGHT].name;
  if (feed->number[WEIGHT] && qn_property_is_name(weight, strlen(weight)))
    snprintf(properties->weight, sizeof properties->weight, "%s", weight);
  return status || !feed->vertices.stream.release
             ? status
             : qn_arrow_vertices_finish(&feed->vertices, ids, &properties->of_vertices, of_vertex,
                                        error);
}

static enum qn_status prepare(struct qn_importing *importing, struct qn_error *error) {
  struct arrow_feed *feed = importing->feed->context;
  feed->wanted = importing->options.properties;
  bool vertices = feed->vertices.stream.release != NULL;
  if (feed->wanted || vertices)
    feed->feed.properties = finish_properties;
  if (!vertices && (feed->vertices.asked || feed->vertices.by_row))
    return qn_fail(error, QN_USAGE, "--id and --rows are about a table of vertices");
  if (vertices && importing->options.read.num_vertices)
    return qn_fail(error, QN_USAGE, "the vertices are those of their table, or --vertices");
  return QN_OK;
}

enum qn_status qn_import_arrow(struct ArrowArrayStream *stream, const struct qn_option *options,
                               uint64_t num_options, const char *path, const struct qn_job *job,
                               struct qn_session **out, struct qn_error *error) {
  return qn_import_tables(stream, NULL, options, num_options, path, job, out, error);
}

enum qn_status qn_import_tables(struct ArrowArrayStream *stream, struct ArrowArrayStream *vertices,
                                const struct qn_option *options, uint64_t num_options,
                                const char *path, const struct qn_job *job, struct qn_session **out,
                                struct qn_error *error) {
  if (out)
    *out = NULL;
  if (!stream || !stream->release || (vertices && !vertices->release))
    return qn_fail(error, QN_USAGE, "the Arrow stream is released, or was read before");
  struct arrow_feed feed = {.stream = *stream};
  stream->release = NULL;
  if (vertices) {
    feed.vertices.stream = *vertices;
    vertices->release = NULL;
  }
  feed.feed = (struct qn_edge_feed){
      .read = read_stream,
      .release = qn_names_release,
      .context = &feed,
      .expected = {.unknown = true, .weight_bytes = 4, .most_weight_bytes = 8}};
  struct qn_importing importing = {.given = options,
                                   .num_given = num_options,
                                   .path = path,
                                   .out = out,
                                   .feed = &feed.feed,
                                   .more_settings = column_settings,
                                   .more_target = &feed,
                                   .prepare = prepare};
  enum qn_status status = qn_importing_call(&importing, job, error);
  qn_arrow_properties_end(&feed.properties);
  qn_arrow_vertices_end(&feed.vertices);
  if (feed.schema.release)
    feed.schema.release(&feed.schema);
  feed.stream.release(&feed.stream);
  return status;
}

enum qn_status qn_columns_choose(const char *const *names, uint64_t num_names, uint32_t numbers[3],
                                 struct qn_error *error) {
  return qn_column_choice_of_names(names, num_names, numbers, error);
}
