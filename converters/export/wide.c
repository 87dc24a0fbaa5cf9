#include "converters/export/wide.h"

#include <string.h>

#include "formats/text/quoted_names.h"
#include "formats/text/text_format.h"
#include "formats/wide/rows.h"
#include "support/progress.h"

/* Rows that a thread formats at a time. */
#define PART_ROWS ((uint64_t)1 << 12)
#define SEPARATOR '\t'

struct job {
  const struct qn_export_options *options;
  struct qn_wide *wide;
  struct qn_text_output *output;
  const struct qn_wide_rows *rows; /* that are written */
  bool names, turned, once;
  uint64_t written; /* atomic */
};

/* At most so many bytes. */
static uint64_t id_room(const struct job *job, uint64_t length) {
  return job->names ? QN_QUOTED_NAME_ROOM(length) : QN_MAX_NUMBER_TEXT;
}

static char *put_id(const struct job *job, const char *text, uint64_t length, char *p) {
  if (job->names)
    return qn_put_quoted_name(p, text, length, SEPARATOR);
  memcpy(p, text, length);
  return p + length;
}

/* False without memory. */
static bool put_edge(const struct job *job, uint64_t source, uint64_t destination,
                     struct qn_weight_texts *weights, uint64_t edge,
                     struct qn_text_buffer *buffer) {
  char digits[2][24];
  uint64_t lengths[2];
  const char *from = qn_wide_id(job->wide, source, digits[0], &lengths[0]),
             *to = qn_wide_id(job->wide, destination, digits[1], &lengths[1]);
  char *p = qn_text_buffer_reserve(buffer, id_room(job, lengths[0]) + id_room(job, lengths[1]) +
                                               QN_MAX_NUMBER_TEXT + 3);
  if (!p)
    return false;
  p = put_id(job, from, lengths[0], p);
  *p++ = SEPARATOR;
  p = put_id(job, to, lengths[1], p);
  if (weights->weights.type != QN_WEIGHT_NONE) {
    *p++ = SEPARATOR;
    p = qn_put_weight(p, weights, edge);
  }
  *p++ = '\n';
  qn_text_buffer_advance(buffer, p);
  return true;
}

/* What a block has of a row. Returns how many edges were put. */
static uint64_t put_row(const struct job *job, uint64_t block, uint64_t row,
                        struct qn_text_buffer *buffer) {
  const struct qn_csr *csr = &job->rows->csr[block];
  const uint64_t v = job->rows->begin + row, base = job->rows->columns_begin[block];
  struct qn_weight_texts weights;
  uint64_t count = 0;
  qn_weight_texts_begin(&weights, &csr->weights, csr->row_offsets[row + 1]);
  for (uint64_t e = csr->row_offsets[row]; e < csr->row_offsets[row + 1]; e++) {
    const uint64_t u = base + csr->column_indices[e];
    if (job->once && u < v)
      continue;
    if (!put_edge(job, job->turned ? u : v, job->turned ? v : u, &weights, e, buffer))
      break;
    count++;
  }
  return count;
}

static void format_rows(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  struct job *job = (struct job *)context;
  const uint64_t rows = job->rows->end - job->rows->begin, begin = part * PART_ROWS,
                 end = rows - begin < PART_ROWS ? rows : begin + PART_ROWS;
  uint64_t written = 0;
  for (uint64_t row = begin; row < end; row++)
    for (uint64_t b = 0; b < job->rows->num_blocks; b++)
      written += put_row(job, b, row, buffer);
#pragma omp atomic
  job->written += written;
  qn_progress_add(written);
}

static enum qn_status write_slice(void *context, const struct qn_wide_rows *rows,
                                  struct qn_error *error) {
  struct job *job = context;
  job->rows = rows;
  return qn_text_output_parts(job->output, (rows->end - rows->begin + PART_ROWS - 1) / PART_ROWS,
                              format_rows, job, error);
}

static enum qn_status write_edges(struct job *job, struct qn_error *error) {
  const struct qn_set *set = qn_wide_set(job->wide);
  enum qn_status status = QN_OK;
  qn_progress_begin("writing", "edges", set->num_edges);
  for (uint64_t first = 0; !status && first < set->num_parts;
       first = qn_wide_blocks_end(job->wide, first))
    status = qn_wide_walk(job->wide, first, write_slice, job, error);
  qn_progress_end();
  return status;
}

/* What is known to be lost without a look at all vertices. */
static enum qn_status say_losses(const struct job *job, struct qn_error *error) {
  const struct qn_set *set = qn_wide_set(job->wide);
  const struct qn_write_options *write = &job->options->write;
  const struct qn_properties *properties = &set->ranges[0].properties;
  enum qn_status status =
      qn_loses(write, error,
               "vertices without edges are not in the output, and names that are numbers may be "
               "taken for such");
  if (!status && (properties->of_vertices.count || properties->of_edges.count))
    status = qn_loses(write, error, "properties are not in the output");
  if (!status && set->directedness == QN_UNDIRECTED)
    status = qn_loses(write, error, "that the graph is undirected is not in the output");
  return status;
}

static enum qn_status check_format(const struct qn_export_options *options,
                                   struct qn_error *error) {
  return strcmp(options->writer->name, "edges") == 0 && !options->num_parts &&
                 !options->write.header
             ? QN_OK
             : qn_fail(error, QN_UNSUPPORTED,
                       "a set of 2^32 vertices or more is written block by block, as edges in one "
                       "file without a header (--format edges)");
}

enum qn_status qn_export_wide(const struct qn_export_options *options, const char *path,
                              struct qn_export_report *report, struct qn_error *error) {
  struct job job = {.options = options};
  enum qn_status status = check_format(options, error);
  if (!status)
    status = qn_wide_open(path, QN_SET_CHECK_ALL, &job.wide, error);
  if (status)
    return status;
  const struct qn_set *set = qn_wide_set(job.wide);
  job.names = qn_wide_id_kind(job.wide) == QN_IDS_STRINGS;
  job.turned = set->rows == QN_SET_ROWS_IN;
  job.once = set->directedness == QN_UNDIRECTED && !options->write.both_directions;
  status = say_losses(&job, error);
  if (!status)
    status = qn_text_output_create(options->path, options->replace, &job.output, error);
  if (!status)
    status = write_edges(&job, error);
  if (status) {
    qn_text_output_abort(job.output);
  } else {
    report->edges = job.written;
    report->bytes = qn_text_output_bytes(job.output);
    status = qn_text_output_commit(job.output, error);
  }
  qn_wide_close(job.wide);
  return status;
}
