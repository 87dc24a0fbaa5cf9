/* The decoder of WebGraph's lists on any bits: each list either ascends below the number of nodes
 * or is refused with a message. The first eight bytes choose what the properties would say. */
#include "converters/arrays/bv_graph.h"
#include "fuzz/fuzz.h"

static struct qn_bv_properties choose(const uint8_t *data) {
  static const enum qn_bit_code residuals[] = {QN_CODE_ZETA, QN_CODE_GAMMA, QN_CODE_DELTA,
                                               QN_CODE_NIBBLE};
  static const enum qn_bit_code others[] = {QN_CODE_GAMMA, QN_CODE_UNARY, QN_CODE_DELTA};
  return (struct qn_bv_properties){.nodes = data[0] * (data[1] & 1 ? 16777216u : 3u),
                                   .arcs = data[1] * 400u,
                                   .window = data[2] % 9,
                                   .min_interval = data[3] % 6,
                                   .zeta = 1 + data[4] % 63,
                                   .degrees = data[5] % 2 ? QN_CODE_DELTA : QN_CODE_GAMMA,
                                   .references = others[data[5] / 2 % 3],
                                   .block_counts = others[data[6] % 3],
                                   .blocks = data[6] / 3 % 2 ? QN_CODE_DELTA : QN_CODE_GAMMA,
                                   .residuals = residuals[data[7] % 4]};
}

static bool run(unsigned kind, const uint8_t *data, size_t size) {
  struct qn_bv_decoder *decoder;
  struct qn_error error = {0};
  const uint32_t *successors;
  uint64_t count, total = 0;
  (void)kind;
  if (size < 8)
    return false;
  struct qn_bv_properties properties = choose(data);
  if (qn_bv_create(&properties, (const char *)data + 8, size - 8, "bits", &decoder, &error))
    return false;
  enum qn_status status = QN_OK;
  for (uint64_t node = 0; node < properties.nodes && !status; node++) {
    status = qn_bv_next(decoder, &successors, &count, &error);
    for (uint64_t i = 0; !status && i < count; i++)
      FUZZ_PROMISE(successors[i] < properties.nodes &&
                   (i == 0 || successors[i - 1] < successors[i]));
    total += status ? 0 : count;
  }
  FUZZ_PROMISE(total <= properties.arcs);
  if (!status)
    status = qn_bv_end(decoder, &error);
  FUZZ_PROMISE(!status || error.message[0]);
  qn_bv_destroy(decoder);
  return !status;
}

static const char *const KINDS[] = {"", NULL};
const struct fuzz_family fuzz_webgraph = {"webgraph", KINDS, run};
