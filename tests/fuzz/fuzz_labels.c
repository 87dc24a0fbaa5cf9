/* Labels of a WebGraph's arcs on any bits: as many numbers as there are arcs, the same for any
 * number of threads, or a message. And what describes them.
 *
 *   numbers      u8 width (64 and above: gamma code), u8 number of nodes, u8 bytes of offsets, a
 * byte of out-degree a node, then labels, then offsets properties   the text */
#include <string.h>

#include "converters/arrays/bv_labels.h"
#include "fuzz/fuzz.h"
#include "support/threads.h"

enum { MOST_NODES = 256, MOST_DEGREE = 16 };
static uint64_t row_offsets[MOST_NODES + 1];
static uint64_t weights[2][MOST_NODES * MOST_DEGREE];

static enum qn_status read_labels(const struct qn_bv_labels *labels, uint64_t nodes,
                                  unsigned threads, void *out, struct qn_error *error) {
  unsigned before = qn_threads();
  qn_threads_set(threads);
  enum qn_status status = qn_bv_labels_read(labels, nodes, row_offsets, out, error);
  qn_threads_set(before);
  return status;
}

static bool run_numbers(const uint8_t *data, size_t size) {
  struct qn_bv_labels labels = {.file = "labels", .offsets.file = "offsets"};
  struct qn_error error = {0}, other = {0};
  if (size < 3 || size < 3u + data[1])
    return false;
  const uint64_t nodes = data[1];
  labels.is_gamma = data[0] >= 64;
  labels.width = labels.is_gamma ? 0 : data[0];
  for (uint64_t node = 0; node < nodes; node++)
    row_offsets[node + 1] = row_offsets[node] + data[3 + node] % MOST_DEGREE;
  labels.bits = (struct qn_bits){.data = (const char *)data + 3 + nodes, .bytes = size - 3 - nodes};
  if (data[2] && data[2] <= labels.bits.bytes) {
    labels.bits.bytes -= data[2];
    labels.offsets.data = labels.bits.data + labels.bits.bytes;
    labels.offsets.bytes = data[2];
  }
  enum qn_status status = read_labels(&labels, nodes, 1, weights[0], &error);
  enum qn_status again = read_labels(&labels, nodes, 2, weights[1], &other);
  FUZZ_PROMISE(status == again && strcmp(error.message, other.message) == 0);
  FUZZ_PROMISE(!status || error.message[0]);
  const uint64_t bytes = qn_weight_bytes(qn_bv_labels_type(&labels)) * row_offsets[nodes];
  FUZZ_PROMISE(status || memcmp(weights[0], weights[1], bytes) == 0);
  return !status;
}

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  struct qn_bv_labels labels;
  struct qn_error error = {0};
  if (kind == 0)
    return run_numbers(data, size);
  enum qn_status status =
      qn_bv_labels_parse((const char *)data, size, "properties", &labels, &error);
  FUZZ_PROMISE(status ? error.message[0] != 0
                      : labels.width < 64 && memchr(labels.graph, 0, sizeof labels.graph));
  return !status;
}

static const char *const KINDS[] = {"numbers", "properties", NULL};
const struct fuzz_family fuzz_labels = {"labels", KINDS, run};
