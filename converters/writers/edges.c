/* Text edge lists: source<TAB>destination[<TAB>weight], by original ids. An undirected edge
 * is written once. Tabs, because ids that are text may have spaces in them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/row_parts.h"
#include "converters/text_format.h"
#include "converters/writer.h"
#include "support/progress.h"

/* Some hundred KB of text. */
#define PART_EDGES ((uint64_t)32 << 10)

struct job {
  const struct qn_csr *csr;
  const struct qn_ids *ids;
  bool once;        /* write only edges whose destination is not before the source */
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

/* The first edge in [begin, end) whose destination is `row` or comes after it. */
static uint64_t skip_written(const struct qn_csr *csr, uint64_t row, uint64_t begin, uint64_t end) {
  while (begin < end) {
    uint64_t middle = begin + (end - begin) / 2;
    if (csr->column_indices[middle] < row)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin;
}

/* Edges [begin, end), all of one row. False if memory ran out. */
static bool format_row(const struct job *job, uint64_t row, uint64_t begin, uint64_t end,
                       struct qn_text_buffer *buffer) {
  const struct qn_csr *csr = job->csr;
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
  const struct qn_csr *csr = job->csr;
  uint64_t edge = part * PART_EDGES, written = 0;
  uint64_t last = edge + PART_EDGES < csr->num_edges ? edge + PART_EDGES : csr->num_edges;
  for (uint64_t row = qn_row_of_edge(csr, edge); edge < last; row++) {
    uint64_t row_end = csr->row_offsets[row + 1] < last ? csr->row_offsets[row + 1] : last;
    uint64_t begin = job->once ? skip_written(csr, row, edge, row_end) : edge;
    if (!format_row(job, row, begin, row_end, buffer))
      return;
    written += row_end - begin;
    edge = row_end;
  }
#pragma omp atomic
  job->written += written;
  qn_progress_add(PART_EDGES);
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
  struct job job = {.csr = &graph->out,
                    .ids = &graph->ids,
                    .once = graph->directedness == QN_UNDIRECTED && !options->both_directions};
  enum qn_status status = write_head(graph, job.once, output, error);
  if (status)
    return status;
  uint64_t num_edges = graph->out.num_edges;
  qn_progress_begin("writing", "edges", num_edges);
  status = qn_text_output_parts(output, (num_edges + PART_EDGES - 1) / PART_EDGES, format_part,
                                &job, error);
  qn_progress_end();
  *written = job.written;
  return status;
}

const struct qn_graph_writer qn_graph_writer_edges = {
    .name = "edges",
    .write = write_edges,
};
