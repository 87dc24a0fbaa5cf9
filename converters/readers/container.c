/* Our own containers (.qrn) of any layout, plain or in archive form, so that they can be imported
 * anew with other options: from files, and from tars, as members of bundles. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "converters/graph/graph_source.h"
#include "converters/parse/declared_size.h"
#include "formats/graph/csr_shares.h"
#include "support/input/input.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/temp_file.h"
#include "support/used_files.h"
#include <quern/archive.h>

#define SIGNATURE "\x89QRN\r\n\x1a\n"
#define STRIPED "\x89QRS\r\n\x1a\n" /* the main file of a striped one */
/* Edges that one stream takes. */
#define PART_EDGES ((uint64_t)1 << 18)

/* ---- Opening -------------------------------------------------------------- */

/* What is unpacked, or comes through a pipe, is kept first. */
static enum qn_status map_stream(struct qn_input *input, struct qn_container **out,
                                 struct qn_error *error) {
  struct qn_input_block block;
  int descriptor;
  enum qn_status status = qn_scratch_open(qn_input_file_bytes(input), &descriptor, error);
  if (status)
    return status;
  do {
    status = qn_input_next(input, &block, error);
    if (!status)
      status = qn_scratch_put(descriptor, block.data, block.bytes, error);
  } while (!status && block.bytes);
  if (!status)
    status =
        qn_container_map_descriptor(descriptor, qn_input_name(input), QN_MAP_ARCHIVE, out, error);
  close(descriptor);
  return status;
}

static enum qn_status map_input(struct qn_input *input, struct qn_container **out,
                                struct qn_error *error) {
  return qn_input_stays(input) ? qn_container_map(qn_input_name(input), QN_MAP_ARCHIVE, out, error)
                               : map_stream(input, out, error);
}

/* Open the input as a graph, restoring it first if it is in archive form. */
static enum qn_status open_graph(struct qn_input *input, struct qn_graph_source *source,
                                 struct qn_error *error) {
  struct qn_container *container, *plain;
  enum qn_status status = map_input(input, &container, error);
  if (status)
    return status;
  if (qn_container_info(container)->incompatible_features & QN_FEATURE_ARCHIVE) {
    status = qn_archive_restore_nameless(container, qn_input_name(input), &plain, error);
    qn_container_unmap(container);
    container = plain;
  }
  return status ? status : qn_graph_source_take(container, source, error);
}

/* ---- Edges ---------------------------------------------------------------- */

static void push_part(const struct qn_csr *csr, const uint64_t *names, uint64_t part,
                      struct qn_edge_stream *stream) {
  uint64_t edge = part * PART_EDGES;
  uint64_t last = edge + PART_EDGES < csr->num_edges ? edge + PART_EDGES : csr->num_edges;
  enum qn_weight_type type = csr->weights.type;
  unsigned weight_bytes = qn_weight_bytes(type);
  for (uint64_t row = qn_row_of_edge(csr, edge); edge < last && row < csr->num_vertices; row++) {
    uint64_t row_end = csr->row_offsets[row + 1], end = row_end < last ? row_end : last;
    for (; edge < end; edge++) {
      uint32_t column = csr->column_indices[edge];
      uint64_t source = names ? names[row] : row, destination = names ? names[column] : column;
      if (type == QN_WEIGHT_NONE)
        qn_edge_push(stream, source, destination);
      else
        qn_edge_push_weighted(stream, source, destination, type,
                              qn_weight_load(csr->weights.data, weight_bytes, edge));
    }
  }
}

static enum qn_status push_edges(const struct qn_csr *csr, const uint64_t *names,
                                 struct qn_edge_list *list, uint64_t *sequence,
                                 struct qn_error *error) {
  uint64_t num_parts = (csr->num_edges + PART_EDGES - 1) / PART_EDGES;
  enum qn_status status = QN_OK;
#pragma omp parallel for schedule(dynamic, 1)
  for (uint64_t i = 0; i < num_parts; i++) {
    struct qn_edge_stream stream;
    struct qn_error own;
    qn_edge_stream_open(&stream, list, *sequence + i);
    push_part(csr, names, i, &stream);
    enum qn_status failed = qn_edge_stream_close(&stream, &own);
    qn_progress_add(PART_EDGES * 4);
    if (failed) {
#pragma omp critical(container_failure)
      {
        status = failed;
        if (error)
          *error = own;
      }
    }
  }
  *sequence += num_parts;
  return status;
}

