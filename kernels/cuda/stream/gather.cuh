/* The bytes of a batch: where in its buffer on the device each goes, and from where on the host.
 * Reader threads find out. They call nothing of CUDA's.
 *
 * Pieces lie in the buffer by their number, the first ones of all units in front of the second
 * ones, so that those of neighbouring units follow each other there as they do in the container:
 * they are one run. Runs that are long and pinned are copied from where they lie; the others are
 * gathered in the pinned stage, at the same places, with the entries.
 *
 * A part of a batch is what goes to some QN_UNIT_PART_BYTES of the stage. Whoever gathers one finds
 * out anew where all pieces go, which takes less than a tenth of the time (units of 12 KiB), and
 * keeps parts apart from each other. */
#pragma once

#include "kernels/cuda/stream/copies.cuh"
#include "kernels/cuda/stream/list.cuh"
#include "kernels/cuda/stream/pins.cuh"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef QN_UNIT_PART_BYTES
#define QN_UNIT_PART_BYTES ((uint64_t)1 << 20)
#endif

/* Where a batch goes. */
struct qn_unit_target {
  const struct qn_unit_pins *pins; /* of which these are used; NULL: all is gathered */
  uint64_t num_pinned;
  uint8_t *stage;
  uint8_t *buffer; /* on the device */
  uint8_t *cached; /* the device's cache, in slots of the largest unit's size */
};

/* In how many parts a batch is to be gathered. */
unsigned qn_unit_parts(const struct qn_unit_batch *batch);

/* Put what belongs to a part of a batch, and is not to be copied from where it lies, into the
 * stage. The first part has the entries, and lists the copies of all. */
void qn_unit_gather(const struct qn_unit_list *list, const struct qn_unit_batch *batch,
                    const struct qn_unit_target *target, unsigned part,
                    struct qn_unit_copies *copies);

/* Let the system read what a batch will need from storage, unless it is in the page cache. */
void qn_unit_read_ahead(const struct qn_unit_list *list, const struct qn_unit_batch *batch);

#ifdef __cplusplus
}
#endif
