/* NumPy archives (.npz): zip files of arrays. Which arrays there are says what they hold:
 *
 *   indptr, indices [, data, shape, format]   rows (csr) or columns (csc); scipy.sparse.save_npz
 *   row, col [, data, shape, format]          coordinates; the same
 *   src, dst                                  coordinates
 *   edge_index, or one array alone            two rows or columns: the ends of edges
 *
 * Weights are called data, edge_weight, weights or weight.
 * Two more are what quern-export adds for graphs of which they say something: vertex_ids, the
 * names of vertices, and undirected. Other arrays are not looked at. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "converters/arrays/edge_array.h"
#include "converters/arrays/sparse_matrix.h"
#include "support/input/input.h"
#include "support/input/whole_input.h"
#include "support/input/zip_members.h"
#include "support/memory.h"
#include "support/progress.h"

enum array {
  POINTERS,
  INDICES,
  ROW,
  COLUMN,
  SOURCE,
  DESTINATION,
  EDGES,
  VALUES,
  SHAPE,
  FORMAT,
  IDS,
  UNDIRECTED,
  NUM_ARRAYS,
};

static const char *const names[NUM_ARRAYS] = {"indptr", "indices", "row",        "col",
                                              "src",    "dst",     "edge_index", "data",
                                              "shape",  "format",  "vertex_ids", "undirected"};

/* What weights are called where they are not values of a matrix. */
static const char *const weight_names[] = {"edge_weight.npy", "weights.npy", "weight.npy"};

enum { NUM_WEIGHT_NAMES = sizeof weight_names / sizeof *weight_names };

struct npz {
  const char *file;
  bool stays; /* the archive is mapped, until the input is closed */
  struct qn_zip zip;
  struct qn_zip_member *members[NUM_ARRAYS]; /* NULL where there is none */
  struct qn_npy arrays[NUM_ARRAYS];
};

static enum qn_status refuse(const struct npz *npz, enum qn_status status, struct qn_error *error,
                             const char *format, const char *text) {
  qn_fail(error, status, format, text);
  return qn_error_in_file(error, npz->file), status;
}

/* ---- Arrays --------------------------------------------------------------- */

static void find_arrays(struct npz *npz) {
  for (int i = 0; i < NUM_ARRAYS; i++) {
    char name[32];
    snprintf(name, sizeof name, "%s.npy", names[i]);
    npz->members[i] = qn_zip_find(&npz->zip, name);
    if (npz->members[i])
      npz->members[i]->wanted = true;
  }
  for (unsigned i = 0; i < NUM_WEIGHT_NAMES && !npz->members[VALUES]; i++) {
    npz->members[VALUES] = qn_zip_find(&npz->zip, weight_names[i]);
    if (npz->members[VALUES])
      npz->members[VALUES]->wanted = true;
  }
  if (npz->zip.num_members == 1)
    npz->members[EDGES] = &npz->zip.members[0];
  if (npz->members[EDGES])
    npz->members[EDGES]->wanted = true;
}

static enum qn_status parse_arrays(struct npz *npz, struct qn_error *error) {
  char file[256];
  for (int i = 0; i < NUM_ARRAYS; i++) {
    const struct qn_zip_member *member = npz->members[i];
    if (!member)
      continue;
    snprintf(file, sizeof file, "%.180s:%.60s", npz->file, member->name);
    enum qn_status status = qn_npy_parse(member->data, member->bytes, file, &npz->arrays[i], error);
    if (status)
      return status;
    npz->arrays[i].stays = npz->stays && !member->owned;
  }
  return QN_OK;
}

/* An array of one dimension, or none, that holds numbers. */
static enum qn_status take_numbers(const struct npz *npz, enum array which,
                                   struct qn_number_array *numbers, struct qn_error *error) {
  if (qn_npy_numbers(&npz->arrays[which], names[which], numbers) &&
      npz->arrays[which].dimensions < 2)
    return QN_OK;
  return refuse(npz, QN_INVALID, error, "'%s' is not one row of numbers", names[which]);
}

static enum qn_status take_whole(const struct npz *npz, enum array which,
                                 struct qn_number_array *numbers, struct qn_error *error) {
  enum qn_status status = take_numbers(npz, which, numbers, error);
  if (!status && numbers->kind == QN_NUMBERS_REAL)
    status = refuse(npz, QN_INVALID, error, "'%s' holds reals, not integers", names[which]);
  return status;
}

/* ---- Matrices ------------------------------------------------------------- */

static uint64_t one_more_than_largest(const struct qn_number_array *numbers) {
  uint64_t most = 0;
#pragma omp parallel for schedule(static) reduction(max : most)
  for (uint64_t i = 0; i < numbers->count; i++) {
    uint64_t id;
    if (qn_numbers_id(numbers, i, &id) && id < UINT64_MAX && id + 1 > most)
      most = id + 1;
  }
  return most;
}

