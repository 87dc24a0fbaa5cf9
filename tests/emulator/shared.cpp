/* Shared memory of the resident blocks, and who touched each byte of it last:
 * reading what nobody wrote, leaving the arrays, and races are reported.
 *
 * Two accesses to a byte, at least one a write, by different threads race
 * unless a __syncthreads lies between them or, within a warp, a __syncwarp.
 * Atomics don't race with each other, nor do writes of the same value, nor accesses
 * through a volatile pointer, which say that their author knows. */
#include "internal.h"

#include <cstdio>
#include <sys/mman.h>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

namespace emulator {

stretch shared_stretch;

namespace {

constexpr std::size_t SLOT_BYTES = 256 << 10;
constexpr std::size_t GAP = 64; /* between arrays */
constexpr unsigned char FILL = 0xa5;
constexpr uint16_t NOBODY = 0xffff, SEVERAL = 0xfffe; /* in place of a thread */
constexpr uint16_t SEVERAL_OF_WARP = 0x8000;          /* plus the warp */

constexpr std::size_t WORD_BYTES = 4;

/* The last accesses to one byte. What an earlier block left is void: to clear it all for each block
 * would take longer than most blocks run. Until a part of a word is touched, the history of its
 * first byte is that of all. */
struct history {
  uint32_t block; /* the serial number of the block that it is of */
  bool split;     /* of a word's first byte: the others have their own */
  bool written;
  bool atomic; /* the last write was */
  uint16_t writer, reader;
  shared_clock written_at, read_at;
};

struct variable {
  const void *key;
  std::size_t offset;
};

struct shared_slot {
  std::size_t used = 0, static_bytes = 0, dynamic_bytes = 0;
  uint32_t block = 0; /* the serial number of the block that has it, from 1 */
  std::vector<variable> variables;
};

char *memory;
bool *allocated; /* [byte] is it of an array? */
history *histories;
uint32_t num_blocks;
shared_slot slots[SHARED_SLOTS];

/* A write to bytes that another thread wrote in the same interval is a race only
 * if it changes them, which is known when the writer goes on. */
struct {
  bool any = false;
  uintptr_t address;
  std::size_t bytes;
  unsigned char before[16];
  unsigned other;
} doubtful;

void *reserve(std::size_t bytes) {
  void *reserved = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) {
    std::perror("emulator: no room for shared memory");
    std::_Exit(EMULATOR_EXIT_CODE);
  }
  return reserved;
}

void reserve_once() {
  if (memory)
    return;
  const std::size_t bytes = SLOT_BYTES * SHARED_SLOTS;
  memory = static_cast<char *>(reserve(bytes));
  shared_stretch = {reinterpret_cast<uintptr_t>(memory), bytes};
  allocated = static_cast<bool *>(reserve(bytes));
  histories = static_cast<history *>(reserve(bytes * sizeof(history)));
  ASAN_POISON_MEMORY_REGION(memory, bytes);
}

void allocate(unsigned slot, std::size_t offset, std::size_t bytes) {
  char *start = memory + slot * SLOT_BYTES + offset;
  ASAN_UNPOISON_MEMORY_REGION(start, bytes);
  std::memset(start, FILL, bytes);
  std::memset(allocated + slot * SLOT_BYTES + offset, true, bytes);
}

history &history_of(std::size_t at, uint32_t block) {
  history &h = histories[at];
  if (h.block != block)
    h = {block, false, false, false, NOBODY, NOBODY, {0, 0}, {0, 0}};
  return h;
}

void split(std::size_t word, uint32_t block) {
  history &first = history_of(word, block);
  if (first.split)
    return;
  for (std::size_t i = 1; i < WORD_BYTES; i++)
    histories[word + i] = first;
  first.split = true;
}

/* A byte, or a word. */
bool is_allocated(std::size_t at, std::size_t bytes) {
  static const bool all[WORD_BYTES] = {true, true, true, true};
  return bytes == 1 ? allocated[at] : std::memcmp(allocated + at, all, WORD_BYTES) == 0;
}

bool is_several(unsigned thread) {
  return thread >= SEVERAL_OF_WARP && thread != NOBODY;
}

unsigned warp_of(unsigned thread) {
  return is_several(thread) ? thread - SEVERAL_OF_WARP : thread / WARP;
}

/* Did the access at `then` by `other` happen with no synchronisation between it and now? */
bool concurrent(shared_clock then, unsigned other, shared_clock now, unsigned self) {
  if (other == self || then.block_epoch != now.block_epoch)
    return false;
  return other == SEVERAL || warp_of(other) != self / WARP || then.warp_epoch == now.warp_epoch;
}

[[noreturn]] void report_race(const char *what, const char *before, unsigned other,
                              std::size_t offset) {
  if (is_several(other))
    fail("race in shared memory at byte %zu: %s what several threads %s, with no barrier between",
         offset, what, before);
  fail("race in shared memory at byte %zu: %s what thread %u %s, with no barrier between", offset,
       what, other, before);
}

void check_read(history &h, shared_clock now, unsigned self, std::size_t offset, bool quiet) {
  if (!h.written)
    fail("reads shared memory that nobody wrote, at byte %zu", offset);
  if (quiet)
    return;
  if (h.writer != NOBODY && concurrent(h.written_at, h.writer, now, self))
    report_race("reads", "wrote", h.writer, offset);
  if (h.reader == NOBODY || !concurrent(h.read_at, h.reader, now, self))
    h.reader = uint16_t(self);
  else if (h.reader == SEVERAL || warp_of(h.reader) != self / WARP)
    h.reader = SEVERAL;
  else
    h.reader = uint16_t(SEVERAL_OF_WARP + self / WARP);
  h.read_at = now;
}

void check_write(history &h, shared_clock now, unsigned self, std::size_t offset, bool atomic,
                 bool quiet, bool *doubt) {
  if (!quiet && h.reader != NOBODY && concurrent(h.read_at, h.reader, now, self))
    report_race("writes", "read", h.reader, offset);
  if (!quiet && h.writer != NOBODY && concurrent(h.written_at, h.writer, now, self) &&
      !(atomic && h.atomic)) {
    if (atomic || h.atomic)
      report_race("writes", "wrote", h.writer, offset);
    *doubt = true;
    doubtful.other = h.writer;
  }
  h.written = true;
  h.atomic = atomic;
  h.writer = uint16_t(self);
  h.written_at = now;
}

} /* namespace */

