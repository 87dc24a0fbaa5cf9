/* WebGraph's compressed graphs (.graph): BVGraph, described by the .properties file beside it. The
 * offsets that its own readers need are not: all lists are read in order. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "converters/arrays/bv_graph.h"
#include "converters/parse/declared_size.h"
#include "support/checked.h"
#include "support/input/input.h"
#include "support/input/whole_input.h"
#include "support/json_text.h"
#include "support/progress.h"

#define SUFFIX ".graph"
#define PROPERTIES ".properties"
#define MAX_PROPERTIES_BYTES ((uint64_t)1 << 20)

/* Arcs that one stream takes. */
#define PART_ARCS ((uint64_t)1 << 20)

/* ---- The file beside it --------------------------------------------------- */

/* "FOLDER/NAME.properties" for "FOLDER/NAME.graph", also behind "ARCHIVE:" or before ".gz"; false
 * if the name has no .graph in it. */
static bool properties_name(const char *name, char *out, uint64_t size) {
  const char *slash = strrchr(name, '/'), *suffix = NULL;
  for (const char *at = slash ? slash : name; (at = strstr(at, SUFFIX)); at++)
    suffix = at;
  uint64_t length = suffix ? (uint64_t)(suffix - name) : 0;
  if (!suffix || length + sizeof PROPERTIES > size)
    return false;
  memcpy(out, name, length);
  memcpy(out + length, PROPERTIES, sizeof PROPERTIES);
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
  if (properties_name(qn_input_name(input), name, sizeof name)) {
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

/* Push the arcs of nodes from `*node` on, to one stream. */
static enum qn_status push_part(struct qn_bv_decoder *decoder,
                                const struct qn_bv_properties *properties, uint64_t *node,
                                struct qn_edge_stream *stream, struct qn_error *error) {
  const uint32_t *successors;
  uint64_t count, pushed = 0;
  while (*node < properties->nodes && pushed < PART_ARCS) {
    enum qn_status status = qn_bv_next(decoder, &successors, &count, error);
    if (status)
      return status;
    for (uint64_t i = 0; i < count; i++)
      qn_edge_push(stream, *node, successors[i]);
    pushed += count;
    ++*node;
  }
  return QN_OK;
}

static enum qn_status push_arcs(const struct qn_bv_properties *properties,
                                const struct qn_whole_input *whole, const char *file,
                                struct qn_edge_list *list, uint64_t *sequence,
                                struct qn_error *error) {
  struct qn_bv_decoder *decoder;
  enum qn_status status =
      qn_bv_create(properties, whole->data, whole->bytes, file, &decoder, error);
  for (uint64_t node = 0; node < properties->nodes && !status;) {
    struct qn_edge_stream stream;
    uint64_t before = node;
    qn_edge_stream_open(&stream, list, (*sequence)++);
    status = push_part(decoder, properties, &node, &stream, error);
    enum qn_status closed = qn_edge_stream_close(&stream, status ? NULL : error);
    status = status ? status : closed;
    qn_progress_add((node - before) * whole->bytes / properties->nodes);
  }
  if (!status)
    status = qn_bv_end(decoder, error);
  qn_bv_destroy(decoder);
  return status;
}

static enum qn_status read_webgraph(struct qn_input *input, const struct qn_read_options *options,
                                    struct qn_edge_list *list, uint64_t *sequence,
                                    struct qn_read_result *result, struct qn_error *error) {
  struct qn_declared_size size = {.file = qn_input_name(input)};
  struct qn_bv_properties properties;
  struct qn_whole_input whole = {0};
  enum qn_status status = find_properties(input, &properties, error);
  if (!status)
    status = qn_whole_input_take(input, &whole, error);
  if (!status)
    status = check_size(&properties, whole.bytes, input, error);
  size.num_vertices = properties.nodes;
  size.num_edges = properties.arcs;
  if (!status)
    status = qn_declare_from_zero(&size, options, result, error);
  if (!status)
    status = push_arcs(&properties, &whole, size.file, list, sequence, error);
  qn_whole_input_release(&whole);
  if (status)
    return status;
  snprintf(result->description, sizeof result->description,
           "BVGraph, %" PRIu64 " nodes, %" PRIu64 " arcs", properties.nodes, properties.arcs);
  result->ledger.records += properties.arcs;
  result->ledger.edges_read += properties.arcs;
  return QN_OK;
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
  if (!properties_name(qn_input_name(input), name, sizeof name))
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
