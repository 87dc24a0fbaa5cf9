#include "formats/temporal/between.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/properties/time_index.h"
#include "formats/text/calendar.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include "support/tool.h"
#include <quern/graph.h>
#include <quern/layouts.h>
#include <quern/metadata.h>
#include <quern/properties.h>
#include <quern/remote.h>
#include <quern/transpose.h>

const struct qn_setting qn_between_settings[] = {
    {"between", QN_SETTING_TEXT, offsetof(struct qn_between, range), .argument = "FIRST,LAST",
     .group = QN_BETWEEN_GROUP,
     .help = "Only edges whose time is from FIRST to LAST, both included, such as "
             "2024-01-01,2024-06-30; without one of them, there is no such limit"},
    {"time", QN_SETTING_TEXT, offsetof(struct qn_between, property), .argument = "PROPERTY",
     .group = QN_BETWEEN_GROUP,
     .help =
         "The property of edges that --between is about: a date, a time or an integer (default: "
         "the only one that is a date or a time)"},
    {0}};

enum qn_status qn_between_settle(const struct qn_between *between, struct qn_error *error) {
  if (between->property && !between->range)
    return qn_fail(error, QN_USAGE, "--time is for --between FIRST,LAST");
  if (between->range && !strchr(between->range, ','))
    return qn_fail(error, QN_USAGE, "--between takes FIRST,LAST, not %.200s", between->range);
  return QN_OK;
}

/* ---- The property ---------------------------------------------------------------- */

static bool is_time(enum qn_property_type type) {
  const enum qn_property_class class = qn_property_class_of(type);
  return !qn_property_dimension(type) && (class == QN_PROPERTY_DAYS || class == QN_PROPERTY_TIME);
}

static bool is_integer(enum qn_property_type type) {
  const enum qn_property_class class = qn_property_class_of(type);
  return !qn_property_dimension(type) &&
         (class == QN_PROPERTY_UNSIGNED || class == QN_PROPERTY_SIGNED);
}

enum qn_status qn_time_property_find(const struct qn_property_table *table, const char *wanted,
                                     uint32_t *found, struct qn_error *error) {
  uint32_t count = 0;
  char type[QN_PROPERTY_TYPE_BYTES];
  for (uint32_t i = 0; i < table->count; i++) {
    const struct qn_property *column = &table->columns[i];
    if (wanted ? strcmp(column->name, wanted) != 0 : !is_time(column->type))
      continue;
    if (wanted && !is_time(column->type) && !is_integer(column->type))
      return qn_fail(error, QN_USAGE,
                     "the property %s is %s; a date, a time or an integer is needed", wanted,
                     qn_property_type_name(column->type, type));
    *found = i;
    count++;
  }
  if (count == 1)
    return QN_OK;
  if (wanted)
    return qn_fail(error, QN_USAGE, "edges do not have a property %.200s", wanted);
  return qn_fail(error, QN_USAGE,
                 count ? "several properties of edges are times: --time says which"
                       : "no property of edges is a date or a time: --time names an integer that "
                         "stands for one");
}

/* ---- The range ------------------------------------------------------------------- */

/* Of times and signed integers; unsigned ones are compared as such. */
struct range {
  bool is_unsigned;
  int64_t first, last;
  uint64_t low, high;
};

static enum qn_status fail_end(const char *text, uint64_t length, const struct qn_property *column,
                               struct qn_error *error) {
  char type[QN_PROPERTY_TYPE_BYTES];
  return qn_fail(error, QN_USAGE, "--between: '%.*s' is no value of the property %s, which is %s",
                 (int)(length < 100 ? length : 100), text, column->name,
                 qn_property_type_name(column->type, type));
}

/* A day alone is all of it: as a first end its begin, as a last one its end. */
static bool parse_time(const char *text, uint64_t length, enum qn_property_type type, bool is_last,
                       int64_t *time) {
  const unsigned decimals = qn_property_time_decimals(type);
  const bool utc = qn_property_is_utc(type);
  int64_t day = 86400;
  int32_t days;
  for (unsigned i = 0; i < decimals; i++)
    day *= 10;
  if (qn_parse_date(text, length, &days))
    return !__builtin_mul_overflow(days, day, time) &&
           !(is_last && __builtin_add_overflow(*time, day - 1, time));
  return qn_parse_timestamp(text, length, decimals, utc, time);
}

static bool parse_signed(const char *text, int64_t *number) {
  char *end;
  errno = 0;
  *number = strtoll(text, &end, 10);
  return errno == 0 && *end == '\0' && end != text;
}

