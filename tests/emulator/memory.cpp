/* Device memory: every pretended device owns a stretch of one reserved range of
 * addresses, with one byte of state for each byte. Allocations lie apart and
 * addresses are not used again until the stretch is used up, so that what is
 * read beyond an allocation or after it was freed is known. */
#include "internal.h"

#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

namespace emulator {

stretch device_stretch;

namespace {

constexpr std::size_t DEVICE_STRETCH = std::size_t(8) << 30;
constexpr std::size_t ARENA_BYTES = DEVICE_STRETCH * MAX_DEVICES;
constexpr std::size_t REDZONE = 256;
constexpr std::size_t FIRST = 4096; /* nothing lies before it, so that an index of -1 is found */
constexpr unsigned char NOT_ALLOCATED = 0, NEVER_WRITTEN = 1, WRITTEN = 2;
constexpr unsigned char FILL = 0xcb; /* fresh device memory holds anything but zeros */

struct device_memory {
  std::map<std::size_t, std::size_t> live; /* offset -> bytes asked for */
  std::size_t cursor = FIRST;              /* next offset to hand out */
  std::size_t bytes = 0, peak = 0;
};

char *arena;
unsigned char *state;
device_memory devices[MAX_DEVICES];
int open_depth;
std::map<uintptr_t, std::pair<std::size_t, bool>> pinned; /* address -> bytes, allocated here */

void report_host_access(int signal_number, siginfo_t *info, void *) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(info->si_addr);
  if (in_arena(address) && !running_thread()) {
    static const char text[] =
        "emulator: host code dereferences a pointer to device memory (run it in a debugger with "
        "`handle SIGSEGV stop` to see where)\n";
    if (write(2, text, sizeof text - 1) < 0)
      _exit(EMULATOR_EXIT_CODE);
    _exit(EMULATOR_EXIT_CODE);
  }
  signal(signal_number, SIG_DFL); /* returns to the fault, which then ends the process */
}

char *reserve(std::size_t bytes, int protection) {
  void *memory =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    std::perror("emulator: cannot reserve addresses for device memory");
    std::_Exit(EMULATOR_EXIT_CODE);
  }
  return static_cast<char *>(memory);
}

std::size_t rounded(std::size_t bytes) {
  const std::size_t page = 4096;
  return (bytes + REDZONE + page - 1) / page * page;
}

/* From the first allocation to the last. */
void protect(int protection) {
  for (int device = 0; device < MAX_DEVICES; device++) {
    const auto &live = devices[device].live;
    if (live.empty())
      continue;
    const std::size_t begin = live.begin()->first;
    const std::size_t end = live.rbegin()->first + rounded(live.rbegin()->second);
    mprotect(arena + device * DEVICE_STRETCH + begin, end - begin, protection);
  }
}

void reserve_once() {
  if (arena)
    return;
  arena = reserve(ARENA_BYTES, PROT_NONE);
  device_stretch = {reinterpret_cast<uintptr_t>(arena), ARENA_BYTES};
  state = reinterpret_cast<unsigned char *>(reserve(ARENA_BYTES, PROT_READ | PROT_WRITE));
  for (int device = 0; device < MAX_DEVICES; device++)
    ASAN_POISON_MEMORY_REGION(arena + device * DEVICE_STRETCH, FIRST);
  struct sigaction action = {};
  action.sa_sigaction = report_host_access;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
}

/* An unused range, preferring addresses that were never used. */
bool find_room(const device_memory &memory, std::size_t need, std::size_t *offset) {
  if (DEVICE_STRETCH - memory.cursor >= need) {
    *offset = memory.cursor;
    return true;
  }
  std::size_t free_from = FIRST;
  for (const auto &[at, bytes] : memory.live) {
    if (at - free_from >= need)
      break;
    free_from = at + rounded(bytes);
  }
  *offset = free_from;
  return DEVICE_STRETCH - free_from >= need;
}

/* The allocation that an address lies in or behind, for messages. */
void describe(uintptr_t address, char *text, std::size_t size) {
  const std::size_t offset = address - reinterpret_cast<uintptr_t>(arena);
  const std::size_t device = offset / DEVICE_STRETCH, within = offset % DEVICE_STRETCH;
  const auto &live = devices[device].live;
  auto next = live.upper_bound(within);
  if (next == live.begin()) {
    std::snprintf(text, size, "in no allocation of device %zu", device);
    return;
  }
  --next;
  const std::size_t past = within - next->first;
  if (past < next->second)
    std::snprintf(text, size, "at byte %zu of an allocation of %zu bytes", past, next->second);
  else if (past < rounded(next->second))
    std::snprintf(text, size, "%zu bytes past the end of an allocation of %zu bytes",
                  past - next->second, next->second);
  else
    std::snprintf(text, size, "in memory of device %zu that was freed or never allocated", device);
}

} /* namespace */

