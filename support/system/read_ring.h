/* Many reads of files at once by Linux's io_uring, where the system allows it. Of one thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct qn_read_ring;

/* Room for `entries` reads at once, a power of two; NULL: there is no io_uring here. */
struct qn_read_ring *qn_read_ring_create(unsigned entries);
/* None is under way. NULL is allowed. */
void qn_read_ring_destroy(struct qn_read_ring *ring);

/* Begin a read, of which there are fewer than `entries`. `tag` comes back with it. */
void qn_read_ring_add(struct qn_read_ring *ring, int descriptor, void *into, uint32_t bytes,
                      uint64_t offset, uint64_t tag);
/* Wait for one that ended: its tag, and the bytes that were read or an error's negative number.
 * False: the system does not do it any more. */
bool qn_read_ring_wait(struct qn_read_ring *ring, uint64_t *tag, int64_t *result);

#ifdef __cplusplus
}
#endif
