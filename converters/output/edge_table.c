#include "converters/output/edge_table.h"

#include <string.h>

#include "converters/output/property_text.h"
#include "formats/text/quoted_names.h"
#include "formats/text/text_format.h"
#include "support/progress.h"

/* Some hundred KB of text. */
#define PART_EDGES ((uint64_t)32 << 10)

struct job {
  const struct qn_graph *graph;
  const struct qn_listed_edges *listed;
  const struct qn_table_style *style;
  bool all_plain; /* no name is quoted */
  uint64_t tail_length;
  uint64_t written; /* atomic */
};

/* ---- Ids ------------------------------------------------------------------ */

/* Bytes that an id may take. */
static inline uint64_t id_room(const struct job *job, uint64_t vertex) {
  const struct qn_ids *ids = &job->graph->ids;
  if (ids->kind != QN_IDS_STRINGS)
    return QN_MAX_NUMBER_TEXT;
  return QN_QUOTED_NAME_ROOM(ids->string_offsets[vertex + 1] - ids->string_offsets[vertex]);
}

static struct job job_of(const struct qn_graph *graph, const struct qn_listed_edges *listed,
                         const struct qn_table_style *style) {
  return (struct job){
      graph, listed, style, qn_names_are_plain(&graph->ids, style->separator), strlen(style->tail),
      0};
}

static char *put_name(char *p, const struct job *job, const char *text, uint64_t length) {
  if (!job->all_plain)
    return qn_put_quoted_name(p, text, length, job->style->separator);
  memcpy(p, text, length);
  return p + length;
}

static inline char *put_id(char *p, const struct job *job, uint64_t vertex) {
  const struct qn_ids *ids = &job->graph->ids;
  if (ids->kind == QN_IDS_STRINGS)
    return put_name(p, job, ids->string_bytes + ids->string_offsets[vertex],
                    ids->string_offsets[vertex + 1] - ids->string_offsets[vertex]);
  return qn_put_u64(p, qn_listed_id(ids, vertex));
}

static inline char *put_line_end(char *p, const struct job *job) {
  if (job->tail_length) {
    memcpy(p, job->style->tail, job->tail_length);
    p += job->tail_length;
  }
  *p++ = '\n';
  return p;
}

/* ---- Properties ----------------------------------------------------------- */

/* Bytes that the cells of a line may take. */
static uint64_t cells_room(const struct job *job, uint64_t i) {
  const struct qn_property_table *table = job->style->properties;
  uint64_t room = 0;
  for (uint32_t c = 0; table && c < table->count; c++)
    room += qn_property_text_room(&table->columns[c], i) + 1;
  return room;
}

/* Within `room` bytes, whatever a file that is being overwritten says by now. */
static char *put_cells(char *p, const struct job *job, uint64_t i, uint64_t room) {
  const struct qn_property_table *table = job->style->properties;
  const char *end = p + room;
  for (uint32_t c = 0; table && c < table->count && p < end; c++) {
    *p++ = job->style->separator;
    p = qn_put_property(p, end, &table->columns[c], i);
  }
  return p;
}

/* ---- Edges ---------------------------------------------------------------- */

/* The begin of a row's lines. Numbers fit into `text`, and copies of a fixed size are fast; longer
 * names are copied from the first line. */
struct source_text {
  char text[24];
  uint64_t place, length;
};

static char *put_source(char *p, const struct job *job, uint64_t row, struct qn_text_buffer *buffer,
                        struct source_text *source) {
  if (source->length == 0) {
    char *end = put_id(p, job, row);
    *end++ = job->style->separator;
    source->place = buffer->used;
    source->length = (uint64_t)(end - p);
    memcpy(source->text, p, sizeof source->text);
  } else if (source->length <= sizeof source->text) {
    memcpy(p, source->text, sizeof source->text);
  } else {
    memcpy(p, buffer->bytes + source->place, source->length); /* the buffer may have moved */
  }
  return p + source->length;
}

/* Edges [begin, end), all of one row. False if memory ran out. */
static bool format_run(const struct job *job, uint64_t row, uint64_t begin, uint64_t end,
                       struct qn_weight_texts *weights, struct qn_text_buffer *buffer) {
  const struct qn_csr *csr = job->listed->csr;
  struct source_text source = {.length = 0};
  uint64_t fixed_room =
      id_room(job, row) + sizeof source.text + QN_MAX_NUMBER_TEXT + job->tail_length + 3;
  for (uint64_t e = begin; e < end; e++) {
    uint64_t destination = csr->column_indices[e];
    uint64_t room = cells_room(job, e);
    char *p = qn_text_buffer_reserve(buffer, fixed_room + id_room(job, destination) + room);
    if (!p)
      return false;
    p = put_id(put_source(p, job, row, buffer, &source), job, destination);
    if (csr->weights.type != QN_WEIGHT_NONE) {
      *p++ = job->style->separator;
      p = qn_put_weight(p, weights, e);
    }
    qn_text_buffer_advance(buffer, put_line_end(put_cells(p, job, e, room), job));
  }
  return true;
}

