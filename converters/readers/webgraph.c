/* WebGraph's compressed graphs: BVGraph (.graph), described by the .properties file beside it. The
 * .offsets file is used where it is there. Labels of arcs (.labels) name the graph that they are
 * of, and become weights; of them the .labeloffsets file is used. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "converters/arrays/binary_rows.h"
#include "converters/arrays/bv_labels.h"
#include "converters/arrays/bv_rows.h"
#include "converters/parse/declared_size.h"
#include "support/checked.h"
#include "support/input/input.h"
#include "support/input/whole_input.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include <quern/graph.h>

#define GRAPH ".graph"
#define LABELS ".labels"
#define PROPERTIES ".properties"
#define MAX_PROPERTIES_BYTES ((uint64_t)1 << 20)
enum { NAME_BYTES = 4096 };

/* ---- The files beside it -------------------------------------------------- */

/* "FOLDER/NAME.properties", or with another `end`, for "FOLDER/NAME.graph", or with another
 * `suffix`, also behind "ARCHIVE:" or before ".gz"; false if the name has no such suffix in it. */
static bool name_beside(const char *name, const char *suffix, const char *end,
                        char out[NAME_BYTES]) {
  const char *slash = strrchr(name, '/'), *found = NULL;
  for (const char *at = slash ? slash : name; (at = strstr(at, suffix)); at++)
    found = at;
  uint64_t length = found ? (uint64_t)(found - name) : 0;
  if (!found || length + strlen(end) >= NAME_BYTES)
    return false;
  memcpy(out, name, length);
  strcpy(out + length, end);
  return true;
}

static bool is_called(const char *name, const char *suffix) {
  const uint64_t length = strlen(name), tail = strlen(suffix);
  return length > tail && strcmp(name + length - tail, suffix) == 0;
}

/* A file that is read whole, beside the input. */
struct file {
  char name[NAME_BYTES];
  struct qn_input *input;
  struct qn_whole_input whole;
};

static enum qn_status open_file(struct file *file, uint64_t max_bytes, struct qn_error *error) {
  struct qn_input_options options = QN_INPUT_DEFAULTS;
  options.regular = true;
  options.unhashed = true;
  options.max_bytes = max_bytes;
  enum qn_status status = qn_input_open(file->name, &options, &file->input, error);
  return status ? status : qn_whole_input_take(file->input, &file->whole, error);
}

static void close_file(struct file *file) {
  qn_whole_input_release(&file->whole);
  qn_input_close(file->input);
}

static enum qn_status unwritten(const struct file *file, enum qn_status status,
                                struct qn_error *error) {
  return file->input ? qn_input_unwritten(file->input, status, error) : status;
}

/* Of a graph, or, unless `labels` is NULL, of labels. */
static enum qn_status parse_properties(const char *name, struct qn_bv_properties *graph,
                                       struct qn_bv_labels *labels, struct qn_error *error) {
  struct file file = {.input = NULL};
  snprintf(file.name, sizeof file.name, "%s", name);
  enum qn_status status = open_file(&file, MAX_PROPERTIES_BYTES, error);
  const struct qn_whole_input *text = &file.whole;
  if (!status && labels)
    status = qn_bv_labels_parse(text->data, text->bytes, name, labels, error);
  else if (!status)
    status = qn_bv_parse(text->data, text->bytes, name, graph, error);
  status = unwritten(&file, status, error);
  close_file(&file);
  return status;
}

static enum qn_status read_properties(const char *of, struct qn_bv_properties *graph,
                                      struct qn_bv_labels *labels, struct qn_error *error) {
  const char *suffix = labels ? LABELS : GRAPH;
  char name[NAME_BYTES];
  if (name_beside(of, suffix, PROPERTIES, name)) {
    enum qn_status status = parse_properties(name, graph, labels, error);
    if (status != QN_SYSTEM || access(name, F_OK) == 0)
      return status;
    qn_fail(error, QN_SYSTEM, "a WebGraph is described by %.200s, which is not there", name);
    return qn_error_in_file(error, of);
  }
  qn_fail(error, QN_INVALID,
          "a WebGraph is called NAME%s, and NAME.properties beside it describes it", suffix);
  return qn_error_in_file(error, of);
}

