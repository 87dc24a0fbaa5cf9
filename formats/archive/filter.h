/* Filters of the archive form (specs/archive.md): reversible transforms of an
 * array's elements that make its bytes compress better. Each frame of a section is filtered
 * on its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>

/* Can `filter` be applied to elements of this width? Rows (rows.h) and pages
 * (pages.h) are not elements. */
bool qn_filter_applies(enum qn_filter filter, uint32_t element_bytes);

/* The most bytes that `count` elements can become. `count` is at most 2^24. */
uint64_t qn_filter_bound(enum qn_filter filter, uint32_t element_bytes, uint64_t count);

/* Filter `count` elements into `out` (of the size above). Returns the bytes written. */
uint64_t qn_filter_encode(enum qn_filter filter, uint32_t element_bytes, const void *elements,
                          uint64_t count, uint8_t *out);

/* The reverse: false if `bytes` bytes at `in` are not the encoding of exactly `count` elements. */
bool qn_filter_decode(enum qn_filter filter, uint32_t element_bytes, const uint8_t *in,
                      uint64_t bytes, void *elements, uint64_t count);
