#include "formats/container/verifier.h"

#include <inttypes.h>
#include <string.h>

#include "formats/container/container_disk.h"
#include "support/memory.h"

enum chunk_state { UNREAD, RIGHT, WRONG };

/* The chunks of a section as it is stored. */
struct chunks {
  uint64_t count;
  uint8_t *states;          /* [count] enum chunk_state, atomic */
  const uint64_t *expected; /* [count] their hashes as the file says, or NULL: then they are */
  uint64_t *found;          /* [count] kept, and judged together */
};

struct qn_verifier {
  const struct qn_section *sections;
  uint32_t num_sections;
  struct chunks *chunks; /* [num_sections] */
};

uint64_t qn_num_chunks(uint64_t bytes) {
  return bytes / QN_CHECKSUM_CHUNK + (bytes % QN_CHECKSUM_CHUNK != 0);
}

uint64_t qn_num_chunk_hashes(uint64_t logical_bytes) {
  return logical_bytes > QN_CHECKSUM_CHUNK ? qn_num_chunks(logical_bytes) : 0;
}

static bool is_plain(const struct qn_section *section) {
  return section->codec == QN_CODEC_NONE && section->filter == QN_FILTER_NONE;
}

/* ---- The section of hashes ------------------------------------------------------ */

static enum qn_status check_shape(const struct qn_container *container,
                                  const struct qn_section *section, struct qn_error *error) {
  const struct qn_container_info *info = qn_container_info(container);
  uint64_t expected = 0;
  if (section != qn_container_section_at(container, info->num_sections - 1))
    return qn_container_violation(container, error, "C-25", "a section follows chunk_hashes");
  for (uint32_t i = 0; i + 1 < info->num_sections; i++)
    expected += qn_num_chunk_hashes(qn_container_section_at(container, i)->logical_bytes);
  if (section->element_type != QN_ELEMENT_UNSIGNED || section->element_bytes != 8 ||
      section->critical || !is_plain(section) || expected == 0 || section->count != expected)
    return qn_container_violation(container, error, "C-25",
                                  "the section chunk_hashes is not of %" PRIu64
                                  " plain numbers of 8 bytes, at least one, and not critical",
                                  expected);
  return QN_OK;
}

enum qn_status qn_chunk_hashes_check(const struct qn_container *container, struct qn_error *error) {
  const struct qn_section *section = qn_container_section(container, QN_CHUNK_HASHES);
  enum qn_status status = section ? check_shape(container, section, error) : QN_OK;
  if (!section || status)
    return status;
  const uint64_t *hashes = section->data;
  for (uint32_t i = 0; i + 1 < qn_container_info(container)->num_sections; i++) {
    const struct qn_section *of = qn_container_section_at(container, i);
    uint64_t count = qn_num_chunk_hashes(of->logical_bytes);
    if (count && qn_checksum_of_hashes(hashes, count) != of->checksum)
      return qn_container_violation(container, error, "C-25",
                                    "the chunk hashes of section %s do not make its checksum",
                                    of->name);
    hashes += count;
  }
  return QN_OK;
}

/* ---- Chunks --------------------------------------------------------------------- */

static enum qn_status create_chunks(const struct qn_section *section, const uint64_t *expected,
                                    struct chunks *chunks, struct qn_error *error) {
  chunks->count = qn_num_chunks(section->stored_bytes);
  enum qn_status status = qn_alloc_zeroed(&chunks->states, chunks->count, sizeof *chunks->states,
                                          "states of chunks", error);
  if (!status && is_plain(section) && expected)
    chunks->expected = expected;
  else if (!status)
    status = qn_alloc(&chunks->found, chunks->count, sizeof *chunks->found, "checksums", error);
  return status;
}

enum qn_status qn_verifier_create(const struct qn_container *container, struct qn_verifier **out,
                                  struct qn_error *error) {
  const uint32_t num_sections = qn_container_info(container)->num_sections;
  const struct qn_section *hashes = qn_container_section(container, QN_CHUNK_HASHES);
  const uint64_t *next = hashes ? hashes->data : NULL;
  struct qn_verifier *verifier;
  *out = NULL;
  enum qn_status status = qn_alloc_zeroed(&verifier, 1, sizeof *verifier, "a verifier", error);
  if (status)
    return status;
  verifier->num_sections = num_sections;
  status = qn_alloc_zeroed(&verifier->chunks, num_sections, sizeof *verifier->chunks,
                           "chunks of sections", error);
  for (uint32_t i = 0; !status && i < num_sections; i++) {
    const struct qn_section *section = qn_container_section_at(container, i);
    uint64_t count = section == hashes ? 0 : qn_num_chunk_hashes(section->logical_bytes);
    if (i == 0)
      verifier->sections = section;
    status = create_chunks(section, count ? next : NULL, &verifier->chunks[i], error);
    if (next)
      next += count;
  }
  if (status)
    qn_verifier_destroy(verifier);
  else
    *out = verifier;
  return status;
}

