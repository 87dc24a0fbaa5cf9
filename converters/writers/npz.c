/* NumPy archives (.npz) as scipy.sparse.save_npz writes them, in rows (csr), without compression;
 * readers/npz.c says what may be in them. Weights are the values; without weights all values are
 * true, which quern-import takes for none. */
#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/output/writer.h"
#include "formats/arrays/npy_header.h"
#include "support/memory.h"
#include "support/progress.h"

/* Bytes handed over at a time. */
#define CHUNK_BYTES ((uint64_t)1 << 20)
#define CONVERTED_BYTES ((uint64_t)64 << 10)

struct npz {
  struct archive *zip;
  struct qn_text_output *output;
  enum qn_status status; /* of the output, inside libarchive's callback */
  struct qn_error error;
};

static la_ssize_t write_output(struct archive *zip, void *context, const void *bytes,
                               size_t length) {
  struct npz *npz = context;
  npz->status = qn_text_output_write(npz->output, bytes, length, &npz->error);
  if (npz->status) {
    archive_set_error(zip, ARCHIVE_FATAL, "cannot write");
    return -1;
  }
  return (la_ssize_t)length;
}

static enum qn_status fail(const struct npz *npz, struct qn_error *error) {
  if (npz->status) {
    if (error)
      *error = npz->error;
    return npz->status;
  }
  const char *reason = archive_error_string(npz->zip);
  return qn_fail(error, QN_SYSTEM, "cannot write the zip archive: %s", reason ? reason : "unknown");
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

static enum qn_status begin_member(struct npz *npz, const char *name, uint64_t bytes,
                                   struct qn_error *error) {
  struct archive_entry *entry = archive_entry_new();
  if (!entry)
    return qn_fail_memory(error, "a member", 0);
  archive_entry_set_pathname(entry, name);
  archive_entry_set_size(entry, (la_int64_t)bytes);
  archive_entry_set_filetype(entry, AE_IFREG);
  archive_entry_set_perm(entry, 0644);
  int result = archive_write_header(npz->zip, entry);
  archive_entry_free(entry);
  return result == ARCHIVE_OK ? QN_OK : fail(npz, error);
}

static enum qn_status write_bytes(struct npz *npz, const void *bytes, uint64_t length,
                                  struct qn_error *error) {
  const char *at = bytes;
  while (length) {
    uint64_t some = length < CHUNK_BYTES ? length : CHUNK_BYTES;
    la_ssize_t written = archive_write_data(npz->zip, at, some);
    if (written <= 0)
      return fail(npz, error);
    qn_progress_add((uint64_t)written);
    at += written;
    length -= (uint64_t)written;
  }
  return QN_OK;
}

static enum qn_status write_converted(struct npz *npz, const struct array *array,
                                      struct qn_error *error) {
  uint64_t *buffer, most = CONVERTED_BYTES / array->width;
  enum qn_status status = qn_alloc(&buffer, CONVERTED_BYTES, 1, "a part of an array", error);
  for (uint64_t first = 0; first < array->count && !status; first += most) {
    uint64_t count = array->count - first < most ? array->count - first : most;
    array->convert(array->from, first, count, buffer);
    status = write_bytes(npz, buffer, count * array->width, error);
  }
  qn_free(buffer);
  return status;
}

static enum qn_status write_array(struct npz *npz, const struct array *array,
                                  struct qn_error *error) {
  char header[QN_NPY_HEADER_BYTES];
  uint64_t bytes = array->count * array->width;
  fill_header(array, header);
  enum qn_status status = begin_member(npz, array->name, QN_NPY_HEADER_BYTES + bytes, error);
  if (!status)
    status = write_bytes(npz, header, sizeof header, error);
  if (!status)
    status = array->convert ? write_converted(npz, array, error)
                            : write_bytes(npz, array->data, bytes, error);
  if (!status && archive_write_finish_entry(npz->zip) != ARCHIVE_OK)
    status = fail(npz, error);
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
  struct array arrays[7] = {
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

static enum qn_status open_zip(struct npz *npz, struct qn_error *error) {
  npz->zip = archive_write_new();
  if (!npz->zip)
    return qn_fail_memory(error, "a zip archive", 0);
  if (archive_write_set_format_zip(npz->zip) != ARCHIVE_OK ||
      archive_write_zip_set_compression_store(npz->zip) != ARCHIVE_OK ||
      archive_write_set_bytes_per_block(npz->zip, 0) != ARCHIVE_OK ||
      archive_write_open(npz->zip, npz, NULL, write_output, NULL) != ARCHIVE_OK)
    return fail(npz, error);
  return QN_OK;
}

static enum qn_status write_npz(const struct qn_graph *graph,
                                const struct qn_write_options *options,
                                struct qn_text_output *output, uint64_t *written,
                                struct qn_error *error) {
  struct npz npz = {.output = output};
  (void)options;
  *written = graph->out.num_edges;
  qn_progress_begin("writing", "bytes", 0);
  enum qn_status status = open_zip(&npz, error);
  if (!status)
    status = write_arrays(&npz, graph, error);
  if (!status && archive_write_close(npz.zip) != ARCHIVE_OK)
    status = fail(&npz, error);
  archive_write_free(npz.zip);
  qn_progress_end();
  return status;
}

const struct qn_graph_writer qn_graph_writer_npz = {
    .name = "npz",
    .losses = QN_LOSES_NAMES,
    .write = write_npz,
};
