/* Edges that engines on the CPU combine the same way, in all-active programs. Template: needs a
 * completed program. */
#pragma once

#include "kernels/engine.h"

#if PROGRAM_SCHEDULE == QN_ALL_ACTIVE

/* What the sources of the edges [begin, end) contribute, which are sources[edge] + base. Four
 * accumulators, so that an addition need not wait for the one before: always the same four, so the
 * sum has one shape. */
static inline program_accumulator engine_gather_from(const struct qn_program_context *context,
                                                     const program_message *messages,
                                                     const uint32_t *sources, uint32_t base,
                                                     const struct qn_weights *weights,
                                                     uint64_t begin, uint64_t end) {
  program_accumulator part0 = program_identity(), part1 = part0, part2 = part0, part3 = part0;
  uint64_t edge = begin;
  for (; edge + 4 <= end; edge += 4) {
    program_combine(&part0, program_gather(context, messages[sources[edge] + base],
                                           engine_weight(weights, edge)));
    program_combine(&part1, program_gather(context, messages[sources[edge + 1] + base],
                                           engine_weight(weights, edge + 1)));
    program_combine(&part2, program_gather(context, messages[sources[edge + 2] + base],
                                           engine_weight(weights, edge + 2)));
    program_combine(&part3, program_gather(context, messages[sources[edge + 3] + base],
                                           engine_weight(weights, edge + 3)));
  }
  for (; edge < end; edge++)
    program_combine(&part0, program_gather(context, messages[sources[edge] + base],
                                           engine_weight(weights, edge)));
  program_combine(&part0, part1);
  program_combine(&part2, part3);
  program_combine(&part0, part2);
  return part0;
}

static inline program_accumulator engine_gather(const struct qn_program_context *context,
                                                const program_message *messages,
                                                const uint32_t *sources,
                                                const struct qn_weights *weights, uint64_t begin,
                                                uint64_t end) {
  return engine_gather_from(context, messages, sources, 0, weights, begin, end);
}

#endif
