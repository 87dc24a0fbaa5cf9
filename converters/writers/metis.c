/* METIS graphs: a line of neighbours for every vertex, numbered from 1 in the container's order.
 * The format knows simple undirected graphs only, and edge weights that are whole and positive:
 * gpmetis reads them into 32 bits with a sign. */
#include <inttypes.h>
#include <stdio.h>

#include "converters/output/losses.h"
#include "converters/output/property_text.h"
#include "converters/output/writer.h"
#include "formats/text/text_format.h"
#include "support/memory.h"
#include "support/progress.h"
#include <quern/properties.h>

/* Edges and vertices of a part, about. */
#define PART_WORK ((uint64_t)32 << 10)
#define EDGE_BYTES (2 * (QN_MAX_NUMBER_TEXT + 1))

/* ---- Sizes and weights of vertices ---------------------------------------- */

/* A graph, and what stands before the neighbours of a vertex. */
struct job {
  const struct qn_csr *csr;
  const struct qn_property **numbers; /* [count]: a size, then weights */
  uint32_t count;
  bool has_sizes;
};

/* Of what is signed, too: below 0 it is too large. */
static uint64_t whole_at(const struct qn_property *column, uint64_t i) {
  return qn_property_class_of(column->type) == QN_PROPERTY_SIGNED
             ? (uint64_t)qn_property_signed(column, i)
             : qn_property_unsigned(column, i);
}

/* Whole numbers from 0 to 2^31 - 1, as gpmetis reads them, and one for every vertex. */
static bool fits(const struct qn_property *column) {
  uint64_t beyond = 0;
  const enum qn_property_class kind = qn_property_class_of(column->type);
  if (column->nulls || qn_property_dimension(column->type) ||
      (kind != QN_PROPERTY_UNSIGNED && kind != QN_PROPERTY_SIGNED))
    return false;
#pragma omp parallel for schedule(static) reduction(+ : beyond)
  for (uint64_t i = 0; i < column->count; i++)
    beyond += whole_at(column, i) > INT32_MAX;
  return beyond == 0;
}

static const struct qn_property *find_numbers(const struct qn_property_table *table,
                                              const char *name) {
  const struct qn_property *column = qn_property_find(table, name);
  return column && fits(column) ? column : NULL;
}

/* The properties called size, and weight or weight1, weight2, ... */
static void choose_numbers(struct job *job, const struct qn_property_table *table) {
  const struct qn_property *column = find_numbers(table, "size");
  job->has_sizes = column != NULL;
  if (column)
    job->numbers[job->count++] = column;
  if ((column = find_numbers(table, "weight"))) {
    job->numbers[job->count++] = column;
    return;
  }
  for (uint32_t i = 1; i <= table->count; i++) {
    char name[32];
    snprintf(name, sizeof name, "weight%" PRIu32, i);
    if (!(column = find_numbers(table, name)))
      break;
    job->numbers[job->count++] = column;
  }
}

static enum qn_status begin_numbers(struct job *job, const struct qn_write_options *options,
                                    struct qn_error *error) {
  if (!options->properties)
    return QN_OK;
  const struct qn_property_table *table = &options->properties->of_vertices;
  enum qn_status status =
      qn_alloc(&job->numbers, table->count, sizeof *job->numbers, "weights of vertices", error);
  if (status)
    return status;
  choose_numbers(job, table);
  const uint32_t lost = table->count - job->count;
  return lost ? qn_loses(options, error,
                         "the properties of vertices, %" PRIu32
                         ", are not in the output, but for size and weight, or weight1, weight2 "
                         "and so on, where all are integers from 0 to 2^31 - 1",
                         lost)
              : QN_OK;
}

/* ---- Vertices ------------------------------------------------------------- */