void arena_open() {
  if (open_depth++ == 0)
    protect(PROT_READ | PROT_WRITE);
}

void arena_close() {
  if (--open_depth == 0)
    protect(PROT_NONE);
}

cudaError_t device_allocate(int device, std::size_t bytes, void **out) {
  reserve_once();
  device_memory &memory = devices[device];
  *out = nullptr;
  if (bytes == 0)
    return cudaSuccess;
  const std::size_t budget = the_machine.options.device_memory;
  if (bytes > budget || memory.bytes > budget - bytes)
    return cudaErrorMemoryAllocation;
  std::size_t offset;
  if (!find_room(memory, rounded(bytes), &offset))
    return cudaErrorMemoryAllocation;
  memory.live[offset] = bytes;
  memory.cursor = std::max(memory.cursor, offset + rounded(bytes));
  memory.bytes += bytes;
  memory.peak = std::max(memory.peak, memory.bytes);
  char *start = arena + device * DEVICE_STRETCH + offset;
  arena_guard open;
  mprotect(start, rounded(bytes), PROT_READ | PROT_WRITE);
  ASAN_UNPOISON_MEMORY_REGION(start, bytes);
  std::memset(start, FILL, bytes);
  ASAN_POISON_MEMORY_REGION(start + bytes, rounded(bytes) - bytes);
  std::memset(state + (start - arena), NEVER_WRITTEN, bytes);
  *out = start;
  return cudaSuccess;
}

bool device_free(void *pointer) {
  const int device = device_of(pointer);
  if (device < 0)
    return false;
  device_memory &memory = devices[device];
  const std::size_t offset =
      static_cast<char *>(pointer) - arena - std::size_t(device) * DEVICE_STRETCH;
  auto found = memory.live.find(offset);
  if (found == memory.live.end())
    return false;
  const std::size_t bytes = found->second;
  memory.live.erase(found);
  memory.bytes -= bytes;
  std::memset(state + (static_cast<char *>(pointer) - arena), NOT_ALLOCATED, bytes);
  ASAN_POISON_MEMORY_REGION(pointer, bytes);
  madvise(pointer, rounded(bytes), MADV_DONTNEED);
  mprotect(pointer, rounded(bytes), PROT_NONE);
  return true;
}

int device_of(const void *pointer) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(pointer);
  return in_arena(address) ? int((address - reinterpret_cast<uintptr_t>(arena)) / DEVICE_STRETCH)
                           : -1;
}

bool device_range_ok(const void *pointer, std::size_t bytes) {
  const int device = device_of(pointer);
  if (device < 0)
    return false;
  const std::size_t offset =
      static_cast<const char *>(pointer) - arena - std::size_t(device) * DEVICE_STRETCH;
  const auto &live = devices[device].live;
  auto next = live.upper_bound(offset);
  if (next == live.begin())
    return false;
  --next;
  const std::size_t start = offset - next->first;
  return start <= next->second && bytes <= next->second - start;
}

std::size_t device_allocation_bytes(uintptr_t address) {
  const std::size_t offset = address - reinterpret_cast<uintptr_t>(arena);
  const auto &live = devices[offset / DEVICE_STRETCH].live;
  auto next = live.upper_bound(offset % DEVICE_STRETCH);
  return next == live.begin() ? 0 : (--next)->second;
}

void device_mark_written(const void *pointer, std::size_t bytes) {
  std::memset(state + (static_cast<const char *>(pointer) - arena), WRITTEN, bytes);
}

void device_wrote(const void *pointer, std::size_t bytes) {
  if (bytes == 0)
    return;
  if (!device_range_ok(pointer, bytes))
    fail("a device-wide primitive writes %zu bytes outside device memory", bytes);
  device_mark_written(pointer, bytes);
}

void device_copy_marks(const void *to, const void *from, std::size_t bytes) {
  std::memmove(state + (static_cast<const char *>(to) - arena),
               state + (static_cast<const char *>(from) - arena), bytes);
}

