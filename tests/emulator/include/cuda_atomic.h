/* Atomics (included by cuda_runtime.h). One thread of the emulated device runs
 * at a time and a switch happens only in atomic_access, so plain operations are
 * atomic; they are kept out of the instrumentation, which would take them for
 * unsynchronised accesses. */
#ifndef EMULATOR_CUDA_ATOMIC_H
#define EMULATOR_CUDA_ATOMIC_H

#define EMULATOR_ATOMIC __attribute__((noinline, no_sanitize("thread")))

/* As CUDA does, each type has its own overload, so that a call with mixed types is ambiguous
 * or converts in the same way. */
#define EMULATOR_UPDATE(type, name, new_value)                                                     \
  EMULATOR_ATOMIC static inline type name(type *address, type value) {                             \
    ::emulator::atomic_access(address, sizeof *address);                                           \
    type old = *address;                                                                           \
    *address = new_value;                                                                          \
    return old;                                                                                    \
  }
#define EMULATOR_ATOMICS(type)                                                                     \
  EMULATOR_UPDATE(type, atomicExch, value)                                                         \
  EMULATOR_UPDATE(type, atomicAdd, old + value)
#define EMULATOR_INTEGER_ATOMICS(type)                                                             \
  EMULATOR_UPDATE(type, atomicMin, value < old ? value : old)                                      \
  EMULATOR_UPDATE(type, atomicMax, old < value ? value : old)                                      \
  EMULATOR_UPDATE(type, atomicOr, old | value)                                                     \
  EMULATOR_UPDATE(type, atomicAnd, old &value)                                                     \
  EMULATOR_UPDATE(type, atomicXor, old ^ value)                                                    \
  EMULATOR_ATOMIC static inline type atomicCAS(type *address, type compare, type value) {          \
    ::emulator::atomic_access(address, sizeof *address);                                           \
    type old = *address;                                                                           \
    if (old == compare)                                                                            \
      *address = value;                                                                            \
    return old;                                                                                    \
  }
EMULATOR_ATOMICS(int)
EMULATOR_ATOMICS(unsigned int)
EMULATOR_ATOMICS(unsigned long long)
EMULATOR_ATOMICS(float)
EMULATOR_ATOMICS(double)
EMULATOR_INTEGER_ATOMICS(int)
EMULATOR_INTEGER_ATOMICS(unsigned int)
EMULATOR_INTEGER_ATOMICS(unsigned long long)
#undef EMULATOR_ATOMICS
#undef EMULATOR_UPDATE
#undef EMULATOR_INTEGER_ATOMICS
#undef EMULATOR_ATOMIC

static inline int atomicSub(int *address, int value) {
  return atomicAdd(address, -value);
}
static inline unsigned atomicSub(unsigned *address, unsigned value) {
  return atomicAdd(address, 0u - value);
}

#endif
