/* Units of which less moves than lies on the host: readers put together what does. Such a source
 * has qn_unit_packed as its `describe`, and a struct qn_unit_packing as its `user`. Nothing of it
 * is copied from where it lies, so to pin it is of no use. */
#pragma once

#include "kernels/cuda/stream/stream.cuh"

#ifdef __cplusplus
extern "C" {
#endif

/* The functions are called by several threads at once, with `user`. */
struct qn_unit_packing {
  const void *user;
  /* Where the unit lies: one piece of one run. */
  void (*describe)(const void *user, uint64_t unit, struct qn_unit *out);
  uint64_t (*bytes)(const void *user, uint64_t unit); /* of it move */
  /* As many as that said when the stream was made, rounded up by qn_unit_rounded. */
  void (*pack)(const void *user, uint64_t unit, uint8_t *to, uint64_t bytes);
};

void qn_unit_packed(const void *packing, uint64_t unit, struct qn_unit *out);

/* NULL: the source's units move as they are. */
static inline const struct qn_unit_packing *
qn_unit_packing_of(const struct qn_unit_source *source) {
  return source->describe == qn_unit_packed ? (const struct qn_unit_packing *)source->user : NULL;
}

#ifdef __cplusplus
}
#endif