/* Rows and columns as 'shape' says; without it the matrix is square, of the size that the others
 * imply. */
static enum qn_status find_shape(const struct npz *npz, struct qn_sparse_matrix *matrix,
                                 struct qn_error *error) {
  struct qn_number_array shape;
  if (npz->members[SHAPE]) {
    enum qn_status status = take_whole(npz, SHAPE, &shape, error);
    if (!status && (shape.count != 2 || !qn_numbers_id(&shape, 0, &matrix->rows) ||
                    !qn_numbers_id(&shape, 1, &matrix->columns)))
      status = refuse(npz, QN_INVALID, error, "'%s' is not two numbers, rows and columns", "shape");
    return status;
  }
  if (matrix->pointers.data) {
    matrix->rows = matrix->columns = matrix->pointers.count ? matrix->pointers.count - 1 : 0;
    return QN_OK;
  }
  uint64_t rows = one_more_than_largest(&matrix->major);
  uint64_t columns = one_more_than_largest(&matrix->minor);
  matrix->rows = matrix->columns = rows > columns ? rows : columns;
  return QN_OK;
}

/* "csr", "csc" or "coo", as 'format' says or by the arrays that are there. */
static enum qn_status find_format(struct npz *npz, char *format, uint64_t size,
                                  struct qn_error *error) {
  snprintf(format, size, "%s", npz->members[POINTERS] ? "csr" : "coo");
  if (!npz->members[FORMAT])
    return QN_OK;
  if (!qn_npy_text(&npz->arrays[FORMAT], format, size))
    return refuse(npz, QN_INVALID, error, "'%s' is not the name of a sparse format", "format");
  bool by_lines = strcmp(format, "csr") == 0 || strcmp(format, "csc") == 0;
  if (!by_lines && strcmp(format, "coo") != 0) {
    for (char *p = format; *p; p++)
      *p = *p > ' ' && *p < 0x7f ? *p : '?';
    return refuse(npz, QN_UNSUPPORTED, error,
                  "a sparse matrix of format '%s'; csr, csc and coo are known: convert it with "
                  "tocsr()",
                  format);
  }
  if (by_lines != (npz->members[POINTERS] != NULL))
    return refuse(npz, QN_INVALID, error, "the arrays are not those of format '%s'", format);
  return QN_OK;
}

static enum qn_status take_ids(const struct npz *npz, struct qn_sparse_matrix *matrix,
                               struct qn_error *error) {
  struct qn_number_array ids;
  enum qn_status status = take_whole(npz, IDS, &ids, error);
  if (status)
    return status;
  if (ids.count != matrix->rows || matrix->rows != matrix->columns)
    return refuse(npz, QN_INVALID, error, "'%s' does not have a number for each row", "vertex_ids");
  status = qn_alloc(&matrix->names, ids.count, sizeof *matrix->names, "vertex ids", error);
  if (!status && qn_numbers_ids(&ids, 0, ids.count, matrix->names) < ids.count)
    status = refuse(npz, QN_INVALID, error, "'%s' has a negative number", "vertex_ids");
  return status;
}

static enum qn_status take_undirected(const struct npz *npz, struct qn_sparse_matrix *matrix,
                                      struct qn_error *error) {
  struct qn_number_array flag;
  uint64_t value = 0;
  enum qn_status status = take_whole(npz, UNDIRECTED, &flag, error);
  if (!status && (flag.count != 1 || !qn_numbers_id(&flag, 0, &value) || value > 1))
    status = refuse(npz, QN_INVALID, error, "'%s' is neither true nor false", "undirected");
  matrix->undirected = value == 1;
  return status;
}

/* Values that only say that there are entries. */
static bool is_pattern(const struct npz *npz) {
  const struct qn_npy *values = &npz->arrays[VALUES];
  return values->type == 'b' && !memchr(values->data, 0, values->count);
}

/* Which arrays name the entries' ends; false if they are not all there. */
static bool choose_arrays(const struct npz *npz, enum array *major, enum array *minor) {
  static const enum array pairs[3][2] = {{POINTERS, INDICES}, {ROW, COLUMN}, {SOURCE, DESTINATION}};
  for (int i = 0; i < 3; i++) {
    *major = pairs[i][0];
    *minor = pairs[i][1];
    if (npz->members[*major] && npz->members[*minor])
      return true;
  }
  return false;
}

