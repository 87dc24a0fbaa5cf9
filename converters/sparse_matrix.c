#include "converters/sparse_matrix.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "converters/declared_size.h"
#include "converters/vertex_names.h"
#include "formats/fingerprint.h"
#include "support/checked.h"
#include "support/memory.h"
#include "support/progress.h"

/* Entries that one stream takes, and that are decoded at a time. */
#define PART_ENTRIES ((uint64_t)1 << 18)
#define BLOCK_ENTRIES ((uint64_t)4096)

static enum qn_status refuse(const struct qn_sparse_matrix *matrix, struct qn_error *error,
                             const char *format, ...) __attribute__((format(printf, 3, 4)));
static enum qn_status refuse(const struct qn_sparse_matrix *matrix, struct qn_error *error,
                             const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  qn_fail(error, QN_INVALID, "%s", message);
  return qn_error_in_file(error, matrix->file);
}

/* ---- Checks --------------------------------------------------------------- */

static uint64_t num_major(const struct qn_sparse_matrix *matrix) {
  return matrix->by_columns ? matrix->columns : matrix->rows;
}

static uint64_t num_minor(const struct qn_sparse_matrix *matrix) {
  return matrix->by_columns ? matrix->rows : matrix->columns;
}

static enum qn_status check_counts(const struct qn_sparse_matrix *matrix, struct qn_error *error) {
  const struct qn_number_array *arrays[] = {&matrix->pointers, &matrix->major, &matrix->minor};
  for (int i = 0; i < 3; i++)
    if (arrays[i]->data && arrays[i]->kind == QN_NUMBERS_REAL)
      return refuse(matrix, error, "'%s' holds reals, not whole numbers", arrays[i]->name);
  uint64_t entries = matrix->minor.count;
  if (matrix->pointers.data && matrix->pointers.count - 1 != num_major(matrix))
    return refuse(matrix, error,
                  "'%s' has %" PRIu64 " numbers, where %" PRIu64 " %s need one more than they are",
                  matrix->pointers.name, matrix->pointers.count, num_major(matrix),
                  matrix->by_columns ? "columns" : "rows");
  if (!matrix->pointers.data && matrix->major.count != entries)
    return refuse(matrix, error, "'%s' has %" PRIu64 " numbers, but '%s' %" PRIu64,
                  matrix->major.name, matrix->major.count, matrix->minor.name, entries);
  if (matrix->values.data && matrix->values.count != (matrix->iso ? 1 : entries))
    return refuse(matrix, error, "'%s' has %" PRIu64 " numbers for %" PRIu64 " entries",
                  matrix->values.name, matrix->values.count, entries);
  if (matrix->rows != matrix->columns && (matrix->triangle || matrix->undirected))
    return refuse(matrix, error,
                  "a symmetric matrix is square; this one has %" PRIu64 " rows and %" PRIu64
                  " columns",
                  matrix->rows, matrix->columns);
  return QN_OK;
}

static uint64_t pointer(const struct qn_sparse_matrix *matrix, uint64_t line) {
  uint64_t value;
  qn_numbers_id(&matrix->pointers, line, &value);
  return value;
}

static enum qn_status check_pointers(const struct qn_sparse_matrix *matrix,
                                     struct qn_error *error) {
  const struct qn_number_array *pointers = &matrix->pointers;
  uint64_t lines = num_major(matrix), bad = UINT64_MAX, value;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t i = 0; i < lines; i++) {
    uint64_t ends[2];
    if ((qn_numbers_ids(pointers, i, 2, ends) < 2 || ends[0] > ends[1]) && i < bad)
      bad = i;
  }
  if (bad != UINT64_MAX)
    return refuse(matrix, error, "'%s' descends, or is negative, at element %" PRIu64,
                  pointers->name, bad + 1);
  if (!qn_numbers_id(pointers, 0, &value) || value != 0)
    return refuse(matrix, error, "'%s' does not begin with 0", pointers->name);
  if (pointer(matrix, lines) != matrix->minor.count)
    return refuse(matrix, error, "'%s' ends with %" PRIu64 ", but '%s' has %" PRIu64 " numbers",
                  pointers->name, pointer(matrix, lines), matrix->minor.name, matrix->minor.count);
  return QN_OK;
}

