/* Sparse matrices by the Binsparse specification, version 0.1, in HDF5: the root's attribute
 * "binsparse" is JSON that describes the arrays
 *
 *   CSR, CSC        pointers_to_1, indices_1, values
 *   DCSR, DCSC      indices_0 (lines that are not empty), and these
 *   COO, COOR       indices_0 (rows), indices_1 (columns), values
 *   COOC            indices_0 (columns), indices_1 (rows), values
 *
 * Values "iso[TYPE]" are one for all entries. quern-export adds what the specification leaves to
 * others: the array vertex_ids. */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "converters/arrays/hdf5_file.h"
#include "converters/arrays/sparse_matrix.h"
#include "support/checked.h"
#include "support/input/input.h"
#include "support/memory.h"

#define MAX_TYPE_BYTES 32

struct binsparse {
  const char *file;
  struct qn_hdf5 *hdf5;
  json_t *json;
  const json_t *descriptor; /* in it */
  char format[8];
  uint64_t entries;    /* that it says are stored */
  bool without_values; /* nobody asks for them */
};

static enum qn_status refuse(const struct binsparse *binsparse, enum qn_status status,
                             struct qn_error *error, const char *format, const char *text) {
  char printable[200];
  snprintf(printable, sizeof printable, "%s", text ? text : "nothing");
  for (char *p = printable; *p; p++)
    *p = (unsigned char)*p < 0x20 || *p == 0x7f ? '?' : *p;
  qn_fail(error, status, format, printable);
  return qn_error_in_file(error, binsparse->file), status;
}

/* ---- The descriptor ------------------------------------------------------- */

static enum qn_status load_descriptor(struct binsparse *binsparse, struct qn_error *error) {
  char *text;
  json_error_t where;
  enum qn_status status = qn_hdf5_text(binsparse->hdf5, "binsparse", &text, error);
  if (status)
    return status;
  if (!text)
    return refuse(binsparse, QN_INVALID, error, "%s",
                  "no Binsparse matrix: the root has no attribute 'binsparse'");
  binsparse->json = json_loads(text, JSON_REJECT_DUPLICATES, &where);
  qn_free(text);
  binsparse->descriptor = json_object_get(binsparse->json, "binsparse");
  return json_is_object(binsparse->descriptor)
             ? QN_OK
             : refuse(binsparse, QN_INVALID, error,
                      "the attribute 'binsparse' is not a descriptor: %s",
                      binsparse->json ? "no object 'binsparse' in it" : where.text);
}

static const char *text_of(const struct binsparse *binsparse, const char *key) {
  return json_string_value(json_object_get(binsparse->descriptor, key));
}

/* What is described in words that this reader does not know. */
static enum qn_status check_version(const struct binsparse *binsparse, struct qn_error *error) {
  const char *version = text_of(binsparse, "version");
  return version && (strcmp(version, "0.1") == 0 || strncmp(version, "0.1.", 4) == 0)
             ? QN_OK
             : refuse(binsparse, QN_UNSUPPORTED, error,
                      "Binsparse version %s; this build reads 0.1", version);
}

static enum qn_status choose_base(const struct binsparse *binsparse,
                                  struct qn_sparse_matrix *matrix, struct qn_error *error) {
  const json_t *base = json_object_get(binsparse->descriptor, "index_base");
  if (base &&
      (!json_is_integer(base) || json_integer_value(base) < 0 || json_integer_value(base) > 1))
    return refuse(binsparse, QN_INVALID, error, "%s", "'index_base' is neither 0 nor 1");
  matrix->base = base ? (uint64_t)json_integer_value(base) : 0;
  return QN_OK;
}

static enum qn_status choose_format(struct binsparse *binsparse, struct qn_sparse_matrix *matrix,
                                    struct qn_error *error) {
  static const struct {
    const char *name, *format;
    bool by_columns;
  } formats[] = {{"CSR", "csr", false},  {"CSC", "csc", true},  {"DCSR", "dcsr", false},
                 {"DCSC", "dcsc", true}, {"COO", "coo", false}, {"COOR", "coo", false},
                 {"COOC", "cooc", true}};
  const char *name = text_of(binsparse, "format");
  for (unsigned i = 0; name && i < sizeof formats / sizeof formats[0]; i++)
    if (strcmp(name, formats[i].name) == 0) {
      snprintf(binsparse->format, sizeof binsparse->format, "%s", formats[i].format);
      matrix->format = binsparse->format;
      matrix->by_columns = formats[i].by_columns;
      return QN_OK;
    }
  return refuse(binsparse, QN_UNSUPPORTED, error,
                "format %s; CSR, CSC, DCSR, DCSC, COO, COOR and COOC are known", name);
}

