#include "kernels/cuda/stream/pins.cuh"

#include <algorithm>
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/memory.h"
#include "support/threads.h"

/* What is pinned at a time. Copies do not cross its bounds. */
#ifndef QN_PIN_BYTES
#define QN_PIN_BYTES ((uintptr_t)16 << 20)
#endif
#define SECONDS_PER_BYTE 45e-12 /* H200: 20 to 65; a few chunks tell less */
#define PAUSE_MICROSECONDS 20
#define MAX_STRETCHES 64
#define LEAST_PAGE 4096
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22 /* Linux 5.14; others refuse it */
#endif

/* Of the host's addresses. */
struct stretch {
  uintptr_t begin, end;
};

struct chunk {
  uintptr_t begin, end;
  uint64_t number; /* when it was pinned, counted from 1; set once, atomically; 0: it is not */
};

struct qn_unit_pins {
  const void *user; /* of the source */
  unsigned references;
  struct qn_unit_pins *other;
  pthread_mutex_t lock; /* of who pins a chunk */
  uint64_t limit;
  uint64_t wanted; /* bytes of all chunks */
  uint64_t bytes;  /* pinned */
  uint64_t count;  /* chunks pinned, atomically */
  uint64_t num_chunks;
  struct chunk *chunks; /* ascending */
  const char *refusal;
  pthread_t thread;
  int device;      /* that it pins for */
  bool has_thread; /* until it is joined */
  bool stops;      /* atomically */
};

static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static struct qn_unit_pins *shared;

/* ---- Where the units lie ------------------------------------------------------------ */

static bool touches(const struct stretch *a, const struct stretch *b) {
  return a->begin <= b->end + QN_UNIT_LONG_RUN && b->begin <= a->end + QN_UNIT_LONG_RUN;
}

static void unite(struct stretch *a, const struct stretch *b) {
  a->begin = std::min(a->begin, b->begin);
  a->end = std::max(a->end, b->end);
}

/* The stretches that hold all units: as many as the layout has arrays, as what lies between two
 * units may be pinned, too, if that is less than a long run. Should they be more than
 * MAX_STRETCHES, the rest is gathered. `last` is where the same piece of the unit before went. */
static void add_stretch(struct stretch *stretches, unsigned *count, const struct stretch *piece,
                        unsigned *last) {
  if (*last < *count && touches(&stretches[*last], piece)) {
    unite(&stretches[*last], piece);
    return;
  }
  for (*last = 0; *last < *count; ++*last)
    if (touches(&stretches[*last], piece))
      break;
  if (*last < *count)
    unite(&stretches[*last], piece);
  else if (*count < MAX_STRETCHES)
    stretches[(*count)++] = *piece;
}

static unsigned unite_all(struct stretch *stretches, unsigned count) {
  unsigned kept = 0;
  std::sort(stretches, stretches + count,
            [](const struct stretch &a, const struct stretch &b) { return a.begin < b.begin; });
  for (unsigned i = 0; i < count; i++) {
    if (kept > 0 && touches(&stretches[kept - 1], &stretches[i]))
      unite(&stretches[kept - 1], &stretches[i]);
    else
      stretches[kept++] = stretches[i];
  }
  return kept;
}

static unsigned find_stretches(const struct qn_unit_source *source, struct stretch *stretches) {
  unsigned count = 0, last[QN_UNIT_PIECES] = {0};
  for (uint64_t number = 0; number < source->num_units; number++) {
    struct qn_unit unit;
    source->describe(source->user, number, &unit);
    for (unsigned i = 0; i < unit.num_pieces; i++) {
      const struct qn_unit_piece *piece = &unit.pieces[i];
      const uintptr_t begin = (uintptr_t)piece->data;
      const struct stretch whole = {begin, begin + unit.more * piece->stride + piece->bytes};
      if (piece->bytes > 0)
        add_stretch(stretches, &count, &whole, &last[i]);
    }
  }
  return unite_all(stretches, count);
}

/* `action(begin, end)` for the chunks of a stretch: whole pages, cut at multiples of QN_PIN_BYTES.
 */
template <class Action> static void each_chunk(const struct stretch *stretch, Action action) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  const uintptr_t last = stretch->end / page * page;
  for (uintptr_t begin = (stretch->begin + page - 1) / page * page; begin < last;) {
    const uintptr_t cut = (begin / QN_PIN_BYTES + 1) * QN_PIN_BYTES;
    const uintptr_t end = std::min(cut, last);
    if (end - begin >= QN_UNIT_LONG_RUN)
      action(begin, end);
    begin = end;
  }
}