static enum qn_status choose_weights(struct qn_sparse_matrix *matrix,
                                     const struct qn_read_options *options,
                                     enum qn_weight_type *type, struct qn_error *error) {
  *type = QN_WEIGHT_NONE;
  if (options->weights == QN_WEIGHTS_NONE)
    matrix->values.data = NULL;
  if (!matrix->values.data)
    return QN_OK;
  uint64_t bad = qn_numbers_weight_type(&matrix->values, type);
  return bad == matrix->values.count
             ? QN_OK
             : refuse(matrix, error, "'%s': number %" PRIu64 " is not finite, or too large for f32",
                      matrix->values.name, bad);
}

/* ---- Entries -------------------------------------------------------------- */

enum fault { NO_FAULT, FAULT_MAJOR, FAULT_MINOR, FAULT_TRIANGLE };

/* What a part finds. */
struct part {
  uint64_t bad; /* the first entry at fault, UINT64_MAX if none is, and how */
  enum fault fault;
  uint64_t forward, backward; /* fingerprints of the edges and of their reversals */
  uint64_t line;              /* the major line that goes on */
  struct qn_edge_stream stream;
  uint64_t major[BLOCK_ENTRIES], minor[BLOCK_ENTRIES];
  uint32_t weights[BLOCK_ENTRIES];
};

struct job {
  const struct qn_sparse_matrix *matrix;
  enum qn_weight_type weight_type;
  uint64_t first_row, first_column; /* what is pushed for row and column 0 */
  const uint64_t *names;            /* or these */
};

