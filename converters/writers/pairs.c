/* Edges as binary records without a header (record.h), by original ids. */
#include <inttypes.h>
#include <string.h>

#include "converters/output/edge_runs.h"
#include "converters/output/losses.h"
#include "converters/parse/record.h"
#include "formats/text/exact_numbers.h"
#include "support/progress.h"

#define PART_EDGES ((uint64_t)64 << 10)

struct job {
  struct qn_listed_edges listed;
  const struct qn_ids *ids;
  struct qn_record record;
};

/* The lowest `bytes` bytes of `value`. */
static inline char *put(char *p, uint64_t value, unsigned bytes, bool big_endian) {
  if (big_endian)
    value = __builtin_bswap64(value) >> (64 - 8 * bytes);
  memcpy(p, &value, bytes);
  return p + bytes;
}

static inline char *put_ids(char *p, const struct job *job, uint64_t source, uint64_t destination) {
  bool big = job->record.big_endian;
  if (job->record.ids != QN_RECORD_PACKED) {
    unsigned bytes = job->record.ids == QN_RECORD_U32 ? 4 : 8;
    return put(put(p, source, bytes, big), destination, bytes, big);
  }
  p = put(put(p, source, 4, big), destination, 4, big);
  return put(p, source >> 32 | destination >> 32 << 16, 4, big);
}

/* The weight's bits as the record wants them, 1 where there are none; false if it does not hold the
 * weight. */
static bool weight_of(const struct qn_weights *weights, uint64_t edge, enum qn_weight_type wanted,
                      uint64_t *bits) {
  bool real = weights->type == QN_WEIGHT_F32 || weights->type == QN_WEIGHT_F64;
  int64_t whole = weights->type == QN_WEIGHT_U32   ? (int64_t)weights->u32[edge]
                  : weights->type == QN_WEIGHT_I64 ? weights->i64[edge]
                                                   : 1;
  double value = weights->type == QN_WEIGHT_F32   ? (double)weights->f32[edge]
                 : weights->type == QN_WEIGHT_F64 ? weights->f64[edge]
                                                  : (double)whole;
  float narrow = (float)value;
  uint32_t narrow_bits;
  switch (wanted) {
  case QN_WEIGHT_F32:
    memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
    *bits = narrow_bits;
    return real ? (double)narrow == value : qn_real_is_whole(narrow, whole);
  case QN_WEIGHT_F64:
    memcpy(bits, &value, sizeof *bits);
    return real || qn_real_is_whole(value, whole);
  case QN_WEIGHT_I64:
    *bits = (uint64_t)whole;
    return !real;
  default:
    *bits = (uint32_t)whole;
    return !real && whole >= 0 && whole <= UINT32_MAX;
  }
}

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct job *job = context;
  uint64_t begin = job->listed.begin + part * PART_EDGES;
  uint64_t end = job->listed.end - begin < PART_EDGES ? job->listed.end : begin + PART_EDGES;
  char *p = qn_text_buffer_reserve(buffer, (end - begin) * QN_RECORD_MAX_BYTES);
  if (!p)
    return;
  struct qn_edge_runs runs = qn_edge_runs_of(&job->listed, begin, end);
  unsigned weight_bytes = qn_weight_bytes(job->record.weight);
  uint64_t weight;
  while (qn_edge_runs_next(&runs)) {
    uint64_t source = qn_listed_id(job->ids, runs.row);
    for (uint64_t e = runs.first; e < runs.last; e++) {
      p = put_ids(p, job, source, qn_listed_id(job->ids, job->listed.csr->column_indices[e]));
      if (!weight_bytes)
        continue;
      weight_of(&job->listed.csr->weights, e, job->record.weight, &weight);
      p = put(p, weight, weight_bytes, job->record.big_endian);
    }
  }
  qn_text_buffer_advance(buffer, p);
  qn_progress_add(end - begin);
}

/* ---- What fits ------------------------------------------------------------ */

static uint64_t largest_id(const struct qn_graph *graph) {
  uint64_t num_vertices = graph->out.num_vertices, largest = 0;
  if (graph->ids.kind != QN_IDS_NUMBERS)
    return num_vertices ? num_vertices - 1 : 0;
#pragma omp parallel for schedule(static) reduction(max : largest)
  for (uint64_t v = 0; v < num_vertices; v++)
    largest = graph->ids.numbers[v] > largest ? graph->ids.numbers[v] : largest;
  return largest;
}

