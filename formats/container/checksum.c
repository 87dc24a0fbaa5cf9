/* The checksum of sections: XXH3-64 over the XXH3-64 of every 1 MiB chunk, so
 * that chunks are hashed in parallel and in any order. */
#define XXH_STATIC_LINKING_ONLY /* for a state on the stack */
#include <xxhash.h>

#include "formats/container/container_disk.h"
#include "formats/container/hash.h"
#include <quern/container.h>

/* Chunk hashes gathered before they are fed on: 1 GiB of data at a time. */
#define BATCH 1024

uint64_t qn_chunk_hash(const void *chunk, uint64_t bytes) {
#if QN_HASH_WIDE
  if (__builtin_cpu_supports("avx512f"))
    return qn_hash_avx512(chunk, bytes);
  if (__builtin_cpu_supports("avx2"))
    return qn_hash_avx2(chunk, bytes);
#endif
  return XXH3_64bits(chunk, bytes);
}

uint64_t qn_checksum_of_hashes(const uint64_t *hashes, uint64_t num_chunks) {
  return XXH3_64bits(hashes, num_chunks * sizeof *hashes);
}

void qn_hash_chunks(const void *data, uint64_t bytes, uint64_t *hashes) {
  const uint8_t *base = data;
  uint64_t chunks = bytes / QN_CHECKSUM_CHUNK + (bytes % QN_CHECKSUM_CHUNK != 0);
#pragma omp parallel for schedule(dynamic, 4) if (chunks > 4)
  for (uint64_t i = 0; i < chunks; i++) {
    uint64_t begin = i * QN_CHECKSUM_CHUNK, left = bytes - begin;
    hashes[i] = qn_chunk_hash(base + begin, left < QN_CHECKSUM_CHUNK ? left : QN_CHECKSUM_CHUNK);
  }
}

uint64_t qn_chunked_checksum(const void *data, uint64_t bytes) {
  const uint8_t *base = data;
  uint64_t chunks = bytes / QN_CHECKSUM_CHUNK + (bytes % QN_CHECKSUM_CHUNK != 0);
  uint64_t hashes[BATCH];
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_64bits_reset(&state);
  for (uint64_t first = 0; first < chunks; first += BATCH) {
    uint64_t batch = chunks - first < BATCH ? chunks - first : BATCH;
    uint64_t begin = first * QN_CHECKSUM_CHUNK, left = bytes - begin;
    qn_hash_chunks(base + begin,
                   left < batch * QN_CHECKSUM_CHUNK ? left : batch * QN_CHECKSUM_CHUNK, hashes);
    XXH3_64bits_update(&state, hashes, batch * sizeof hashes[0]);
  }
  return XXH3_64bits_digest(&state);
}
