/* How many threads to use, threads of one's own, and wall-clock time. */
#pragma once

#include <pthread.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define QN_MAX_THREADS 1024
#define QN_TEAM_LEAST 32768 /* numbers that are worth a team: threads that wait for more spin */

/* Make every later parallel region use `requested` threads; 0 means all that the
 * process may run on. Returns the number chosen (at most QN_MAX_THREADS). */
unsigned qn_threads_set(unsigned requested);

/* The number that parallel regions use. */
unsigned qn_threads(void);

/* Part `index` of `parts` of [0, total): the half-open range [*begin, *end).
 * Parts differ in size by at most one and cover the whole in order. */
void qn_part_of(uint64_t total, uint64_t parts, uint64_t index, uint64_t *begin, uint64_t *end);

/* As pthread_create, for a thread that leaves signals to the others, but for those of a fault in a
 * mapping. Returns 0 or the error's number. */
int qn_thread_start(pthread_t *thread, void *(*run)(void *argument), void *argument);

/* Seconds on a monotonic clock. */
double qn_seconds(void);

#ifdef __cplusplus
}
#endif
