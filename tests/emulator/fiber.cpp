#include "fiber.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define WITH_ASAN 1
#else
#define WITH_ASAN 0
#endif

/* emulator_switch(&save, load): push the callee-saved registers, store the stack
 * pointer in *save, load the other's, pop its registers and return into it. */
extern "C" void emulator_switch(void **save, void *load);

#if defined(__x86_64__)
asm(R"(
.text
.globl emulator_switch
.hidden emulator_switch
.type emulator_switch, @function
.balign 16
emulator_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size emulator_switch, .-emulator_switch
.section .note.GNU-stack,"",@progbits
.text
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl emulator_switch
.hidden emulator_switch
.type emulator_switch, %function
.balign 16
emulator_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size emulator_switch, .-emulator_switch
)");
#else
#error "the emulator knows how to switch stacks on x86-64 and aarch64"
#endif

namespace emulator {

namespace {

constexpr std::size_t STACK_BYTES = WITH_ASAN ? 256 << 10 : 64 << 10;
constexpr std::size_t GUARD_BYTES = 4096;
/* Tops of stacks at one distance from the pages' ends would share a few lines of the cache. */
constexpr std::size_t STAGGER_BYTES = 192, NUM_STAGGERS = 20;

/* AddressSanitizer wants to know whose stack is entered; the host's it learns from the first
 * switch away from it. */
struct stack_bounds {
  const void *bottom;
  std::size_t bytes;
};
[[maybe_unused]] thread_local stack_bounds host_stack;
[[maybe_unused]] thread_local fiber *entering;
[[maybe_unused]] thread_local bool left_host;

} /* namespace */

void fiber_create(fiber &f) {
  if (f.stack)
    return;
  const std::size_t page = sysconf(_SC_PAGESIZE);
  const std::size_t guard = GUARD_BYTES > page ? GUARD_BYTES : page;
  char *memory = static_cast<char *>(mmap(nullptr, guard + STACK_BYTES, PROT_READ | PROT_WRITE,
                                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (memory == MAP_FAILED || mprotect(memory, guard, PROT_NONE) != 0) {
    std::perror("emulator: no memory for a thread's stack");
    std::abort();
  }
  static std::size_t created;
  f.stack = memory + guard;
  f.stack_bytes = STACK_BYTES - created++ % NUM_STAGGERS * STAGGER_BYTES;
}

void fiber_prepare(fiber &f, void (*entry)()) {
#if WITH_ASAN
  ASAN_UNPOISON_MEMORY_REGION(f.stack, f.stack_bytes); /* what the last user left behind */
#endif
  void **top = reinterpret_cast<void **>(f.stack + f.stack_bytes);
#if defined(__x86_64__)
  /* After `ret` the stack must be as after a call: 8 bytes off a multiple of 16. */
  *--top = nullptr;
  *--top = reinterpret_cast<void *>(entry);
  for (int i = 0; i < 6; i++)
    *--top = nullptr;
#else
  top -= 20;
  std::memset(top, 0, 160);
  top[11] = reinterpret_cast<void *>(entry); /* x30 */
#endif
  f.stack_pointer = top;
  f.sanitizer_state = nullptr;
}

void fiber_switch(fiber &from, fiber &to, [[maybe_unused]] bool last) {
#if WITH_ASAN
  left_host = from.stack == nullptr;
  entering = &to;
  const void *bottom = to.stack ? to.stack : host_stack.bottom;
  std::size_t bytes = to.stack ? to.stack_bytes : host_stack.bytes;
  __sanitizer_start_switch_fiber(last ? nullptr : &from.sanitizer_state, bottom, bytes);
#endif
  emulator_switch(&from.stack_pointer, to.stack_pointer);
#if WITH_ASAN
  stack_bounds came_from;
  __sanitizer_finish_switch_fiber(from.sanitizer_state, &came_from.bottom, &came_from.bytes);
  if (left_host)
    host_stack = came_from;
#endif
}

void fiber_entered() {
#if WITH_ASAN
  stack_bounds came_from;
  __sanitizer_finish_switch_fiber(nullptr, &came_from.bottom, &came_from.bytes);
  if (left_host)
    host_stack = came_from;
#endif
}

} /* namespace emulator */
