/* Rounds of parts of the graph: all threads measure their labels, and then all code them to where
 * those before them end. */
#include "converters/writers/webgraph_labels.h"

#include <inttypes.h>

#include "converters/arrays/bit_stream.h"
#include "formats/graph/csr_shares.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"

#define PART_EDGES ((uint64_t)8 << 10)
#define ROUND_PARTS 128

/* Some rows; what they take, and then where that begins in the streams. */
struct part {
  struct qn_csr_share rows;
  uint64_t labels, lengths; /* bits */
};

struct job {
  const struct qn_csr *csr;
  bool is_gamma; /* else all are of one width: */
  unsigned width;
  uint64_t num_parts;
  struct part parts[ROUND_PARTS]; /* of a round */
  struct qn_bit_stream labels, lengths;
};

/* ---- Codes -------------------------------------------------------------------- */

static inline uint64_t label_of(const struct qn_weights *weights, uint64_t edge) {
  return weights->type == QN_WEIGHT_U32 ? weights->u32[edge] : (uint64_t)weights->i64[edge];
}

static inline bool is_arc(const struct qn_csr *csr, uint64_t row_begin, uint64_t edge) {
  return edge == row_begin || csr->column_indices[edge] != csr->column_indices[edge - 1];
}

/* The bits that are 1 in some label. */
static uint64_t used_bits(const struct qn_csr *csr) {
  uint64_t used = 0;
#pragma omp parallel for reduction(| : used)
  for (uint64_t edge = 0; edge < csr->num_edges; edge++)
    used |= label_of(&csr->weights, edge);
  return used;
}

static uint64_t gamma_bits(const struct qn_csr *csr) {
  uint64_t bits = 0;
#pragma omp parallel for reduction(+ : bits)
  for (uint64_t edge = 0; edge < csr->num_edges; edge++)
    bits += qn_gamma_bits(label_of(&csr->weights, edge));
  return bits;
}

/* Readers know by the width what held the labels: more than 32 bits are an i64. */
static void choose_code(struct job *job) {
  const struct qn_csr *csr = job->csr;
  const unsigned least = csr->weights.type == QN_WEIGHT_I64 ? 33 : 1;
  job->width = qn_bits_log(used_bits(csr) | 1) + 1;
  job->width = job->width > least ? job->width : least;
  job->is_gamma = job->width < 32 && gamma_bits(csr) < job->width * csr->num_edges;
}

/* ---- Parts -------------------------------------------------------------------- */

static void measure(const struct job *job, struct part *part) {
  const struct qn_csr *csr = job->csr;
  for (uint64_t row = part->rows.row_begin; row < part->rows.row_end; row++) {
    const uint64_t begin = csr->row_offsets[row], end = csr->row_offsets[row + 1];
    uint64_t bits = 0;
    for (uint64_t edge = begin; edge < end; edge++)
      if (is_arc(csr, begin, edge))
        bits += job->is_gamma ? qn_gamma_bits(label_of(&csr->weights, edge)) : job->width;
    part->labels += bits;
    part->lengths += qn_gamma_bits(bits);
  }
}

static void code(const struct job *job, const struct part *part) {
  const struct qn_csr *csr = job->csr;
  struct qn_bit_writer labels = qn_bit_writer_at(job->labels.bytes, part->labels);
  struct qn_bit_writer lengths = qn_bit_writer_at(job->lengths.bytes, part->lengths);
  for (uint64_t row = part->rows.row_begin; row < part->rows.row_end; row++) {
    const uint64_t begin = csr->row_offsets[row], end = csr->row_offsets[row + 1];
    uint64_t bits = 0;
    for (uint64_t edge = begin; edge < end; edge++) {
      const uint64_t label = label_of(&csr->weights, edge);
      if (!is_arc(csr, begin, edge))
        continue;
      bits += job->is_gamma ? qn_gamma_bits(label) : job->width;
      if (job->is_gamma)
        qn_put_gamma(&labels, label);
      else
        qn_bit_writer_put(&labels, label, job->width);
    }
    qn_put_gamma(&lengths, bits);
  }
  qn_bit_writer_end(&labels);
  qn_bit_writer_end(&lengths);
}

