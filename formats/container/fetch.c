/* Letting sections come from a server: the chunks that are wanted and neither read nor in the cache
 * are asked for some megabytes at a time, in runs of those that lie side by side, by several
 * connections. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "formats/container/container_disk.h"
#include "formats/container/opened.h"
#include "formats/container/verifier.h"
#include "support/context.h"
#include "support/memory.h"
#include "support/progress.h"
#include "support/remote/multipart.h"
#include "support/threads.h"

/* What is asked for at a time: so much that lies side by side, or so many chunks that lie apart. */
#define BATCH_BYTES ((uint64_t)8 << 20)
#define BATCH_RUNS 64
#define CONNECTIONS 4

/* A chunk that is wanted. */
struct piece {
  const struct qn_section *section;
  uint64_t chunk;
  uint64_t lead;       /* where the padding before it begins; `begin` if there is none */
  uint64_t begin, end; /* in the container */
  bool missing;
};

struct fetch {
  const struct qn_container *container;
  struct piece *pieces;
  uint64_t count, room;
  uint64_t batch_bytes; /* what is asked for at a time */
  /* Of the threads: */
  pthread_mutex_t lock;
  uint64_t next; /* piece, under the lock, as what follows */
  enum qn_status status;
  struct qn_error error;
  struct qn_context *context;
};

/* ---- What is wanted --------------------------------------------------------- */

/* Where the last section with bytes before `section` ends, or the header. */
static uint64_t end_before(const struct qn_container *container, const struct qn_section *section) {
  uint64_t end = QN_HEADER_BYTES;
  for (const struct qn_section *before = container->sections; before < section; before++)
    if (before->stored_bytes)
      end = before->offset + before->stored_bytes;
  return end;
}

static enum qn_status add_piece(struct fetch *fetch, const struct qn_section *section,
                                uint64_t chunk, struct qn_error *error) {
  const struct piece *last = fetch->count ? &fetch->pieces[fetch->count - 1] : NULL;
  if (last && last->section == section && last->chunk == chunk)
    return QN_OK;
  if (fetch->count == fetch->room) {
    const uint64_t room = fetch->room ? 2 * fetch->room : 64;
    enum qn_status status =
        qn_realloc(&fetch->pieces, room, sizeof *fetch->pieces, "a list of chunks", error);
    if (status)
      return status;
    fetch->room = room;
  }
  const uint64_t begin = chunk * QN_CHECKSUM_CHUNK, left = section->stored_bytes - begin;
  struct piece *piece = &fetch->pieces[fetch->count++];
  *piece = (struct piece){.section = section,
                          .chunk = chunk,
                          .begin = section->offset + begin,
                          .end = section->offset + begin +
                                 (left < QN_CHECKSUM_CHUNK ? left : QN_CHECKSUM_CHUNK),
                          .missing = true};
  piece->lead = chunk ? piece->begin : end_before(fetch->container, section);
  return QN_OK;
}

/* Chunks [first, end) of a section that are not there; all of one that is verified as a whole. */
static enum qn_status add_chunks(struct fetch *fetch, const struct qn_section *section,
                                 uint64_t first, uint64_t end, struct qn_error *error) {
  const struct qn_verifier *verifier = fetch->container->verifier;
  enum qn_status status = QN_OK;
  if (!qn_verifier_knows_chunks(verifier, section)) {
    if (fetch->count && fetch->pieces[fetch->count - 1].section == section)
      return QN_OK;
    first = 0;
    end = qn_num_chunks(section->stored_bytes);
  }
  for (uint64_t chunk = first; chunk < end && !status; chunk++)
    if (!qn_verifier_is_right(verifier, section, chunk))
      status = add_piece(fetch, section, chunk, error);
  return status;
}

static int compare_pieces(const void *left, const void *right) {
  const struct piece *a = left, *b = right;
  return (a->begin > b->begin) - (a->begin < b->begin);
}

/* In the order in which they lie, each once. */
static void sort_pieces(struct fetch *fetch) {
  struct piece *pieces = fetch->pieces;
  uint64_t count = 0;
  if (fetch->count)
    qsort(pieces, fetch->count, sizeof *pieces, compare_pieces);
  for (uint64_t i = 0; i < fetch->count; i++)
    if (!count || pieces[i].begin != pieces[count - 1].begin)
      pieces[count++] = pieces[i];
  fetch->count = count;
}

