#include "converters/arrays/sparse_matrix.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "converters/parse/declared_size.h"
#include "formats/text/vertex_names.h"
#include "support/checked.h"
#include "support/memory.h"
#include "support/progress.h"
#include <quern/fingerprint.h>

/* Entries that are decoded at a time, and parts that one stream takes. */
#define SOME_ENTRIES ((uint64_t)512)
#define STREAM_PARTS 32

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

/* Lines that have a pointer. */
static uint64_t num_lines(const struct qn_sparse_matrix *matrix) {
  return matrix->major.data ? matrix->major.count : num_major(matrix);
}

static enum qn_status check_counts(const struct qn_sparse_matrix *matrix, struct qn_error *error) {
  const struct qn_number_array *arrays[] = {&matrix->pointers, &matrix->major, &matrix->minor};
  for (int i = 0; i < 3; i++)
    if (arrays[i]->data && arrays[i]->kind == QN_NUMBERS_REAL)
      return refuse(matrix, error, "'%s' holds reals, not integers", arrays[i]->name);
  uint64_t entries = matrix->minor.count;
  if (matrix->pointers.data && matrix->pointers.count - 1 != num_lines(matrix))
    return refuse(matrix, error,
                  "'%s' has %" PRIu64 " numbers, where %" PRIu64 " %s need one more than they are",
                  matrix->pointers.name, matrix->pointers.count, num_lines(matrix),
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
  return value - matrix->base;
}

/* The index of a line that has a pointer. */
static uint64_t index_of(const struct qn_sparse_matrix *matrix, uint64_t line) {
  if (!matrix->major.data)
    return line;
  qn_numbers_id(&matrix->major, line, &line);
  return line - matrix->base;
}

/* Those that are stored ascend, below the number of all. */
static enum qn_status check_lines(const struct qn_sparse_matrix *matrix, struct qn_error *error) {
  const struct qn_number_array *major = &matrix->major;
  uint64_t bad = UINT64_MAX;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t i = 0; i < major->count; i++) {
    uint64_t ends[2] = {matrix->base, 0};
    bool good = i > 0 ? qn_numbers_ids(major, i - 1, 2, ends) == 2 && ends[0] < ends[1]
                      : qn_numbers_id(major, 0, &ends[1]) && ends[0] <= ends[1];
    if ((!good || ends[1] - matrix->base >= num_major(matrix)) && i < bad)
      bad = i;
  }
  return bad == UINT64_MAX
             ? QN_OK
             : refuse(matrix, error,
                      "'%s': number %" PRIu64 " does not ascend, or is no %s of %" PRIu64
                      " that there are",
                      major->name, bad, matrix->by_columns ? "column" : "row", num_major(matrix));
}

static enum qn_status check_pointers(const struct qn_sparse_matrix *matrix,
                                     struct qn_error *error) {
  const struct qn_number_array *pointers = &matrix->pointers;
  uint64_t lines = num_lines(matrix), bad = UINT64_MAX, value;
#pragma omp parallel for schedule(static) reduction(min : bad)
  for (uint64_t i = 0; i < lines; i++) {
    uint64_t ends[2];
    if ((qn_numbers_ids(pointers, i, 2, ends) < 2 || ends[0] > ends[1]) && i < bad)
      bad = i;
  }
  if (bad != UINT64_MAX)
    return refuse(matrix, error, "'%s' descends, or is negative, at element %" PRIu64,
                  pointers->name, bad + 1);
  if (!qn_numbers_id(pointers, 0, &value) || value != matrix->base)
    return refuse(matrix, error, "'%s' does not begin with %" PRIu64, pointers->name, matrix->base);
  if (pointer(matrix, lines) != matrix->minor.count)
    return refuse(matrix, error, "'%s' ends with %" PRIu64 ", but '%s' has %" PRIu64 " numbers",
                  pointers->name, pointer(matrix, lines), matrix->minor.name, matrix->minor.count);
  return QN_OK;
}

