/* What processes that share a work say to each other, its ranks, each of which has a part of it.
 * How they do is the business of who fills in the table: MPI, or nobody where there is one rank.
 *
 * All ranks call the same functions in the same order. A rank that has failed calls no more of them
 * but the last `agree`; then those of the others fail, too. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

enum qn_combination { QN_COMBINE_SUM, QN_COMBINE_MOST, QN_COMBINE_LEAST, QN_COMBINE_OR };

struct qn_collective {
  unsigned rank, num_ranks;
  /* Have all come as far with success? Else the status of the first rank that has not. */
  enum qn_status (*agree)(enum qn_status status);
  /* Each value becomes what those of all ranks make together. */
  enum qn_status (*combine)(uint64_t *values, uint64_t count, enum qn_combination how,
                            struct qn_error *error);
  /* Send each rank r its `send_bytes[r]` bytes, which lie in `send` in the order of the ranks;
   * `receive` gets the `receive_bytes[r]` bytes of each rank r, in that order. Any sizes, which
   * both sides know. */
  enum qn_status (*exchange)(const void *send, const uint64_t *send_bytes, void *receive,
                             const uint64_t *receive_bytes, struct qn_error *error);
};

/* One rank, which has nobody to talk to. */
extern const struct qn_collective qn_collective_alone;