/* What a part takes becomes where it begins. */
static void place(struct job *job, struct part *part) {
  const uint64_t labels = part->labels, lengths = part->lengths;
  part->labels = job->labels.end;
  part->lengths = job->lengths.end;
  job->labels.end += labels;
  job->lengths.end += lengths;
}

static enum qn_status do_round(struct job *job, uint64_t first, struct qn_error *error) {
  const uint64_t left = job->num_parts - first, count = left < ROUND_PARTS ? left : ROUND_PARTS;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t i = 0; i < count; i++) {
    job->parts[i] = (struct part){qn_csr_share_of(job->csr, job->num_parts, first + i), 0, 0};
    measure(job, &job->parts[i]);
  }
  for (uint64_t i = 0; i < count; i++)
    place(job, &job->parts[i]);
  enum qn_status status = qn_bit_stream_make_room(&job->labels, error);
  if (!status)
    status = qn_bit_stream_make_room(&job->lengths, error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t i = 0; i < count; i++)
    code(job, &job->parts[i]);
  qn_progress_add(job->parts[count - 1].rows.edge_end - job->parts[0].rows.edge_begin);
  status = qn_bit_stream_write(&job->labels, error);
  if (!status)
    status = qn_bit_stream_write(&job->lengths, error);
  return status ? status : qn_context_check(error);
}

static enum qn_status do_rounds(struct job *job, struct qn_error *error) {
  enum qn_status status = qn_bit_stream_make_room(&job->labels, error);
  if (!status)
    status = qn_bit_stream_begin_lengths(&job->lengths, error);
  job->num_parts = job->csr->num_edges / PART_EDGES + 1;
  qn_progress_begin("writing labels", "edges", job->csr->num_edges);
  for (uint64_t first = 0; first < job->num_parts && !status; first += ROUND_PARTS)
    status = do_round(job, first, error);
  qn_progress_end();
  if (!status)
    status = qn_bit_stream_end(&job->labels, error);
  return status ? status : qn_bit_stream_end(&job->lengths, error);
}

/* ---- Files -------------------------------------------------------------------- */

static void print_properties(FILE *text, const char *name, const void *context) {
  const struct job *job = context;
  const char *package =
      job->csr->num_vertices > INT32_MAX ? "it.unimi.dsi.big.webgraph" : "it.unimi.dsi.webgraph";
  fprintf(text, "graphclass=%s.labelling.BitStreamArcLabelledImmutableGraph\n", package);
  fprintf(text, "underlyinggraph=%s\n", name);
  if (job->is_gamma)
    fprintf(text, "labelspec=%s.labelling.GammaCodedIntLabel(WEIGHT)\n", package);
  else
    fprintf(text, "labelspec=%s.labelling.FixedWidth%sLabel(WEIGHT,%u)\n", package,
            job->width < 32 ? "Int" : "Long", job->width);
}

enum qn_status qn_arc_labels_write(const struct qn_csr *csr, uint64_t arcs,
                                   struct qn_output_folder *folder, struct qn_error *error) {
  struct job *job;
  enum qn_status status = qn_alloc_zeroed(&job, 1, sizeof *job, "labels", error);
  if (status)
    return status;
  job->csr = csr;
  choose_code(job);
  status = qn_output_folder_begin_own(folder, "-weights.labels", &job->labels.output, error);
  if (!status)
    status =
        qn_output_folder_begin_own(folder, "-weights.labeloffsets", &job->lengths.output, error);
  if (!status)
    status = do_rounds(job, error);
  if (!status)
    status = qn_output_folder_end(folder, job->labels.output, "edges", arcs, error);
  if (!status)
    status =
        qn_output_folder_end(folder, job->lengths.output, "offsets", csr->num_vertices + 1, error);
  if (!status)
    status = qn_output_folder_describe(folder, "-weights.properties", print_properties, job, error);
  qn_free(job->labels.bytes);
  qn_free(job->lengths.bytes);
  qn_free(job);
  return status;
}