/* ---- Arcs ----------------------------------------------------------------- */

/* A node takes a bit at least; but long runs of arcs take few. What is asked of memory must be in
 * proportion to the file, unless the user says otherwise. */
static enum qn_status check_size(const struct qn_bv_properties *properties, uint64_t bytes,
                                 struct qn_input *input, struct qn_error *error) {
  uint64_t edges, most;
  const char *reason = NULL;
  if (properties->nodes / 8 > bytes)
    reason = "it is too short for as many nodes";
  else if (!qn_mul_u64(properties->arcs, 8, &edges) ||
           !qn_mul_u64(bytes, qn_input_limits(input)->max_expansion, &most) ||
           !qn_add_u64(most, QN_INPUT_FREE_EXPANSION, &most) || edges > most)
    reason = "it is too short for as many arcs; raise --max-expansion to accept them";
  if (!reason)
    return QN_OK;
  qn_fail(error, QN_INVALID, "the properties announce %" PRIu64 " nodes and %" PRIu64 " arcs: %s",
          properties->nodes, properties->arcs, reason);
  return qn_error_in_file(error, qn_input_name(input));
}

/* What is read of the files until the graph is built. */
struct web {
  struct qn_input *input; /* the graph's or the labels'; not owned */
  struct qn_whole_input whole;
  struct qn_bv_graph graph;
  struct qn_bv_offsets offsets;
  struct qn_bv_labels labels; /* file is NULL: there are none */
  /* Beside the input, as far as they are there: */
  struct file graph_file, offsets_file, label_offsets_file;
  /* Unless the rows go straight to the output: */
  uint64_t *row_offsets;
  uint32_t *columns, *weights;
};

static void release_web(void *object) {
  struct web *web = object;
  const uint64_t nodes = web->graph.properties.nodes, arcs = web->graph.properties.arcs;
  qn_whole_input_release(&web->whole);
  close_file(&web->graph_file);
  close_file(&web->offsets_file);
  close_file(&web->label_offsets_file);
  qn_pages_free(web->row_offsets, nodes + 1, sizeof *web->row_offsets);
  qn_pages_free(web->columns, arcs, sizeof *web->columns);
  qn_pages_free(web->weights, arcs, sizeof *web->weights);
  qn_free(web);
}

/* The offsets beside NAME`suffix`, if they are there. */
static enum qn_status take_offsets(struct file *file, const char *name, const char *suffix,
                                   const char *end, struct qn_bv_offsets *offsets,
                                   struct qn_error *error) {
  if (!name_beside(name, suffix, end, file->name) || access(file->name, F_OK) != 0)
    return QN_OK;
  enum qn_status status = open_file(file, QN_INPUT_MAX_BYTES, error);
  *offsets = (struct qn_bv_offsets){file->whole.data, file->whole.bytes, file->name};
  return status;
}

static enum qn_status decode(struct web *web, uint64_t *row_offsets, uint32_t *columns,
                             void *weights, struct qn_error *error) {
  enum qn_status status = qn_bv_rows(&web->graph, &web->offsets, row_offsets, columns, error);
  if (!status && weights)
    status =
        qn_bv_labels_read(&web->labels, web->graph.properties.nodes, row_offsets, weights, error);
  status = unwritten(&web->graph_file, status, error);
  status = unwritten(&web->offsets_file, status, error);
  status = unwritten(&web->label_offsets_file, status, error);
  return qn_input_unwritten(web->input, status, error);
}

static enum qn_status write_rows(void *context, const struct qn_graph_arrays *arrays,
                                 struct qn_error *error) {
  return decode(context, arrays->row_offsets, arrays->column_indices, arrays->weights, error);
}

