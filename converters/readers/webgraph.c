/* WebGraph's compressed graphs (.graph): BVGraph, described by the .properties file beside it. The
 * .offsets file is used where it is there. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "converters/arrays/binary_rows.h"
#include "converters/arrays/bv_rows.h"
#include "converters/parse/declared_size.h"
#include "support/checked.h"
#include "support/input/input.h"
#include "support/input/whole_input.h"
#include "support/json_text.h"
#include "support/memory.h"
#include "support/temp_file.h"
#include <quern/graph.h>

#define SUFFIX ".graph"
#define PROPERTIES ".properties"
#define OFFSETS ".offsets"
#define MAX_PROPERTIES_BYTES ((uint64_t)1 << 20)

/* ---- The files beside it -------------------------------------------------- */

/* "FOLDER/NAME.properties" for "FOLDER/NAME.graph", also behind "ARCHIVE:" or before ".gz", or with
 * another `end`; false if the name has no .graph in it. */
static bool name_beside(const char *name, const char *end, char *out, uint64_t size) {
  const char *slash = strrchr(name, '/'), *suffix = NULL;
  for (const char *at = slash ? slash : name; (at = strstr(at, SUFFIX)); at++)
    suffix = at;
  uint64_t length = suffix ? (uint64_t)(suffix - name) : 0;
  if (!suffix || length + strlen(end) >= size)
    return false;
  memcpy(out, name, length);
  strcpy(out + length, end);
  return true;
}

static enum qn_status read_properties(const char *name, struct qn_bv_properties *properties,
                                      struct qn_error *error) {
  struct qn_input_options options = QN_INPUT_DEFAULTS;
  struct qn_input *input;
  struct qn_whole_input whole;
  options.regular = true;
  options.max_bytes = MAX_PROPERTIES_BYTES;
  enum qn_status status = qn_input_open(name, &options, &input, error);
  if (status)
    return status;
  status = qn_whole_input_take(input, &whole, error);
  if (!status)
    status = qn_bv_parse(whole.data, whole.bytes, name, properties, error);
  status = qn_input_unwritten(input, status, error);
  qn_whole_input_release(&whole);
  qn_input_close(input);
  return status;
}

static enum qn_status find_properties(struct qn_input *input, struct qn_bv_properties *properties,
                                      struct qn_error *error) {
  char name[4096];
  if (name_beside(qn_input_name(input), PROPERTIES, name, sizeof name)) {
    enum qn_status status = read_properties(name, properties, error);
    if (status != QN_SYSTEM || access(name, F_OK) == 0)
      return status;
    qn_fail(error, QN_SYSTEM, "a WebGraph is described by %.200s, which is not there", name);
    return qn_error_in_file(error, qn_input_name(input));
  }
  qn_fail(error, QN_INVALID,
          "a WebGraph is called NAME.graph, and NAME.properties beside it describes it");
  return qn_error_in_file(error, qn_input_name(input));
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
  struct qn_bv_graph graph;
  struct qn_bv_offsets offsets;
  struct qn_input *input; /* of the graph; not owned */
  struct qn_input *offsets_input;
  struct qn_whole_input whole, whole_offsets;
  char offsets_name[4096];
  /* Unless the rows go straight to the output: */
  uint64_t *row_offsets;
  uint32_t *columns;
};

static void release_web(void *object) {
  struct web *web = object;
  const uint64_t nodes = web->graph.properties.nodes, arcs = web->graph.properties.arcs;
  qn_whole_input_release(&web->whole_offsets);
  qn_whole_input_release(&web->whole);
  qn_input_close(web->offsets_input);
  qn_pages_free(web->row_offsets, nodes + 1, sizeof *web->row_offsets);
  qn_pages_free(web->columns, arcs, sizeof *web->columns);
  qn_free(web);
}

static enum qn_status take_offsets(struct web *web, struct qn_error *error) {
  struct qn_input_options options = QN_INPUT_DEFAULTS;
  options.regular = true;
  options.unhashed = true;
  if (!name_beside(qn_input_name(web->input), OFFSETS, web->offsets_name,
                   sizeof web->offsets_name) ||
      access(web->offsets_name, F_OK) != 0)
    return QN_OK;
  enum qn_status status = qn_input_open(web->offsets_name, &options, &web->offsets_input, error);
  if (!status)
    status = qn_whole_input_take(web->offsets_input, &web->whole_offsets, error);
  web->offsets =
      (struct qn_bv_offsets){web->whole_offsets.data, web->whole_offsets.bytes, web->offsets_name};
  return status;
}

