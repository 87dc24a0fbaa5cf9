/* Fibers: stacks that are switched by hand. A CUDA thread is one fiber. */
#pragma once

#include <cstddef>
#include <cstdint>

namespace emulator {

struct fiber {
  void *stack_pointer = nullptr; /* while it is not running */
  char *stack = nullptr;         /* lowest usable byte; NULL for the host's own stack */
  std::size_t stack_bytes = 0;
  void *sanitizer_state = nullptr; /* AddressSanitizer's fake stack while it is not running */
};

/* Give `f` a stack (with a guard page below), once; stacks are kept for reuse until the end. */
void fiber_create(fiber &f);

/* Make `f` begin at entry() at the next switch to it. `entry` must not return. */
void fiber_prepare(fiber &f, void (*entry)());

/* Go from the running fiber to another. `last` says that `from` will never run on from here. */
void fiber_switch(fiber &from, fiber &to, bool last);

/* The first thing that a fiber's entry function must call. */
void fiber_entered();

} /* namespace emulator */
