/* Containers without what a fuzzer would waste its time on: pages of zeros, offsets, checksums,
 * compression.
 *
 * All numbers are little-endian. A head of 24 bytes, parameters, entries of sections, contents:
 *
 *     u8 layout, weight_type, directedness, incompatible features, compatible features
 *     u8 number of parameters, u8 number of sections, u8 0;  u64 num_vertices, num_edges
 *     u64 parameters;  of a rectangular container u64 num_rows, first_row
 *     for each section: u8 name (of fuzz_section_names), element_type, u16 element_bytes,
 *         u8 codec, filter, flags, frames, u32 bytes of content, u32 count
 *     for each section its content
 *
 * The content of an encoded section is u64 num_elements and u64 frame_elements (span_log2 in
 * strips), then for each frame u32 bytes, in strips u32 strip and u32 count too, and these bytes,
 * of which a zstd frame is made that is not compressed. compact.py writes this form of a container.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Ended by NULL. */
extern const char *const fuzz_section_names[];

/* The container that this means, with a right frame and checksums, in memory that is used again;
 * NULL if it ends too early or means one of more than FUZZ_MOST_BYTES. A `layout` other than 0
 * takes the place of the one that it says. */
#define FUZZ_MOST_BYTES ((size_t)1 << 20)
uint8_t *fuzz_expand(const uint8_t *data, size_t size, unsigned layout, size_t *bytes);
