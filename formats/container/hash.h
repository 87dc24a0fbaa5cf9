/* XXH3-64 of long data with the processor's widest vectors: the library's functions are compiled
 * for the oldest processor that it runs on, and are two to five times slower. */
#pragma once

#include <stdint.h>

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define QN_HASH_WIDE 1
/* Bytes: the next page, where the processor's own prefetching stops. */
#define QN_HASH_PREFETCH 4096
uint64_t qn_hash_avx2(const void *data, uint64_t bytes);
uint64_t qn_hash_avx512(const void *data, uint64_t bytes);
#endif
