/* What begins a chunk is hashed at once; what goes on with one, when what comes before it has been.
 */
#include "formats/container/chunk_hashes.h"

#include <sched.h>
#define XXH_STATIC_LINKING_ONLY /* for states of our own */
#include <xxhash.h>

#include "formats/container/container_disk.h"
#include "support/memory.h"
#include <quern/container.h>

struct qn_chunk_hashes {
  uint64_t bytes, num_chunks;
  uint64_t *hashes;
  uint32_t *done;       /* [num_chunks] bytes hashed, atomic */
  XXH3_state_t *states; /* [num_chunks] of those that are not whole */
};

enum qn_status qn_chunk_hashes_create(uint64_t bytes, struct qn_chunk_hashes **out,
                                      struct qn_error *error) {
  struct qn_chunk_hashes *hashes;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&hashes, 1, sizeof *hashes, "checksums", error);
  if (status)
    return status;
  hashes->bytes = bytes;
  hashes->num_chunks = (bytes + QN_CHECKSUM_CHUNK - 1) / QN_CHECKSUM_CHUNK;
  status =
      qn_alloc(&hashes->hashes, hashes->num_chunks, sizeof *hashes->hashes, "checksums", error);
  if (!status)
    status = qn_alloc_zeroed(&hashes->done, hashes->num_chunks, sizeof *hashes->done, "checksums",
                             error);
  if (!status)
    status = qn_pages_alloc(&hashes->states, hashes->num_chunks, sizeof *hashes->states,
                            "checksums", error);
  if (status)
    qn_chunk_hashes_destroy(hashes);
  else
    *out = hashes;
  return status;
}

void qn_chunk_hashes_destroy(struct qn_chunk_hashes *hashes) {
  if (!hashes)
    return;
  qn_free(hashes->hashes);
  qn_free(hashes->done);
  qn_pages_free(hashes->states, hashes->num_chunks, sizeof *hashes->states);
  qn_free(hashes);
}

static uint64_t chunk_bytes(const struct qn_chunk_hashes *hashes, uint64_t chunk) {
  uint64_t left = hashes->bytes - chunk * QN_CHECKSUM_CHUNK;
  return left < QN_CHECKSUM_CHUNK ? left : QN_CHECKSUM_CHUNK;
}

/* The part [at, at + length) of a chunk, when what is before it has been hashed. */
static void add_part(struct qn_chunk_hashes *hashes, uint64_t chunk, const void *part,
                     uint64_t length, uint64_t at) {
  XXH3_state_t *state = &hashes->states[chunk];
  if (length == chunk_bytes(hashes, chunk)) {
    hashes->hashes[chunk] = qn_chunk_hash(part, length);
    return;
  }
  if (at == 0) {
    XXH3_INITSTATE(state);
    XXH3_64bits_reset(state);
  }
  XXH3_64bits_update(state, part, length);
  if (at + length == chunk_bytes(hashes, chunk))
    hashes->hashes[chunk] = XXH3_64bits_digest(state);
  __atomic_store_n(&hashes->done[chunk], (uint32_t)(at + length), __ATOMIC_RELEASE);
}

static bool wait_for_part(const struct qn_chunk_hashes *hashes, uint64_t chunk, uint64_t at,
                          const bool *stop) {
  while (__atomic_load_n(&hashes->done[chunk], __ATOMIC_ACQUIRE) != at) {
    if (__atomic_load_n(stop, __ATOMIC_RELAXED))
      return false;
    sched_yield();
  }
  return true;
}

bool qn_chunk_hashes_add(struct qn_chunk_hashes *hashes, const void *span, uint64_t length,
                         uint64_t offset, const bool *stop) {
  const uint8_t *bytes = span;
  uint64_t at = offset % QN_CHECKSUM_CHUNK, chunk = offset / QN_CHECKSUM_CHUNK;
  uint64_t head = at ? chunk_bytes(hashes, chunk) - at : 0;
  head = head < length ? head : length;
  for (uint64_t done = head; done < length; done += QN_CHECKSUM_CHUNK) {
    uint64_t left = length - done;
    add_part(hashes, (offset + done) / QN_CHECKSUM_CHUNK, bytes + done,
             left < QN_CHECKSUM_CHUNK ? left : QN_CHECKSUM_CHUNK, 0);
  }
  if (head == 0)
    return true;
  if (!wait_for_part(hashes, chunk, at, stop))
    return false;
  add_part(hashes, chunk, bytes, head, at);
  return true;
}

uint64_t qn_chunk_hashes_checksum(const struct qn_chunk_hashes *hashes) {
  return qn_checksum_of_hashes(hashes->hashes, hashes->num_chunks);
}