/* A structure is a kind and a triangle. Only its places are looked at without values: then every
 * kind is symmetric. */
static enum qn_status choose_structure(const struct binsparse *binsparse,
                                       struct qn_sparse_matrix *matrix, struct qn_error *error) {
  static const struct {
    const char *name;
    bool skew, hermitian;
  } kinds[] = {
      {"symmetric_", false, false}, {"skew_symmetric_", true, false}, {"hermitian_", false, true}};
  const json_t *structure = json_object_get(binsparse->descriptor, "structure");
  const char *name = json_string_value(structure);
  if (!structure || json_is_null(structure))
    return QN_OK;
  for (unsigned i = 0; name && i < sizeof kinds / sizeof kinds[0]; i++) {
    uint64_t length = strlen(kinds[i].name);
    if (strncmp(name, kinds[i].name, length) != 0)
      continue;
    matrix->triangle = strcmp(name + length, "lower") == 0   ? QN_TRIANGLE_LOWER
                       : strcmp(name + length, "upper") == 0 ? QN_TRIANGLE_UPPER
                                                             : QN_TRIANGLE_NONE;
    matrix->skew = kinds[i].skew;
    if (matrix->triangle && kinds[i].hermitian && !binsparse->without_values)
      return refuse(binsparse, QN_UNSUPPORTED, error,
                    "structure %s: its values are complex, which weights are not; "
                    "--weights=none reads its places alone",
                    name);
  }
  return matrix->triangle ? QN_OK
                          : refuse(binsparse, QN_UNSUPPORTED, error,
                                   "structure %s; symmetric_, skew_symmetric_ and hermitian_ "
                                   "lower and upper are known",
                                   name);
}

static enum qn_status read_shape(const struct binsparse *binsparse, struct qn_sparse_matrix *matrix,
                                 struct qn_error *error) {
  const json_t *shape = json_object_get(binsparse->descriptor, "shape");
  json_int_t rows = json_integer_value(json_array_get(shape, 0));
  json_int_t columns = json_integer_value(json_array_get(shape, 1));
  if (json_array_size(shape) != 2 || !json_is_integer(json_array_get(shape, 0)) ||
      !json_is_integer(json_array_get(shape, 1)) || rows < 0 || columns < 0)
    return refuse(binsparse, QN_INVALID, error, "%s", "'shape' is not two numbers");
  matrix->rows = (uint64_t)rows;
  matrix->columns = (uint64_t)columns;
  return QN_OK;
}

static enum qn_status read_count(struct binsparse *binsparse, struct qn_error *error) {
  const json_t *count = json_object_get(binsparse->descriptor, "number_of_stored_values");
  if (!json_is_integer(count) || json_integer_value(count) < 0)
    return refuse(binsparse, QN_INVALID, error, "%s", "'number_of_stored_values' is no number");
  binsparse->entries = (uint64_t)json_integer_value(count);
  return QN_OK;
}

/* ---- Arrays --------------------------------------------------------------- */

/* Compare an array with its type in the descriptor: what is stored counts, but must be such
 * numbers. */
static enum qn_status check_type(struct binsparse *binsparse, const struct qn_number_array *array,
                                 const char *type, struct qn_error *error) {
  static const char *const kinds[] = {"uint", "int", "float"};
  char expected[16];
  snprintf(expected, sizeof expected, "%s%u", kinds[array->kind], 8 * array->width);
  bool boolean = strcmp(type, "bint8") == 0 && array->width == 1 && array->kind != QN_NUMBERS_REAL;
  if (boolean || strcmp(type, expected) == 0)
    return QN_OK;
  char both[160];
  snprintf(both, sizeof both, "'%s' is described as %.60s, but is %s", array->name, type, expected);
  return refuse(binsparse, QN_INVALID, error, "%s", both);
}

