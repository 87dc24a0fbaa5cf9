/* The files of a set read ahead of who walks its parts: pages that a walk finds absent are waited
 * for one after the other, at a fraction of the rate at which a disk reads in order. */
#pragma once

#include <pthread.h>

#include "formats/set/set.h"

/* Zero it before use. */
struct qn_set_ahead {
  const struct qn_set *set;
  uint64_t first, end; /* parts */
  uint64_t budget;     /* bytes */
  bool runs;
  bool stops; /* atomic */
  pthread_t thread;
};

/* Begin to read parts [first, end), in order, as far as half of the free memory holds them. What is
 * in memory costs next to nothing; of small ones and without a thread nothing is read. The set
 * stays until the end. */
void qn_set_ahead_begin(struct qn_set_ahead *ahead, const struct qn_set *set, uint64_t first,
                        uint64_t end);
/* Read no more. A zeroed one is allowed. */
void qn_set_ahead_end(struct qn_set_ahead *ahead);
