/* Every load and store of the .cu files arrives here: they are compiled with
 * -fsanitize=thread, which puts a call before each, and linked without that
 * sanitizer's library, so that the calls are ours. (An AddressSanitizer build
 * has no such calls: there, ASan itself and the poisoning in memory.cpp and
 * shared.cpp watch.) */
#include "internal.h"

#include <cstdio>

extern "C" {
/* Of the program, or of the module that this is linked into. */
extern char __ehdr_start __attribute__((visibility("hidden")));
extern char _end __attribute__((visibility("hidden")));
}

namespace emulator {

namespace {

void touch(uintptr_t address, std::size_t bytes, access kind) {
  const thread *t = running_thread();
  if (!t)
    return; /* host code of a .cu file */
  shared_settle();
  const bool write =
      kind == access::write || kind == access::atomic || kind == access::volatile_write;
  if (in_arena(address)) {
    preempt();
    device_access(address, bytes, write && kind != access::atomic);
    if (counts_accesses())
      count_access(address, bytes, kind);
    return;
  }
  const uintptr_t stack = reinterpret_cast<uintptr_t>(t->context.stack);
  if (address - stack < t->context.stack_bytes)
    return;
  if (in_shared(address)) {
    preempt();
    shared_access(running_slot(), running_clock(), t->linear, address, bytes, kind);
    return;
  }
  if (address >= reinterpret_cast<uintptr_t>(&__ehdr_start) &&
      address < reinterpret_cast<uintptr_t>(&_end))
    return; /* constants and __device__ variables */
  if (kernels_reach(reinterpret_cast<void *>(address), bytes))
    return;
  fail("%s host memory (or through a wild pointer) at %p", write ? "writes" : "reads",
       reinterpret_cast<void *>(address));
}

} /* namespace */

void atomic_access(void *pointer, std::size_t bytes) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  if (!running_thread())
    fail("a device atomic in host code");
#if defined(__SANITIZE_ADDRESS__)
  (void)address;
  (void)bytes;
  preempt();
#else
  touch(address, bytes, access::atomic);
#endif
}

} /* namespace emulator */

using emulator::access;
using emulator::touch;

#define ADDRESS(pointer) reinterpret_cast<uintptr_t>(pointer)
#define HOOKS(size)                                                                                \
  void __tsan_read##size(void *p) {                                                                \
    touch(ADDRESS(p), size, access::read);                                                         \
  }                                                                                                \
  void __tsan_write##size(void *p) {                                                               \
    touch(ADDRESS(p), size, access::write);                                                        \
  }                                                                                                \
  void __tsan_unaligned_read##size(void *p) {                                                      \
    touch(ADDRESS(p), size, access::read);                                                         \
  }                                                                                                \
  void __tsan_unaligned_write##size(void *p) {                                                     \
    touch(ADDRESS(p), size, access::write);                                                        \
  }                                                                                                \
  void __tsan_volatile_read##size(void *p) {                                                       \
    touch(ADDRESS(p), size, access::volatile_read);                                                \
  }                                                                                                \
  void __tsan_volatile_write##size(void *p) {                                                      \
    touch(ADDRESS(p), size, access::volatile_write);                                               \
  }                                                                                                \
  void __tsan_unaligned_volatile_read##size(void *p) {                                             \
    touch(ADDRESS(p), size, access::volatile_read);                                                \
  }                                                                                                \
  void __tsan_unaligned_volatile_write##size(void *p) {                                            \
    touch(ADDRESS(p), size, access::volatile_write);                                               \
  }

#pragma GCC diagnostic ignored "-Wmissing-declarations"

extern "C" {
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
void __tsan_read_range(void *p, unsigned long bytes) {
  touch(ADDRESS(p), bytes, access::read);
}
void __tsan_write_range(void *p, unsigned long bytes) {
  touch(ADDRESS(p), bytes, access::write);
}
void __tsan_init(void) {}
void __tsan_func_entry(void *) {}
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **, void *) {}
void __tsan_vptr_read(void **) {}

/* Atomics in the host code of .cu files, such as OpenMP's reductions. */
#define ATOMIC_UPDATE(type, bits, name)                                                            \
  type __tsan_atomic##bits##_##name(volatile type *p, type value, int) {                           \
    return __atomic_##name(p, value, __ATOMIC_SEQ_CST);                                            \
  }
#define ATOMICS(type, bits)                                                                        \
  type __tsan_atomic##bits##_load(const volatile type *p, int) {                                   \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                   \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile type *p, type value, int) {                            \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                \
  type __tsan_atomic##bits##_exchange(volatile type *p, type value, int) {                         \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                        \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type *p, type *expected, type value,  \
                                                    int, int) {                                    \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,                \
                                       __ATOMIC_SEQ_CST);                                          \
  }                                                                                                \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type *p, type *expected, type value,    \
                                                  int, int) {                                      \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,                \
                                       __ATOMIC_SEQ_CST);                                          \
  }                                                                                                \
  ATOMIC_UPDATE(type, bits, fetch_add)                                                             \
  ATOMIC_UPDATE(type, bits, fetch_sub)                                                             \
  ATOMIC_UPDATE(type, bits, fetch_and)                                                             \
  ATOMIC_UPDATE(type, bits, fetch_or)                                                              \
  ATOMIC_UPDATE(type, bits, fetch_xor)
ATOMICS(unsigned char, 8)
ATOMICS(unsigned short, 16)
ATOMICS(unsigned int, 32)
ATOMICS(unsigned long, 64)
void __tsan_atomic_thread_fence(int) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
}
