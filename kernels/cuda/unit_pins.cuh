/* Pinning the mapped container, so that long runs of it are copied from where they lie: no thread
 * has to gather them, which passes the host's memory twice more, and the bus is as fast as it can
 * be whatever else the host does (H200: 53 GB/s in batches of 4 MiB; gathered 46 at best, 40 on a
 * busy host).
 *
 * A page is pinned in 90 ns, 23 ms a GB, as long as moving it once takes, and while it is nothing
 * else can be asked of CUDA. So the one who sends copies pins a chunk at a time between two of
 * them, while those that were asked for before keep the bus busy, and readers gather what is not
 * pinned yet. Only pages are pinned that are in memory already, and whole ones, so that nothing
 * but units is affected.
 *
 * Streams of the same source, on several devices, share what is pinned. */
#ifndef QN_KERNELS_CUDA_UNIT_PINS_CUH
#define QN_KERNELS_CUDA_UNIT_PINS_CUH

#include "kernels/cuda/unit_stream.cuh"

#ifdef __cplusplus
extern "C" {
#endif

/* From here on the bus is as fast with a run as with any (H200, in batches of copies: 53 GB/s;
 * with runs of 4 KiB 5). */
#ifndef QN_UNIT_LONG_RUN
#define QN_UNIT_LONG_RUN ((uint64_t)64 << 10)
#endif

struct qn_unit_pins;

/* Pin at most `limit` bytes of what holds the source's units; as yet nothing is. Owned until
 * qn_unit_pins_close. */
enum qn_status qn_unit_pins_open(struct qn_unit_pins **out, const struct qn_unit_source *source,
                                 uint64_t limit, struct qn_error *error);
/* Of the last stream that shares them: no copy may be under way. NULL is allowed. */
void qn_unit_pins_close(struct qn_unit_pins *pins);

/* Pin the next chunk, on the current device's behalf. How many bytes that are; 0 if nothing came of
 * it: all chunks have had their turn, the next one was not in memory, CUDA refuses, or another
 * stream is at it. */
uint64_t qn_unit_pins_next(struct qn_unit_pins *pins);
/* Another round, for chunks that were not in memory. NULL is allowed. */
void qn_unit_pins_again(struct qn_unit_pins *pins);

/* How many bytes from `data` on are alike, at most `bytes`: pinned together, or not pinned. NULL:
 * nothing is. May be called by any thread while qn_unit_pins_next runs. */
uint64_t qn_unit_pins_reach(const struct qn_unit_pins *pins, const void *data, uint64_t bytes,
                            bool *pinned);

uint64_t qn_unit_pins_bytes(const struct qn_unit_pins *pins);  /* pinned so far; NULL: 0 */
uint64_t qn_unit_pins_wanted(const struct qn_unit_pins *pins); /* in the end, if all goes well */
/* Why nothing more is pinned: CUDA's words; NULL as long as nothing went wrong. */
const char *qn_unit_pins_refusal(const struct qn_unit_pins *pins);

#ifdef __cplusplus
}
#endif
#endif
