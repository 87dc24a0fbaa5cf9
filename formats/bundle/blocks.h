/* The bytes of a tar between its members' contents: headers and padding. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define QN_TAR_BLOCK ((uint64_t)512)

/* Are bytes [begin, end) of `tar` the headers of a member whose content begins at `end`, and
 * nothing else? Each says the sum of its bytes; an extended one (pax) may stand before the last.
 * Padding is zero. Tar readers are lenient here; whoever looks for flipped bits is not. */
bool qn_tar_headers_are_sound(const uint8_t *tar, uint64_t begin, uint64_t end);

/* Where the content begins of a member whose headers begin at `begin`, by what they say, unchecked;
 * UINT64_MAX: they do not end before `end`. */
uint64_t qn_tar_content_at(const uint8_t *tar, uint64_t begin, uint64_t end);

/* What a header says of the content's length, if that is below 8 GiB; UINT64_MAX for anything else.
 */
uint64_t qn_tar_size(const uint8_t *header);

/* Are bytes [begin, end) all zero? */
bool qn_tar_is_blank(const uint8_t *tar, uint64_t begin, uint64_t end);

/* Where the block ends in which `offset` lies, or begins. */
static inline uint64_t qn_tar_block_end(uint64_t offset) {
  return (offset + QN_TAR_BLOCK - 1) / QN_TAR_BLOCK * QN_TAR_BLOCK;
}