static enum qn_status choose_weights(struct qn_sparse_matrix *matrix,
                                     const struct qn_read_options *options,
                                     struct qn_edge_list *list, enum qn_weight_type *type,
                                     struct qn_error *error) {
  *type = QN_WEIGHT_NONE;
  if (options->weights == QN_WEIGHTS_NONE)
    matrix->values.data = NULL;
  if (!matrix->values.data)
    return QN_OK;
  struct qn_rounding worst;
  uint64_t bad = qn_numbers_weight_type(&matrix->values, type, &worst);
  qn_edge_list_weights_are_binary(list, QN_WEIGHT_NONE);
  if (worst.error > 0)
    qn_edge_list_note_rounded(list, worst.exact, (double)worst.exact);
  return bad == matrix->values.count
             ? QN_OK
             : refuse(matrix, error, "'%s': number %" PRIu64 " is not finite", matrix->values.name,
                      bad);
}

/* ---- Entries -------------------------------------------------------------- */

/* The entries as a view. */
struct job {
  struct qn_sparse_matrix matrix; /* arrays as the reader has them */
  enum qn_weight_type weight_type;
  uint64_t first_column; /* what is pushed for column 0; for row 0 it is 0 */
  const uint64_t *names; /* or these */
  uint32_t part_entries;
  bool stays; /* may be looked at again */
};

/* Some entries, decoded. */
struct entries {
  uint64_t major[SOME_ENTRIES], minor[SOME_ENTRIES];
  uint64_t weights[SOME_ENTRIES]; /* an array of the type */
};

