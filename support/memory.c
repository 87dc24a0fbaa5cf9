#include "support/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/checked.h"
#include "support/threads.h"
#include "support/used_files.h"

static atomic_uint_least64_t live_allocations;
static atomic_uint_least64_t fail_countdown;

void qn_memory_fail_nth(uint64_t n) {
  atomic_store(&fail_countdown, n);
}

uint64_t qn_memory_live(void) {
  return atomic_load(&live_allocations);
}

static bool must_fail(void) {
  if (atomic_load_explicit(&fail_countdown, memory_order_relaxed) == 0)
    return false;
  return atomic_fetch_sub(&fail_countdown, 1) == 1;
}

static bool checked_bytes(uint64_t count, uint64_t size, uint64_t *bytes) {
  return qn_mul_u64(count, size, bytes) && *bytes <= PTRDIFF_MAX;
}

/* `out` is the address of a pointer of any object type: copied, not cast, to keep aliasing rules.
 */
static void store_pointer(void *out, void *pointer) {
  memcpy(out, &pointer, sizeof pointer);
}

static void *load_pointer(const void *in) {
  void *pointer;
  memcpy(&pointer, in, sizeof pointer);
  return pointer;
}

static enum qn_status allocate(void *out, uint64_t count, uint64_t size, bool zeroed,
                               const char *what, struct qn_error *error) {
  uint64_t bytes;
  store_pointer(out, NULL);
  if (!checked_bytes(count, size, &bytes))
    return qn_fail(error, QN_SYSTEM, "%s would exceed the address space", what);
  void *memory = NULL;
  if (!must_fail())
    memory = zeroed ? calloc(bytes ? bytes : 1, 1) : malloc(bytes ? bytes : 1);
  if (!memory)
    return qn_fail_memory(error, what, bytes);
  atomic_fetch_add(&live_allocations, 1);
  store_pointer(out, memory);
  return QN_OK;
}

enum qn_status qn_alloc(void *out, uint64_t count, uint64_t size, const char *what,
                        struct qn_error *error) {
  return allocate(out, count, size, false, what, error);
}

enum qn_status qn_alloc_zeroed(void *out, uint64_t count, uint64_t size, const char *what,
                               struct qn_error *error) {
  return allocate(out, count, size, true, what, error);
}

enum qn_status qn_realloc(void *inout, uint64_t count, uint64_t size, const char *what,
                          struct qn_error *error) {
  uint64_t bytes;
  void *old = load_pointer(inout);
  if (!checked_bytes(count, size, &bytes))
    return qn_fail(error, QN_SYSTEM, "%s would exceed the address space", what);
  void *memory = must_fail() ? NULL : realloc(old, bytes ? bytes : 1);
  if (!memory)
    return qn_fail_memory(error, what, bytes);
  if (!old)
    atomic_fetch_add(&live_allocations, 1);
  store_pointer(inout, memory);
  return QN_OK;
}

void qn_free(void *memory) {
  if (!memory)
    return;
  atomic_fetch_sub(&live_allocations, 1);
  free(memory);
}

/* ---- Reservations ----------------------------------------------------------- */

/* An array lies at the beginning of a reservation of address space, the rest of which faults: as
 * far as an index of 32 bits reaches, whatever number of a file it comes from, and a page for who
 * writes on behind the end. */
static const uint64_t LEAST_REACH = sizeof(uint64_t), MOST_REACH = 128; /* bytes an index */

/* As much of the 128 TiB of a process as may be reserved: the rest is for arrays behind which
 * nothing is. */
static const uint64_t MOST_RESERVED = (uint64_t)64 << 40;

static atomic_uint_least64_t all_reserved; /* bytes of reservations that arrays lie in */
static atomic_int reserving;               /* 1: yes, 2: no */

/* Where address space is limited, memory may be all that it is enough for; and ThreadSanitizer
 * leaves too little of it. Once it is used up there are no reservations any more: those that are
 * there then stay, empty, as whoever gives an array back does not know which lies in one. */
static bool may_reserve(void) {
#ifdef __SANITIZE_THREAD__
  return false;
#else
  struct rlimit limit;
  int unknown = 0;
  if (atomic_load(&reserving) == 0)
    atomic_compare_exchange_strong(
        &reserving, &unknown,
        getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur == RLIM_INFINITY ? 1 : 2);
  if (atomic_load(&reserving) == 1 && atomic_load(&all_reserved) > MOST_RESERVED)
    atomic_store(&reserving, 2);
  return atomic_load(&reserving) == 1;
#endif
}