/* ---- The whole ------------------------------------------------------------ */

static void describe(const struct qn_graph_source *source, struct qn_read_result *result) {
  const struct qn_container_info *info = qn_container_info(source->container);
  snprintf(result->description, sizeof result->description,
           "%s, %s, %" PRIu64 " vertices, %" PRIu64 " edges", qn_layout_name(info->layout),
           source->graph.directedness == QN_UNDIRECTED ? "undirected" : "directed",
           source->graph.out.num_vertices, source->graph.out.num_edges);
}

/* Declare the vertices; names lie in the container, which then has to stay: `source` is zeroed. */
static enum qn_status set_vertices(struct qn_graph_source *source,
                                   const struct qn_read_options *options,
                                   struct qn_read_result *result, struct qn_error *error) {
  const struct qn_csr *csr = &source->graph.out;
  struct qn_declared_size size = {.file = qn_container_path(source->container),
                                  .num_vertices = csr->num_vertices,
                                  .num_edges = UINT64_MAX}; /* its vertices take their room */
  struct qn_graph_source *kept;
  enum qn_status status = qn_declare_from_zero(&size, options, result, error);
  if (status || options->compact || source->graph.ids.kind == QN_IDS_DENSE)
    return status;
  status = qn_alloc(&kept, 1, sizeof *kept, "a graph", error);
  if (status)
    return status;
  *kept = *source;
  result->names = source->graph.ids;
  result->names_memory = kept;
  *source = (struct qn_graph_source){0};
  return QN_OK;
}

static enum qn_status read_container(struct qn_input *input, const struct qn_read_options *options,
                                     struct qn_edge_list *list, uint64_t *sequence,
                                     struct qn_read_result *result, struct qn_error *error) {
  struct qn_graph_source source;
  enum qn_status status = open_graph(input, &source, error);
  if (status)
    return status;
  struct qn_csr csr = source.graph.out;
  if (options->weights == QN_WEIGHTS_NONE)
    csr.weights.type = QN_WEIGHT_NONE;
  const uint64_t *names = options->compact ? source.graph.ids.numbers : NULL;
  if (options->compact && source.graph.ids.kind == QN_IDS_STRINGS)
    qn_note(QN_NOTE_NOT_READ, "--ids=compact drops the names of vertices");
  if (qn_container_section(source.container, "properties"))
    qn_note(QN_NOTE_NOT_READ,
            "the properties of %s are not imported: quern-transform keeps them, and takes "
            "any layout",
            qn_container_path(source.container));
  describe(&source, result);
  result->already_symmetric = source.graph.directedness == QN_UNDIRECTED;
  status = set_vertices(&source, options, result, error);
  qn_edge_list_weights_are_binary(list, csr.weights.type);
  if (!status)
    status = push_edges(&csr, names, list, sequence, error);
  if (!status) /* which nobody can ask for what was read once it is closed */
    status = qn_used_files_check(error);
  result->ledger.records += csr.num_edges;
  result->ledger.edges_read += csr.num_edges;
  qn_graph_source_close(&source);
  return status;
}

static void release_container(struct qn_read_result *result) {
  if (result->names_memory)
    qn_graph_source_close(result->names_memory);
  qn_free(result->names_memory);
  result->names_memory = NULL;
}

static int detect_container(const char *head, uint64_t bytes,
                            const struct qn_read_options *options) {
  (void)options;
  return bytes >= 8 && (memcmp(head, SIGNATURE, 8) == 0 || memcmp(head, STRIPED, 8) == 0) ? 3 : 0;
}

const struct qn_reader qn_reader_container = {
    .name = "quern",
    .detect = detect_container,
    .read = read_container,
    .release = release_container,
};
