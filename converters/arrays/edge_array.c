#include "converters/arrays/edge_array.h"

#include <inttypes.h>
#include <stdio.h>

#include "converters/arrays/binary_rows.h"
#include "converters/arrays/edge_columns.h"
#include "converters/parse/text_lines.h"
#include "formats/text/text_fields.h"
#include "support/memory.h"
#include "support/progress.h"

static enum qn_status check_array(const struct qn_npy *npy, const char *file,
                                  struct qn_error *error) {
  char quoted[QN_QUOTE_BYTES];
  uint64_t at = npy->offset - (uint64_t)(npy->header_end - npy->header);
  if (npy->type != 'i' && npy->type != 'u')
    return qn_binary_fail(file, at, error, "expected integers ('<i8', '<u4', ...); found %s",
                          qn_text_quote(npy->header, npy->header_end, quoted));
  if (npy->dimensions != 2 || (npy->shape[0] != 2 && npy->shape[1] != 2))
    return qn_binary_fail(
        file, at, error,
        "expected an array of two rows or two columns, the endpoints of edges; found %s",
        qn_text_quote(npy->header, npy->header_end, quoted));
  return QN_OK;
}

static enum qn_status take_weights(struct qn_edge_columns *columns,
                                   const struct qn_number_array *weights, const char *file,
                                   struct qn_edge_list *list, struct qn_error *error) {
  struct qn_rounding worst;
  columns->weight_type = QN_WEIGHT_NONE;
  if (!weights)
    return QN_OK;
  columns->weights = *weights;
  if (weights->count != columns->num_edges) {
    qn_fail(error, QN_INVALID, "'%s' has %" PRIu64 " numbers for %" PRIu64 " edges", weights->name,
            weights->count, columns->num_edges);
    return qn_error_in_file(error, file);
  }
  uint64_t bad = qn_numbers_weight_type(weights, &columns->weight_type, &worst);
  qn_edge_list_weights_are_binary(list, QN_WEIGHT_NONE);
  if (worst.error > 0)
    qn_edge_list_note_rounded(list, worst.exact, (double)worst.exact);
  if (bad == weights->count)
    return QN_OK;
  qn_fail(error, QN_INVALID, "'%s': number %" PRIu64 " is not finite", weights->name, bad);
  return qn_error_in_file(error, file);
}

/* Which end of the edge is the negative one. */
static uint64_t bad_element(const struct qn_edge_columns *columns, uint64_t edge) {
  uint64_t id, source = columns->alternate ? 2 * edge : edge;
  uint64_t other = columns->alternate ? 1 : columns->num_edges;
  return qn_numbers_id(&columns->sources, source, &id) ? source + other : source;
}

/* Leave the edges [first, end). */
static void leave_edges(struct qn_edge_columns *columns, uint64_t first, uint64_t end) {
  uint64_t skipped = first * columns->sources.width;
  columns->sources.data += columns->alternate ? 2 * skipped : skipped;
  columns->destinations.data += skipped;
  columns->num_edges = end - first;
}

enum qn_status qn_edge_array_read(const struct qn_npy *npy, const struct qn_number_array *weights,
                                  const struct qn_edge_part *part, const char *file,
                                  struct qn_edge_list *list, uint64_t *sequence,
                                  struct qn_read_result *result, struct qn_error *error) {
  struct qn_edge_columns *columns, whole;
  uint64_t bad;
  enum qn_status status = check_array(npy, file, error);
  if (!status)
    status = qn_alloc(&columns, 1, sizeof *columns, "a view of edges", error);
  if (status)
    return status;
  qn_npy_numbers(npy, "", &columns->sources);
  bool two_rows = npy->shape[0] == 2;
  if (two_rows && npy->shape[1] == 2)
    qn_note(QN_NOTE_SHAPE_AMBIGUOUS,
            "the array of %s has two rows and two columns; the rows are taken as sources and "
            "destinations, not as edges",
            file);
  columns->num_edges = npy->shape[two_rows];
  columns->alternate = two_rows == npy->fortran_order;
  columns->destinations = columns->sources;
  columns->destinations.data += columns->num_edges * npy->width;
  status = take_weights(columns, weights, file, list, error);
  columns->part_edges = qn_edge_view_capacity(columns->weight_type);
  whole = *columns;
  uint64_t first = part ? qn_edge_part_begin(part, columns->num_edges) : 0;
  if (part)
    leave_edges(columns, first, qn_edge_part_end(part, columns->num_edges));
  if (!status)
    status = qn_edge_list_keep(list, columns, qn_free, error);
  if (status) {
    qn_free(columns);
    return status;
  }
  result->keeps_input = columns->sources.stays || (weights && weights->stays);
  status = qn_edge_columns_push(columns, list, sequence, &bad, error);
  if (status)
    return status;
  if (bad != UINT64_MAX)
    return qn_binary_fail(file, npy->offset + bad_element(&whole, first + bad) * npy->width, error,
                          "edge %" PRIu64 " has a negative id", first + bad);
  snprintf(result->description, sizeof result->description,
           "%" PRIu64 " x %" PRIu64 ", %s numbers of %u bytes%s%.40s", npy->shape[0], npy->shape[1],
           npy->type == 'i' ? "signed" : "unsigned", npy->width, weights ? ", weights in " : "",
           weights ? weights->name : "");
  result->ledger.records += columns->num_edges;
  result->ledger.edges_read += columns->num_edges;
  return QN_OK;
}
