/* Text edge lists: source<TAB>destination[<TAB>weight], by original ids. An undirected edge
 * is written once. Tabs, because ids that are text may have spaces in them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/edge_runs.h"
#include "converters/text_format.h"
#include "converters/writer.h"
#include "support/progress.h"

/* Some hundred KB of text. */
#define PART_EDGES ((uint64_t)32 << 10)

struct job {
  struct qn_listed_edges listed;
  const struct qn_ids *ids;
  uint64_t written; /* atomic */
};

static inline uint64_t id_bytes(const struct qn_ids *ids, uint64_t vertex) {
  if (ids->kind == QN_IDS_STRINGS)
    return ids->string_offsets[vertex + 1] - ids->string_offsets[vertex];
  return QN_MAX_NUMBER_TEXT;
}

static inline char *put_id(char *p, const struct qn_ids *ids, uint64_t vertex) {
  if (ids->kind == QN_IDS_DENSE)
    return qn_put_u64(p, vertex);
  if (ids->kind == QN_IDS_NUMBERS)
    return qn_put_u64(p, ids->numbers[vertex]);
  uint64_t length = id_bytes(ids, vertex);
  memcpy(p, ids->string_bytes + ids->string_offsets[vertex], length);
  return p + length;
}

/* Edges [begin, end), all of one row. False if memory ran out. */
static bool format_row(const struct job *job, uint64_t row, uint64_t begin, uint64_t end,
                       struct qn_text_buffer *buffer) {
  const struct qn_csr *csr = job->listed.csr;
  uint64_t source_room = id_bytes(job->ids, row);
  char *source = NULL; /* where the row's first line begins */
  uint64_t source_place = 0, source_length = 0;
  for (uint64_t e = begin; e < end; e++) {
    uint64_t destination = csr->column_indices[e];
    uint64_t room = source_room + id_bytes(job->ids, destination) + QN_MAX_NUMBER_TEXT + 3;
    char *p = qn_text_buffer_reserve(buffer, room);
    if (!p)
      return false;
    if (!source_length) {
      source_place = buffer->used;
      char *source_end = put_id(p, job->ids, row);
      *source_end++ = '\t';
      source_length = (uint64_t)(source_end - p);
      p = source_end;
    } else {
      source = buffer->bytes + source_place; /* the buffer may have moved */
      memcpy(p, source, source_length);
      p += source_length;
    }
    p = put_id(p, job->ids, destination);
    if (csr->weights.type != QN_WEIGHT_NONE) {
      *p++ = '\t';
      p = qn_put_weight(p, &csr->weights, e);
    }
    *p++ = '\n';
    qn_text_buffer_advance(buffer, p);
  }
  return true;
}

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  struct job *job = (struct job *)context;
  uint64_t begin = job->listed.begin + part * PART_EDGES, written = 0;
  uint64_t end = job->listed.end - begin < PART_EDGES ? job->listed.end : begin + PART_EDGES;
  struct qn_edge_runs runs = qn_edge_runs_of(&job->listed, begin, end);
  while (qn_edge_runs_next(&runs)) {
    if (!format_row(job, runs.row, runs.first, runs.last, buffer))
      return;
    written += runs.last - runs.first;
  }
#pragma omp atomic
  job->written += written;
  qn_progress_add(end - begin);
}

static enum qn_status write_head(const struct qn_graph *graph, bool once,
                                 struct qn_text_output *output, struct qn_error *error) {
  char text[320];
  bool undirected = graph->directedness == QN_UNDIRECTED;
  int length = snprintf(
      text, sizeof text,
      "# %s graph: %" PRIu64 " vertices, %" PRIu64 " edges stored%s\n# source\tdestination%s\n",
      undirected ? "Undirected" : "Directed", graph->out.num_vertices, graph->out.num_edges,
      once ? "; each is listed once, import it with --undirected" : "",
      graph->out.weights.type == QN_WEIGHT_NONE ? "" : "\tweight");
  return qn_text_output_write(output, text, (uint64_t)length, error);
}

static enum qn_status write_edges(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  struct qn_text_output *output, uint64_t *written,
                                  struct qn_error *error) {
  struct job job = {.listed = qn_listed_edges_of(graph, options), .ids = &graph->ids};
  enum qn_status status = write_head(graph, job.listed.once, output, error);
  if (status)
    return status;
  uint64_t stored = job.listed.end - job.listed.begin;
  qn_progress_begin("writing", "edges", stored);
  status = qn_text_output_parts(output, (stored + PART_EDGES - 1) / PART_EDGES, format_part, &job,
                                error);
  qn_progress_end();
  *written = job.written;
  return status;
}

const struct qn_graph_writer qn_graph_writer_edges = {
    .name = "edges",
    .write = write_edges,
};