static enum qn_status fill_matrix(struct npz *npz, enum array major, enum array minor, char *format,
                                  uint64_t size, struct qn_sparse_matrix *matrix,
                                  struct qn_error *error) {
  enum qn_status status = find_format(npz, format, size, error);
  matrix->format = format;
  matrix->by_columns = strcmp(format, "csc") == 0;
  if (!status)
    status = take_whole(npz, major, major == POINTERS ? &matrix->pointers : &matrix->major, error);
  if (!status)
    status = take_whole(npz, minor, &matrix->minor, error);
  if (!status && npz->members[VALUES] && !is_pattern(npz))
    status = take_numbers(npz, VALUES, &matrix->values, error);
  if (!status)
    status = find_shape(npz, matrix, error);
  if (!status && npz->members[IDS])
    status = take_ids(npz, matrix, error);
  if (!status && npz->members[UNDIRECTED])
    status = take_undirected(npz, matrix, error);
  return status;
}

/* ---- The whole ------------------------------------------------------------ */

/* The names of the members that are wanted, or of those that are not. */
static void list_members(const struct npz *npz, bool wanted, char *list, uint64_t size) {
  *list = 0;
  for (uint32_t i = 0; i < npz->zip.num_members; i++) {
    uint64_t used = strlen(list);
    if (npz->zip.members[i].wanted == wanted)
      snprintf(list + used, size - used, "%s%.40s", used ? ", " : "", npz->zip.members[i].name);
  }
  for (char *p = list; *p; p++)
    *p = (unsigned char)*p < 0x20 || *p == 0x7f ? '?' : *p;
}

static enum qn_status fail_unknown(struct npz *npz, struct qn_error *error) {
  char list[300];
  for (uint32_t i = 0; i < npz->zip.num_members; i++)
    npz->zip.members[i].wanted = true;
  list_members(npz, true, list, sizeof list);
  return refuse(npz, QN_INVALID, error,
                "no arrays of a graph: expected indptr and indices, row and col, src and dst, or "
                "edge_index; found %s. FILE:MEMBER reads one of them",
                list);
}

static enum qn_status read_ends(const struct npz *npz, const struct qn_read_options *options,
                                struct qn_edge_list *list, uint64_t *sequence,
                                struct qn_read_result *result, struct qn_error *error) {
  struct qn_number_array weights;
  bool weighted = npz->members[VALUES] && npz->members[VALUES] != npz->members[EDGES] &&
                  options->weights != QN_WEIGHTS_NONE;
  enum qn_status status = weighted ? take_numbers(npz, VALUES, &weights, error) : QN_OK;
  if (weighted)
    weights.name = npz->members[VALUES]->name;
  return status ? status
                : qn_edge_array_read(&npz->arrays[EDGES], weighted ? &weights : NULL, NULL,
                                     npz->file, list, sequence, result, error);
}

static enum qn_status read_arrays(struct npz *npz, const struct qn_read_options *options,
                                  struct qn_edge_list *list, uint64_t *sequence,
                                  struct qn_read_result *result, struct qn_error *error) {
  struct qn_sparse_matrix matrix = {.file = npz->file};
  enum array major, minor;
  char format[16], others[300];
  bool is_matrix = choose_arrays(npz, &major, &minor);
  if (!is_matrix && !npz->members[EDGES])
    return fail_unknown(npz, error);
  list_members(npz, false, others, sizeof others);
  if (*others)
    qn_note(QN_NOTE_NOT_READ, "arrays that are not looked at: %s", others);
  enum qn_status status = qn_zip_load(&npz->zip, error);
  if (!status)
    status = parse_arrays(npz, error);
  if (status)
    return status;
  if (!is_matrix)
    return read_ends(npz, options, list, sequence, result, error);
  result->adds_up |= npz->members[SHAPE] != NULL; /* SciPy's */
  status = fill_matrix(npz, major, minor, format, sizeof format, &matrix, error);
  if (!status)
    return qn_sparse_matrix_read(&matrix, options, list, sequence, result, error);
  qn_free(matrix.names);
  return status;
}

static enum qn_status read_npz(struct qn_input *input, const struct qn_read_options *options,
                               struct qn_edge_list *list, uint64_t *sequence,
                               struct qn_read_result *result, struct qn_error *error) {
  struct npz npz = {.file = qn_input_name(input), .stays = qn_input_stays(input)};
  struct qn_whole_input whole;
  enum qn_status status = qn_whole_input_take(input, &whole, error);
  if (status)
    return status;
  status = qn_zip_open(npz.file, whole.data, whole.bytes, qn_input_limits(input), &npz.zip, error);
  if (!status) {
    find_arrays(&npz);
    status = read_arrays(&npz, options, list, sequence, result, error);
  }
  qn_zip_close(&npz.zip);
  qn_whole_input_release(&whole);
  return status;
}

static int detect_npz(const char *head, uint64_t bytes, const struct qn_read_options *options) {
  (void)options;
  return qn_input_is_npz(head, bytes) ? 3 : 0;
}

const struct qn_reader qn_reader_npz = {
    .name = "npz",
    .detect = detect_npz,
    .read = read_npz,
    .release = qn_sparse_matrix_release,
};
