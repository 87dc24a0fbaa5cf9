/* What ranks say to each other, from the table of collective.h. */
#pragma once

#include "support/ranks/collective.h"

/* What came from all ranks, in their order. */
struct qn_received {
  char *data;
  uint64_t bytes;
  uint64_t *bytes_of; /* [num_ranks] */
};

/* Send each rank r the `bytes[r]` bytes that lie for it in `data`, in the order of the ranks, and
 * hear what others have for this one. Given back by qn_received_free, also after a failure. */
enum qn_status qn_all_to_all(const struct qn_collective *ranks, const void *data,
                             const uint64_t *bytes, struct qn_received *received,
                             struct qn_error *error);
/* The same to rank `to` alone. */
enum qn_status qn_gather_to(const struct qn_collective *ranks, unsigned to, const void *data,
                            uint64_t bytes, struct qn_received *received, struct qn_error *error);
/* A zeroed one is allowed. */
void qn_received_free(struct qn_received *received);

/* `data`, of `bytes` bytes everywhere, becomes what rank `from` has there. */
enum qn_status qn_broadcast(const struct qn_collective *ranks, unsigned from, void *data,
                            uint64_t bytes, struct qn_error *error);

/* The first rank's `text`, everywhere: by qn_free. Others have none to give. */
enum qn_status qn_broadcast_text(const struct qn_collective *ranks, const char *text, char **told,
                                 struct qn_error *error);

/* The sum of a value over all ranks, and over those before this one. */
enum qn_status qn_exclusive_sum(const struct qn_collective *ranks, uint64_t value, uint64_t *before,
                                uint64_t *all, struct qn_error *error);