static enum qn_status make_chunks(struct qn_unit_pins *pins, const struct stretch *stretches,
                                  unsigned count, struct qn_error *error) {
  uint64_t num_chunks = 0;
  for (unsigned i = 0; i < count; i++)
    each_chunk(&stretches[i], [&](uintptr_t, uintptr_t) { num_chunks++; });
  enum qn_status status = qn_alloc_zeroed(&pins->chunks, num_chunks, sizeof *pins->chunks,
                                          "list of pinned memory", error);
  if (status)
    return status;
  for (unsigned i = 0; i < count; i++)
    each_chunk(&stretches[i], [&](uintptr_t begin, uintptr_t end) {
      if (pins->wanted + (end - begin) > pins->limit)
        return;
      pins->wanted += end - begin;
      pins->chunks[pins->num_chunks++] = {begin, end, 0};
    });
  return QN_OK;
}

static bool is_in_memory(uintptr_t begin, uintptr_t end) {
  static_assert(QN_PIN_BYTES % LEAST_PAGE == 0, "pages of a chunk");
  unsigned char pages[QN_PIN_BYTES / LEAST_PAGE];
  const uintptr_t count = (end - begin) / (uintptr_t)sysconf(_SC_PAGESIZE);
  if (mincore((void *)begin, end - begin, pages) != 0)
    return false;
  return std::all_of(pages, pages + count, [](unsigned char there) { return there & 1; });
}

/* Let the system map what is in memory, by all threads: readers, and CUDA where it pins, would have
 * it done a few pages at a time, which takes longer than pinning. */
static void map_pages(const struct stretch *stretches, unsigned count) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (unsigned i = 0; i < count; i++) {
    const uintptr_t first = (stretches[i].begin + page - 1) / page * page;
    const uintptr_t last = stretches[i].end / page * page;
#pragma omp parallel for schedule(dynamic)
    for (uintptr_t begin = first; begin < last; begin += QN_PIN_BYTES) {
      const uintptr_t end = std::min(begin + QN_PIN_BYTES, last);
      if (is_in_memory(begin, end))
        madvise((void *)begin, end - begin, MADV_POPULATE_READ);
    }
  }
}

void qn_unit_map_array(const void *data, uint64_t bytes) {
  const struct stretch stretch = {(uintptr_t)data, (uintptr_t)data + bytes};
  map_pages(&stretch, 1);
}

void qn_unit_map(const struct qn_unit_source *source) {
  struct stretch stretches[MAX_STRETCHES];
  map_pages(stretches, find_stretches(source, stretches));
}

/* ---- Opening and closing ------------------------------------------------------------- */

static void destroy(struct qn_unit_pins *pins) {
  qn_unit_pins_settle(pins);
  for (uint64_t i = 0; i < pins->num_chunks; i++)
    if (pins->chunks[i].number)
      cudaHostUnregister((void *)pins->chunks[i].begin);
  pthread_mutex_destroy(&pins->lock);
  qn_free(pins->chunks);
  qn_free(pins);
}

static enum qn_status create(struct qn_unit_pins **out, const struct qn_unit_source *source,
                             uint64_t limit, struct qn_error *error) {
  struct stretch stretches[MAX_STRETCHES];
  const unsigned count = find_stretches(source, stretches);
  struct qn_unit_pins *pins;
  enum qn_status status = qn_alloc_zeroed(&pins, 1, sizeof *pins, "pinned memory", error);
  *out = NULL;
  if (status)
    return status;
  pthread_mutex_init(&pins->lock, NULL);
  pins->user = source->user;
  pins->references = 1;
  pins->limit = limit;
  status = make_chunks(pins, stretches, count, error);
  if (status) {
    destroy(pins);
    return status;
  }
  map_pages(stretches, count);
  pins->other = shared;
  *out = shared = pins;
  return QN_OK;
}

enum qn_status qn_unit_pins_open(struct qn_unit_pins **out, const struct qn_unit_source *source,
                                 uint64_t limit, struct qn_error *error) {
  enum qn_status status = QN_OK;
  pthread_mutex_lock(&shared_lock);
  struct qn_unit_pins *pins = shared;
  while (pins && pins->user != source->user)
    pins = pins->other;
  if (pins)
    pins->references++;
  else
    status = create(&pins, source, limit, error);
  pthread_mutex_unlock(&shared_lock);
  *out = pins;
  return status;
}

void qn_unit_pins_close(struct qn_unit_pins *pins) {
  if (!pins)
    return;
  pthread_mutex_lock(&shared_lock);
  if (--pins->references == 0) {
    struct qn_unit_pins **link = &shared;
    while (*link != pins)
      link = &(*link)->other;
    *link = pins->other;
    destroy(pins);
  }
  pthread_mutex_unlock(&shared_lock);
}

