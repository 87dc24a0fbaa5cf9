#include "runtime/deliver/files.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "formats/arrays/npy_header.h"
#include "formats/text/text_output.h"
#include "results/arrays.h"
#include "results/lines.h"
#include "results/rows.h"
#include "runtime/deliver/parts.h"
#include "support/atomic_file.h"
#include "support/memory.h"
#include "support/used_files.h"

enum form { FORM_LINES, FORM_CSV, FORM_ARRAY };

struct qn_results {
  enum form form;
  const struct qn_part_rows *rows; /* NULL: all */
  struct qn_result_parts *parts;   /* instead of all else, or NULL */
  struct qn_text_output *values;
  struct qn_text_output *ids;          /* NULL: none */
  struct qn_text_output *nodes, *hops; /* of a sample, or NULL */
};

static bool ends_in(const char *path, const char *end) {
  size_t length = strlen(path);
  return length > strlen(end) && strcmp(path + length - strlen(end), end) == 0;
}

bool qn_results_are_array(const char *path) {
  return ends_in(path, ".npy");
}

static bool write_to(const char *results, const char *file) {
  static const char *const beside[] = {".ids.npy", ".nodes.npy", ".hops.npy"};
  char path[PATH_MAX];
  if (qn_outputs_are_one(results, file))
    return true;
  const int stem = (int)(strlen(results) - strlen(".npy"));
  for (int i = 0; i < 3 && qn_results_are_array(results); i++)
    if (snprintf(path, sizeof path, "%.*s%s", stem, results, beside[i]) < (int)sizeof path &&
        qn_outputs_are_one(path, file))
      return true;
  return false;
}

const char *qn_results_both_write(const char *one, const char *other) {
  if (!one || !other)
    return NULL;
  return write_to(other, one) ? one : write_to(one, other) ? other : NULL;
}

static enum form form_of(const char *path) {
  return qn_results_are_array(path) ? FORM_ARRAY : ends_in(path, ".csv") ? FORM_CSV : FORM_LINES;
}

static enum qn_status create_file(const struct qn_results_options *options, const char *path,
                                  struct qn_text_output **out, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (size_t i = 0; !status && i < sizeof options->inputs / sizeof *options->inputs; i++)
    status = qn_input_kept(path, options->inputs[i], error);
  return status ? status
                : qn_text_output_create_with(options->ranks, path, options->force, out, error);
}

static char separator_of(const struct qn_results *results) {
  return results->form == FORM_CSV ? ',' : '\t';
}

/* NAME.ids.npy, or another, beside NAME.npy. */
static enum qn_status create_beside(const struct qn_results_options *options, const char *end,
                                    struct qn_text_output **out, struct qn_error *error) {
  char *path;
  size_t length = strlen(options->path) - strlen(".npy");
  enum qn_status status =
      qn_alloc(&path, length + strlen(end) + 1, 1, "the name of an output", error);
  if (status)
    return status;
  strcpy(mempcpy(path, options->path, length), end);
  status = create_file(options, path, out, error);
  qn_free(path);
  return status;
}

static enum qn_status create_ids(const struct qn_results_options *options, const struct qn_ids *ids,
                                 struct qn_text_output **out, struct qn_error *error) {
  enum qn_status status = qn_id_array_check(ids, error);
  return status ? status : create_beside(options, ".ids.npy", out, error);
}

/* The least that values may take, of one for each vertex: in lines, their ids if those are 0, 1,
 * ..., a digit, and two bytes that separate them. */
static uint64_t least_bytes(enum form form, const struct qn_ids *ids) {
  const uint64_t count = ids->num_vertices;
  if (form == FORM_ARRAY)
    return QN_NPY_HEADER_BYTES + count * sizeof(uint32_t);
  uint64_t bytes = 4 * count;
  for (uint64_t longer = 10; longer < count && ids->kind == QN_IDS_DENSE; longer *= 10)
    bytes += count - longer;
  return bytes;
}

/* Their pages are taken while the values are found. */
static void expect(struct qn_results *results, const struct qn_ids *ids) {
  qn_text_output_expect(results->values, least_bytes(results->form, ids));
  if (results->ids && ids->kind == QN_IDS_NUMBERS)
    qn_text_output_expect(results->ids, QN_NPY_HEADER_BYTES + ids->num_vertices * sizeof(uint64_t));
}

/* Does an array's value not say by its place whose it is? */
static bool names_vertices(const struct qn_results_options *options, const struct qn_ids *ids) {
  return ids->kind != QN_IDS_DENSE || options->rows || options->shape == QN_SHAPE_PAIRS ||
         options->shape == QN_SHAPE_PATH;
}

