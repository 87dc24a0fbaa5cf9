/* What the emulator's parts know of one another. One mutex guards everything;
 * kernels run one at a time on whatever host thread waits for them. */
#pragma once

#include "cuda_runtime.h"
#include "emulator.h"
#include "fiber.h"

#include <functional>
#include <memory>
#include <mutex>

namespace emulator {

constexpr int MAX_DEVICES = 8;
constexpr unsigned WARP = 32;
constexpr unsigned MAX_BLOCK = 1024;
constexpr std::size_t STATIC_SHARED_LIMIT = 48 << 10;
constexpr std::size_t SHARED_OPTIN_LIMIT = 227 << 10;

struct block;

enum class waiting { nothing, at_barrier, in_warp, finished };

/* A CUDA thread. */
struct thread {
  fiber context;
  position where;
  block *home;
  unsigned linear; /* index within the block */
  waiting state;
  /* what it waits with */
  site at;
  char barrier_kind; /* 's' plain, else barrier_reduce's kind */
  warp_op op;
  unsigned mask;
  int type;
  uint64_t value;
  int argument;
  uint64_t result;
};

struct machine {
  std::recursive_mutex mutex;
  emulator_options options;
  bool configured = false;
  uint64_t random_state = 0;
  uint64_t calls = 0;
  uint64_t counted_for_failure = 0;
  uint64_t kernels_run = 0;
};
extern machine the_machine;
/* A thread launches nothing more until it has read the error, which is its own. */
extern thread_local bool launch_failed;

/* Options from the environment, once. */
void configure_once();

/* A number below `limit`, from the seed. */
uint64_t random_below(uint64_t limit);
inline bool shuffled() {
  return the_machine.options.seed != 0;
}

/* Report an error in the running thread (or in host code) and end the process. */
[[noreturn]] void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Hidden, because every load and store of a kernel calls these, and a call through the library's
 * table would cost as much as the check. */
#pragma GCC visibility push(hidden)

/* scheduler.cpp */
struct grid_launch {
  const char *name;
  dim3 grid, block;
  std::size_t shared;
  int device;
  std::shared_ptr<bound_kernel> kernel;
};
void run_grid(const grid_launch &launch);
/* Every load and store reads it: "initial-exec" spares the call of __tls_get_addr. */
extern thread_local thread *current __attribute__((tls_model("initial-exec")));
inline thread *running_thread() {
  return current;
}
const char *running_kernel();
int running_device();
void preempt(); /* perhaps go on with another thread, by the seed */

/* Addresses that were reserved: none before their first use. */
struct stretch {
  uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool holds(uintptr_t address) const { return address - begin < bytes; }
};

/* memory.cpp: device memory */
extern stretch device_stretch;
inline bool in_arena(uintptr_t address) {
  return device_stretch.holds(address);
}
cudaError_t device_allocate(int device, std::size_t bytes, void **out);
bool device_free(void *memory);
int device_of(const void *memory); /* -1: not device memory */
bool device_range_ok(const void *memory, std::size_t bytes);
void device_mark_written(const void *memory, std::size_t bytes);
void device_copy_marks(const void *to, const void *from, std::size_t bytes);
void device_access(uintptr_t address, std::size_t bytes, bool write);
std::size_t device_allocation_bytes(uintptr_t address); /* that it lies in; 0: none */
std::size_t device_bytes_used(int device);
uint64_t device_allocations();
void device_forget_peak();
/* Device memory can be touched between open and close; host code that touches it otherwise is
 * reported. */
void arena_open();
void arena_close();
struct arena_guard {
  arena_guard() { arena_open(); }
  ~arena_guard() { arena_close(); }
};
bool peer_enabled(int device, int peer);

/* pinned host memory */
void pinned_add(void *memory, std::size_t bytes, bool owned);
bool pinned_remove(void *memory, bool owned);
bool is_pinned(const void *memory, std::size_t bytes);
bool kernels_reach(const void *memory, std::size_t bytes); /* by its address on the host */
bool pinned_within(const void *memory, std::size_t bytes); /* any of it */
uint64_t pinned_count();

/* shared.cpp: shared memory of the blocks that run, and races in it */
constexpr unsigned SHARED_SLOTS = 4;
struct shared_clock { /* when a thread last synchronised */
  uint32_t block_epoch, warp_epoch;
};
void shared_begin(unsigned slot, std::size_t dynamic_bytes);
void shared_end(unsigned slot);
void *shared_find(unsigned slot, const void *key, std::size_t bytes, std::size_t alignment);
void *shared_base(unsigned slot);
extern stretch shared_stretch;
inline bool in_shared(uintptr_t address) {
  return shared_stretch.holds(address);
}
enum class access { read, write, atomic, volatile_read, volatile_write };
void shared_access(unsigned slot, shared_clock now, unsigned thread, uintptr_t address,
                   std::size_t bytes, access kind);
void shared_settle(); /* before the running thread leaves or touches something else */
unsigned running_slot();
shared_clock running_clock();

/* counts.cpp */
bool counts_accesses();
void count_access(uintptr_t address, std::size_t bytes, access kind);

#pragma GCC visibility pop

/* streams.cpp */
struct task {
  std::function<void()> run;
  uint64_t sequence;
  struct event_state *wait = nullptr; /* not before this event's `wait_version`-th record */
  uint64_t wait_version = 0;
};
cudaError_t enqueue(cudaStream_t stream, std::function<void()> run);
int current_device();
int stream_device(cudaStream_t stream);
void drain_device(int device);
void drain_stream(cudaStream_t stream);
uint64_t streams_live();
void streams_reset();

/* machine.cpp */
cudaError_t set_error(cudaError_t error);
bool injected(const char *function);

/* api.cpp */
void api_reset();

} /* namespace emulator */
