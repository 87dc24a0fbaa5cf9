/* NumPy archives (.npz) as scipy.sparse.save_npz writes them, in rows (csr), without compression;
 * readers/npz.c says what may be in them. Weights are the values; without weights all values are
 * true, which quern-import takes for none. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/arrays/stored_zip.h"
#include "support/input/crc32.h"
#include "converters/output/writer.h"
#include "formats/arrays/npy_header.h"
#include "support/memory.h"
#include "support/progress.h"

/* Bytes handed over at a time. */
#define CHUNK_BYTES ((uint64_t)1 << 20)
#define CONVERTED_BYTES ((uint64_t)64 << 10)

#define MOST_ARRAYS 7

struct npz {
  struct qn_text_output *output;
  struct qn_stored_member members[MOST_ARRAYS];
  uint16_t num_members;
};

static enum qn_status write_bytes(struct npz *npz, const void *bytes, uint64_t length,
                                  struct qn_error *error) {
  const char *at = bytes;
  enum qn_status status = QN_OK;
  while (length && !status) {
    uint64_t some = length < CHUNK_BYTES ? length : CHUNK_BYTES;
    status = qn_text_output_write(npz->output, at, some, error);
    qn_progress_add(some);
    at += some;
    length -= some;
  }
  return status;
}

/* ---- Arrays --------------------------------------------------------------- */

/* An array of one dimension; `bytes` come from `data`, or are `fill`. */
struct array {
  const char *name;  /* of the member */
  const char *type;  /* as NumPy describes it */
  const char *shape; /* NULL: "(count,)" */
  uint64_t count;
  unsigned width;
  const void *data; /* NULL: what `convert` makes */
  void (*convert)(const void *from, uint64_t first, uint64_t count, void *to);
  const void *from;
};

static void fill_header(const struct array *array, char header[QN_NPY_HEADER_BYTES]) {
  char shape[32];
  snprintf(shape, sizeof shape, "(%" PRIu64 ",)", array->count);
  qn_npy_header(header, array->type, array->shape ? array->shape : shape);
}

/* What is told of each part of an array's bytes, in their order. */
typedef enum qn_status (*part_taker)(void *context, const void *bytes, uint64_t length,
                                     struct qn_error *error);

static enum qn_status convert(const struct array *array, part_taker take, void *context,
                              struct qn_error *error) {
  uint64_t *buffer, most = CONVERTED_BYTES / array->width;
  enum qn_status status = qn_alloc(&buffer, CONVERTED_BYTES, 1, "a part of an array", error);
  for (uint64_t first = 0; first < array->count && !status; first += most) {
    uint64_t count = array->count - first < most ? array->count - first : most;
    array->convert(array->from, first, count, buffer);
    status = take(context, buffer, count * array->width, error);
  }
  qn_free(buffer);
  return status;
}

static enum qn_status add_to_crc(void *context, const void *bytes, uint64_t length,
                                 struct qn_error *error) {
  uint32_t *crc = context;
  (void)error;
  *crc = qn_crc32(*crc, bytes, length);
  return QN_OK;
}

static enum qn_status write_part(void *context, const void *bytes, uint64_t length,
                                 struct qn_error *error) {
  return write_bytes(context, bytes, length, error);
}

/* The checksum stands before the bytes, so they are looked at twice. */
static enum qn_status find_crc(const struct array *array, const char *header, uint32_t *crc,
                               struct qn_error *error) {
  const uint64_t bytes = array->count * array->width;
  *crc = qn_crc32(0, header, QN_NPY_HEADER_BYTES);
  if (array->convert)
    return convert(array, add_to_crc, crc, error);
  *crc = qn_crc32_join(*crc, qn_crc32_parallel(array->data, bytes), bytes);
  return QN_OK;
}

static enum qn_status write_array(struct npz *npz, const struct array *array,
                                  struct qn_error *error) {
  char header[QN_NPY_HEADER_BYTES], record[QN_STORED_ZIP_RECORD_BYTES];
  const uint64_t bytes = array->count * array->width;
  struct qn_stored_member *member = &npz->members[npz->num_members++];
  *member = (struct qn_stored_member){.name = array->name,
                                      .bytes = QN_NPY_HEADER_BYTES + bytes,
                                      .at = qn_text_output_bytes(npz->output)};
  fill_header(array, header);
  enum qn_status status = find_crc(array, header, &member->crc, error);
  if (!status)
    status = write_bytes(npz, record, qn_stored_zip_header(record, member), error);
  if (!status)
    status = write_bytes(npz, header, sizeof header, error);
  if (!status)
    status = array->convert ? convert(array, write_part, npz, error)
                            : write_bytes(npz, array->data, bytes, error);
  return status;
}