void qn_verifier_destroy(struct qn_verifier *verifier) {
  if (!verifier)
    return;
  for (uint32_t i = 0; verifier->chunks && i < verifier->num_sections; i++) {
    qn_free(verifier->chunks[i].states);
    qn_free(verifier->chunks[i].found);
  }
  qn_free(verifier->chunks);
  qn_free(verifier);
}

void qn_verifier_forget(struct qn_verifier *verifier) {
  for (uint32_t i = 0; i < verifier->num_sections; i++)
    if (verifier->chunks[i].count)
      memset(verifier->chunks[i].states, UNREAD, verifier->chunks[i].count);
}

static struct chunks *chunks_of(const struct qn_verifier *verifier,
                                const struct qn_section *section) {
  return &verifier->chunks[section - verifier->sections];
}

bool qn_verifier_knows_chunks(const struct qn_verifier *verifier,
                              const struct qn_section *section) {
  return chunks_of(verifier, section)->expected != NULL;
}

bool qn_verifier_is_right(const struct qn_verifier *verifier, const struct qn_section *section,
                          uint64_t chunk) {
  const uint8_t *state = &chunks_of(verifier, section)->states[chunk];
  return __atomic_load_n(state, __ATOMIC_ACQUIRE) == RIGHT;
}

bool qn_verifier_offer(struct qn_verifier *verifier, const struct qn_section *section,
                       uint64_t chunk, const void *bytes) {
  struct chunks *chunks = chunks_of(verifier, section);
  const uint64_t left = section->stored_bytes - chunk * QN_CHECKSUM_CHUNK;
  const uint64_t hash = qn_chunk_hash(bytes, left < QN_CHECKSUM_CHUNK ? left : QN_CHECKSUM_CHUNK);
  if (chunks->expected && hash != chunks->expected[chunk])
    return false;
  if (!chunks->expected)
    __atomic_store_n(&chunks->found[chunk], hash, __ATOMIC_RELAXED);
  __atomic_store_n(&chunks->states[chunk], RIGHT, __ATOMIC_RELEASE);
  return true;
}

void qn_verifier_forget_section(struct qn_verifier *verifier, const struct qn_section *section) {
  struct chunks *chunks = chunks_of(verifier, section);
  if (chunks->count)
    memset(chunks->states, UNREAD, chunks->count);
}

/* Two threads that do the same chunk at once find the same. */
static void hash_chunk(const struct qn_section *section, struct chunks *chunks, uint64_t chunk) {
  uint64_t begin = chunk * QN_CHECKSUM_CHUNK, left = section->stored_bytes - begin;
  uint8_t state = __atomic_load_n(&chunks->states[chunk], __ATOMIC_RELAXED);
  if (state != UNREAD)
    return;
  uint64_t hash = qn_chunk_hash((const uint8_t *)section->stored + begin,
                                left < QN_CHECKSUM_CHUNK ? left : QN_CHECKSUM_CHUNK);
  state = RIGHT;
  if (chunks->expected)
    state = hash == chunks->expected[chunk] ? RIGHT : WRONG;
  else
    __atomic_store_n(&chunks->found[chunk], hash, __ATOMIC_RELAXED);
  __atomic_store_n(&chunks->states[chunk], state, __ATOMIC_RELEASE);
}

void qn_verifier_read(struct qn_verifier *verifier, const struct qn_section *section,
                      uint64_t begin, uint64_t end) {
  struct chunks *chunks = chunks_of(verifier, section);
  end = end < section->stored_bytes ? end : section->stored_bytes;
  for (uint64_t chunk = qn_num_chunks(begin); chunk * QN_CHECKSUM_CHUNK < end; chunk++)
    hash_chunk(section, chunks, chunk);
}

bool qn_verifier_finish(struct qn_verifier *verifier, const struct qn_section *section,
                        uint64_t *offset) {
  struct chunks *chunks = chunks_of(verifier, section);
#pragma omp parallel for schedule(dynamic, 4) if (chunks->count > 4)
  for (uint64_t chunk = 0; chunk < chunks->count; chunk++)
    hash_chunk(section, chunks, chunk);
  *offset = 0;
  if (!chunks->expected)
    return qn_checksum_of_hashes(chunks->found, chunks->count) == section->stored_checksum;
  const uint8_t *wrong = memchr(chunks->states, WRONG, chunks->count);
  if (wrong)
    *offset = (uint64_t)(wrong - chunks->states) * QN_CHECKSUM_CHUNK;
  return !wrong;
}