/* ---- What the cache has ----------------------------------------------------- */

/* Pieces [first, end) of the list are of one section. */
static uint64_t end_of_section(const struct fetch *fetch, uint64_t first) {
  uint64_t end = first + 1;
  while (end < fetch->count && fetch->pieces[end].section == fetch->pieces[first].section)
    end++;
  return end;
}

/* Sections without known chunks count only if all of it is right. */
static void use_cache(struct fetch *fetch, uint64_t first, uint64_t end) {
  const struct qn_container *container = fetch->container;
  const struct qn_section *section = fetch->pieces[first].section;
  struct qn_verifier *verifier = container->verifier;
  uint64_t offset, lacking = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : lacking) if (end - first > 4)
  for (uint64_t i = first; i < end; i++) {
    struct piece *piece = &fetch->pieces[i];
    const bool there =
        qn_remote_copy_has_cached(container->afar, piece->begin, piece->end - piece->begin) &&
        qn_verifier_offer(verifier, section, piece->chunk, container->mapping + piece->begin);
    piece->missing = !there;
    lacking += !there;
  }
  if (qn_verifier_knows_chunks(verifier, section))
    return;
  if (lacking == 0 && qn_verifier_finish(verifier, section, &offset))
    return;
  qn_verifier_forget_section(verifier, section);
  for (uint64_t i = first; i < end; i++)
    fetch->pieces[i].missing = true;
}

static enum qn_status look_into_cache(struct fetch *fetch, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t first = 0, end; first < fetch->count && !status; first = end) {
    end = end_of_section(fetch, first);
    const uint64_t begin = fetch->pieces[first].begin;
    status = qn_remote_copy_show(fetch->container->afar, begin, fetch->pieces[end - 1].end - begin,
                                 error);
    if (!status)
      use_cache(fetch, first, end);
  }
  uint64_t count = 0;
  for (uint64_t i = 0; i < fetch->count; i++)
    if (fetch->pieces[i].missing)
      fetch->pieces[count++] = fetch->pieces[i];
  fetch->count = status ? fetch->count : count;
  return status;
}

/* ---- What comes ------------------------------------------------------------- */

static enum qn_status damaged(const struct fetch *fetch, uint64_t offset, struct qn_error *error) {
  qn_error_at_offset(error, fetch->container->path, offset);
  return QN_INVALID;
}

/* Pieces [first, end), whose bytes are in the buffer from the first one's lead on. */
static enum qn_status take_run(struct fetch *fetch, uint64_t first, uint64_t end,
                               const char *buffer, struct qn_error *error) {
  const struct qn_container *container = fetch->container;
  const uint64_t from = fetch->pieces[first].lead;
  for (uint64_t i = first; i < end; i++) {
    const struct piece *piece = &fetch->pieces[i];
    if (!qn_all_zero(buffer + (piece->lead - from), piece->begin - piece->lead)) {
      qn_fail(error, QN_INVALID, "C-20: padding before a section is not zero");
      return damaged(fetch, piece->lead, error);
    }
    const char *bytes = buffer + (piece->begin - from);
    if (!qn_verifier_offer(container->verifier, piece->section, piece->chunk, bytes)) {
      qn_fail(error, QN_INVALID,
              "C-21: section %s is corrupt: what the server gives does not match its checksum",
              piece->section->name);
      return damaged(fetch, piece->begin, error);
    }
    enum qn_status status =
        qn_remote_copy_put(container->afar, bytes, piece->end - piece->begin, piece->begin, error);
    if (status) { /* it cannot be read where it should lie */
      qn_verifier_forget_section(container->verifier, piece->section);
      return status;
    }
  }
  return QN_OK;
}

/* Where the run ends that begins with piece `first`: pieces that lie side by side. */
static uint64_t end_of_run(const struct fetch *fetch, uint64_t first, uint64_t end) {
  const struct piece *pieces = fetch->pieces;
  uint64_t at = first + 1;
  while (at < end && pieces[at].lead == pieces[at - 1].end)
    at++;
  return at;
}

