#include "converters/arrays/bv_labels.h"

#include <inttypes.h>

#include "converters/arrays/binary_rows.h"
#include "support/context.h"
#include "support/memory.h"

/* Arcs, and nodes, that a part has at least. */
#define PART_ARCS ((uint64_t)1 << 15)

/* WebGraph's labels are numbers of Java's: an int, or a long. */
#define MOST_INT INT32_MAX

enum qn_weight_type qn_bv_labels_type(const struct qn_bv_labels *labels) {
  return labels->is_gamma || labels->width <= 32 ? QN_WEIGHT_U32 : QN_WEIGHT_I64;
}

/* ---- Parts ------------------------------------------------------------------- */

/* Some nodes whose labels are read by one thread. */
struct part {
  uint64_t first, end;        /* nodes */
  uint64_t place, lengths_at; /* bits, of labels and of offsets */
};

struct job {
  const struct qn_bv_labels *labels;
  const uint64_t *row_offsets;
  void *weights;
};

static enum qn_status refuse(const struct qn_bits *bits, const char *file, uint64_t node,
                             const char *what, struct qn_error *error) {
  uint64_t byte = bits->at / 8;
  if (qn_bits_failed(bits))
    what = byte >= bits->bytes ? "the file ends there" : "a number is beyond 64 bits";
  return qn_binary_fail(file, byte < bits->bytes ? byte : bits->bytes, error,
                        "node %" PRIu64 ": %s", node, what);
}

/* Weights of arcs [first, end). False if one is too large. */
static bool read_gammas(struct qn_bits *bits, uint64_t first, uint64_t end, uint32_t *weights) {
  uint64_t all = 0;
  struct qn_bits local = *bits;
  for (uint64_t arc = first; arc < end && !local.fault; arc++) {
    uint64_t number = qn_bits_gamma(&local);
    weights[arc] = (uint32_t)number;
    all |= number;
  }
  *bits = local;
  return all <= MOST_INT;
}

static void read_fixed(struct qn_bits *bits, unsigned width, uint64_t first, uint64_t end,
                       void *weights) {
  for (uint64_t arc = first; arc < end; arc++)
    if (width <= 32)
      ((uint32_t *)weights)[arc] = (uint32_t)qn_bits_read(bits, width);
    else
      ((int64_t *)weights)[arc] = (int64_t)qn_bits_read(bits, width);
}

static enum qn_status read_node(const struct job *job, struct qn_bits *bits, uint64_t node,
                                struct qn_error *error) {
  const struct qn_bv_labels *labels = job->labels;
  const uint64_t first = job->row_offsets[node], end = job->row_offsets[node + 1];
  bool fits = true;
  if (labels->is_gamma)
    fits = read_gammas(bits, first, end, job->weights);
  else
    read_fixed(bits, labels->width, first, end, job->weights);
  if (qn_bits_failed(bits) || !fits)
    return refuse(bits, labels->file, node, "a label is beyond 2^31-1", error);
  return QN_OK;
}

/* The node ends, by the offsets, where its labels do. */
static enum qn_status check_end(const struct job *job, const struct qn_bits *bits,
                                struct qn_bits *lengths, uint64_t begin, uint64_t node,
                                struct qn_error *error) {
  const struct qn_bv_labels *labels = job->labels;
  if (!labels->offsets.data)
    return QN_OK;
  uint64_t end = begin + qn_bits_gamma(lengths);
  if (qn_bits_failed(lengths))
    return refuse(lengths, labels->offsets.file, node, "", error);
  return bits->at == end ? QN_OK
                         : qn_binary_fail(labels->file, bits->at / 8, error,
                                          "node %" PRIu64 ": its labels end at bit %" PRIu64
                                          ", but by the offsets at bit %" PRIu64,
                                          node, bits->at, end);
}

