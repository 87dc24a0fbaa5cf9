/* Pinning the mapped container, so that long runs of it are copied from where they lie: no thread
 * has to gather them, which passes the host's memory twice more. Where readers have a host for
 * themselves that gains nothing: they keep the bus as busy (H200, PageRank on R-MAT 23: 50 to 53
 * GB/s either way). Beside 14 threads that fill the host's memory it is 40 to 51 against 8 to 9.
 *
 * It costs 20 to 65 ms a GB, as long as moving it once to thrice takes, however many threads do so,
 * and meanwhile other calls of CUDA wait: pinning chunks between copies took more than all at once.
 * So a thread pins while the run is prepared, when the bus has nothing to do. What is left when the
 * first iteration begins is pinned before it, if many iterations are to come on a host that has
 * other work; else as soon as the bus has waited for readers for as long as pinning may take: at
 * worst both are paid.
 *
 * Only pages are pinned that are in memory already, and whole ones, so that nothing but units is
 * affected. They stay as they are when the file is truncated, and copies go on; what is gathered,
 * such as what lies on pages that are not whole, ends the run with a message. Streams of the same
 * source, on several devices, share what is pinned. */
#pragma once

#include "kernels/cuda/stream/stream.cuh"

#ifdef __cplusplus
extern "C" {
#endif

/* From here on the bus is as fast with a run as with any (H200, in batches of copies: 53 GB/s;
 * with runs of 4 KiB 5). */
#ifndef QN_UNIT_LONG_RUN
#define QN_UNIT_LONG_RUN ((uint64_t)64 << 10)
#endif

/* Map what is in memory of all that holds the source's units. */
void qn_unit_map(const struct qn_unit_source *source);
/* The same for an array in the mapping that the host looks up. */
void qn_unit_map_array(const void *data, uint64_t bytes);

struct qn_unit_pins;

/* Pin at most `limit` bytes of what holds the source's units; as yet nothing is. Owned until
 * qn_unit_pins_close. */
enum qn_status qn_unit_pins_open(struct qn_unit_pins **out, const struct qn_unit_source *source,
                                 uint64_t limit, struct qn_error *error);
/* Of the last stream that shares them: no copy may be under way. NULL is allowed. */
void qn_unit_pins_close(struct qn_unit_pins *pins);

/* Let a thread pin on behalf of a device, until qn_unit_pins_settle. NULL is allowed in both. */
void qn_unit_pins_begin(struct qn_unit_pins *pins, int device);
void qn_unit_pins_settle(struct qn_unit_pins *pins);

/* Pin what is in memory, until that is `bytes` more, for the current device. */
void qn_unit_pins_more(struct qn_unit_pins *pins, uint64_t bytes);

/* Seconds that pinning the rest may take. INFINITY if there is none,
 * another stream is at it, CUDA refuses, or pins are NULL. */
double qn_unit_pins_cost(struct qn_unit_pins *pins);

/* How often something has been pinned. NULL: never. */
uint64_t qn_unit_pins_count(const struct qn_unit_pins *pins);

/* How many bytes from `data` on are alike, at most `bytes`: pinned together, or not pinned, as it
 * was when qn_unit_pins_count was `count`. NULL: nothing is. May be called by any thread while
 * others pin. */
uint64_t qn_unit_pins_reach(const struct qn_unit_pins *pins, uint64_t count, const void *data,
                            uint64_t bytes, bool *pinned);

uint64_t qn_unit_pins_bytes(const struct qn_unit_pins *pins);  /* pinned so far; NULL: 0 */
uint64_t qn_unit_pins_wanted(const struct qn_unit_pins *pins); /* in the end, if all goes well */
/* Why nothing more is pinned: CUDA's words; NULL as long as nothing went wrong. */
const char *qn_unit_pins_refusal(const struct qn_unit_pins *pins);

#ifdef __cplusplus
}
#endif