/* The next pieces, as many as go in a buffer; false: there are none, or it failed. */
static bool take_next(struct fetch *fetch, uint64_t *first, uint64_t *end) {
  const struct piece *pieces = fetch->pieces;
  uint64_t bytes = 0;
  unsigned runs = 0;
  pthread_mutex_lock(&fetch->lock);
  *first = *end = fetch->next;
  for (; *end < fetch->count && !fetch->status; *end += 1) {
    bytes += pieces[*end].end - pieces[*end].lead;
    runs += *end == *first || pieces[*end].lead != pieces[*end - 1].end;
    if (*end > *first && (bytes > fetch->batch_bytes || runs > BATCH_RUNS))
      break;
  }
  fetch->next = *end;
  pthread_mutex_unlock(&fetch->lock);
  return *end > *first;
}

static enum qn_status read_batch(const struct fetch *fetch, uint64_t first, uint64_t end,
                                 char *buffer, struct qn_error *error) {
  struct qn_part parts[BATCH_RUNS];
  unsigned runs = 0;
  for (uint64_t at = first, next; at < end; at = next) {
    const uint64_t from = fetch->pieces[at].lead;
    next = end_of_run(fetch, at, end);
    parts[runs] = (struct qn_part){buffer, from, fetch->pieces[next - 1].end - from};
    buffer += parts[runs++].bytes;
  }
  return qn_remote_copy_read_parts(fetch->container->afar, parts, runs, error);
}

static enum qn_status take_batch(struct fetch *fetch, uint64_t first, uint64_t end,
                                 const char *buffer, struct qn_error *error) {
  enum qn_status status = QN_OK;
  for (uint64_t at = first, next; at < end && !status; at = next) {
    next = end_of_run(fetch, at, end);
    status = take_run(fetch, at, next, buffer, error);
    buffer += fetch->pieces[next - 1].end - fetch->pieces[at].lead;
  }
  return status;
}

/* Damage on the way is no damage at the server: it is asked once more. */
static enum qn_status fetch_batch(struct fetch *fetch, uint64_t first, uint64_t end, char *buffer,
                                  struct qn_error *error) {
  enum qn_status status = QN_INVALID;
  for (unsigned attempt = 0; attempt < 2 && status == QN_INVALID; attempt++) {
    status = read_batch(fetch, first, end, buffer, error);
    if (!status)
      status = take_batch(fetch, first, end, buffer, error);
  }
  for (uint64_t i = first; i < end && !status; i++)
    qn_progress_add(fetch->pieces[i].end - fetch->pieces[i].lead);
  return status;
}

/* Room for a batch; a chunk alone may be more, with the padding before it. */
static enum qn_status make_room(const struct fetch *fetch, uint64_t first, uint64_t end,
                                char **buffer, uint64_t *room, struct qn_error *error) {
  uint64_t bytes = 0;
  for (uint64_t i = first; i < end; i++)
    bytes += fetch->pieces[i].end - fetch->pieces[i].lead;
  if (bytes <= *room)
    return QN_OK;
  qn_free(*buffer);
  *room = bytes;
  return qn_alloc(buffer, bytes, 1, "a buffer", error);
}

static void *fetch_batches(void *user) {
  struct fetch *fetch = user;
  struct qn_error error;
  uint64_t first, end, room = 0;
  char *buffer = NULL;
  enum qn_status status = QN_OK;
  qn_context_set(fetch->context);
  while (!status && take_next(fetch, &first, &end)) {
    status = make_room(fetch, first, end, &buffer, &room, &error);
    if (!status)
      status = fetch_batch(fetch, first, end, buffer, &error);
  }
  qn_free(buffer);
  pthread_mutex_lock(&fetch->lock);
  if (status && !fetch->status) {
    fetch->status = status;
    fetch->error = error;
  }
  pthread_mutex_unlock(&fetch->lock);
  return NULL;
}

/* Chunks that lie apart are few of many, and each of them is a run. */
static bool lie_apart(const struct fetch *fetch) {
  uint64_t runs = 0;
  for (uint64_t at = 0; at < fetch->count; runs++)
    at = end_of_run(fetch, at, fetch->count);
  return fetch->count < 2 * runs;
}