static enum qn_status parse_end(const char *text, uint64_t length, bool is_last,
                                const struct qn_property *column, struct range *range,
                                struct qn_error *error) {
  int64_t *signed_end = is_last ? &range->last : &range->first;
  char copy[64];
  int32_t days;
  bool good = length < sizeof copy;
  if (length == 0)
    return QN_OK;
  snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : 0), text);
  switch (qn_property_class_of(column->type)) {
  case QN_PROPERTY_DAYS:
    good = good && qn_parse_date(text, length, &days);
    if (good)
      *signed_end = days;
    break;
  case QN_PROPERTY_TIME:
    good = good && parse_time(text, length, column->type, is_last, signed_end);
    break;
  case QN_PROPERTY_UNSIGNED:
    good = good && !qn_whole_parse(copy, 0, UINT64_MAX, is_last ? &range->high : &range->low, NULL);
    break;
  default:
    good = good && parse_signed(copy, signed_end);
  }
  return good ? QN_OK : fail_end(text, length, column, error);
}

static enum qn_status parse_range(const char *text, const struct qn_property *column,
                                  struct range *range, struct qn_error *error) {
  const char *comma = strchr(text, ',');
  *range = (struct range){.is_unsigned = qn_property_class_of(column->type) == QN_PROPERTY_UNSIGNED,
                          .first = INT64_MIN,
                          .last = INT64_MAX,
                          .high = UINT64_MAX};
  enum qn_status status = parse_end(text, (uint64_t)(comma - text), false, column, range, error);
  if (!status)
    status = parse_end(comma + 1, strlen(comma + 1), true, column, range, error);
  if (!status && (range->first > range->last || range->low > range->high))
    status = qn_fail(error, QN_USAGE, "--between: %s ends before it begins", text);
  return status;
}

/* 64 values from `i` on, of which `count` are there: a bit for each that lies in the range. Where a
 * range begins, and how far it goes, are the same modulo 2^64 for signed and unsigned numbers. */
#define MARK(type)                                                                                 \
  static uint64_t mark_##type(const void *values, uint64_t i, uint64_t count, uint64_t low,        \
                              uint64_t width) {                                                    \
    const type *from = (const type *)values + i;                                                   \
    uint64_t bits = 0;                                                                             \
    for (uint64_t bit = 0; bit < count; bit++)                                                     \
      bits |= (uint64_t)((uint64_t)from[bit] - low <= width) << bit;                               \
    return bits;                                                                                   \
  }
MARK(int8_t)
MARK(int16_t)
MARK(int32_t)
MARK(int64_t)
MARK(uint8_t)
MARK(uint16_t)
MARK(uint32_t)
MARK(uint64_t)

typedef uint64_t mark(const void *values, uint64_t i, uint64_t count, uint64_t low, uint64_t width);

static mark *mark_of(const struct qn_property *column) {
  static mark *const marks[2][4] = {{mark_int8_t, mark_int16_t, mark_int32_t, mark_int64_t},
                                    {mark_uint8_t, mark_uint16_t, mark_uint32_t, mark_uint64_t}};
  const unsigned bytes = qn_property_value_bytes(column->type);
  return marks[qn_property_class_of(column->type) == QN_PROPERTY_UNSIGNED][__builtin_ctz(bytes)];
}

/* A bit for each of `count` edges that lies in the range, and is not null. */
static void mark_edges(const struct range *range, const struct qn_property *column, uint64_t count,
                       uint64_t *picked) {
  mark *const mark_values = mark_of(column);
  const uint64_t low = range->is_unsigned ? range->low : (uint64_t)range->first;
  const uint64_t width = (range->is_unsigned ? range->high : (uint64_t)range->last) - low;
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < count; i += 64) {
    const uint64_t left = count - i < 64 ? count - i : 64;
    uint64_t bits = mark_values(column->values, i, left, low, width), valid = UINT64_MAX;
    if (column->valid) {
      valid = 0;
      memcpy(&valid, column->valid + i / 8, (left + 7) / 8); /* little-endian */
    }
    picked[i / 64] = bits & valid;
  }
}

/* ---- The graph ------------------------------------------------------------------- */

struct picking {
  const struct qn_between *between;
  const struct qn_container *container;
  bool values; /* properties come along */
  struct qn_graph graph;
  struct qn_properties properties;
  const struct qn_property *column;
  struct range range;
  struct qn_writer *writer;
  uint64_t *picked; /* bits of edges, [E / 64 + 1] */
  uint64_t num_edges;
  struct qn_graph_arrays out, in;
  uint64_t *records; /* [num_edges] which edges they were */
  /* Where an index is used, these edges of it in place of all: */
  struct qn_time_index index;
  bool by_index;
  struct qn_timed_edge *timed; /* [num_timed] in graph order */
  uint64_t num_timed;
};

