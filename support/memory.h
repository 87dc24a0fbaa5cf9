/* Allocation: the one door through which memory is taken, so that tests can
 * fail the n-th request and count what is not given back. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Small objects. `count * size` is overflow-checked; a request of 0 bytes succeeds.
 * `*out` is set to NULL on failure. Give back with qn_free. */
enum qn_status qn_alloc(void *out, uint64_t count, uint64_t size, const char *what,
                        struct qn_error *error);
enum qn_status qn_alloc_zeroed(void *out, uint64_t count, uint64_t size, const char *what,
                               struct qn_error *error);
/* Grow or shrink `*inout` (NULL or from the functions above); unchanged on failure. */
enum qn_status qn_realloc(void *inout, uint64_t count, uint64_t size, const char *what,
                          struct qn_error *error);
void qn_free(void *memory);

/* Large arrays: page-aligned, zero-filled on first touch, on huge pages where the
 * system has them. Memory is committed as it is touched. Give back with
 * qn_pages_free, whole, with the same count and size; qn_pages_release gives
 * the physical memory of a middle part back early (it then reads as zero).
 *
 * What an index of 32 bits reaches behind the array is nobody's and faults, unless the address
 * space is limited (ulimit -v) or used up by some two thousand arrays. So arrays that are indexed
 * by numbers of a mapped file, which may have become any numbers since they were checked
 * (used_files.h), come from here. */
enum qn_status qn_pages_alloc(void *out, uint64_t count, uint64_t size, const char *what,
                              struct qn_error *error);
/* The same for the part of an open file that begins at `offset`, a multiple of the page size: what
 * is written is written there. `count * size` must not overflow, nor be 0. */
enum qn_status qn_pages_map(void *out, int descriptor, uint64_t offset, uint64_t count,
                            uint64_t size, const char *what, struct qn_error *error);
void qn_pages_free(void *memory, uint64_t count, uint64_t size);
void qn_pages_release(void *memory, uint64_t bytes);

/* For tests: let the n-th request from now on fail (0: none), and the number of
 * allocations not yet given back. */
void qn_memory_fail_nth(uint64_t n);
uint64_t qn_memory_live(void);

#ifdef __cplusplus
}
#endif
