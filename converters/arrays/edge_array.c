#include "converters/arrays/edge_array.h"

#include <inttypes.h>
#include <stdio.h>

#include "converters/arrays/binary_rows.h"
#include "converters/parse/text_lines.h"
#include "support/memory.h"
#include "support/progress.h"

/* Edges that are decoded at a time, and parts that one stream takes. */
#define SOME_EDGES ((uint64_t)256)
#define STREAM_PARTS 32

/* Where the ends of the edges lie: each of its own array, or alternating in one. */
struct ends {
  struct qn_number_array numbers;
  struct qn_number_array weights; /* if their type is one */
  enum qn_weight_type weight_type;
  uint64_t num_edges;
  bool apart;
  uint32_t part_edges;
};

/* Push edges [first, first + count), which are few; gives the element at fault, UINT64_MAX if none.
 */
static uint64_t push_some(const struct ends *ends, uint64_t first, uint64_t count,
                          struct qn_edge_stream *stream) {
  uint64_t sources[SOME_EDGES], destinations[SOME_EDGES], ids[2 * SOME_EDGES], good;
  uint32_t weights[SOME_EDGES];
  if (ends->weight_type != QN_WEIGHT_NONE)
    qn_numbers_weights(&ends->weights, ends->weight_type, first, count, weights);
  if (ends->apart) {
    if ((good = qn_numbers_ids(&ends->numbers, first, count, sources)) < count)
      return first + good;
    first += ends->num_edges;
    if ((good = qn_numbers_ids(&ends->numbers, first, count, destinations)) < count)
      return first + good;
  } else {
    if ((good = qn_numbers_ids(&ends->numbers, 2 * first, 2 * count, ids)) < 2 * count)
      return 2 * first + good;
    for (uint64_t i = 0; i < count; i++) {
      sources[i] = ids[2 * i];
      destinations[i] = ids[2 * i + 1];
    }
  }
  qn_edge_push_arrays(stream, sources, destinations, ends->weight_type, weights, count);
  return UINT64_MAX;
}

static uint64_t push_part(const void *context, uint64_t part, struct qn_edge_stream *stream) {
  const struct ends *ends = context;
  uint64_t edge = part * ends->part_edges, bad = UINT64_MAX;
  uint64_t left = ends->num_edges - edge;
  uint64_t last = left < ends->part_edges ? ends->num_edges : edge + ends->part_edges;
  for (; edge < last && bad == UINT64_MAX; edge += SOME_EDGES)
    bad = push_some(ends, edge, last - edge < SOME_EDGES ? last - edge : SOME_EDGES, stream);
  return bad;
}

static enum qn_status push_edges(const struct ends *ends, struct qn_edge_list *list,
                                 uint64_t *sequence, uint64_t *bad_element,
                                 struct qn_error *error) {
  const struct qn_edge_view view = {push_part, ends};
  uint64_t num_parts = (ends->num_edges + ends->part_edges - 1) / ends->part_edges;
  uint64_t num_streams = (num_parts + STREAM_PARTS - 1) / STREAM_PARTS, bad = UINT64_MAX;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad)
  for (uint64_t s = 0; s < num_streams; s++) {
    struct qn_edge_stream stream;
    struct qn_error own;
    uint64_t end = s + 1 < num_streams ? (s + 1) * STREAM_PARTS : num_parts, found = UINT64_MAX;
    qn_edge_stream_open(&stream, list, *sequence + s);
    for (uint64_t part = s * STREAM_PARTS; part < end && found == UINT64_MAX; part++)
      found = ends->numbers.stays && (ends->weight_type == QN_WEIGHT_NONE || ends->weights.stays)
                  ? qn_edge_push_view(&stream, &view, part)
                  : push_part(ends, part, &stream);
    enum qn_status failed = qn_edge_stream_close(&stream, &own);
    bad = found < bad ? found : bad;
    qn_progress_add((uint64_t)STREAM_PARTS * ends->part_edges * 2 * ends->numbers.width);
    if (failed) {
#pragma omp critical(edge_array_failure)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  *sequence += num_streams;
  *bad_element = bad;
  return status;
}

static enum qn_status check_array(const struct qn_npy *npy, const char *file,
                                  struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  uint64_t at = npy->offset - (uint64_t)(npy->header_end - npy->header);
  if (npy->type != 'i' && npy->type != 'u')
    return qn_binary_fail(file, at, error, "expected whole numbers ('<i8', '<u4', ...); found %s",
                          qn_text_quote(npy->header, npy->header_end, quoted));
  if (npy->dimensions != 2 || (npy->shape[0] != 2 && npy->shape[1] != 2))
    return qn_binary_fail(
        file, at, error,
        "expected an array of two rows or two columns, the ends of edges; found %s",
        qn_text_quote(npy->header, npy->header_end, quoted));
  return QN_OK;
}

static enum qn_status take_weights(struct ends *ends, const struct qn_number_array *weights,
                                   const char *file, struct qn_edge_list *list,
                                   struct qn_error *error) {
  struct qn_rounding worst;
  ends->weight_type = QN_WEIGHT_NONE;
  if (!weights)
    return QN_OK;
  ends->weights = *weights;
  if (weights->count != ends->num_edges) {
    qn_fail(error, QN_INVALID, "'%s' has %" PRIu64 " numbers for %" PRIu64 " edges", weights->name,
            weights->count, ends->num_edges);
    return qn_error_in_file(error, file);
  }
  uint64_t bad = qn_numbers_weight_type(weights, &ends->weight_type, &worst);
  if (worst.error > 0)
    qn_edge_list_note_rounded(list, worst.exact, (float)worst.exact);
  if (bad == weights->count)
    return QN_OK;
  qn_fail(error, QN_INVALID, "'%s': number %" PRIu64 " is not finite, or too large for f32",
          weights->name, bad);
  return qn_error_in_file(error, file);
}

enum qn_status qn_edge_array_read(const struct qn_npy *npy, const struct qn_number_array *weights,
                                  const char *file, struct qn_edge_list *list, uint64_t *sequence,
                                  struct qn_read_result *result, struct qn_error *error) {
  struct ends *ends;
  uint64_t bad;
  enum qn_status status = check_array(npy, file, error);
  if (!status)
    status = qn_alloc(&ends, 1, sizeof *ends, "a view of edges", error);
  if (status)
    return status;
  qn_npy_numbers(npy, "", &ends->numbers);
  bool two_rows = npy->shape[0] == 2;
  ends->num_edges = npy->shape[two_rows];
  ends->apart = two_rows != npy->fortran_order;
  ends->part_edges = qn_edge_view_capacity(weights != NULL);
  status = take_weights(ends, weights, file, list, error);
  if (!status)
    status = qn_edge_list_keep(list, ends, qn_free, error);
  if (status) {
    qn_free(ends);
    return status;
  }
  result->keeps_input = ends->numbers.stays || (weights && weights->stays);
  status = push_edges(ends, list, sequence, &bad, error);
  if (status)
    return status;
  if (bad != UINT64_MAX)
    return qn_binary_fail(file, npy->offset + bad * npy->width, error,
                          "edge %" PRIu64 " has a negative id",
                          ends->apart ? bad % ends->num_edges : bad / 2);
  snprintf(result->description, sizeof result->description,
           "%" PRIu64 " x %" PRIu64 ", %s numbers of %u bytes%s%.40s", npy->shape[0], npy->shape[1],
           npy->type == 'i' ? "signed" : "unsigned", npy->width, weights ? ", weights in " : "",
           weights ? weights->name : "");
  result->ledger.records += ends->num_edges;
  result->ledger.edges_read += ends->num_edges;
  return QN_OK;
}