/* ---- By an index ----------------------------------------------------------------- */

/* Of more edges all are looked at: the index has them in another order, and in four pieces. */
static bool is_few(uint64_t edges, uint64_t of_all) {
  return edges <= of_all / 32 + 64;
}

/* What vertices are called is all else that is read. */
static enum qn_status verify_ids(const struct qn_container *container, struct qn_error *error) {
  static const char *const ids[] = {"original_ids", "id_offsets", "id_bytes", NULL};
  return qn_container_verify_sections(container, ids, error);
}

/* Use the index, if there is one that helps. */
static enum qn_status use_index(struct picking *picking, uint32_t column, struct qn_error *error) {
  const struct range *range = &picking->range;
  struct qn_time_index *index = &picking->index;
  uint64_t begin = 0, end = 0;
  enum qn_status status =
      qn_time_index_view(picking->container, column, picking->column, index, error);
  if (status || !index->is_there || qn_container_is_remote(picking->container))
    return status;
  const uint64_t first =
      range->is_unsigned ? range->low : qn_time_key_of(false, (uint64_t)range->first);
  const uint64_t last =
      range->is_unsigned ? range->high : qn_time_key_of(false, (uint64_t)range->last);
  status = qn_time_index_find(index, first, last, &begin, &end, error);
  if (status || !is_few(end - begin, qn_container_info(picking->container)->num_edges))
    return status;
  picking->by_index = true;
  picking->num_timed = end - begin;
  status = qn_time_index_read(index, begin, end, &picking->timed, error);
  if (!status)
    status = qn_graph_view(picking->container, &picking->graph, error);
  return status ? status : verify_ids(picking->container, error);
}

static enum qn_status fail_index(const struct picking *picking, struct qn_error *error) {
  return qn_container_violation(picking->container, error, "P-13",
                                "the index of %s by time is not of this graph's edges",
                                picking->column->name);
}

/* Edges are in graph order, so that rows ascend, and columns in each. */
static enum qn_status add_timed_rows(struct picking *picking, uint64_t *offsets,
                                     struct qn_error *error) {
  const uint32_t *ends = picking->index.ends->data;
  const uint64_t num_vertices = picking->graph.out.num_vertices;
  for (uint64_t i = 0; i < picking->num_timed; i++) {
    const uint32_t *own = ends + 2 * picking->timed[i].place;
    if (own[0] >= num_vertices || own[1] >= num_vertices ||
        picking->timed[i].edge >= picking->graph.out.num_edges)
      return fail_index(picking, error);
    if (i > 0) {
      const uint32_t *before = ends + 2 * picking->timed[i - 1].place;
      if (picking->timed[i - 1].edge >= picking->timed[i].edge || before[0] > own[0] ||
          (before[0] == own[0] && before[1] > own[1]))
        return fail_index(picking, error);
    }
    offsets[own[0] + 1]++;
  }
  return QN_OK;
}

static void copy_timed(const struct picking *picking) {
  const struct qn_time_index *index = &picking->index;
  const unsigned width = qn_weight_bytes(picking->graph.out.weights.type);
#pragma omp parallel for schedule(static)
  for (uint64_t i = 0; i < picking->num_timed; i++) {
    const uint64_t place = picking->timed[i].place;
    picking->out.column_indices[i] = ((const uint32_t *)index->ends->data)[2 * place + 1];
    if (width)
      qn_weight_copy(picking->out.weights, i, index->loads->data, place, width);
    picking->records[i] = picking->timed[i].edge;
  }
}

static enum qn_status view_graph(struct picking *picking, struct qn_error *error) {
  const struct qn_container *container = picking->container;
  const struct qn_layout_operations *operations;
  enum qn_status status;
  if (qn_container_info(container)->layout == QN_LAYOUT_GRAPH) {
    status = qn_graph_view(container, &picking->graph, error);
    return status ? status
                  : qn_container_confirm(container,
                                         qn_graph_check_all(container, &picking->graph, error),
                                         qn_container_verify, error);
  }
  status = qn_layout_operations(container, &operations, error);
  if (!status)
    status = qn_container_confirm(container, operations->verify(container, error),
                                  qn_container_verify, error);
  return status ? status : operations->restore(container, &picking->graph, error);
}