/* The rows are edges like others, as some will go or come. */
static enum qn_status push_rows(struct web *web, enum qn_weight_type type,
                                struct qn_edge_list *list, uint64_t *sequence,
                                struct qn_read_result *result, struct qn_error *error) {
  const struct qn_bv_properties *properties = &web->graph.properties;
  struct qn_binary_rows rows = {.file = web->graph.file,
                                .num_vertices = properties->nodes,
                                .num_edges = properties->arcs,
                                .neighbor_bytes = 4,
                                .neighbor_stride = 4,
                                .weight_stride = 4,
                                .stay = true};
  if (type == QN_WEIGHT_I64)
    return qn_fail(error, QN_UNSUPPORTED,
                   "labels of more than 32 bits are read only if no edges will be added, removed, "
                   "renumbered or converted: quern-transform does that afterwards");
  enum qn_status status = qn_bulk_alloc(&web->row_offsets, properties->nodes + 1,
                                        sizeof *web->row_offsets, "offsets of rows", error);
  if (!status)
    status = qn_bulk_alloc(&web->columns, properties->arcs, sizeof *web->columns, "rows", error);
  if (!status && type != QN_WEIGHT_NONE)
    status = qn_bulk_alloc(&web->weights, properties->arcs, sizeof *web->weights, "labels", error);
  if (!status)
    status = decode(web, web->row_offsets, web->columns, web->weights, error);
  rows.begin = rows.offsets = (const char *)web->row_offsets;
  rows.neighbors = (const char *)web->columns;
  rows.weights = (const char *)web->weights;
  return status ? status : qn_binary_rows_read(&rows, list, sequence, result, NULL, error);
}

static enum qn_status read_rows(struct web *web, const struct qn_read_options *options,
                                struct qn_edge_list *list, uint64_t *sequence,
                                struct qn_read_result *result, struct qn_error *error) {
  const struct qn_bv_properties *properties = &web->graph.properties;
  const struct qn_declared_size size = {
      .file = web->graph.file, .num_vertices = properties->nodes, .num_edges = properties->arcs};
  const bool weighted = web->labels.file && options->weights != QN_WEIGHTS_NONE;
  const enum qn_weight_type type = weighted ? qn_bv_labels_type(&web->labels) : QN_WEIGHT_NONE;
  enum qn_status status = qn_declare_from_zero(&size, options, result, error);
  if (status)
    return status;
  result->keeps_input = true;
  snprintf(result->description, sizeof result->description,
           "BVGraph, %" PRIu64 " nodes, %" PRIu64 " arcs%s", properties->nodes, properties->arcs,
           weighted ? ", labels as weights" : "");
  if (!options->takes_rows)
    return push_rows(web, type, list, sequence, result, error);
  result->rows = (struct qn_build_rows){
      .num_edges = properties->arcs, .weight_type = type, .write = write_rows, .context = web};
  result->ledger.records += properties->arcs;
  result->ledger.edges_read += properties->arcs;
  return QN_OK;
}

/* Of labels: what they are, and where the graph is. */
static enum qn_status take_labels(struct web *web, struct qn_error *error) {
  const char *name = qn_input_name(web->input);
  struct qn_bv_labels *labels = &web->labels;
  struct file *graph = &web->graph_file;
  enum qn_status status = read_properties(name, NULL, labels, error);
  if (status)
    return status;
  labels->file = name;
  labels->bits = (struct qn_bits){.data = web->whole.data, .bytes = web->whole.bytes};
  const char *slash = strrchr(name, '/');
  const int written = snprintf(graph->name, sizeof graph->name, "%.*s%s%s",
                               slash ? (int)(slash - name) + 1 : 0, name, labels->graph, GRAPH);
  if (written < 0 || (size_t)written >= sizeof graph->name || access(graph->name, F_OK) != 0) {
    qn_fail(error, QN_SYSTEM, "these are labels of %.200s, which is not there", graph->name);
    return qn_error_in_file(error, name);
  }
  status = open_file(graph, QN_INPUT_MAX_BYTES, error);
  if (!status)
    status = take_offsets(&web->label_offsets_file, name, LABELS, ".labeloffsets", &labels->offsets,
                          error);
  return status;
}