static enum qn_status read_part(const struct job *job, const struct part *part,
                                struct qn_bits *bits, struct qn_bits *lengths,
                                struct qn_error *error) {
  enum qn_status status = qn_context_check(error);
  *bits = job->labels->bits;
  bits->at = part->place;
  *lengths = (struct qn_bits){.data = job->labels->offsets.data,
                              .bytes = job->labels->offsets.bytes,
                              .at = part->lengths_at};
  for (uint64_t node = part->first; node < part->end && !status; node++) {
    const uint64_t begin = bits->at;
    status = read_node(job, bits, node, error);
    if (!status)
      status = check_end(job, bits, lengths, begin, node, error);
  }
  return status;
}

/* ---- Cutting ----------------------------------------------------------------- */

/* Where labels begin is known by the offsets, or since all are as long; what leads beyond the files
 * is noticed when it is read. Without either all nodes are one part. Returns how many there are. */
static uint64_t cut_parts(const struct job *job, uint64_t nodes, struct part *parts) {
  const struct qn_bv_labels *labels = job->labels;
  struct qn_bits lengths = {.data = labels->offsets.data, .bytes = labels->offsets.bytes, .at = 1};
  struct part part = {.lengths_at = 1};
  uint64_t count = 0, place = 0;
  for (uint64_t node = 0; node < nodes; node++) {
    const uint64_t arcs = job->row_offsets[node + 1] - job->row_offsets[part.first];
    const uint64_t begin = lengths.at;
    if (labels->offsets.data)
      place += qn_bits_gamma(&lengths);
    else
      place = job->row_offsets[node + 1] * labels->width;
    if (qn_bits_failed(&lengths) && labels->offsets.data) {
      lengths.at = begin;
      break;
    }
    if (arcs + (node - part.first) < PART_ARCS || (!labels->offsets.data && labels->is_gamma))
      continue;
    part.end = node + 1;
    parts[count++] = part;
    part = (struct part){.first = node + 1, .place = place, .lengths_at = lengths.at};
  }
  part.end = nodes;
  if (part.first < nodes)
    parts[count++] = part;
  return count;
}

/* ---- The whole --------------------------------------------------------------- */

/* All parts; the first failure is the one that counts. */
static enum qn_status read_parts(const struct job *job, const struct part *parts, uint64_t count,
                                 struct qn_bits *last, struct qn_bits *last_lengths,
                                 struct qn_error *error) {
  uint64_t failed = UINT64_MAX;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t p = 0; p < count; p++) {
    struct qn_bits bits, lengths;
    struct qn_error own;
    enum qn_status ended = read_part(job, &parts[p], &bits, &lengths, &own);
#pragma omp critical(bv_labels)
    {
      if (ended && p < failed) {
        failed = p;
        status = ended;
        *error = own;
      }
      if (p + 1 == count) {
        *last = bits;
        *last_lengths = lengths;
      }
    }
  }
  return status;
}

static enum qn_status read_all(const struct job *job, uint64_t nodes, struct part *parts,
                               struct qn_error *error) {
  const struct qn_bv_labels *labels = job->labels;
  struct qn_bits last = labels->bits,
                 lengths = {.data = labels->offsets.data, .bytes = labels->offsets.bytes};
  if (labels->offsets.data && qn_bits_gamma(&lengths) != 0)
    return qn_binary_fail(labels->offsets.file, 0, error, "the first offset is not 0");
  enum qn_status status =
      read_parts(job, parts, cut_parts(job, nodes, parts), &last, &lengths, error);
  if (status)
    return status;
  if (!qn_bits_are_over(&last))
    return qn_binary_fail(labels->file, last.at / 8, error,
                          "there is more after the labels of the last node");
  if (labels->offsets.data && !qn_bits_are_over(&lengths))
    return qn_binary_fail(labels->offsets.file, lengths.at / 8, error,
                          "there is more after the offset of the last node's end");
  return QN_OK;
}

enum qn_status qn_bv_labels_read(const struct qn_bv_labels *labels, uint64_t nodes,
                                 const uint64_t *row_offsets, void *weights,
                                 struct qn_error *error) {
  const struct job job = {labels, row_offsets, weights};
  struct part *parts;
  enum qn_status status =
      qn_alloc(&parts, (row_offsets[nodes] + nodes) / PART_ARCS + 2, sizeof *parts, "parts", error);
  if (!status)
    status = read_all(&job, nodes, parts, error);
  qn_free(parts);
  return status;
}