/* Are ids numbers, and is nothing but them written? */
static bool is_bare(const struct job *job) {
  return job->graph->ids.kind != QN_IDS_STRINGS && !job->style->properties &&
         job->listed->csr->weights.type == QN_WEIGHT_NONE && job->tail_length == 0;
}

/* As format_run, where lines are bare: room is looked for once. */
static bool format_bare_run(const struct job *job, uint64_t row, uint64_t begin, uint64_t end,
                            struct qn_text_buffer *buffer) {
  enum { AT_ONCE = 1024 };
  const struct qn_ids *ids = &job->graph->ids;
  const uint32_t *columns = job->listed->csr->column_indices;
  char source[QN_MAX_NUMBER_TEXT + 1], *source_end = qn_put_u64(source, qn_listed_id(ids, row));
  *source_end++ = job->style->separator;
  const uint64_t length = (uint64_t)(source_end - source);
  while (begin < end) {
    const uint64_t last = end - begin < AT_ONCE ? end : begin + AT_ONCE;
    char *p =
        qn_text_buffer_reserve(buffer, (last - begin) * (sizeof source + QN_MAX_NUMBER_TEXT + 1));
    if (!p)
      return false;
    for (; begin < last; begin++) {
      memcpy(p, source, 24); /* as long as a number and what separates it can be */
      p = qn_put_u64(p + length, qn_listed_id(ids, columns[begin]));
      *p++ = '\n';
    }
    qn_text_buffer_advance(buffer, p);
  }
  return true;
}

static void format_edges(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  struct job *job = (struct job *)context;
  const struct qn_listed_edges *listed = job->listed;
  uint64_t begin = listed->begin + part * PART_EDGES, written = 0;
  uint64_t end = listed->end - begin < PART_EDGES ? listed->end : begin + PART_EDGES;
  struct qn_edge_runs runs = qn_edge_runs_of(listed, begin, end);
  struct qn_weight_texts weights;
  qn_weight_texts_begin(&weights, &listed->csr->weights, end);
  while (qn_edge_runs_next(&runs)) {
    if (!(is_bare(job) ? format_bare_run(job, runs.row, runs.first, runs.last, buffer)
                       : format_run(job, runs.row, runs.first, runs.last, &weights, buffer)))
      return;
    written += runs.last - runs.first;
  }
#pragma omp atomic
  job->written += written;
  qn_progress_add(end - begin);
}

enum qn_status qn_edge_table_write(const struct qn_graph *graph,
                                   const struct qn_listed_edges *listed,
                                   const struct qn_table_style *style,
                                   struct qn_text_output *output, uint64_t *written,
                                   struct qn_error *error) {
  struct job job = job_of(graph, listed, style);
  uint64_t stored = listed->end - listed->begin;
  qn_progress_begin("writing", "edges", stored);
  enum qn_status status = qn_text_output_parts(output, (stored + PART_EDGES - 1) / PART_EDGES,
                                               format_edges, &job, error);
  qn_progress_end();
  *written = job.written;
  return status;
}

/* ---- Vertices ------------------------------------------------------------- */

static void format_vertices(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct job *job = context;
  uint64_t vertex = part * PART_EDGES, num_vertices = job->graph->out.num_vertices;
  uint64_t last = num_vertices - vertex < PART_EDGES ? num_vertices : vertex + PART_EDGES;
  qn_progress_add(last - vertex);
  for (; vertex < last; vertex++) {
    uint64_t room = cells_room(job, vertex);
    char *p = qn_text_buffer_reserve(buffer, id_room(job, vertex) + room + job->tail_length + 1);
    if (!p)
      return;
    p = put_cells(put_id(p, job, vertex), job, vertex, room);
    qn_text_buffer_advance(buffer, put_line_end(p, job));
  }
}

enum qn_status qn_vertex_table_write(const struct qn_graph *graph,
                                     const struct qn_table_style *style,
                                     struct qn_text_output *output, struct qn_error *error) {
  struct job job = job_of(graph, NULL, style);
  uint64_t num_vertices = graph->out.num_vertices;
  qn_progress_begin("writing", "vertices", num_vertices);
  enum qn_status status = qn_text_output_parts(output, (num_vertices + PART_EDGES - 1) / PART_EDGES,
                                               format_vertices, &job, error);
  qn_progress_end();
  return status;
}
