/* The decoder of WebGraph's lists on any bits: each list either ascends below the number of nodes
 * or is refused with a message. The first eight bytes choose what the properties would say. */
#include <string.h>

#include "converters/arrays/bv_rows.h"
#include "fuzz/fuzz.h"
#include "support/threads.h"

static struct qn_bv_properties choose(const uint8_t *data) {
  static const enum qn_bit_code residuals[] = {QN_CODE_ZETA, QN_CODE_GAMMA, QN_CODE_DELTA,
                                               QN_CODE_NIBBLE, QN_CODE_GOLOMB};
  static const enum qn_bit_code others[] = {QN_CODE_GAMMA, QN_CODE_UNARY, QN_CODE_DELTA};
  return (struct qn_bv_properties){.nodes = data[0] * (data[1] & 1 ? 16777216u : 3u),
                                   .arcs = data[1] * 400u,
                                   .window = data[2] % 9,
                                   .longest_chain = data[2] & 32 ? 2 : UINT64_MAX,
                                   .min_interval = data[3] % 6,
                                   .zeta = 1 + data[4] % 63,
                                   .degrees = data[5] % 2 ? QN_CODE_DELTA : QN_CODE_GAMMA,
                                   .references = others[data[5] / 2 % 3],
                                   .block_counts = others[data[6] % 3],
                                   .blocks = data[6] / 3 % 2 ? QN_CODE_DELTA : QN_CODE_GAMMA,
                                   .offsets = data[5] & 64 ? QN_CODE_DELTA : QN_CODE_GAMMA,
                                   .residuals = residuals[data[7] % 5]};
}

/* One list after the other. */
static enum qn_status read_lists(const struct qn_bv_graph *graph, struct qn_error *error) {
  const struct qn_bv_properties *properties = &graph->properties;
  struct qn_bv_decoder *decoder;
  const uint32_t *successors;
  uint64_t count, total = 0;
  enum qn_status status = qn_bv_create(graph, &decoder, error);
  for (uint64_t node = 0; node < properties->nodes && !status; node++) {
    status = qn_bv_next(decoder, &successors, &count, error);
    for (uint64_t i = 0; !status && i < count; i++)
      FUZZ_PROMISE(successors[i] < properties->nodes &&
                   (i == 0 || successors[i - 1] < successors[i]));
    total += status ? 0 : count;
  }
  FUZZ_PROMISE(total <= properties->arcs);
  if (!status)
    status = qn_bv_end(decoder, error);
  qn_bv_destroy(decoder);
  return status;
}

/* All of them, by so many threads, of which each is a run of its own. */
static enum qn_status read_rows(const struct qn_bv_graph *graph,
                                const struct qn_bv_offsets *offsets, unsigned threads,
                                uint64_t *row_offsets, uint32_t *columns, struct qn_error *error) {
  unsigned before = qn_threads();
  qn_threads_set(threads);
  enum qn_status status = qn_bv_rows(graph, offsets, row_offsets, columns, error);
  qn_threads_set(before);
  return status;
}

enum { MOST_NODES = 1024, MOST_ARCS = 255 * 400 };
static uint64_t row_offsets[2][MOST_NODES + 1];
static uint32_t columns[2][MOST_ARCS];

/* Any number of threads finds the same, or says the same; without offsets that is what lists one
 * after the other are. */
static enum qn_status read_both(const struct qn_bv_graph *graph,
                                const struct qn_bv_offsets *offsets, struct qn_error *error) {
  const uint64_t nodes = graph->properties.nodes;
  struct qn_error other = {0};
  enum qn_status status = read_rows(graph, offsets, 1, row_offsets[0], columns[0], error);
  enum qn_status again = read_rows(graph, offsets, 2, row_offsets[1], columns[1], &other);
  FUZZ_PROMISE(again == status && (!status || strcmp(error->message, other.message) == 0));
  FUZZ_PROMISE(status ||
               (memcmp(row_offsets[0], row_offsets[1], (nodes + 1) * sizeof(uint64_t)) == 0 &&
                memcmp(columns[0], columns[1], row_offsets[0][nodes] * sizeof(uint32_t)) == 0));
  return status;
}

/* With bit 4 of the third byte the last part of the input, as long as the second byte says, is the
 * file of offsets. */
static bool run(unsigned kind, const uint8_t *data, size_t size) {
  struct qn_error error = {0}, of_rows = {0};
  (void)kind;
  if (size < 8)
    return false;
  struct qn_bv_graph graph = {.properties = choose(data),
                              .data = (const char *)data + 8,
                              .bytes = size - 8,
                              .file = "bits"};
  struct qn_bv_offsets offsets = {.file = "offsets"};
  if (data[2] & 16 && data[1] < graph.bytes) {
    graph.bytes -= data[1];
    offsets.data = graph.data + graph.bytes;
    offsets.bytes = data[1];
  }
  enum qn_status status = read_lists(&graph, &error), with_rows = status;
  if (graph.properties.nodes <= MOST_NODES)
    with_rows = read_both(&graph, &offsets, &of_rows);
  FUZZ_PROMISE(!status || error.message[0]);
  FUZZ_PROMISE(offsets.data ? with_rows || !status : with_rows == status);
  return !status && !with_rows;
}

static const char *const KINDS[] = {"", NULL};
const struct fuzz_family fuzz_webgraph = {"webgraph", KINDS, run};