/* Without further threads this one does all. */
static enum qn_status run_threads(struct fetch *fetch, struct qn_error *error) {
  pthread_t threads[CONNECTIONS - 1];
  unsigned started = 0;
  const uint64_t bytes = fetch->count * QN_CHECKSUM_CHUNK; /* about */
  pthread_mutex_init(&fetch->lock, NULL);
  fetch->context = qn_context_is_process() ? NULL : qn_context();
  qn_progress_begin("fetching", "bytes", bytes);
  fetch->batch_bytes = lie_apart(fetch) ? BATCH_RUNS * QN_CHECKSUM_CHUNK : BATCH_BYTES;
  while (started < CONNECTIONS - 1 && (started + 1) * fetch->batch_bytes < bytes &&
         qn_thread_start(&threads[started], fetch_batches, fetch) == 0)
    started++;
  fetch_batches(fetch);
  for (unsigned i = 0; i < started; i++)
    pthread_join(threads[i], NULL);
  qn_progress_end();
  pthread_mutex_destroy(&fetch->lock);
  if (fetch->status && error)
    *error = fetch->error;
  return fetch->status;
}

/* Sections without known chunks are judged when all of one is there. */
static enum qn_status judge(const struct fetch *fetch, struct qn_error *error) {
  struct qn_verifier *verifier = fetch->container->verifier;
  for (uint64_t first = 0, end; first < fetch->count; first = end) {
    const struct qn_section *section = fetch->pieces[first].section;
    uint64_t offset;
    end = end_of_section(fetch, first);
    if (qn_verifier_knows_chunks(verifier, section) ||
        qn_verifier_finish(verifier, section, &offset))
      continue;
    qn_verifier_forget_section(verifier, section);
    qn_fail(error, QN_INVALID,
            "C-21: section %s is corrupt: what the server gives does not match its checksum",
            section->name);
    return damaged(fetch, section->offset, error);
  }
  return QN_OK;
}

static enum qn_status make(const struct fetch *fetch, struct qn_error *error) {
  const struct qn_maker *maker = &fetch->container->maker;
  struct qn_chunk *chunks;
  enum qn_status status =
      qn_alloc(&chunks, fetch->count, sizeof *chunks, "a list of chunks", error);
  for (uint64_t i = 0; !status && i < fetch->count; i++)
    chunks[i] = (struct qn_chunk){fetch->pieces[i].section, fetch->pieces[i].chunk};
  if (!status)
    status = maker->make(maker->user, (struct qn_container *)fetch->container, chunks, fetch->count,
                         error);
  qn_free(chunks);
  return status;
}

static enum qn_status run(struct fetch *fetch, struct qn_error *error) {
  const bool is_made = fetch->container->maker.make != NULL;
  sort_pieces(fetch);
  enum qn_status status = is_made ? QN_OK : look_into_cache(fetch, error);
  if (!status && fetch->count)
    status = is_made ? make(fetch, error) : run_threads(fetch, error);
  if (!status && fetch->count)
    status = judge(fetch, error);
  return status;
}

/* ---- For the others --------------------------------------------------------- */

static void lock(const struct qn_container *container) {
  if (container->afar)
    qn_remote_copy_lock(container->afar);
  else
    pthread_mutex_lock((pthread_mutex_t *)&container->making);
}

static void unlock(const struct qn_container *container) {
  if (container->afar)
    qn_remote_copy_unlock(container->afar);
  else
    pthread_mutex_unlock((pthread_mutex_t *)&container->making);
}

/* Under the lock: what was added, if adding it went well. */
static enum qn_status end(struct fetch *fetch, enum qn_status status, struct qn_error *error) {
  if (!status)
    status = run(fetch, error);
  qn_free(fetch->pieces);
  unlock(fetch->container);
  return status;
}

enum qn_status qn_container_need_sections(const struct qn_container *container,
                                          bool (*wants)(const struct qn_section *section),
                                          struct qn_error *error) {
  struct fetch fetch = {.container = container};
  enum qn_status status = QN_OK;
  if (!qn_container_is_remote(container))
    return QN_OK;
  lock(container);
  for (uint32_t i = 0; i < container->info.num_sections && !status; i++) {
    const struct qn_section *section = &container->sections[i];
    if (!wants || wants(section))
      status = add_chunks(&fetch, section, 0, qn_num_chunks(section->stored_bytes), error);
  }
  return end(&fetch, status, error);
}

enum qn_status qn_container_need_section(const struct qn_container *container,
                                         const struct qn_section *section, struct qn_error *error) {
  return qn_container_need(container, section->stored,
                           (const char *)section->stored + section->stored_bytes, error);
}

