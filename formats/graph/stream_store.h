/* Stores of whole cache lines past the caches: for results that are written once, along many places
 * at a time, and not read soon. The line need not be fetched before it is written. */
#pragma once

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define QN_STREAM_BYTES 64

/* Copy QN_STREAM_BYTES bytes; `to` is aligned to as many. */
static inline void qn_stream_store(void *to, const void *from) {
#ifdef __SSE2__
  __m128i a = _mm_loadu_si128((const __m128i *)from);
  __m128i b = _mm_loadu_si128((const __m128i *)from + 1);
  __m128i c = _mm_loadu_si128((const __m128i *)from + 2);
  __m128i d = _mm_loadu_si128((const __m128i *)from + 3);
  _mm_stream_si128((__m128i *)to, a);
  _mm_stream_si128((__m128i *)to + 1, b);
  _mm_stream_si128((__m128i *)to + 2, c);
  _mm_stream_si128((__m128i *)to + 3, d);
#else
  memcpy(to, from, QN_STREAM_BYTES);
#endif
}

/* Before other threads read what this one has stored so. */
static inline void qn_stream_fence(void) {
#ifdef __SSE2__
  _mm_sfence();
#endif
}