static uint64_t count_changed(const struct qn_csr *csr, enum qn_weight_type wanted) {
  uint64_t changed = 0, bits;
#pragma omp parallel for schedule(static) private(bits) reduction(+ : changed)
  for (uint64_t e = 0; e < csr->num_edges; e++)
    changed += !weight_of(&csr->weights, e, wanted, &bits);
  return changed;
}

static enum qn_status check_weights(const struct qn_csr *csr, const struct qn_record *record,
                                    const struct qn_write_options *options,
                                    struct qn_error *error) {
  enum qn_weight_type stored = csr->weights.type;
  bool wanted = record->weight != QN_WEIGHT_NONE && stored != QN_WEIGHT_NONE;
  bool real = stored == QN_WEIGHT_F32 || stored == QN_WEIGHT_F64;
  if (wanted && real && (record->weight == QN_WEIGHT_U32 || record->weight == QN_WEIGHT_I64))
    return qn_fail(error, QN_UNSUPPORTED, "--record asks for integer weights, but these are real");
  uint64_t changed = wanted && record->weight != stored ? count_changed(csr, record->weight) : 0;
  if (changed)
    return qn_fail(error, QN_UNSUPPORTED,
                   "%" PRIu64 " weights are numbers that %s cannot hold; --record with %s has room",
                   changed, qn_weight_type_name(record->weight), qn_weight_type_name(stored));
  if (options->in_part && options->part_begin)
    return QN_OK; /* the first part says it */
  if (record->weight == QN_WEIGHT_NONE && stored != QN_WEIGHT_NONE)
    return qn_loses(options, error, "weights are not in the output; --record would say which");
  if (record->weight != QN_WEIGHT_NONE && stored == QN_WEIGHT_NONE)
    return qn_loses(options, error, "there are no weights; all are written as 1");
  return QN_OK;
}

/* The record to write: as the user says, or the least that holds everything. */
static enum qn_status choose_record(const struct qn_graph *graph,
                                    const struct qn_write_options *options,
                                    struct qn_record *record, struct qn_error *error) {
  static const uint64_t largest_of[] = {0, UINT32_MAX, UINT64_MAX, QN_RECORD_PACKED_MAX};
  if (graph->ids.kind == QN_IDS_STRINGS)
    return qn_fail(error, QN_UNSUPPORTED,
                   "ids in binary records are numbers, and those of this graph are names");
  uint64_t largest = largest_id(graph);
  *record = options->record;
  if (record->ids == QN_RECORD_UNKNOWN)
    *record = (struct qn_record){.ids = largest <= UINT32_MAX ? QN_RECORD_U32 : QN_RECORD_U64,
                                 .weight = graph->out.weights.type};
  if (largest > largest_of[record->ids])
    return qn_fail(error, QN_UNSUPPORTED,
                   "the id %" PRIu64 " does not fit into the record; --record=u64 has room",
                   largest);
  return check_weights(&graph->out, record, options, error);
}

static enum qn_status write_pairs(const struct qn_graph *graph,
                                  const struct qn_write_options *options,
                                  struct qn_text_output *output, uint64_t *written,
                                  struct qn_error *error) {
  struct job job = {.listed = qn_listed_edges_of(graph, options), .ids = &graph->ids};
  char text[QN_RECORD_TEXT];
  enum qn_status status = choose_record(graph, options, &job.record, error);
  if (status)
    return status;
  *written = qn_listed_edges_count(&job.listed);
  uint64_t stored = job.listed.end - job.listed.begin;
  qn_progress_begin("writing", "edges", stored);
  status = qn_text_output_parts(output, (stored + PART_EDGES - 1) / PART_EDGES, format_part, &job,
                                error);
  qn_progress_end();
  if (!status && job.listed.begin == 0)
    qn_notice("records are %s, %u bytes; %" PRIu64 " vertices (--vertices)",
              qn_record_text(&job.record, text), qn_record_bytes(&job.record),
              graph->out.num_vertices);
  return status;
}

const struct qn_graph_writer qn_graph_writer_pairs = {
    .name = "pairs",
    .losses = QN_LOSES_UNDIRECTED | QN_LOSES_ISOLATED,
    .file_end = ".bin",
    .write = write_pairs,
};
