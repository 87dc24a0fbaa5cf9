/* Checkpoints of a run that several ranks share: each writes the values of its own vertices, and
 * the first one, when all have, the file that lists theirs. Any number of ranks reads them. */
#pragma once

#include "formats/checkpoints/folder.h"
#include "formats/layouts/checkpoint.h"
#include "support/ranks/collective.h"

/* Write `whole`, of whose values and bits rank r has those of the vertices
 * [firsts[r], firsts[r + 1]), and no other bits. All ranks call it; the checkpoint takes the place
 * of the one before whole or not at all, and then the parts of that are removed. */
enum qn_status qn_checkpoint_parts_write(const struct qn_checkpoint_folder *folder,
                                         const struct qn_collective *ranks, const uint64_t *firsts,
                                         const struct qn_checkpoint *whole, struct qn_error *error);

/* The values and bits of some of the vertices, at the places that they have among all. */
struct qn_checkpoint_restored {
  uint64_t num_vertices;
  uint32_t value_bytes;
  char *values;     /* [num_vertices x value_bytes] */
  uint64_t *active; /* [ceil(V / 64)], or NULL */
};

/* Read those of the vertices [begin, end) from the parts that `list` names. QN_INVALID if one is
 * missing, damaged, or none of this checkpoint, or its state does not fit a kernel whose values
 * take `value_bytes`, and which has bits of active vertices (`has_active`). Freed by
 * qn_checkpoint_restored_free, also after a failure. */
enum qn_status qn_checkpoint_parts_read(const struct qn_checkpoint_folder *folder,
                                        const struct qn_checkpoint *list, uint64_t begin,
                                        uint64_t end, uint32_t value_bytes, bool has_active,
                                        struct qn_checkpoint_restored *restored,
                                        struct qn_error *error);
/* A zeroed one is allowed. */
void qn_checkpoint_restored_free(struct qn_checkpoint_restored *restored);