/* The line with a pointer that holds entry `entry`. */
static uint64_t line_of(const struct qn_sparse_matrix *matrix, uint64_t entry) {
  uint64_t low = 0, high = num_lines(matrix);
  while (high - low > 1) {
    uint64_t middle = low + (high - low) / 2;
    if (pointer(matrix, middle) <= entry)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Indices that are stored, as they count from 0: one that is below the base becomes too large. */
static uint64_t load_indices(const struct qn_sparse_matrix *matrix,
                             const struct qn_number_array *array, uint64_t first, uint64_t count,
                             uint64_t *indices) {
  uint64_t good = qn_numbers_ids(array, first, count, indices);
  for (uint64_t i = 0; matrix->base && i < good; i++)
    indices[i] -= matrix->base;
  return good;
}

/* The major indices of entries from `first` on, the first of which is not before `*line`. Returns
 * how many are good. */
static uint64_t load_major(const struct qn_sparse_matrix *matrix, uint64_t first, uint64_t count,
                           uint64_t *line, uint64_t *major) {
  if (!matrix->pointers.data)
    return load_indices(matrix, &matrix->major, first, count, major);
  for (uint64_t i = 0; i < count;) {
    uint64_t end = pointer(matrix, *line + 1) - first, index = index_of(matrix, *line);
    for (end = end < count ? end : count; i < end; i++)
      major[i] = index;
    *line += i < count;
  }
  return count;
}

static bool in_triangle(enum qn_triangle triangle, uint64_t row, uint64_t column) {
  return triangle == QN_TRIANGLE_NONE ||
         (triangle == QN_TRIANGLE_LOWER ? column <= row : row <= column);
}

enum fault { NO_FAULT, FAULT_MAJOR, FAULT_MINOR, FAULT_TRIANGLE, FAULT_DIAGONAL };

/* Of an entry whose numbers are not negative. */
static enum fault fault_of(const struct qn_sparse_matrix *matrix, uint64_t major, uint64_t minor) {
  uint64_t row = matrix->by_columns ? minor : major, column = matrix->by_columns ? major : minor;
  if (major >= num_major(matrix))
    return FAULT_MAJOR;
  if (minor >= num_minor(matrix))
    return FAULT_MINOR;
  if (matrix->skew && row == column)
    return FAULT_DIAGONAL;
  return in_triangle(matrix->triangle, row, column) ? NO_FAULT : FAULT_TRIANGLE;
}

static uint64_t largest(const uint64_t *numbers, uint64_t count) {
  uint64_t most = 0;
  for (uint64_t i = 0; i < count; i++)
    most = numbers[i] > most ? numbers[i] : most;
  return most;
}

/* Decode the ends of some entries; returns the first at fault, UINT64_MAX if none is. */
static uint64_t load_ends(const struct qn_sparse_matrix *matrix, uint64_t first, uint64_t count,
                          uint64_t *line, struct entries *entries) {
  uint64_t good = load_major(matrix, first, count, line, entries->major);
  uint64_t good_minor = load_indices(matrix, &matrix->minor, first, count, entries->minor);
  good = good < good_minor ? good : good_minor;
  if (good == count && matrix->triangle == QN_TRIANGLE_NONE &&
      largest(entries->minor, count) < num_minor(matrix) &&
      (matrix->pointers.data || largest(entries->major, count) < num_major(matrix)))
    return UINT64_MAX;
  for (uint64_t i = 0; i < good; i++)
    if (fault_of(matrix, entries->major[i], entries->minor[i]))
      return first + i;
  return good < count ? first + good : UINT64_MAX;
}

static void load_weights(const struct job *job, uint64_t first, uint64_t count, void *weights) {
  if (job->weight_type == QN_WEIGHT_NONE)
    return;
  if (!job->matrix.iso) {
    qn_numbers_weights(&job->matrix.values, job->weight_type, first, count, weights);
    return;
  }
  qn_numbers_weights(&job->matrix.values, job->weight_type, 0, 1, weights);
  for (uint64_t i = 1; i < count; i++)
    qn_weight_copy(weights, i, weights, 0, qn_weight_bytes(job->weight_type));
}

/* Rows and columns become ids. */
static void name_ends(const struct job *job, uint64_t *rows, uint64_t *columns, uint64_t count) {
  for (uint64_t i = 0; job->names && i < count; i++) {
    rows[i] = job->names[rows[i]];
    columns[i] = job->names[columns[i]];
  }
  for (uint64_t i = 0; job->first_column && i < count; i++)
    columns[i] += job->first_column;
}

/* The entries that a skew-symmetric matrix implies. */
static void push_negated(const struct job *job, struct qn_edge_stream *stream, const uint64_t *rows,
                         const uint64_t *columns, const void *weights, uint64_t count) {
  unsigned bytes = qn_weight_bytes(job->weight_type);
  for (uint64_t i = 0; i < count; i++)
    qn_edge_push_negated(stream, columns[i], rows[i], job->weight_type,
                         qn_weight_load(weights, bytes, i));
}

/* Does it have entries that are implied and differ from those that are there? */
static bool is_skew(const struct job *job) {
  return job->matrix.skew && job->weight_type != QN_WEIGHT_NONE;
}

static uint64_t end_of_part(const struct job *job, uint64_t first) {
  uint64_t left = job->matrix.minor.count - first;
  return first + (left < job->part_entries ? left : job->part_entries);
}

/* Returns the first entry at fault, UINT64_MAX if none is. */
static uint64_t push_part(const void *context, uint64_t part, struct qn_edge_stream *stream) {
  const struct job *job = context;
  const struct qn_sparse_matrix *matrix = &job->matrix;
  struct entries entries;
  uint64_t first = part * job->part_entries, last = end_of_part(job, first), count;
  uint64_t line = matrix->pointers.data ? line_of(matrix, first) : 0;
  for (; first < last; first += count) {
    count = last - first < SOME_ENTRIES ? last - first : SOME_ENTRIES;
    uint64_t bad = load_ends(matrix, first, count, &line, &entries);
    if (bad != UINT64_MAX)
      return bad;
    load_weights(job, first, count, entries.weights);
    uint64_t *rows = matrix->by_columns ? entries.minor : entries.major;
    uint64_t *columns = matrix->by_columns ? entries.major : entries.minor;
    name_ends(job, rows, columns, count);
    qn_edge_push_arrays(stream, rows, columns, job->weight_type, entries.weights, count);
    if (is_skew(job))
      push_negated(job, stream, rows, columns, entries.weights, count);
  }
  return UINT64_MAX;
}

/* The fingerprints of a part's edges and of their reversals. */
static void mix_part(const struct job *job, uint64_t part, uint64_t *forward, uint64_t *backward) {
  const struct qn_sparse_matrix *matrix = &job->matrix;
  struct entries entries;
  unsigned weight_bytes = qn_weight_bytes(job->weight_type);
  uint64_t first = part * job->part_entries, last = end_of_part(job, first), count;
  uint64_t line = matrix->pointers.data ? line_of(matrix, first) : 0;
  for (; first < last; first += count) {
    count = last - first < SOME_ENTRIES ? last - first : SOME_ENTRIES;
    load_ends(matrix, first, count, &line, &entries);
    load_weights(job, first, count, entries.weights);
    for (uint64_t i = 0; i < count; i++) {
      uint32_t major = (uint32_t)entries.major[i], minor = (uint32_t)entries.minor[i];
      uint64_t weight = qn_mix_weight_at(entries.weights, weight_bytes, i);
      *forward += qn_mix_source(major) * qn_mix_destination(minor) * weight;
      *backward += qn_mix_source(minor) * qn_mix_destination(major) * weight;
    }
  }
}

struct outcome {
  uint64_t bad; /* the first entry at fault, UINT64_MAX if none is */
  uint64_t forward, backward;
};

static enum qn_status push_entries(const struct job *job, struct qn_edge_list *list,
                                   uint64_t *sequence, struct outcome *outcome,
                                   struct qn_error *error) {
  const struct qn_edge_view view = {push_part, job};
  uint64_t num_parts = (job->matrix.minor.count + job->part_entries - 1) / job->part_entries;
  uint64_t num_streams = (num_parts + STREAM_PARTS - 1) / STREAM_PARTS;
  uint64_t bad = UINT64_MAX, forward = 0, backward = 0;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1) reduction(min : bad) reduction(+ : forward, backward)
  for (uint64_t s = 0; s < num_streams; s++) {
    struct qn_edge_stream stream;
    struct qn_error own;
    uint64_t end = s + 1 < num_streams ? (s + 1) * STREAM_PARTS : num_parts, found = UINT64_MAX;
    qn_edge_stream_open(&stream, list, *sequence + s);
    for (uint64_t part = s * STREAM_PARTS; part < end && found == UINT64_MAX; part++) {
      found = job->stays ? qn_edge_push_view(&stream, &view, part) : push_part(job, part, &stream);
      if (job->matrix.undirected && found == UINT64_MAX)
        mix_part(job, part, &forward, &backward);
    }
    enum qn_status failed = qn_edge_stream_close(&stream, &own);
    bad = found < bad ? found : bad;
    qn_progress_add((uint64_t)STREAM_PARTS * job->part_entries * job->matrix.minor.width);
    if (failed) {
#pragma omp critical(sparse_matrix)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  *sequence += num_streams;
  *outcome = (struct outcome){bad, forward, backward};
  return status;
}

static enum qn_status report_fault(const struct qn_sparse_matrix *matrix, uint64_t entry,
                                   struct qn_error *error) {
  uint64_t major = 0, minor = 0;
  if (matrix->pointers.data)
    major = index_of(matrix, line_of(matrix, entry));
  else if (!load_indices(matrix, &matrix->major, entry, 1, &major))
    return refuse(matrix, error, "'%s': number %" PRIu64 " is negative", matrix->major.name, entry);
  if (!load_indices(matrix, &matrix->minor, entry, 1, &minor))
    return refuse(matrix, error, "'%s': number %" PRIu64 " is negative", matrix->minor.name, entry);
  enum fault fault = fault_of(matrix, major, minor);
  if (fault == FAULT_TRIANGLE)
    return refuse(matrix, error,
                  "'%s': entry %" PRIu64 " lies in the other triangle of a symmetric matrix",
                  matrix->minor.name, entry);
  if (fault == FAULT_DIAGONAL)
    return refuse(matrix, error,
                  "'%s': entry %" PRIu64 " lies on the diagonal, where a skew-symmetric matrix has "
                  "none",
                  matrix->minor.name, entry);
  bool columns = (fault == FAULT_MAJOR) == matrix->by_columns;
  return refuse(matrix, error,
                "'%s': number %" PRIu64 " is %" PRIu64 ", but there are %" PRIu64 " %s%s",
                fault == FAULT_MAJOR ? matrix->major.name : matrix->minor.name, entry,
                (fault == FAULT_MAJOR ? major : minor) + matrix->base,
                columns ? matrix->columns : matrix->rows, columns ? "columns" : "rows",
                matrix->base ? ", from 1 on" : "");
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
  qn_note(QN_NOTE_TWO_SIDES,
          "the matrix is not square: it becomes a bipartite graph, in which row i, from 1, "
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
           matrix->skew                             ? " (skew-symmetric)"
           : matrix->undirected || matrix->triangle ? " (symmetric)"
                                                    : "",
           matrix->rows, matrix->columns, matrix->minor.count,
           matrix->values.data ? ", values" : "");
}

/* Entries can be looked at again if their arrays stay, and what is made of them does. */
static bool can_be_viewed(const struct qn_sparse_matrix *matrix, const struct job *job) {
  const struct qn_number_array *arrays[] = {&matrix->pointers, &matrix->major, &matrix->minor,
                                            &matrix->values};
  for (int i = 0; i < 4; i++)
    if (arrays[i]->data && !arrays[i]->stays)
      return false;
  return !job->names && !is_skew(job);
}

static enum qn_status check_outcome(const struct qn_sparse_matrix *matrix,
                                    const struct outcome *outcome, struct qn_error *error) {
  if (outcome->bad != UINT64_MAX)
    return report_fault(matrix, outcome->bad, error);
  if (matrix->undirected && outcome->forward != outcome->backward)
    return refuse(matrix, error,
                  "the matrix is said to be symmetric, but some entry lacks its mirror image");
  return QN_OK;
}

static enum qn_status read_entries(struct qn_sparse_matrix *matrix,
                                   const struct qn_read_options *options, struct qn_edge_list *list,
                                   uint64_t *sequence, struct job *job,
                                   struct qn_read_result *result, struct qn_error *error) {
  struct outcome outcome;
  enum qn_status status = check_counts(matrix, error);
  describe(matrix, result);
  if (!status && matrix->pointers.data)
    status = check_pointers(matrix, error);
  if (!status && matrix->pointers.data && matrix->major.data)
    status = check_lines(matrix, error);
  if (!status)
    status = choose_weights(matrix, options, list, &job->weight_type, error);
  if (!status)
    status = set_vertices(matrix, options, job, result, error);
  if (status)
    return status;
  job->matrix = *matrix;
  job->part_entries = qn_edge_view_capacity(job->weight_type);
  job->stays = result->keeps_input = can_be_viewed(matrix, job);
  result->symmetric |= matrix->triangle != QN_TRIANGLE_NONE && !is_skew(job);
  result->ledger.edges_added += is_skew(job) ? matrix->minor.count : 0;
  status = push_entries(job, list, sequence, &outcome, error);
  return status ? status : check_outcome(matrix, &outcome, error);
}

enum qn_status qn_sparse_matrix_read(struct qn_sparse_matrix *matrix,
                                     const struct qn_read_options *options,
                                     struct qn_edge_list *list, uint64_t *sequence,
                                     struct qn_read_result *result, struct qn_error *error) {
  struct job *job;
  enum qn_status status = qn_alloc_zeroed(&job, 1, sizeof *job, "a view of entries", error);
  if (!status && (status = qn_edge_list_keep(list, job, qn_free, error)))
    qn_free(job);
  if (!status)
    status = read_entries(matrix, options, list, sequence, job, result, error);
  qn_free(matrix->names);
  matrix->names = NULL;
  if (status)
    return status;
  result->already_symmetric = matrix->undirected;
  result->ledger.records += matrix->minor.count;
  result->ledger.edges_read += matrix->minor.count;
  return QN_OK;
}