static enum qn_status write_directory(struct npz *npz, struct qn_error *error) {
  char record[QN_STORED_ZIP_RECORD_BYTES];
  const uint64_t at = qn_text_output_bytes(npz->output);
  enum qn_status status = QN_OK;
  for (unsigned i = 0; i < npz->num_members && !status; i++)
    status = write_bytes(npz, record, qn_stored_zip_entry(record, &npz->members[i]), error);
  const uint64_t bytes = qn_text_output_bytes(npz->output) - at;
  if (!status)
    status =
        write_bytes(npz, record, qn_stored_zip_end(record, npz->num_members, at, bytes), error);
  return status;
}

static void widen(const void *from, uint64_t first, uint64_t count, void *to) {
  const uint32_t *columns = from;
  uint64_t *wide = to;
  for (uint64_t i = 0; i < count; i++)
    wide[i] = columns[first + i];
}

static void all_true(const void *from, uint64_t first, uint64_t count, void *to) {
  (void)from;
  (void)first;
  memset(to, 1, count);
}

/* ---- The whole ------------------------------------------------------------ */

/* scipy's indices are signed: from 2^31 vertices on they take 8 bytes. */
static struct array indices_of(const struct qn_csr *csr) {
  struct array array = {.name = "indices.npy",
                        .type = "<i4",
                        .count = csr->num_edges,
                        .width = 4,
                        .data = csr->column_indices};
  if (csr->num_vertices <= (uint64_t)INT32_MAX + 1)
    return array;
  array.type = "<i8";
  array.width = 8;
  array.convert = widen;
  array.from = csr->column_indices;
  return array;
}

static struct array values_of(const struct qn_csr *csr) {
  static const char *const types[] = {"|b1", "<u4", "<f4", "<i8", "<f8"};
  struct array array = {.name = "data.npy",
                        .type = types[csr->weights.type],
                        .count = csr->num_edges,
                        .width = qn_weight_bytes(csr->weights.type),
                        .data = csr->weights.data};
  if (csr->weights.type == QN_WEIGHT_NONE) {
    array.width = 1;
    array.convert = all_true;
  }
  return array;
}

static enum qn_status write_arrays(struct npz *npz, const struct qn_graph *graph,
                                   struct qn_error *error) {
  const struct qn_csr *csr = &graph->out;
  const uint64_t shape[2] = {csr->num_vertices, csr->num_vertices};
  struct array arrays[MOST_ARRAYS] = {
      indices_of(csr),
      {.name = "indptr.npy",
       .type = "<i8",
       .count = csr->num_vertices + 1,
       .width = 8,
       .data = csr->row_offsets},
      {.name = "format.npy", .type = "|S3", .shape = "()", .count = 1, .width = 3, .data = "csr"},
      {.name = "shape.npy", .type = "<i8", .count = 2, .width = 8, .data = shape},
      values_of(csr)};
  unsigned count = 5;
  if (graph->ids.kind == QN_IDS_NUMBERS)
    arrays[count++] = (struct array){.name = "vertex_ids.npy",
                                     .type = "<u8",
                                     .count = csr->num_vertices,
                                     .width = 8,
                                     .data = graph->ids.numbers};
  if (graph->directedness == QN_UNDIRECTED)
    arrays[count++] = (struct array){.name = "undirected.npy",
                                     .type = "|b1",
                                     .shape = "()",
                                     .count = 1,
                                     .width = 1,
                                     .data = "\1"};
  enum qn_status status = QN_OK;
  for (unsigned i = 0; i < count && !status; i++)
    status = write_array(npz, &arrays[i], error);
  return status;
}

static enum qn_status write_npz(const struct qn_graph *graph,
                                const struct qn_write_options *options,
                                struct qn_text_output *output, uint64_t *written,
                                struct qn_error *error) {
  struct npz npz = {.output = output};
  (void)options;
  *written = graph->out.num_edges;
  qn_progress_begin("writing", "bytes", 0);
  enum qn_status status = write_arrays(&npz, graph, error);
  if (!status)
    status = write_directory(&npz, error);
  qn_progress_end();
  return status;
}

const struct qn_graph_writer qn_graph_writer_npz = {
    .name = "npz",
    .losses = QN_LOSES_NAMES,
    .write = write_npz,
};