/* The first vertex before which `work` edges and vertices lie. */
static uint64_t vertex_at(const struct qn_csr *csr, uint64_t work) {
  uint64_t low = 0, high = csr->num_vertices;
  while (low < high) {
    uint64_t middle = low + (high - low) / 2;
    if (csr->row_offsets[middle] + middle < work)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct job *job = context;
  const struct qn_csr *csr = job->csr;
  uint64_t vertex = vertex_at(csr, part * PART_WORK);
  uint64_t last = vertex_at(csr, (part + 1) * PART_WORK);
  uint64_t edges = csr->row_offsets[last] - csr->row_offsets[vertex];
  char *p = qn_text_buffer_reserve(
      buffer, edges * EDGE_BYTES + (last - vertex) * (1 + job->count * (QN_MAX_NUMBER_TEXT + 1)));
  if (!p)
    return;
  struct qn_weight_texts weights;
  qn_weight_texts_begin(&weights, &csr->weights, csr->row_offsets[last]);
  for (; vertex < last; vertex++) {
    uint64_t begin = csr->row_offsets[vertex], end = csr->row_offsets[vertex + 1];
    for (uint32_t i = 0; i < job->count; i++) {
      if (i > 0)
        *p++ = ' ';
      p = qn_put_u64(p, whole_at(job->numbers[i], vertex));
    }
    for (uint64_t edge = begin; edge < end; edge++) {
      if (edge > begin || job->count)
        *p++ = ' ';
      p = qn_put_u64(p, (uint64_t)csr->column_indices[edge] + 1);
      if (csr->weights.type == QN_WEIGHT_NONE)
        continue;
      *p++ = ' ';
      p = qn_put_weight(p, &weights, edge);
    }
    *p++ = '\n';
  }
  qn_text_buffer_advance(buffer, p);
  qn_progress_add(edges);
}

#define WITHOUT_WEIGHTS                                                                            \
  "quern-import --weights=none leaves them out, quern-transform --random-weights=1,1,0 makes all " \
  "1"

/* The format has no place for these. */
struct obstacles {
  uint64_t loops, repeated, weights;
};

static bool weight_fits(const struct qn_weights *weights, uint64_t edge) {
  if (weights->type == QN_WEIGHT_U32)
    return weights->u32[edge] - 1 < INT32_MAX;
  return weights->type != QN_WEIGHT_I64 || (uint64_t)weights->i64[edge] - 1 < INT32_MAX;
}

static struct obstacles find_obstacles(const struct qn_csr *csr) {
  uint64_t loops = 0, repeated = 0, weights = 0;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : loops, repeated, weights)
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    for (uint64_t e = csr->row_offsets[v]; e < csr->row_offsets[v + 1]; e++) {
      loops += csr->column_indices[e] == v;
      repeated += e > csr->row_offsets[v] && csr->column_indices[e] == csr->column_indices[e - 1];
      weights += !weight_fits(&csr->weights, e);
    }
  return (struct obstacles){loops, repeated, weights};
}

static enum qn_status check_graph(const struct qn_graph *graph, struct qn_error *error) {
  if (graph->directedness != QN_UNDIRECTED)
    return qn_fail(error, QN_UNSUPPORTED,
                   "METIS graphs are undirected, and this one is not; quern-transform --symmetrize "
                   "makes it so");
  struct obstacles found = find_obstacles(&graph->out);
  if (found.loops)
    return qn_fail(error, QN_UNSUPPORTED,
                   "METIS graphs have no loops; this one has %" PRIu64
                   ", which quern-transform --remove-self-loops removes",
                   found.loops);
  if (found.repeated)
    return qn_fail(error, QN_UNSUPPORTED,
                   "METIS graphs have no parallel edges; this one has, which quern-transform "
                   "--remove-duplicates removes");
  if (found.weights)
    return qn_fail(error, QN_UNSUPPORTED,
                   "weights in METIS graphs are from 1 to 2147483647, and %" PRIu64
                   " of these are not; " WITHOUT_WEIGHTS,
                   found.weights);
  if (graph->out.weights.type == QN_WEIGHT_F32 || graph->out.weights.type == QN_WEIGHT_F64)
    return qn_fail(error, QN_UNSUPPORTED,
                   "weights in METIS graphs are integers, and these are real; " WITHOUT_WEIGHTS);
  return QN_OK;
}

/* Three digits say what there is, without leading zeros; how many weights, if there are several. */
static enum qn_status write_header(const struct job *job, struct qn_text_output *output,
                                   struct qn_error *error) {
  const struct qn_csr *csr = job->csr;
  const uint32_t weights = job->count - job->has_sizes;
  const int format =
      100 * job->has_sizes + 10 * (weights > 0) + (csr->weights.type != QN_WEIGHT_NONE);
  char text[128];
  int length =
      snprintf(text, sizeof text, "%" PRIu64 " %" PRIu64, csr->num_vertices, csr->num_edges / 2);
  if (format)
    length += snprintf(text + length, sizeof text - (size_t)length, " %d", format);
  if (weights > 1)
    length += snprintf(text + length, sizeof text - (size_t)length, " %" PRIu32, weights);
  text[length++] = '\n';
  return qn_text_output_write(output, text, (uint64_t)length, error);
}

static enum qn_status write_metis(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  struct qn_text_output *output, uint64_t *written,
                                  struct qn_error *error) {
  struct job job = {.csr = &graph->out};
  *written = graph->out.num_edges / 2;
  enum qn_status status = check_graph(graph, error);
  if (!status)
    status = begin_numbers(&job, options, error);
  if (!status)
    status = write_header(&job, output, error);
  qn_progress_begin("writing", "edges", graph->out.num_edges);
  uint64_t work = graph->out.num_edges + graph->out.num_vertices;
  if (!status)
    status =
        qn_text_output_parts(output, (work + PART_WORK - 1) / PART_WORK, format_part, &job, error);
  qn_progress_end();
  qn_free(job.numbers);
  return status;
}

const struct qn_graph_writer qn_graph_writer_metis = {
    .name = "metis",
    .losses = QN_LOSES_IDS_FROM_ONE,
    .write = write_metis,
    .keeps_vertex_properties = true,
};
