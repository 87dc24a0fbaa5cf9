/* Comparing what sections hold with their checksums, chunk by chunk and each chunk once: all of it
 * (container.h), or as it is read for another check, while it is in the cache. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/container.h>

/* The section of chunk hashes: of all other sections that have more than one chunk. */
#define QN_CHUNK_HASHES "chunk_hashes"

/* Chunks of a section of so many bytes. */
uint64_t qn_num_chunks(uint64_t bytes);

/* The hashes that the section `chunk_hashes` has of a section with these decoded bytes: none where
 * its checksum says as much. */
uint64_t qn_num_chunk_hashes(uint64_t logical_bytes);

/* C-25: if there is a section of chunk hashes, it is the last, has the right shape, and each
 * section's hashes make its checksum. */
enum qn_status qn_chunk_hashes_check(const struct qn_container *container, struct qn_error *error);

struct qn_verifier;

/* For a container whose sections are described. */
enum qn_status qn_verifier_create(const struct qn_container *container, struct qn_verifier **out,
                                  struct qn_error *error);
/* NULL is allowed. */
void qn_verifier_destroy(struct qn_verifier *verifier);

/* Hash every chunk anew from now on. */
void qn_verifier_forget(struct qn_verifier *verifier);

/* Hash the chunks of `section` that begin in its bytes [begin, end) and were not hashed before. Any
 * thread may. */
void qn_verifier_read(struct qn_verifier *verifier, const struct qn_section *section,
                      uint64_t begin, uint64_t end);

/* Of a container that comes by and by: are the hashes of this section's chunks known, and is this
 * chunk read and, if they are, right? */
bool qn_verifier_knows_chunks(const struct qn_verifier *verifier, const struct qn_section *section);
bool qn_verifier_is_right(const struct qn_verifier *verifier, const struct qn_section *section,
                          uint64_t chunk);
/* These are the bytes of a chunk. False if they are wrong: then it has not been read. Any thread
 * may. */
bool qn_verifier_offer(struct qn_verifier *verifier, const struct qn_section *section,
                       uint64_t chunk, const void *bytes);
/* No chunk of it has been read. */
void qn_verifier_forget_section(struct qn_verifier *verifier, const struct qn_section *section);

/* Hash what is left of `section`, in parallel. False if it is not what was written: `*offset` is
 * where the damage begins in it, as far as that is known. */
bool qn_verifier_finish(struct qn_verifier *verifier, const struct qn_section *section,
                        uint64_t *offset);

/* The chunks of `section` that have some of its bytes [begin, end), where their hashes are stored;
 * else all of it. QN_INVALID tells of damage. */
enum qn_status qn_container_verify_bytes(const struct qn_container *container,
                                         const struct qn_section *section, uint64_t begin,
                                         uint64_t end, struct qn_error *error);