/* The type of an array by the descriptor: what it holds, and whether that is one for all. */
static enum qn_status read_type(const struct binsparse *binsparse, const char *name,
                                char type[MAX_TYPE_BYTES], bool *iso, struct qn_error *error) {
  const char *described = json_string_value(
      json_object_get(json_object_get(binsparse->descriptor, "data_types"), name));
  uint64_t length = described ? strlen(described) : 0;
  if (!described || length >= MAX_TYPE_BYTES)
    return refuse(binsparse, QN_INVALID, error, "the type of '%s' is not described", name);
  if (strncmp(described, "complex[", 8) == 0 || strstr(described, "[complex["))
    return refuse(binsparse, QN_UNSUPPORTED, error,
                  "'%s' holds complex numbers, which weights are not; --weights=none leaves them "
                  "out",
                  name);
  strcpy(type, described);
  *iso = strncmp(type, "iso[", 4) == 0 && type[length - 1] == ']';
  if (*iso) {
    memmove(type, described + 4, length - 5);
    type[length - 5] = 0;
  }
  return QN_OK;
}

/* Some writers leave arrays of no entries out. */
static enum qn_status read_array(struct binsparse *binsparse, const char *name,
                                 struct qn_number_array *array, bool *iso, struct qn_error *error) {
  char type[MAX_TYPE_BYTES];
  bool may_lack = binsparse->entries == 0 && strcmp(name, "pointers_to_1") != 0;
  *iso = false;
  enum qn_status status = qn_hdf5_read(binsparse->hdf5, name, 1, array, error);
  if (!status && !array->data)
    return may_lack ? QN_OK
                    : refuse(binsparse, QN_INVALID, error, "the array '%s' is missing", name);
  if (!status)
    status = read_type(binsparse, name, type, iso, error);
  return status ? status : check_type(binsparse, array, type, error);
}

/* Values that are all true, or one 1 for all, are how matrices of structure alone are kept. */
static void drop_pattern(struct qn_sparse_matrix *matrix, const char *type) {
  enum qn_weight_type weight_type;
  struct qn_rounding rounding;
  uint32_t bits;
  if (type && strstr(type, "bint8") && !memchr(matrix->values.data, 0, matrix->values.count))
    matrix->values.data = NULL;
  if (!matrix->values.data || !matrix->iso || matrix->values.count != 1 ||
      qn_numbers_weight_type(&matrix->values, &weight_type, &rounding) != 1 ||
      weight_type != QN_WEIGHT_U32)
    return;
  qn_numbers_weights(&matrix->values, QN_WEIGHT_U32, 0, 1, &bits);
  if (bits == 1)
    matrix->values.data = NULL;
}

static enum qn_status read_ids(struct binsparse *binsparse, struct qn_sparse_matrix *matrix,
                               struct qn_error *error) {
  struct qn_number_array ids;
  enum qn_status status = qn_hdf5_read(binsparse->hdf5, "vertex_ids", 1, &ids, error);
  if (status || !ids.data)
    return status;
  if (ids.count != matrix->rows || matrix->rows != matrix->columns || ids.kind == QN_NUMBERS_REAL)
    return refuse(binsparse, QN_INVALID, error, "%s",
                  "'vertex_ids' does not have an integer for each row");
  status = qn_alloc(&matrix->names, ids.count, sizeof *matrix->names, "vertex ids", error);
  if (!status && qn_numbers_ids(&ids, 0, ids.count, matrix->names) < ids.count)
    status = refuse(binsparse, QN_INVALID, error, "%s", "'vertex_ids' has a negative number");
  return status;
}

/* Places without an entry have a value, too, which has to be the 0 that they have by default. */
static enum qn_status check_fill(struct binsparse *binsparse, struct qn_error *error) {
  struct qn_number_array fill;
  uint64_t value = 1;
  bool iso;
  if (!json_is_true(json_object_get(binsparse->descriptor, "fill")))
    return QN_OK;
  enum qn_status status = read_array(binsparse, "fill_value", &fill, &iso, error);
  if (status)
    return status;
  if (fill.count == 1)
    qn_numbers_weights(&fill, QN_WEIGHT_F64, 0, 1, &value);
  return value << 1 == 0 ? QN_OK /* or -0.0 */
                         : refuse(binsparse, QN_UNSUPPORTED, error, "%s",
                                  "a matrix with a fill value: all its entries would be edges");
}

