/* Galois graphs (.gr, version 1; readers/galois.c describes them): the out-edges, with u32 weights.
 */
#include <inttypes.h>
#include <string.h>

#include "converters/output/writer.h"
#include "support/progress.h"

/* Elements of a part. */
#define PART ((uint64_t)64 << 10)

struct job {
  const char *array;
  uint64_t count;
  unsigned width; /* bytes of an element */
};

static void format_part(const void *context, uint64_t part, struct qn_text_buffer *buffer) {
  const struct job *job = context;
  uint64_t begin = part * PART;
  uint64_t count = job->count - begin < PART ? job->count - begin : PART;
  char *p = qn_text_buffer_reserve(buffer, job->width * count);
  if (!p)
    return;
  memcpy(p, job->array + begin * job->width, job->width * count);
  qn_text_buffer_advance(buffer, p + job->width * count);
  qn_progress_add(count);
}

static enum qn_status write_array(struct qn_text_output *output, const void *array, uint64_t count,
                                  unsigned width, struct qn_error *error) {
  struct job job = {array, count, width};
  return qn_text_output_parts(output, (count + PART - 1) / PART, format_part, &job, error);
}

static enum qn_status write_galois(const struct qn_graph *graph,
                                   const struct qn_write_options *options,
                                   struct qn_text_output *output, uint64_t *written,
                                   struct qn_error *error) {
  const struct qn_csr *csr = &graph->out;
  bool weighted = csr->weights.type != QN_WEIGHT_NONE;
  uint64_t header[4] = {1, weighted ? 4 : 0, csr->num_vertices, csr->num_edges};
  (void)options;
  *written = csr->num_edges;
  if (csr->weights.type > QN_WEIGHT_U32)
    return qn_fail(error, QN_UNSUPPORTED,
                   "edge data of Galois graphs are read as integers of 32 bits, and these weights "
                   "are %s; quern-import --weights=none leaves them out",
                   csr->weights.type == QN_WEIGHT_I64 ? "wider" : "real");
  qn_progress_begin("writing", "elements", csr->num_vertices + (weighted ? 2 : 1) * csr->num_edges);
  enum qn_status status = qn_text_output_write(output, (const char *)header, sizeof header, error);
  if (!status)
    status = write_array(output, csr->row_offsets + 1, csr->num_vertices, 8, error);
  if (!status)
    status = write_array(output, csr->column_indices, csr->num_edges, 4, error);
  if (!status && csr->num_edges % 2)
    status = qn_text_output_write(output, "\0\0\0", 4, error);
  if (!status && weighted)
    status = write_array(output, csr->weights.u32, csr->num_edges, 4, error);
  qn_progress_end();
  return status;
}

const struct qn_graph_writer qn_graph_writer_galois = {
    .name = "galois",
    .losses = QN_LOSES_IDS | QN_LOSES_ONE_WAY,
    .write = write_galois,
};