void shared_begin(unsigned slot, std::size_t dynamic_bytes) {
  reserve_once();
  shared_slot &s = slots[slot];
  s.used = s.dynamic_bytes = dynamic_bytes;
  s.static_bytes = 0;
  s.block = ++num_blocks;
  s.variables.clear();
  allocate(slot, 0, dynamic_bytes);
}

void shared_end(unsigned slot) {
  std::memset(allocated + slot * SLOT_BYTES, false, slots[slot].used);
  ASAN_POISON_MEMORY_REGION(memory + slot * SLOT_BYTES, slots[slot].used);
}

void *shared_find(unsigned slot, const void *key, std::size_t bytes, std::size_t alignment) {
  shared_slot &s = slots[slot];
  for (const variable &v : s.variables)
    if (v.key == key)
      return memory + slot * SLOT_BYTES + v.offset;
  std::size_t offset = s.used + GAP;
  offset = (offset + alignment - 1) / alignment * alignment;
  s.static_bytes += bytes;
  if (s.static_bytes > STATIC_SHARED_LIMIT)
    fail("%zu bytes of static shared memory, more than %zu", s.static_bytes, STATIC_SHARED_LIMIT);
  if (s.static_bytes + s.dynamic_bytes > SHARED_OPTIN_LIMIT)
    fail("%zu bytes of static and %zu of dynamic shared memory are more than a block can have",
         s.static_bytes, s.dynamic_bytes);
  s.used = offset + bytes;
  if (s.used > SLOT_BYTES)
    fail("too many small arrays in shared memory for the emulator");
  allocate(slot, offset, bytes);
  s.variables.push_back({key, offset});
  return memory + slot * SLOT_BYTES + offset;
}

void *shared_base(unsigned slot) {
  return memory + slot * SLOT_BYTES;
}

void shared_settle() {
  if (!doubtful.any)
    return;
  doubtful.any = false;
  const void *now = reinterpret_cast<const void *>(doubtful.address);
  if (std::memcmp(now, doubtful.before, doubtful.bytes) != 0)
    report_race("overwrites", "wrote", doubtful.other,
                doubtful.address - reinterpret_cast<uintptr_t>(memory));
}

void shared_access(unsigned slot, shared_clock now, unsigned self, uintptr_t address,
                   std::size_t bytes, access kind) {
  const std::size_t at = address - reinterpret_cast<uintptr_t>(memory);
  const bool write =
      kind == access::write || kind == access::atomic || kind == access::volatile_write;
  const std::size_t offset = at % SLOT_BYTES;
  if (at / SLOT_BYTES != slot)
    fail("%s shared memory of another block", write ? "writes" : "reads");
  if (bytes <= 16 && (bytes & (bytes - 1)) == 0 && offset % bytes != 0)
    fail("misaligned %s of %zu bytes at byte %zu of shared memory", write ? "write" : "read", bytes,
         offset);
  const bool quiet = kind == access::volatile_read || kind == access::volatile_write;
  bool doubt = false;
  const uint32_t block = slots[slot].block;
  for (std::size_t i = 0, step; i < bytes; i += step) {
    const std::size_t word = (at + i) / WORD_BYTES * WORD_BYTES;
    const bool whole = word == at + i && bytes - i >= WORD_BYTES;
    if (!whole)
      split(word, block);
    step = whole && !history_of(word, block).split ? WORD_BYTES : 1;
    if (!is_allocated(at + i, step))
      fail("out of bounds: %s %zu bytes at byte %zu of shared memory, outside every array",
           write ? "writes" : "reads", bytes, offset);
    history &h = history_of(at + i, block);
    if (!write)
      check_read(h, now, self, offset + i, quiet);
    else if (kind == access::atomic && !h.written)
      fail("updates shared memory that nobody wrote, at byte %zu", offset + i);
    else
      check_write(h, now, self, offset + i, kind == access::atomic, quiet, &doubt);
  }
  if (doubt && bytes <= sizeof doubtful.before) {
    doubtful.any = true;
    doubtful.address = address;
    doubtful.bytes = bytes;
    std::memcpy(doubtful.before, reinterpret_cast<const void *>(address), bytes);
  }
}

} /* namespace emulator */