/* The major line that holds entry `entry`. */
static uint64_t line_of(const struct qn_sparse_matrix *matrix, uint64_t entry) {
  uint64_t low = 0, high = num_major(matrix);
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (pointer(matrix, middle) <= entry)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* The major indices of a block of entries. */
static uint64_t fill_major(const struct qn_sparse_matrix *matrix, uint64_t first, uint64_t count,
                           struct part *part) {
  if (!matrix->pointers.data)
    return qn_numbers_ids(&matrix->major, first, count, part->major);
  for (uint64_t i = 0; i < count;) {
    uint64_t end = pointer(matrix, part->line + 1) - first;
    for (end = end < count ? end : count; i < end; i++)
      part->major[i] = part->line;
    part->line += i < count;
  }
  return count;
}

static bool in_triangle(enum qn_triangle triangle, uint64_t row, uint64_t column) {
  return triangle == QN_TRIANGLE_NONE ||
         (triangle == QN_TRIANGLE_LOWER ? column <= row : row <= column);
}

static void push(const struct job *job, uint64_t row, uint64_t column, uint32_t weight,
                 struct part *part) {
  uint64_t source = job->names ? job->names[row] : row + job->first_row;
  uint64_t destination = job->names ? job->names[column] : column + job->first_column;
  if (job->weight_type == QN_WEIGHT_NONE)
    qn_edge_push(&part->stream, source, destination);
  else
    qn_edge_push_weighted(&part->stream, source, destination, job->weight_type, weight);
}

static void find_block_fault(const struct qn_sparse_matrix *matrix, uint64_t first, uint64_t count,
                             uint64_t good_major, uint64_t good_minor, struct part *part) {
  for (uint64_t i = 0; i < count; i++) {
    bool major = i >= good_major || part->major[i] >= num_major(matrix);
    bool minor = i >= good_minor || part->minor[i] >= num_minor(matrix);
    uint64_t row = matrix->by_columns ? part->minor[i] : part->major[i];
    uint64_t column = matrix->by_columns ? part->major[i] : part->minor[i];
    bool triangle = !in_triangle(matrix->triangle, row, column);
    if (!major && !minor && !triangle)
      continue;
    part->bad = first + i;
    part->fault = major ? FAULT_MAJOR : minor ? FAULT_MINOR : FAULT_TRIANGLE;
    return;
  }
}

static void push_block(const struct job *job, uint64_t first, uint64_t count, struct part *part) {
  const struct qn_sparse_matrix *matrix = job->matrix;
  uint64_t good_major = fill_major(matrix, first, count, part);
  uint64_t good_minor = qn_numbers_ids(&matrix->minor, first, count, part->minor);
  find_block_fault(matrix, first, count, good_major, good_minor, part);
  if (part->bad != UINT64_MAX)
    return;
  if (job->weight_type != QN_WEIGHT_NONE && !matrix->iso)
    qn_numbers_weights(&matrix->values, job->weight_type, first, count, part->weights);
  const uint64_t *rows = matrix->by_columns ? part->minor : part->major;
  const uint64_t *columns = matrix->by_columns ? part->major : part->minor;
  for (uint64_t i = 0; i < count; i++)
    push(job, rows[i], columns[i], part->weights[i], part);
  if (!matrix->undirected)
    return;
  for (uint64_t i = 0; i < count; i++) {
    uint32_t row = (uint32_t)rows[i], column = (uint32_t)columns[i];
    uint64_t weight = job->weight_type == QN_WEIGHT_NONE ? 1 : qn_mix_weight(part->weights[i]);
    part->forward += qn_mix_source(row) * qn_mix_destination(column) * weight;
    part->backward += qn_mix_source(column) * qn_mix_destination(row) * weight;
  }
}

static void push_part(const struct job *job, uint64_t index, struct part *part) {
  const struct qn_sparse_matrix *matrix = job->matrix;
  uint64_t entries = matrix->minor.count, entry = index * PART_ENTRIES;
  uint64_t last = entry + PART_ENTRIES < entries ? entry + PART_ENTRIES : entries;
  part->line = matrix->pointers.data ? line_of(matrix, entry) : 0;
  if (job->weight_type != QN_WEIGHT_NONE && matrix->iso) {
    qn_numbers_weights(&matrix->values, job->weight_type, 0, 1, part->weights);
    for (uint64_t i = 1; i < BLOCK_ENTRIES; i++)
      part->weights[i] = part->weights[0];
  }
  for (; entry < last && part->bad == UINT64_MAX; entry += BLOCK_ENTRIES)
    push_block(job, entry, last - entry < BLOCK_ENTRIES ? last - entry : BLOCK_ENTRIES, part);
}

/* Do the part, with memory of its own. */
static enum qn_status run_part(const struct job *job, uint64_t index, struct qn_edge_list *list,
                               uint64_t sequence, struct part *part, struct qn_error *error) {
  part->bad = UINT64_MAX;
  part->fault = NO_FAULT;
  part->forward = part->backward = 0;
  qn_edge_stream_open(&part->stream, list, sequence);
  push_part(job, index, part);
  return qn_edge_stream_close(&part->stream, error);
}

struct outcome {
  uint64_t bad;
  enum fault fault;
  uint64_t forward, backward;
};

static void merge(struct outcome *outcome, const struct part *part) {
  if (part->bad < outcome->bad) {
    outcome->bad = part->bad;
    outcome->fault = part->fault;
  }
  outcome->forward += part->forward;
  outcome->backward += part->backward;
}

static enum qn_status push_entries(const struct job *job, struct qn_edge_list *list,
                                   uint64_t *sequence, struct outcome *outcome,
                                   struct qn_error *error) {
  uint64_t num_parts = (job->matrix->minor.count + PART_ENTRIES - 1) / PART_ENTRIES;
  enum qn_status status = QN_OK;
  *outcome = (struct outcome){.bad = UINT64_MAX};
#pragma omp parallel
  {
    struct part *part;
    struct qn_error own;
    enum qn_status failed = qn_alloc(&part, 1, sizeof *part, "a block of entries", &own);
#pragma omp for schedule(dynamic, 1)
    for (uint64_t i = 0; i < num_parts; i++) {
      if (failed)
        continue;
      failed = run_part(job, i, list, *sequence + i, part, &own);
      qn_progress_add(PART_ENTRIES * job->matrix->minor.width);
#pragma omp critical(sparse_matrix)
      merge(outcome, part);
    }
#pragma omp critical(sparse_matrix)
    if (failed && !status) {
      status = failed;
      if (error)
        *error = own;
    }
    qn_free(part);
  }
  *sequence += num_parts;
  return status;
}

static enum qn_status report_fault(const struct qn_sparse_matrix *matrix,
                                   const struct outcome *outcome, struct qn_error *error) {
  bool major = outcome->fault == FAULT_MAJOR;
  const struct qn_number_array *array = major ? &matrix->major : &matrix->minor;
  bool columns = major == matrix->by_columns;
  uint64_t id;
  if (outcome->fault == FAULT_TRIANGLE)
    return refuse(matrix, error,
                  "'%s': entry %" PRIu64 " lies in the other triangle of a symmetric matrix",
                  array->name, outcome->bad);
  if (!qn_numbers_id(array, outcome->bad, &id))
    return refuse(matrix, error, "'%s': number %" PRIu64 " is negative", array->name, outcome->bad);
  return refuse(matrix, error,
                "'%s': number %" PRIu64 " is %" PRIu64 ", but there are %" PRIu64 " %s",
                array->name, outcome->bad, id, columns ? matrix->columns : matrix->rows,
                columns ? "columns" : "rows");
}

/* ---- Vertices ------------------------------------------------------------- */

static enum qn_status check_names(struct qn_sparse_matrix *matrix, struct qn_ids *ids,
                                  struct qn_error *error) {
  uint32_t *order;
  enum qn_status status = qn_ids_original_order(ids, &order, error);
  uint64_t repeated = UINT64_MAX;
  if (status)
    return status;
  for (uint64_t i = 1; order && i < ids->num_vertices; i++)
    if (matrix->names[order[i - 1]] == matrix->names[order[i]])
      repeated = matrix->names[order[i]];
  qn_pages_free(order, ids->num_vertices, sizeof *order);
  return repeated == UINT64_MAX
             ? QN_OK
             : refuse(matrix, error, "two vertices are called %" PRIu64, repeated);
}

static enum qn_status give_names(struct qn_sparse_matrix *matrix, struct qn_read_result *result,
                                 struct qn_error *error) {
  struct qn_ids ids = {.kind = QN_IDS_NUMBERS,
                       .num_vertices = matrix->rows,
                       .numbers = matrix->names,
                       .ascending = true};
  for (uint64_t v = 1; v < matrix->rows; v++)
    ids.ascending &= matrix->names[v - 1] < matrix->names[v];
  enum qn_status status = check_names(matrix, &ids, error);
  if (status)
    return status;
  result->names = ids;
  result->names_memory = matrix->names;
  matrix->names = NULL;
  return QN_OK;
}

/* Declare the vertices, and set what is pushed for them. */
static enum qn_status set_vertices(struct qn_sparse_matrix *matrix,
                                   const struct qn_read_options *options, struct job *job,
                                   struct qn_read_result *result, struct qn_error *error) {
  bool square = matrix->rows == matrix->columns;
  struct qn_declared_size size = {
      .file = matrix->file, .num_vertices = matrix->rows, .num_edges = matrix->minor.count};
  if (!square && !qn_add_u64(matrix->rows, matrix->columns, &size.num_vertices))
    return refuse(matrix, error, "%" PRIu64 " rows and %" PRIu64 " columns are too many",
                  matrix->rows, matrix->columns);
  job->first_column = square ? 0 : matrix->rows;
  job->names = options->compact ? matrix->names : NULL;
  enum qn_status status = qn_declare_from_zero(&size, options, result, error);
  if (status || options->compact)
    return status;
  if (square)
    return matrix->names ? give_names(matrix, result, error) : QN_OK;
  qn_notice("note: the matrix is not square: it becomes a bipartite graph, in which row i, from 1, "
            "is vertex Li and column j vertex Rj");
  return qn_names_two_sided(matrix->rows, matrix->columns, &result->names, &result->names_memory,
                            error);
}

void qn_sparse_matrix_release(struct qn_read_result *result) {
  qn_free(result->names_memory);
  result->names_memory = NULL;
}

/* ---- The whole ------------------------------------------------------------ */

static void describe(const struct qn_sparse_matrix *matrix, struct qn_read_result *result) {
  snprintf(result->description, sizeof result->description,
           "%s%s, %" PRIu64 " x %" PRIu64 ", %" PRIu64 " entries%s", matrix->format,
           matrix->undirected || matrix->triangle ? " (symmetric)" : "", matrix->rows,
           matrix->columns, matrix->minor.count, matrix->values.data ? ", values" : "");
}

enum qn_status qn_sparse_matrix_read(struct qn_sparse_matrix *matrix,
                                     const struct qn_read_options *options,
                                     struct qn_edge_list *list, uint64_t *sequence,
                                     struct qn_read_result *result, struct qn_error *error) {
  struct job job = {.matrix = matrix};
  struct outcome outcome;
  enum qn_status status = check_counts(matrix, error);
  describe(matrix, result);
  if (!status && matrix->pointers.data)
    status = check_pointers(matrix, error);
  if (!status)
    status = choose_weights(matrix, options, &job.weight_type, error);
  if (!status)
    status = set_vertices(matrix, options, &job, result, error);
  if (!status)
    status = push_entries(&job, list, sequence, &outcome, error);
  qn_free(matrix->names);
  matrix->names = NULL;
  if (status)
    return status;
  if (outcome.bad != UINT64_MAX)
    return report_fault(matrix, &outcome, error);
  if (matrix->undirected && outcome.forward != outcome.backward)
    return refuse(matrix, error,
                  "the matrix is said to be symmetric, but some entry lacks its mirror image");
  result->symmetric |= matrix->triangle != QN_TRIANGLE_NONE;
  result->already_symmetric = matrix->undirected;
  result->ledger.records += matrix->minor.count;
  result->ledger.edges_read += matrix->minor.count;
  return QN_OK;
}
