/* Memory that the ranks of one machine share: one of them makes it, and tells the others where it
 * is. */
#pragma once

#include <stdint.h>

#include <quern/error.h>

/* Where it is, as numbers that MPI tells. */
struct qn_shared_place {
  int process; /* 0: there is none */
  int descriptor;
  int mark;
};

/* Make memory for `count` items of `size` bytes, zeroed; `place->process` is 0 if the system has
 * none to share. `place` is closed when all have opened it; the memory is owned until
 * qn_pages_free(memory, count, size). */
void qn_shared_create(uint64_t count, uint64_t size, void **memory, struct qn_shared_place *place);
void qn_shared_close(struct qn_shared_place *place);

/* The memory that another process has made; NULL if it can't be had, as from a container beside
 * this one. Owned as above. */
void *qn_shared_open(uint64_t count, uint64_t size, const struct qn_shared_place *place);