static enum qn_status read_indices(struct binsparse *binsparse, struct qn_sparse_matrix *matrix,
                                   struct qn_error *error) {
  bool by_lines = strstr(matrix->format, "cs"), iso = false, other = false;
  enum qn_status status = QN_OK;
  if (by_lines)
    status = read_array(binsparse, "pointers_to_1", &matrix->pointers, &iso, error);
  if (!status && (!by_lines || matrix->format[0] == 'd'))
    status = read_array(binsparse, "indices_0", &matrix->major, &other, error);
  iso |= other;
  if (!status)
    status = read_array(binsparse, "indices_1", &matrix->minor, &other, error);
  if (status)
    return status;
  if (iso || other)
    return refuse(binsparse, QN_UNSUPPORTED, error, "%s", "indices that are all the same");
  return binsparse->entries == matrix->minor.count
             ? QN_OK
             : refuse(binsparse, QN_INVALID, error, "%s",
                      "'number_of_stored_values' is not that of 'indices_1'");
}

static enum qn_status read_values(struct binsparse *binsparse, struct qn_sparse_matrix *matrix,
                                  struct qn_error *error) {
  const json_t *types = json_object_get(binsparse->descriptor, "data_types");
  if (binsparse->without_values)
    return QN_OK;
  enum qn_status status = read_array(binsparse, "values", &matrix->values, &matrix->iso, error);
  if (status)
    return status;
  if (matrix->minor.count == 0 && matrix->iso && matrix->values.count <= 1)
    matrix->values.data = NULL; /* of no entries */
  else if (!matrix->skew)
    drop_pattern(matrix, json_string_value(json_object_get(types, "values")));
  return QN_OK;
}

/* ---- The whole ------------------------------------------------------------ */

static enum qn_status read_matrix(struct binsparse *binsparse, struct qn_sparse_matrix *matrix,
                                  struct qn_error *error) {
  enum qn_status status;
  if ((status = load_descriptor(binsparse, error)) || (status = check_version(binsparse, error)) ||
      (status = choose_base(binsparse, matrix, error)) ||
      (status = choose_format(binsparse, matrix, error)) ||
      (status = choose_structure(binsparse, matrix, error)) ||
      (status = read_shape(binsparse, matrix, error)) || (status = read_count(binsparse, error)) ||
      (status = check_fill(binsparse, error)) ||
      (status = read_indices(binsparse, matrix, error)) ||
      (status = read_values(binsparse, matrix, error)))
    return status;
  return read_ids(binsparse, matrix, error);
}

static enum qn_status read_binsparse(struct qn_input *input, const struct qn_read_options *options,
                                     struct qn_edge_list *list, uint64_t *sequence,
                                     struct qn_read_result *result, struct qn_error *error) {
  struct binsparse binsparse = {.file = qn_input_name(input),
                                .without_values = options->weights == QN_WEIGHTS_NONE};
  struct qn_sparse_matrix matrix = {.file = binsparse.file};
  struct qn_whole_input whole;
  uint64_t most;
  enum qn_status status = qn_whole_input_take(input, &whole, error);
  if (status)
    return status;
  if (!qn_mul_u64(whole.bytes, qn_input_limits(input)->max_expansion, &most) ||
      !qn_add_u64(most, QN_INPUT_FREE_EXPANSION, &most))
    most = UINT64_MAX;
  status = qn_hdf5_open(binsparse.file, &whole, most, &binsparse.hdf5, error);
  if (!status)
    status = read_matrix(&binsparse, &matrix, error);
  result->adds_up = true;
  if (!status)
    status = qn_sparse_matrix_read(&matrix, options, list, sequence, result, error);
  qn_free(matrix.names);
  json_decref(binsparse.json);
  qn_hdf5_close(binsparse.hdf5);
  qn_whole_input_release(&whole);
  return status;
}

static int detect_binsparse(const char *head, uint64_t bytes,
                            const struct qn_read_options *options) {
  (void)options;
  return bytes >= 8 && memcmp(head, QN_HDF5_SIGNATURE, 8) == 0 ? 3 : 0;
}

const struct qn_reader qn_reader_binsparse = {
    .name = "binsparse",
    .detect = detect_binsparse,
    .read = read_binsparse,
    .release = qn_sparse_matrix_release,
};
