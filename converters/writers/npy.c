/* NumPy arrays (.npy): two rows of original ids, the sources and the destinations of all edges, as
 * DGL and PyTorch Geometric keep them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/output/edge_runs.h"
#include "converters/output/writer.h"
#include "formats/arrays/npy_header.h"
#include "support/progress.h"

#define PART_EDGES ((uint64_t)64 << 10)

struct job {
  struct qn_listed_edges listed;
  const struct qn_ids *ids;
  bool destinations;
};

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct job *job = context;
  uint64_t begin = job->listed.begin + part * PART_EDGES;
  uint64_t end = job->listed.end - begin < PART_EDGES ? job->listed.end : begin + PART_EDGES;
  char *p = qn_text_buffer_reserve(buffer, (end - begin) * 8);
  if (!p)
    return;
  struct qn_edge_runs runs = qn_edge_runs_of(&job->listed, begin, end);
  while (qn_edge_runs_next(&runs)) {
    for (uint64_t e = runs.first; e < runs.last; e++, p += 8) {
      uint64_t id =
          qn_listed_id(job->ids, job->destinations ? job->listed.csr->column_indices[e] : runs.row);
      memcpy(p, &id, 8);
    }
  }
  qn_text_buffer_advance(buffer, p);
  qn_progress_add(end - begin);
}

/* Ids from 2^63 on do not fit in the i8 that other programs expect. */
static bool has_large_id(const struct qn_ids *ids) {
  uint64_t large = 0;
  if (ids->kind != QN_IDS_NUMBERS)
    return false;
#pragma omp parallel for schedule(static) reduction(+ : large)
  for (uint64_t v = 0; v < ids->num_vertices; v++)
    large += ids->numbers[v] > INT64_MAX;
  return large > 0;
}

static enum qn_status write_header(const struct qn_ids *ids, uint64_t num_edges,
                                   struct qn_text_output *output, struct qn_error *error) {
  char header[QN_NPY_HEADER_BYTES], shape[32];
  snprintf(shape, sizeof shape, "(2, %" PRIu64 ")", num_edges);
  qn_npy_header(header, has_large_id(ids) ? "<u8" : "<i8", shape);
  return qn_text_output_write(output, header, sizeof header, error);
}

static enum qn_status write_npy(const struct qn_graph *graph,
                                const struct qn_write_options *options,
                                struct qn_text_output *output, uint64_t *written,
                                struct qn_error *error) {
  struct job job = {.listed = qn_listed_edges_of(graph, options), .ids = &graph->ids};
  uint64_t stored = job.listed.end - job.listed.begin;
  uint64_t num_parts = (stored + PART_EDGES - 1) / PART_EDGES;
  if (graph->ids.kind == QN_IDS_STRINGS)
    return qn_fail(
        error, QN_UNSUPPORTED,
        "ids in a NumPy array of edges are numbers, and those of this graph are strings");
  *written = qn_listed_edges_count(&job.listed);
  enum qn_status status = write_header(&graph->ids, *written, output, error);
  qn_progress_begin("writing", "edges", 2 * stored);
  if (!status)
    status = qn_text_output_parts(output, num_parts, format_part, &job, error);
  job.destinations = true;
  if (!status)
    status = qn_text_output_parts(output, num_parts, format_part, &job, error);
  qn_progress_end();
  return status;
}

const struct qn_graph_writer qn_graph_writer_npy = {
    .name = "npy",
    .losses = QN_LOSES_WEIGHTS | QN_LOSES_UNDIRECTED | QN_LOSES_ISOLATED,
    .file_end = ".npy",
    .write = write_npy,
};
