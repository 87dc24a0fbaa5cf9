/* Sparse matrices by the Binsparse specification, version 0.1, in HDF5 (readers/binsparse.c): CSR;
 * undirected graphs by their lower triangle. Without weights all values are one true. Multi-edges
 * are entries that occur twice, which the specification forbids: they are refused. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "converters/arrays/hdf5_file.h"
#include "converters/output/writer.h"
#include "support/memory.h"
#include "support/progress.h"

/* The entries that are written: all of a directed graph, else those of the lower triangle, which
 * come first in each row. Arrays are filled in order, so that the row of the last entry is known.
 */
struct entries {
  const struct qn_csr *csr;
  uint64_t *pointers; /* V + 1 */
  uint64_t count;
  uint64_t row;
};

static enum qn_status find_entries(const struct qn_graph *graph, struct entries *entries,
                                   struct qn_error *error) {
  const struct qn_csr *csr = &graph->out;
  bool undirected = graph->directedness == QN_UNDIRECTED;
  uint64_t repeated = 0;
  enum qn_status status = qn_pages_alloc(&entries->pointers, csr->num_vertices + 1,
                                         sizeof *entries->pointers, "pointers to rows", error);
  if (status)
    return status;
#pragma omp parallel for schedule(dynamic, 4096) reduction(+ : repeated)
  for (uint64_t v = 0; v < csr->num_vertices; v++) {
    uint64_t e = csr->row_offsets[v], end = csr->row_offsets[v + 1], first = e;
    for (; e < end && (!undirected || csr->column_indices[e] <= v); e++)
      repeated += e > first && csr->column_indices[e - 1] == csr->column_indices[e];
    entries->pointers[v + 1] = e - first;
  }
  for (uint64_t v = 0; v < csr->num_vertices; v++)
    entries->pointers[v + 1] += entries->pointers[v];
  entries->csr = csr;
  entries->count = entries->pointers[csr->num_vertices];
  if (repeated)
    return qn_fail(error, QN_UNSUPPORTED,
                   "the entries of a Binsparse matrix occur once, but %" PRIu64
                   " edges of this graph have the same endpoints as another; quern-import "
                   "--duplicates=remove, min or sum makes one of them",
                   repeated);
  return QN_OK;
}

static void fill_pointers(void *context, uint64_t first, uint64_t count, void *numbers) {
  const struct entries *entries = context;
  memcpy(numbers, entries->pointers + first, count * sizeof *entries->pointers);
}

/* Copy what belongs to entries [first, first + count) from an array of all edges. */
static void copy_entries(struct entries *entries, const uint32_t *from, uint64_t first,
                         uint64_t count, unsigned width, void *to) {
  if (first == 0)
    entries->row = 0;
  for (uint64_t i = 0; i < count;) {
    while (entries->pointers[entries->row + 1] <= first + i)
      entries->row++;
    uint64_t skipped = first + i - entries->pointers[entries->row];
    uint64_t length = entries->pointers[entries->row + 1] - (first + i);
    length = length < count - i ? length : count - i;
    uint64_t at = entries->csr->row_offsets[entries->row] + skipped;
    memcpy((char *)to + i * width, (const char *)from + at * width, length * width);
    i += length;
  }
}

static void fill_indices(void *context, uint64_t first, uint64_t count, void *numbers) {
  struct entries *entries = context;
  copy_entries(entries, entries->csr->column_indices, first, count, sizeof(uint32_t), numbers);
}

static void fill_values(void *context, uint64_t first, uint64_t count, void *numbers) {
  struct entries *entries = context;
  const struct qn_weights *weights = &entries->csr->weights;
  copy_entries(entries, weights->data, first, count, qn_weight_bytes(weights->type), numbers);
}

static void fill_true(void *context, uint64_t first, uint64_t count, void *numbers) {
  (void)context;
  (void)first;
  memset(numbers, 1, count);
}

static void fill_ids(void *context, uint64_t first, uint64_t count, void *numbers) {
  const struct qn_ids *ids = context;
  memcpy(numbers, ids->numbers + first, count * sizeof *ids->numbers);
}