static uint64_t reserved_bytes(uint64_t bytes, uint64_t size) {
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t per_index = size < LEAST_REACH ? LEAST_REACH : size > MOST_REACH ? MOST_REACH : size;
  uint64_t reach = per_index << 32;
  return ((bytes > reach ? bytes : reach) + 2 * page - 1) / page * page;
}

/* Address space that nothing is at, from where huge pages of a file's part from `offset` on, or of
 * memory, can be mapped. */
static void *reserve(uint64_t bytes, uint64_t offset) {
  const uint64_t huge_page = (uint64_t)2 << 20;
  uint8_t *space =
      mmap(NULL, bytes + huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED)
    return MAP_FAILED;
  uint64_t lead = (offset - (uintptr_t)space) % huge_page;
  if (lead > 0)
    munmap(space, lead);
  if (lead < huge_page)
    munmap(space + lead + bytes, huge_page - lead);
  return space + lead;
}

/* Of `descriptor`, or of memory if that is -1. */
static void *map_pages(uint64_t bytes, uint64_t size, int descriptor, uint64_t offset) {
  const int protection = PROT_READ | PROT_WRITE;
  int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
  bytes = bytes ? bytes : 1;
  if (must_fail())
    return MAP_FAILED;
  if (!may_reserve())
    return mmap(NULL, bytes, protection, flags, descriptor, (off_t)offset);
  uint64_t reserved = reserved_bytes(bytes, size);
  void *place = reserve(reserved, offset);
  if (place == MAP_FAILED)
    return MAP_FAILED;
  void *memory = mmap(place, bytes, protection, flags | MAP_FIXED, descriptor, (off_t)offset);
  if (memory == MAP_FAILED)
    munmap(place, reserved);
  else
    atomic_fetch_add(&all_reserved, reserved);
  return memory;
}

/* A huge page is cleared by one thread. Where there are fewer of them than threads the others would
 * wait for it; below 8 MiB values are found as soon on small ones. */
static bool wants_huge_pages(uint64_t bytes) {
  const uint64_t num_huge = bytes / ((uint64_t)2 << 20);
  return num_huge >= 4 || (num_huge >= 2 && num_huge >= qn_threads());
}

enum qn_status qn_pages_alloc(void *out, uint64_t count, uint64_t size, const char *what,
                              struct qn_error *error) {
  uint64_t bytes;
  store_pointer(out, NULL);
  if (!checked_bytes(count, size, &bytes))
    return qn_fail(error, QN_SYSTEM, "%s would exceed the address space", what);
  void *memory = map_pages(bytes, size, -1, 0);
  if (memory == MAP_FAILED)
    return qn_fail_memory(error, what, bytes);
  if (wants_huge_pages(bytes))
    madvise(memory, bytes, MADV_HUGEPAGE);
  atomic_fetch_add(&live_allocations, 1);
  store_pointer(out, memory);
  return QN_OK;
}

enum qn_status qn_pages_map(void *out, int descriptor, uint64_t offset, uint64_t count,
                            uint64_t size, const char *what, struct qn_error *error) {
  store_pointer(out, NULL);
  void *memory = map_pages(count * size, size, descriptor, offset);
  if (memory == MAP_FAILED)
    return qn_fail_memory(error, what, count * size);
  atomic_fetch_add(&live_allocations, 1);
  store_pointer(out, memory);
  return QN_OK;
}

void qn_pages_free(void *memory, uint64_t count, uint64_t size) {
  if (!memory)
    return;
  uint64_t bytes = count * size;
  qn_pages_leave(memory, bytes);
  if (may_reserve()) {
    const uint64_t reserved = reserved_bytes(bytes, size);
    munmap(memory, reserved);
    atomic_fetch_sub(&all_reserved, reserved);
  } else {
    munmap(memory, bytes ? bytes : 1);
  }
  atomic_fetch_sub(&live_allocations, 1);
}

void qn_pages_release(void *memory, uint64_t bytes) {
  const uintptr_t page = 4096;
  uintptr_t first = ((uintptr_t)memory + page - 1) & ~(page - 1);
  uintptr_t end = ((uintptr_t)memory + bytes) & ~(page - 1);
  if (end > first)
    madvise((void *)first, end - first, MADV_DONTNEED);
}