void device_access(uintptr_t address, std::size_t bytes, bool write) {
  const std::size_t offset = address - reinterpret_cast<uintptr_t>(arena);
  const int device = int(offset / DEVICE_STRETCH);
  unsigned char *marks = state + offset;
  char place[160];
  if (address % (bytes == 0 || bytes > 16 || (bytes & (bytes - 1)) ? 1 : bytes) != 0)
    fail("misaligned %s of %zu bytes at address ...%03zx", write ? "write" : "read", bytes,
         std::size_t(address & 0xfff));
  if (device != running_device() && !peer_enabled(running_device(), device))
    fail("%s memory of device %d from device %d without peer access", write ? "writes" : "reads",
         device, running_device());
  static const unsigned char all_written[16] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
  static_assert(WRITTEN == 2, "all_written holds it");
  if ((bytes == 4 && std::memcmp(marks, all_written, 4) == 0) ||
      (bytes == 8 && std::memcmp(marks, all_written, 8) == 0) ||
      (bytes == 16 && std::memcmp(marks, all_written, 16) == 0))
    return;
  for (std::size_t i = 0; i < bytes; i++) {
    if (marks[i] == WRITTEN)
      continue;
    if (marks[i] == NOT_ALLOCATED) {
      describe(address + i, place, sizeof place);
      fail("out of bounds: %s %zu bytes %s", write ? "writes" : "reads", bytes, place);
    }
    if (!write) {
      describe(address + i, place, sizeof place);
      fail("reads device memory that nobody wrote, %s", place);
    }
    marks[i] = WRITTEN;
  }
}

std::size_t device_bytes_used(int device) {
  return devices[device].bytes;
}

uint64_t device_allocations() {
  uint64_t count = 0;
  for (const device_memory &memory : devices)
    count += memory.live.size();
  return count;
}

void device_forget_peak() {
  for (device_memory &memory : devices)
    memory.peak = memory.bytes;
}

void pinned_add(void *memory, std::size_t bytes, bool owned) {
  pinned[reinterpret_cast<uintptr_t>(memory)] = {bytes, owned};
}

bool pinned_remove(void *memory, bool owned) {
  auto found = pinned.find(reinterpret_cast<uintptr_t>(memory));
  if (found == pinned.end() || found->second.second != owned)
    return false;
  pinned.erase(found);
  return true;
}

/* Where bytes are pinned, and how; NULL: they are not. */
static const std::pair<std::size_t, bool> *find_pinned(const void *memory, std::size_t bytes) {
  const uintptr_t address = reinterpret_cast<uintptr_t>(memory);
  auto next = pinned.upper_bound(address);
  if (next == pinned.begin())
    return nullptr;
  --next;
  const std::size_t start = address - next->first;
  const bool within = start <= next->second.first && bytes <= next->second.first - start;
  return within ? &next->second : nullptr;
}

bool is_pinned(const void *memory, std::size_t bytes) {
  return find_pinned(memory, bytes) != nullptr;
}

bool kernels_reach(const void *memory, std::size_t bytes) {
  const auto *found = find_pinned(memory, bytes);
  return found && (found->second || !the_machine.options.no_registered);
}

bool pinned_within(const void *memory, std::size_t bytes) {
  const auto next = pinned.lower_bound(reinterpret_cast<uintptr_t>(memory));
  return is_pinned(memory, 1) ||
         (next != pinned.end() && next->first - reinterpret_cast<uintptr_t>(memory) < bytes);
}

uint64_t pinned_count() {
  return pinned.size();
}

void fail(const char *format, ...) {
  std::fflush(nullptr);
  const thread *t = running_thread();
  std::fprintf(stderr, "emulator: ");
  if (running_kernel())
    std::fprintf(stderr, "kernel %s, ", running_kernel());
  if (t)
    std::fprintf(stderr, "block (%u,%u,%u), thread (%u,%u,%u): ", t->where.block_index.x,
                 t->where.block_index.y, t->where.block_index.z, t->where.thread_index.x,
                 t->where.thread_index.y, t->where.thread_index.z);
  va_list arguments;
  va_start(arguments, format);
  std::vfprintf(stderr, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "\n");
  if (the_machine.options.seed)
    std::fprintf(stderr, "emulator: (seed %llu)\n", (unsigned long long)the_machine.options.seed);
  std::fflush(stderr);
  std::_Exit(EMULATOR_EXIT_CODE);
}

} /* namespace emulator */

extern "C" uint64_t emulator_live_bytes(void) {
  uint64_t bytes = 0;
  for (int device = 0; device < emulator::MAX_DEVICES; device++)
    bytes += emulator::devices[device].bytes;
  return bytes;
}

extern "C" uint64_t emulator_peak_bytes(void) {
  uint64_t peak = 0;
  for (const emulator::device_memory &memory : emulator::devices)
    peak = std::max<uint64_t>(peak, memory.peak);
  return peak;
}