static enum qn_status take_graph(struct web *web, struct qn_error *error) {
  struct qn_bv_graph *graph = &web->graph;
  const struct qn_whole_input *bits = web->labels.file ? &web->graph_file.whole : &web->whole;
  graph->file = web->labels.file ? web->graph_file.name : qn_input_name(web->input);
  graph->data = bits->data;
  graph->bytes = bits->bytes;
  enum qn_status status = read_properties(graph->file, &graph->properties, NULL, error);
  if (!status)
    status = check_size(&graph->properties, graph->bytes, web->input, error);
  return status ? status
                : take_offsets(&web->offsets_file, graph->file, GRAPH, ".offsets", &web->offsets,
                               error);
}

static enum qn_status read_webgraph(struct qn_input *input, const struct qn_read_options *options,
                                    struct qn_edge_list *list, uint64_t *sequence,
                                    struct qn_read_result *result, struct qn_error *error) {
  struct web *web;
  enum qn_status status = qn_alloc_zeroed(&web, 1, sizeof *web, "a web graph", error);
  if (status)
    return status;
  status = qn_edge_list_keep(list, web, release_web, error);
  if (status) {
    release_web(web);
    return status;
  }
  web->input = input;
  status = qn_whole_input_take(input, &web->whole, error);
  if (!status && is_called(qn_input_name(input), LABELS))
    status = take_labels(web, error);
  if (!status)
    status = take_graph(web, error);
  return status ? status : read_rows(web, options, list, sequence, result, error);
}

/* Of its begin: has it control characters, or bytes that are no UTF-8? Form feeds are found in
 * text, and what DOS ends it with. */
static bool is_binary(const char *head, uint64_t bytes) {
  enum { NEAR = 4096, LONGEST = 4 };
  const unsigned char *p = (const unsigned char *)head, *end = p + (bytes < NEAR ? bytes : NEAR);
  const unsigned char *known_end = bytes > NEAR ? end - LONGEST : end; /* one may be cut */
  uint32_t character = 0;
  while (p < known_end)
    if (!qn_utf8_next(&p, end, &character) ||
        (character < ' ' && !(character && strchr("\t\n\r\f\x1a", (int)character))))
      return true;
  return false;
}

/* METIS graphs are called .graph too, and nothing tells the bits of a BVGraph from others: the
 * properties do. Beside content that looks like text they are no proof. What is binary and called
 * so lacks them. */
static int detect_webgraph(struct qn_input *input, const char *head, uint64_t bytes) {
  struct qn_bv_properties graph;
  struct qn_bv_labels labels;
  struct qn_error error;
  char name[NAME_BYTES];
  const char *called = qn_input_name(input);
  const bool of_labels = is_called(called, LABELS), is_sure = is_binary(head, bytes);
  if (!name_beside(called, of_labels ? LABELS : GRAPH, PROPERTIES, name))
    return 0;
  enum qn_status status = parse_properties(name, &graph, of_labels ? &labels : NULL, &error);
  if (of_labels && (!status || status == QN_UNSUPPORTED)) /* they are described as such */
    return 3;
  if (of_labels)
    return status != QN_SYSTEM && is_sure ? 2 : 0;
  if (status && status != QN_UNSUPPORTED) /* that is a WebGraph, and read_webgraph says what */
    return is_called(called, GRAPH) && is_sure ? 2 : 0;
  return is_sure ? 3 : 1;
}

const struct qn_reader qn_reader_webgraph = {
    .name = "webgraph",
    .detect_files = detect_webgraph,
    .read = read_webgraph,
};
