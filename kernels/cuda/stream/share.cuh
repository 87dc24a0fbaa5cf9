/* A device's share of a topology's units (stream.cuh), and keeping a share resident. */
#pragma once

#include "kernels/cuda/stream/stream.cuh"

#ifdef __cplusplus
extern "C" {
#endif

/* Zero it before use. */
struct qn_unit_share {
  uint64_t num_units;      /* of the whole topology */
  uint8_t *mine;           /* [num_units] is the unit dealt to this device? NULL: all are */
  uint64_t count;          /* units that are */
  uint64_t bytes;          /* of these, with their pieces rounded up */
  uint64_t resident_bytes; /* device memory if they are resident */
  /* Once resident: */
  uint8_t *memory;
  const struct qn_unit_entry *entries; /* [count] device */
};

/* Deal the units of `source` to `num_shares` devices: in order, each unit to its owner if the
 * source says one, else to the device that has the fewest bytes so far, the first of several. Units
 * of one size so go round the devices, which is the default of GTS (section 4.1: page modulo N).
 * With `whole` every device gets all. Owned until qn_unit_share_destroy each, also after a failure.
 */
enum qn_status qn_unit_shares_create(struct qn_unit_share *shares, unsigned num_shares, bool whole,
                                     const struct qn_unit_source *source, struct qn_error *error);
/* The device memory is that of the run. A zeroed share is allowed. */
void qn_unit_share_destroy(struct qn_unit_share *share);

/* Bring all of the share's units to the current device, to stay there. */
enum qn_status qn_unit_share_upload(struct qn_unit_share *share, struct qn_cuda_memory *memory,
                                    const struct qn_unit_source *source, struct qn_error *error);

#ifdef __cplusplus
}
#endif
