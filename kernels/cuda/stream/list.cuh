/* What an iteration of a streamed run has to walk, cut into batches that travel together: the units
 * that lie in the device's cache first, then those that were copied ahead (ahead.cuh), then
 * the others in their order, late ones after the rest.
 *
 * 17 bytes of the host's memory are read for an active unit, in order: some 4 ns, where moving 32
 * KiB takes 600. Host side only. */
#pragma once

#include "kernels/cuda/stream/ahead.cuh"
#include "kernels/cuda/stream/cache.cuh"
#include "kernels/cuda/stream/stream.cuh"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero it before use. */
struct qn_unit_list {
  const struct qn_unit_source *source;
  uint64_t batch_bytes;
  struct qn_unit_cache cache;
  struct qn_unit_ahead ahead;
  uint64_t *unit_bytes;          /* [num_units] in the cache */
  uint8_t *late;                 /* [num_units], or NULL: none is */
  struct qn_unit_use *used;      /* [num_units] this iteration's, as the cache is asked for them */
  struct qn_unit_use *uses;      /* [num_units] the same as they are walked */
  struct qn_unit_batch *batches; /* [num_units] */
  uint64_t num_batches;
  uint64_t num_resident;            /* batches, the first ones */
  uint64_t num_ahead;               /* batches after them */
  struct qn_stream_figures figures; /* of the list */
  bool lasts;                       /* the next list, if it is of all units, is the same */
};

/* For batches of at most plan->batch_bytes, with the plan's cache. Owned until
 * qn_unit_list_destroy; `source` must outlive it. */
enum qn_status qn_unit_list_create(struct qn_unit_list *list, const struct qn_unit_source *source,
                                   const struct qn_stream_plan *plan, struct qn_error *error);
/* A zeroed list is allowed. */
void qn_unit_list_destroy(struct qn_unit_list *list);

/* List the units whose flag is not 0 (NULL: all). `goes_on`: for the iteration of the last list. 5
 * ns a unit, but when all are listed again. */
void qn_unit_list_make(struct qn_unit_list *list, const uint8_t *flags, bool goes_on);

#ifdef __cplusplus
}
#endif