static enum qn_status put_descriptor(struct qn_hdf5 *file, const struct qn_graph *graph,
                                     const struct entries *entries, struct qn_error *error) {
  static const char *const types[] = {"iso[bint8]", "uint32", "float32", "int64", "float64"};
  const struct qn_csr *csr = &graph->out;
  json_t *json = json_pack(
      "{s:{s:s, s:s, s:[I, I], s:I, s:{s:s, s:s, s:s}}}", "binsparse", "version", "0.1", "format",
      "CSR", "shape", (json_int_t)csr->num_vertices, (json_int_t)csr->num_vertices,
      "number_of_stored_values", (json_int_t)entries->count, "data_types", "pointers_to_1",
      "uint64", "indices_1", "uint32", "values", types[csr->weights.type]);
  if (graph->directedness == QN_UNDIRECTED)
    json_object_set_new(json_object_get(json, "binsparse"), "structure",
                        json_string("symmetric_lower"));
  char *text = json_dumps(json, JSON_SORT_KEYS | JSON_COMPACT);
  enum qn_status status = text ? qn_hdf5_put_text(file, "binsparse", text, error)
                               : qn_fail_memory(error, "a descriptor", 0);
  free(text);
  json_decref(json);
  return status;
}

static enum qn_status put_arrays(struct qn_hdf5 *file, const struct qn_graph *graph,
                                 struct entries *entries, struct qn_error *error) {
  static const enum qn_number_class classes[] = {[QN_WEIGHT_U32] = QN_NUMBERS_UNSIGNED,
                                                 [QN_WEIGHT_F32] = QN_NUMBERS_REAL,
                                                 [QN_WEIGHT_I64] = QN_NUMBERS_SIGNED,
                                                 [QN_WEIGHT_F64] = QN_NUMBERS_REAL};
  const struct qn_csr *csr = &graph->out;
  enum qn_status status;
  if ((status = qn_hdf5_put(file, "pointers_to_1", QN_NUMBERS_UNSIGNED, 8, csr->num_vertices + 1,
                            fill_pointers, entries, error)) ||
      (status = qn_hdf5_put(file, "indices_1", QN_NUMBERS_UNSIGNED, 4, entries->count, fill_indices,
                            entries, error)))
    return status;
  if (csr->weights.type == QN_WEIGHT_NONE)
    status = qn_hdf5_put(file, "values", QN_NUMBERS_UNSIGNED, 1, 1, fill_true, NULL, error);
  else
    status =
        qn_hdf5_put(file, "values", classes[csr->weights.type], qn_weight_bytes(csr->weights.type),
                    entries->count, fill_values, entries, error);
  if (!status && graph->ids.kind == QN_IDS_NUMBERS)
    status = qn_hdf5_put(file, "vertex_ids", QN_NUMBERS_UNSIGNED, 8, csr->num_vertices, fill_ids,
                         (void *)&graph->ids, error);
  return status;
}

static enum qn_status write_binsparse(const struct qn_graph *graph,
                                      const struct qn_write_options *options,
                                      struct qn_text_output *output, uint64_t *written,
                                      struct qn_error *error) {
  struct entries entries = {0};
  struct qn_hdf5 *file = NULL;
  (void)options;
  enum qn_status status = find_entries(graph, &entries, error);
  *written = entries.count;
  qn_progress_begin("writing", "bytes", 0);
  if (!status)
    status = qn_hdf5_create(&file, error);
  if (!status)
    status = put_descriptor(file, graph, &entries, error);
  if (!status)
    status = put_arrays(file, graph, &entries, error);
  if (!status)
    status = qn_hdf5_give(file, output, error);
  qn_progress_end();
  qn_hdf5_close(file);
  qn_pages_free(entries.pointers, graph->out.num_vertices + 1, sizeof *entries.pointers);
  return status;
}

const struct qn_graph_writer qn_graph_writer_binsparse = {
    .name = "binsparse",
    .losses = QN_LOSES_NAMES,
    .write = write_binsparse,
};