static enum qn_status view(struct picking *picking, struct qn_error *error) {
  const struct qn_container *container = picking->container;
  uint32_t found = 0;
  enum qn_status status = qn_properties_view(container, &picking->properties, error);
  if (!status)
    status = qn_time_property_find(&picking->properties.of_edges, picking->between->property,
                                   &found, error);
  if (status)
    return status;
  picking->column = &picking->properties.of_edges.columns[found];
  status = parse_range(picking->between->range, picking->column, &picking->range, error);
  if (!status)
    status = use_index(picking, found, error);
  if (!status && (picking->values || !picking->by_index))
    status = qn_properties_check(container, &picking->properties, error);
  return status || picking->by_index ? status : view_graph(picking, error);
}

static uint64_t picked_words(const struct picking *picking) {
  return picking->graph.out.num_edges / 64 + 1;
}

/* The next edge of [edge, end) that is picked; `end` if there is none. */
static uint64_t next_picked(const uint64_t *picked, uint64_t edge, uint64_t end) {
  while (edge < end) {
    const uint64_t left = picked[edge / 64] >> edge % 64;
    if (left) {
      edge += (unsigned)__builtin_ctzll(left);
      return edge < end ? edge : end;
    }
    edge = (edge / 64 + 1) * 64;
  }
  return end;
}

static void count_picked(const struct picking *picking, uint64_t *offsets) {
  const struct qn_csr *from = &picking->graph.out;
#pragma omp parallel for schedule(dynamic, 4096)
  for (uint64_t v = 0; v < from->num_vertices; v++) {
    const uint64_t end = from->row_offsets[v + 1];
    uint64_t count = 0;
    for (uint64_t e = next_picked(picking->picked, from->row_offsets[v], end); e < end;
         e = next_picked(picking->picked, e + 1, end))
      count++;
    offsets[v + 1] = count;
  }
}

static enum qn_status add_picked_rows(struct picking *picking, uint64_t *offsets,
                                      struct qn_error *error) {
  enum qn_status status = qn_pages_alloc(&picking->picked, picked_words(picking),
                                         sizeof *picking->picked, "edges", error);
  if (status)
    return status;
  mark_edges(&picking->range, picking->column, picking->graph.out.num_edges, picking->picked);
  count_picked(picking, offsets);
  return QN_OK;
}

/* Where rows begin. */
static enum qn_status add_rows(struct picking *picking, struct qn_error *error) {
  const uint64_t num_vertices = picking->graph.out.num_vertices;
  uint64_t *offsets;
  enum qn_status status = qn_graph_write_rows(picking->writer, num_vertices, &offsets, error);
  if (!status)
    status = picking->by_index ? add_timed_rows(picking, offsets, error)
                               : add_picked_rows(picking, offsets, error);
  if (status)
    return status;
  picking->out.row_offsets = offsets;
  for (uint64_t v = 0; v < num_vertices; v++)
    offsets[v + 1] += offsets[v];
  picking->num_edges = offsets[num_vertices];
  return QN_OK;
}

static void copy_row(const struct picking *picking, uint64_t v) {
  const struct qn_csr *from = &picking->graph.out;
  const unsigned width = qn_weight_bytes(from->weights.type);
  const uint64_t end = picking->out.row_offsets[v + 1], last = from->row_offsets[v + 1];
  uint64_t edge = next_picked(picking->picked, from->row_offsets[v], last);
  for (uint64_t at = picking->out.row_offsets[v]; at < end && edge < last; at++) {
    picking->out.column_indices[at] = from->column_indices[edge];
    if (width)
      qn_weight_copy(picking->out.weights, at, from->weights.data, edge, width);
    picking->records[at] = edge;
    edge = next_picked(picking->picked, edge + 1, last);
  }
}

static enum qn_status add_edges(struct picking *picking, struct qn_error *error) {
  struct qn_graph_arrays *out = &picking->out;
  enum qn_status status =
      qn_graph_write_columns(picking->writer, picking->num_edges, &out->column_indices, error);
  if (!status)
    status = qn_graph_write_weights(picking->writer, picking->num_edges, &out->weights, error);
  if (!status)
    status = qn_bulk_alloc(&picking->records, picking->num_edges, sizeof *picking->records,
                           "numbers of edges", error);
  if (status)
    return status;
  if (picking->by_index) {
    copy_timed(picking);
    return QN_OK;
  }
#pragma omp parallel for schedule(dynamic, 4096)
  for (uint64_t v = 0; v < picking->graph.out.num_vertices; v++)
    copy_row(picking, v);
  return QN_OK;
}