/* The section in which an address lies; NULL: none. */
static const struct qn_section *section_at(const struct qn_container *container,
                                           const uint8_t *at) {
  for (uint32_t i = 0; i < container->info.num_sections; i++) {
    const struct qn_section *section = &container->sections[i];
    const uint8_t *stored = section->stored;
    if (at >= stored && at < stored + section->stored_bytes)
      return section;
  }
  return NULL;
}

static enum qn_status add_bytes(struct fetch *fetch, const void *begin, const void *end,
                                struct qn_error *error) {
  const uint8_t *from = begin, *to = end;
  const struct qn_section *section = from < to ? section_at(fetch->container, from) : NULL;
  if (!section)
    return QN_OK;
  const uint8_t *stored = section->stored;
  const uint64_t most = qn_num_chunks(section->stored_bytes);
  const uint64_t last = qn_num_chunks((uint64_t)(to - stored));
  return add_chunks(fetch, section, (uint64_t)(from - stored) / QN_CHECKSUM_CHUNK,
                    last < most ? last : most, error);
}

enum qn_status qn_container_need_together(const struct qn_container *container,
                                          const struct qn_needed_bytes *needed, uint64_t count,
                                          struct qn_error *error) {
  struct fetch fetch = {.container = container};
  enum qn_status status = QN_OK;
  if (!qn_container_is_remote(container))
    return QN_OK;
  lock(container);
  for (uint64_t i = 0; i < count && !status; i++)
    status = add_bytes(&fetch, needed[i].begin, needed[i].end, error);
  return end(&fetch, status, error);
}

enum qn_status qn_container_need(const struct qn_container *container, const void *begin,
                                 const void *end, struct qn_error *error) {
  const struct qn_needed_bytes needed = {begin, end};
  return qn_container_need_together(container, &needed, 1, error);
}

enum qn_status qn_container_need_at(const struct qn_container *container, const void *data,
                                    uint64_t bytes, const uint32_t *indices, uint64_t count,
                                    struct qn_error *error) {
  struct fetch fetch = {.container = container};
  enum qn_status status = QN_OK;
  if (!qn_container_is_remote(container))
    return QN_OK;
  lock(container);
  for (uint64_t i = 0; i < count && !status; i++) {
    const char *element = (const char *)data + indices[i] * bytes;
    status = add_bytes(&fetch, element, element + bytes, error);
  }
  return end(&fetch, status, error);
}

bool qn_container_peek(const struct qn_container *container, const struct qn_peek *peeks,
                       uint64_t count) {
  struct qn_part *parts;
  if (!container->afar || qn_alloc(&parts, count, sizeof *parts, "a list of ranges", NULL))
    return false;
  for (uint64_t i = 0; i < count; i++)
    parts[i] =
        (struct qn_part){.into = peeks[i].into,
                         .offset = (uint64_t)((const uint8_t *)peeks[i].from - container->mapping),
                         .bytes = peeks[i].bytes};
  const bool done = qn_remote_copy_read_together(container->afar, parts, count);
  qn_free(parts);
  return done;
}

enum qn_status qn_container_need_all(const struct qn_container *container, struct qn_error *error) {
  return qn_container_need_sections(container, NULL, error);
}

/* They are checked by what they are to say (C-25), and by their own checksum when all is verified.
 */
enum qn_status qn_container_need_hashes(const struct qn_container *container,
                                        struct qn_error *error) {
  const struct qn_section *section = qn_container_section(container, QN_CHUNK_HASHES);
  char *hashes;
  if (!section || !section->stored_bytes)
    return QN_OK;
  enum qn_status status = qn_alloc(&hashes, section->stored_bytes, 1, "chunk hashes", error);
  if (status)
    return status;
  status =
      qn_remote_copy_read(container->afar, hashes, section->stored_bytes, section->offset, error);
  if (!status)
    status =
        qn_remote_copy_put(container->afar, hashes, section->stored_bytes, section->offset, error);
  qn_free(hashes);
  return status;
}

bool qn_container_is_remote(const struct qn_container *container) {
  return container && (container->afar || container->maker.make);
}

void qn_container_traffic(const struct qn_container *container, uint64_t *requests,
                          uint64_t *bytes) {
  *requests = *bytes = 0;
  if (qn_container_is_remote(container))
    qn_remote_copy_traffic(container->afar ? container->afar : container->maker.afar, requests,
                           bytes);
}
