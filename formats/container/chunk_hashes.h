/* A section's chunk hashes (container.h) from spans that come in any order, by any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

struct qn_chunk_hashes;

/* For a section of `bytes` bytes. Takes 600 bytes a chunk until destroyed. */
enum qn_status qn_chunk_hashes_create(uint64_t bytes, struct qn_chunk_hashes **out,
                                      struct qn_error *error);
/* NULL is allowed. */
void qn_chunk_hashes_destroy(struct qn_chunk_hashes *hashes);

/* Hash the span [offset, offset + length), each byte once. Where it begins amid a chunk, this waits
 * for the spans before it, which other threads must be about to hash; false if `*stop` becomes true
 * meanwhile. */
bool qn_chunk_hashes_add(struct qn_chunk_hashes *hashes, const void *span, uint64_t length,
                         uint64_t offset, const bool *stop);

/* The section's checksum, when all of it was hashed. */
uint64_t qn_chunk_hashes_checksum(const struct qn_chunk_hashes *hashes);