static enum qn_status add_in_edges(struct picking *picking, struct qn_error *error) {
  struct qn_graph_arrays *in = &picking->in;
  const struct qn_csr *from = &picking->graph.out;
  if (!picking->graph.has_transpose || picking->graph.directedness == QN_UNDIRECTED)
    return QN_OK;
  const struct qn_csr made = {
      .num_vertices = from->num_vertices,
      .num_edges = picking->num_edges,
      .row_offsets = picking->out.row_offsets,
      .column_indices = picking->out.column_indices,
      .weights = {.type = from->weights.type, .data = picking->out.weights}};
  enum qn_status status =
      qn_graph_write_in_rows(picking->writer, from->num_vertices, &in->row_offsets, error);
  if (!status)
    status =
        qn_graph_write_in_columns(picking->writer, picking->num_edges, &in->column_indices, error);
  if (!status)
    status = qn_graph_write_in_weights(picking->writer, picking->num_edges, &in->weights, error);
  return status ? status : qn_csr_transpose(&made, in, error);
}

static enum qn_status add_metadata(const struct picking *picking, struct qn_error *error) {
  json_t *source = NULL;
  enum qn_status status = qn_container_metadata(picking->container, &source, error);
  if (status)
    return status;
  json_t *metadata =
      json_pack("{s:s, s:s, s:{s:o, s:o}, s:{s:o, s:O*}}", "tool", "quern-transform", "version",
                QN_VERSION, "options", "between", qn_json_text(picking->between->range), "time",
                qn_json_text(picking->column->name), "source", "identity",
                json_sprintf("%016" PRIx64, qn_container_info(picking->container)->header_checksum),
                "metadata", source);
  json_decref(source);
  status = metadata ? qn_writer_metadata(picking->writer, metadata, error)
                    : qn_fail_memory(error, "metadata", 0);
  json_decref(metadata);
  return status;
}

static enum qn_status write_graph(struct picking *picking, struct qn_error *error) {
  const struct qn_csr *from = &picking->graph.out;
  struct qn_container_info *info = qn_writer_info(picking->writer);
  info->layout = QN_LAYOUT_GRAPH;
  info->weight_type = from->weights.type;
  info->directedness = picking->graph.directedness;
  info->num_vertices = from->num_vertices;
  enum qn_status status = add_rows(picking, error);
  info->num_edges = picking->num_edges;
  if (!status)
    status = add_edges(picking, error);
  if (!status)
    status = add_in_edges(picking, error);
  if (!status)
    status = qn_ids_write(picking->writer, &picking->graph.ids, error);
  if (!status && picking->values)
    status =
        qn_properties_write(picking->writer, &picking->properties, NULL, picking->records, error);
  return status ? status : add_metadata(picking, error);
}

static enum qn_status write_nameless(struct picking *picking, struct qn_container **made,
                                     struct qn_error *error) {
  enum qn_status status = qn_writer_create(NULL, false, &picking->writer, error);
  if (status)
    return status;
  status = write_graph(picking, error);
  if (!status)
    return qn_writer_commit_nameless(picking->writer, qn_container_path(picking->container), made,
                                     error);
  qn_writer_abort(picking->writer);
  return status;
}

enum qn_status qn_between_pick(const struct qn_between *between, struct qn_container *container,
                               bool values, struct qn_container **made, struct qn_error *error) {
  struct picking picking = {.between = between, .container = container, .values = values};
  *made = NULL;
  qn_progress_begin("picking edges", "edges", qn_container_info(container)->num_edges);
  enum qn_status status = view(&picking, error);
  if (!status)
    status = write_nameless(&picking, made, error);
  if (!status)
    status = qn_container_unchanged(container, error);
  qn_progress_end();
  qn_pages_free(picking.picked, picking.picked ? picked_words(&picking) : 0,
                sizeof *picking.picked);
  qn_pages_free(picking.records, picking.num_edges, sizeof *picking.records);
  qn_pages_free(picking.timed, picking.num_timed, sizeof *picking.timed);
  qn_properties_release(&picking.properties);
  qn_graph_unmap(&picking.graph);
  if (status) {
    qn_container_unmap(*made);
    *made = NULL;
  }
  return status;
}

enum qn_status qn_between_apply(const struct qn_between *between, struct qn_container **container,
                                bool values, struct qn_error *error) {
  struct qn_container *made;
  if (!qn_between_is_asked(between))
    return QN_OK;
  enum qn_status status = qn_between_pick(between, *container, values, &made, error);
  if (status)
    return status;
  qn_container_unmap(*container);
  *container = made;
  return QN_OK;
}
