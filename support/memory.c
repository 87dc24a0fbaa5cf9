#include "support/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "support/checked.h"

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

enum qn_status qn_pages_alloc(void *out, uint64_t count, uint64_t size, const char *what,
                              struct qn_error *error) {
  uint64_t bytes;
  store_pointer(out, NULL);
  if (!checked_bytes(count, size, &bytes))
    return qn_fail(error, QN_SYSTEM, "%s would exceed the address space", what);
  void *memory = MAP_FAILED;
  if (!must_fail())
    memory = mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return qn_fail_memory(error, what, bytes);
  if (bytes >= (uint64_t)4 << 20)
    madvise(memory, bytes, MADV_HUGEPAGE);
  atomic_fetch_add(&live_allocations, 1);
  store_pointer(out, memory);
  return QN_OK;
}

enum qn_status qn_pages_map(void *out, int descriptor, uint64_t bytes, const char *what,
                            struct qn_error *error) {
  store_pointer(out, NULL);
  void *memory = MAP_FAILED;
  if (!must_fail())
    memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory == MAP_FAILED)
    return qn_fail_memory(error, what, bytes);
  atomic_fetch_add(&live_allocations, 1);
  store_pointer(out, memory);
  return QN_OK;
}

void qn_pages_free(void *memory, uint64_t count, uint64_t size) {
  if (!memory)
    return;
  uint64_t bytes = count * size;
  munmap(memory, bytes ? bytes : 1);
  atomic_fetch_sub(&live_allocations, 1);
}

void qn_pages_release(void *memory, uint64_t bytes) {
  const uintptr_t page = 4096;
  uintptr_t first = ((uintptr_t)memory + page - 1) & ~(page - 1);
  uintptr_t end = ((uintptr_t)memory + bytes) & ~(page - 1);
  if (end > first)
    madvise((void *)first, end - first, MADV_DONTNEED);
}
