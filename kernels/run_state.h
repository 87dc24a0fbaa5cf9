/* Checkpoints: what a run goes on from is its state between two iterations. Going on from a state
 * gives the result that the run would have had: bit for bit where sums of reals have one order
 * (docs/gpu.md).
 * What kernels have to do with them is in keep.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <quern/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Numbers of a state; those that are real are stored as their bits (qn_register_of_real). */
enum qn_state_register {
  QN_STATE_ITERATIONS = 0, /* done so far, at least 1 */
  QN_STATE_CHANGE = 1,     /* real: of the last iteration */
  QN_STATE_AGGREGATE = 2,  /* real: as the program's context has them */
  QN_STATE_ROUND = 3,      /* real */
  QN_STATE_DERIVED = 4,    /* real: 4 of them */
  QN_STATE_ENGINE = 8,     /* from here on the engine's own */
  QN_STATE_LIMIT = 15,     /* real: what vertices that wait have reached; else the engine's own */
  QN_STATE_REGISTERS = 16,
};

/* Vertices are numbered as the engine does, which is its own affair: a state is for the kernel and
 * the container that it came from. */
struct qn_run_state {
  uint64_t registers[QN_STATE_REGISTERS];
  uint64_t num_vertices;
  uint32_t value_bytes;    /* as the kernel's */
  const void *values;      /* [num_vertices] */
  const uint64_t *active;  /* bits of the vertices to send next, [ceil(V / 64)], zero beyond V; NULL
                              for kernels whose vertices are all active */
  const uint64_t *waiting; /* bits of the vertices that wait for their turn; NULL: none */
};

/* Called from the thread that called the kernel. */
struct qn_checkpointing {
  const struct qn_run_state *resume; /* go on from here; NULL: begin */
  /* Is the state after so many iterations wanted? */
  bool (*is_due)(void *user, uint64_t iterations);
  /* Takes the state, whose arrays are valid during the call. A failure ends the run with that
   * status; QN_INTERRUPTED is one. */
  enum qn_status (*save)(void *user, const struct qn_run_state *state, struct qn_error *error);
  void *user;
};

/* Words of a bitmap of vertices. */
static inline uint64_t qn_state_words(uint64_t num_vertices) {
  return num_vertices / 64 + (num_vertices % 64 != 0);
}

static inline uint64_t qn_register_of_real(double value) {
  uint64_t bits;
  __builtin_memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline double qn_real_of_register(uint64_t bits) {
  double value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

#ifdef __cplusplus
}
#endif