/* ---- Pinning ------------------------------------------------------------------------- */

/* Unless nobody else did. Returns how many bytes. */
static uint64_t pin(struct qn_unit_pins *pins, struct chunk *chunk) {
  const uint64_t bytes = chunk->end - chunk->begin;
  if (pins->refusal || chunk->number || !is_in_memory(chunk->begin, chunk->end))
    return 0;
  const cudaError_t result = cudaHostRegister((void *)chunk->begin, bytes,
                                              cudaHostRegisterPortable | cudaHostRegisterReadOnly);
  if (result != cudaSuccess) {
    cudaGetLastError();
    pins->refusal = cudaGetErrorString(result);
    return 0;
  }
  pins->bytes += bytes;
  __atomic_store_n(&chunk->number, pins->count + 1, __ATOMIC_RELEASE);
  __atomic_store_n(&pins->count, pins->count + 1, __ATOMIC_RELEASE);
  return bytes;
}

static bool stops(const struct qn_unit_pins *pins) {
  return __atomic_load_n(&pins->stops, __ATOMIC_RELAXED);
}

/* `pause` between two chunks, for others who call CUDA. */
static void pin_chunks(struct qn_unit_pins *pins, uint64_t bytes, unsigned pause) {
  uint64_t pinned = 0;
  for (uint64_t i = 0; i < pins->num_chunks && pinned < bytes && !stops(pins); i++) {
    pthread_mutex_lock(&pins->lock);
    const uint64_t more = pin(pins, &pins->chunks[i]);
    pthread_mutex_unlock(&pins->lock);
    if (more > 0 && pause > 0)
      usleep(pause);
    pinned += more;
  }
}

void qn_unit_pins_more(struct qn_unit_pins *pins, uint64_t bytes) {
  pin_chunks(pins, bytes, 0);
}

static void *pin_meanwhile(void *argument) {
  struct qn_unit_pins *pins = (struct qn_unit_pins *)argument;
  if (cudaSetDevice(pins->device) == cudaSuccess)
    pin_chunks(pins, UINT64_MAX, PAUSE_MICROSECONDS);
  else
    cudaGetLastError();
  return NULL;
}

void qn_unit_pins_begin(struct qn_unit_pins *pins, int device) {
  if (!pins || pins->has_thread)
    return;
  pins->device = device;
  pins->has_thread = qn_thread_start(&pins->thread, pin_meanwhile, pins) == 0;
}

void qn_unit_pins_settle(struct qn_unit_pins *pins) {
  if (!pins || !pins->has_thread)
    return;
  __atomic_store_n(&pins->stops, true, __ATOMIC_RELAXED);
  pthread_join(pins->thread, NULL);
  pins->has_thread = pins->stops = false;
}

double qn_unit_pins_cost(struct qn_unit_pins *pins) {
  double seconds = (double)INFINITY;
  if (!pins || pthread_mutex_trylock(&pins->lock) != 0)
    return seconds;
  if (!pins->refusal && pins->bytes < pins->wanted)
    seconds = SECONDS_PER_BYTE * (double)(pins->wanted - pins->bytes);
  pthread_mutex_unlock(&pins->lock);
  return seconds;
}

uint64_t qn_unit_pins_count(const struct qn_unit_pins *pins) {
  return pins ? __atomic_load_n(&pins->count, __ATOMIC_ACQUIRE) : 0;
}

uint64_t qn_unit_pins_reach(const struct qn_unit_pins *pins, uint64_t count, const void *data,
                            uint64_t bytes, bool *pinned) {
  const uintptr_t at = (uintptr_t)data;
  *pinned = false;
  if (!pins)
    return bytes;
  const struct chunk *first = pins->chunks, *end = first + pins->num_chunks;
  const struct chunk *chunk = std::upper_bound(
      first, end, at, [](uintptr_t a, const struct chunk &b) { return a < b.end; });
  if (chunk == end)
    return bytes;
  if (at < chunk->begin)
    return std::min(bytes, (uint64_t)(chunk->begin - at));
  const uint64_t number = __atomic_load_n(&chunk->number, __ATOMIC_RELAXED);
  *pinned = number > 0 && number <= count;
  return std::min(bytes, (uint64_t)(chunk->end - at));
}

uint64_t qn_unit_pins_bytes(const struct qn_unit_pins *pins) {
  return pins ? pins->bytes : 0;
}

uint64_t qn_unit_pins_wanted(const struct qn_unit_pins *pins) {
  return pins ? pins->wanted : 0;
}

const char *qn_unit_pins_refusal(const struct qn_unit_pins *pins) {
  return pins ? pins->refusal : NULL;
}