static bool has_all_vertices(enum qn_shape shape) {
  return shape == QN_SHAPE_VALUES || shape == QN_SHAPE_COLUMNS;
}

enum qn_status qn_results_create(const struct qn_results_options *options,
                                 const struct qn_run_input *input, struct qn_results **out,
                                 struct qn_error *error) {
  struct qn_results *results;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&results, 1, sizeof *results, "an output", error);
  if (status)
    return status;
  if (options->parts) {
    status = qn_result_parts_create(options, input, &results->parts, error);
    if (status)
      qn_free(results);
    else
      *out = results;
    return status;
  }
  results->form = form_of(options->path);
  results->rows = options->rows;
  status = create_file(options, options->path, &results->values, error);
  if (!status && results->form == FORM_ARRAY && names_vertices(options, &input->ids) &&
      !options->no_ids)
    status = create_ids(options, &input->ids, &results->ids, error);
  if (!status && results->form == FORM_ARRAY && options->shape == QN_SHAPE_SAMPLE)
    status = create_beside(options, ".nodes.npy", &results->nodes, error);
  if (!status && results->form == FORM_ARRAY && options->shape == QN_SHAPE_SAMPLE)
    status = create_beside(options, ".hops.npy", &results->hops, error);
  if (!status && options->ahead && has_all_vertices(options->shape))
    expect(results, &input->ids);
  if (!status)
    *out = results;
  else
    qn_results_abort(results);
  return status;
}

static enum qn_status write_sample(const struct qn_results *results, const struct qn_labels *labels,
                                   const struct qn_sample *sample, struct qn_error *error) {
  if (results->form != FORM_ARRAY)
    return qn_sample_lines_write(results->values, separator_of(results), labels, sample, error);
  enum qn_status status = qn_sample_edges_write(results->values, sample, error);
  if (!status)
    status = qn_sample_nodes_write(results->nodes, sample, error);
  return status ? status : qn_sample_ends_write(results->hops, sample, error);
}

static enum qn_status write_walks(const struct qn_results *results, const struct qn_labels *labels,
                                  const struct qn_run_result *result, struct qn_error *error) {
  return results->form == FORM_ARRAY
             ? qn_walk_array_write(results->values, result, error)
             : qn_walk_lines_write(results->values, separator_of(results), labels, result, error);
}

static enum qn_status write_values(const struct qn_results *results, const struct qn_labels *labels,
                                   const struct qn_algorithm *algorithm,
                                   const struct qn_run_result *result, struct qn_error *error) {
  return results->form == FORM_ARRAY
             ? qn_result_array_write(results->values, labels, result, results->rows, error)
             : qn_result_lines_write(results->values, separator_of(results), labels, algorithm,
                                     result, results->rows, error);
}

/* By the result's shape; a number has no file. */
static enum qn_status write_result(const struct qn_results *results, const struct qn_labels *labels,
                                   const struct qn_algorithm *algorithm,
                                   const struct qn_run_result *result, struct qn_error *error) {
  switch (result->shape) {
  case QN_SHAPE_SAMPLE:
    return write_sample(results, labels, result->sample, error);
  case QN_SHAPE_WALKS:
    return write_walks(results, labels, result, error);
  default:
    return write_values(results, labels, algorithm, result, error);
  }
}

static enum qn_status commit_file(struct qn_text_output **output, struct qn_error *error) {
  struct qn_text_output *finished = *output;
  *output = NULL;
  return qn_text_output_commit(finished, error);
}

/* The ids come first: a script that waits for the values finds both. */
enum qn_status qn_results_commit(struct qn_results *results, const struct qn_run_input *input,
                                 const struct qn_algorithm *algorithm,
                                 const struct qn_run_result *result, struct qn_error *error) {
  if (results->parts) {
    enum qn_status failed = qn_result_parts_commit(results->parts, input, algorithm, result, error);
    qn_free(results);
    return failed;
  }
  const struct qn_labels labels = qn_run_input_labels(input);
  enum qn_status status = write_result(results, &labels, algorithm, result, error);
  if (!status && results->ids)
    status = qn_id_array_write(results->ids, &labels, result, results->rows, error);
  if (!status && results->ids)
    status = commit_file(&results->ids, error);
  if (!status && results->nodes)
    status = commit_file(&results->nodes, error);
  if (!status && results->hops)
    status = commit_file(&results->hops, error);
  if (!status)
    status = commit_file(&results->values, error);
  qn_results_abort(results);
  return status;
}

void qn_results_abort(struct qn_results *results) {
  if (!results)
    return;
  qn_result_parts_abort(results->parts);
  qn_text_output_abort(results->values);
  qn_text_output_abort(results->ids);
  qn_text_output_abort(results->nodes);
  qn_text_output_abort(results->hops);
  qn_free(results);
}
