#include "converters/edge_array.h"

#include <inttypes.h>
#include <stdio.h>

#include "converters/binary_rows.h"
#include "converters/text_lines.h"
#include "support/progress.h"

/* Edges that one stream takes, and that are decoded at a time. */
#define PART_EDGES ((uint64_t)1 << 18)
#define BLOCK_EDGES ((uint64_t)4096)

/* Where the ends of the edges lie: each of its own array, or alternating in one. */
struct ends {
  struct qn_number_array numbers;
  uint64_t num_edges;
  bool apart;
};

/* Push edges [first, first + count) of a block; gives the element at fault, UINT64_MAX if none. */
static uint64_t push_block(const struct ends *ends, uint64_t first, uint64_t count,
                           struct qn_edge_stream *stream) {
  uint64_t ids[2 * BLOCK_EDGES], good;
  if (ends->apart) {
    if ((good = qn_numbers_ids(&ends->numbers, first, count, ids)) < count)
      return first + good;
    first += ends->num_edges;
    if ((good = qn_numbers_ids(&ends->numbers, first, count, ids + BLOCK_EDGES)) < count)
      return first + good;
    for (uint64_t i = 0; i < count; i++)
      qn_edge_push(stream, ids[i], ids[BLOCK_EDGES + i]);
    return UINT64_MAX;
  }
  if ((good = qn_numbers_ids(&ends->numbers, 2 * first, 2 * count, ids)) < 2 * count)
    return 2 * first + good;
  for (uint64_t i = 0; i < count; i++)
    qn_edge_push(stream, ids[2 * i], ids[2 * i + 1]);
  return UINT64_MAX;
}

static uint64_t push_part(const struct ends *ends, uint64_t part, struct qn_edge_stream *stream) {
  uint64_t edge = part * PART_EDGES, bad = UINT64_MAX;
  uint64_t last = edge + PART_EDGES < ends->num_edges ? edge + PART_EDGES : ends->num_edges;
  for (; edge < last && bad == UINT64_MAX; edge += BLOCK_EDGES)
    bad = push_block(ends, edge, last - edge < BLOCK_EDGES ? last - edge : BLOCK_EDGES, stream);
  return bad;
}

static enum qn_status push_edges(const struct ends *ends, struct qn_edge_list *list,
                                 uint64_t *sequence, uint64_t *bad_element,
                                 struct qn_error *error) {
  uint64_t num_parts = (ends->num_edges + PART_EDGES - 1) / PART_EDGES, bad = UINT64_MAX;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad)
  for (uint64_t i = 0; i < num_parts; i++) {
    struct qn_edge_stream stream;
    struct qn_error own;
    qn_edge_stream_open(&stream, list, *sequence + i);
    uint64_t found = push_part(ends, i, &stream);
    enum qn_status failed = qn_edge_stream_close(&stream, &own);
    bad = found < bad ? found : bad;
    qn_progress_add(PART_EDGES * 2 * ends->numbers.width);
    if (failed) {
#pragma omp critical(edge_array_failure)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  *sequence += num_parts;
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

enum qn_status qn_edge_array_read(const struct qn_npy *npy, const char *file,
                                  struct qn_edge_list *list, uint64_t *sequence,
                                  struct qn_read_result *result, struct qn_error *error) {
  struct ends ends;
  uint64_t bad;
  enum qn_status status = check_array(npy, file, error);
  if (status)
    return status;
  qn_npy_numbers(npy, "", &ends.numbers);
  bool two_rows = npy->shape[0] == 2;
  ends.num_edges = npy->shape[two_rows];
  ends.apart = two_rows != npy->fortran_order;
  status = push_edges(&ends, list, sequence, &bad, error);
  if (status)
    return status;
  if (bad != UINT64_MAX)
    return qn_binary_fail(file, npy->offset + bad * npy->width, error,
                          "edge %" PRIu64 " has a negative id",
                          ends.apart ? bad % ends.num_edges : bad / 2);
  snprintf(result->description, sizeof result->description,
           "%" PRIu64 " x %" PRIu64 ", %s numbers of %u bytes", npy->shape[0], npy->shape[1],
           npy->type == 'i' ? "signed" : "unsigned", npy->width);
  result->ledger.records += ends.num_edges;
  result->ledger.edges_read += ends.num_edges;
  return QN_OK;
}