static enum qn_status decode(struct web *web, uint64_t *row_offsets, uint32_t *columns,
                             struct qn_error *error) {
  enum qn_status status = qn_bv_rows(&web->graph, &web->offsets, row_offsets, columns, error);
  if (web->offsets_input)
    status = qn_input_unwritten(web->offsets_input, status, error);
  return qn_input_unwritten(web->input, status, error);
}

static enum qn_status write_rows(void *context, const struct qn_graph_arrays *arrays,
                                 struct qn_error *error) {
  return decode(context, arrays->row_offsets, arrays->column_indices, error);
}

/* The rows are edges like others, as some will go or come. */
static enum qn_status push_rows(struct web *web, struct qn_edge_list *list, uint64_t *sequence,
                                struct qn_read_result *result, struct qn_error *error) {
  const struct qn_bv_properties *properties = &web->graph.properties;
  struct qn_binary_rows rows = {.file = web->graph.file,
                                .num_vertices = properties->nodes,
                                .num_edges = properties->arcs,
                                .neighbor_bytes = 4,
                                .neighbor_stride = 4,
                                .stay = true};
  enum qn_status status = qn_bulk_alloc(&web->row_offsets, properties->nodes + 1,
                                        sizeof *web->row_offsets, "offsets of rows", error);
  if (!status)
    status = qn_bulk_alloc(&web->columns, properties->arcs, sizeof *web->columns, "rows", error);
  if (!status)
    status = decode(web, web->row_offsets, web->columns, error);
  rows.begin = rows.offsets = (const char *)web->row_offsets;
  rows.neighbors = (const char *)web->columns;
  return status ? status : qn_binary_rows_read(&rows, list, sequence, result, NULL, error);
}

static enum qn_status read_rows(struct web *web, const struct qn_read_options *options,
                                struct qn_edge_list *list, uint64_t *sequence,
                                struct qn_read_result *result, struct qn_error *error) {
  const struct qn_bv_properties *properties = &web->graph.properties;
  const struct qn_declared_size size = {
      .file = web->graph.file, .num_vertices = properties->nodes, .num_edges = properties->arcs};
  enum qn_status status = qn_declare_from_zero(&size, options, result, error);
  if (status)
    return status;
  result->keeps_input = true;
  snprintf(result->description, sizeof result->description,
           "BVGraph, %" PRIu64 " nodes, %" PRIu64 " arcs", properties->nodes, properties->arcs);
  if (!options->takes_rows)
    return push_rows(web, list, sequence, result, error);
  result->rows =
      (struct qn_build_rows){.num_edges = properties->arcs, .write = write_rows, .context = web};
  result->ledger.records += properties->arcs;
  result->ledger.edges_read += properties->arcs;
  return QN_OK;
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
  web->graph.file = qn_input_name(input);
  status = find_properties(input, &web->graph.properties, error);
  if (!status)
    status = qn_whole_input_take(input, &web->whole, error);
  web->graph.data = web->whole.data;
  web->graph.bytes = web->whole.bytes;
  if (!status)
    status = check_size(&web->graph.properties, web->whole.bytes, input, error);
  if (!status)
    status = take_offsets(web, error);
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
  struct qn_bv_properties properties;
  struct qn_error error;
  char name[4096];
  if (!name_beside(qn_input_name(input), PROPERTIES, name, sizeof name))
    return 0;
  enum qn_status status = read_properties(name, &properties, &error);
  const char *called = qn_input_name(input);
  const uint64_t length = strlen(called), suffix = strlen(SUFFIX);
  const bool ends = length > suffix && strcmp(called + length - suffix, SUFFIX) == 0;
  if (status && status != QN_UNSUPPORTED) /* that is a WebGraph, and read_webgraph says what */
    return ends && is_binary(head, bytes) ? 2 : 0;
  return is_binary(head, bytes) ? 3 : 1;
}

const struct qn_reader qn_reader_webgraph = {
    .name = "webgraph",
    .detect_files = detect_webgraph,
    .read = read_webgraph,
};
