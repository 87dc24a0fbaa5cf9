#include "formats/container/hash.h"

#if QN_HASH_WIDE
#include <immintrin.h>
#pragma GCC target("avx512f")
#define XXH_INLINE_ALL
#define XXH_VECTOR XXH_AVX512
#define XXH_PREFETCH_DIST QN_HASH_PREFETCH
#include <xxhash.h>

uint64_t qn_hash_avx512(const void *data, uint64_t bytes) {
  return XXH3_64bits(data, bytes);
}
#endif
